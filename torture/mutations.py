"""Damage to files: what disks, copies and people do to them."""


NUMBERS = [b"0", b"-1", b"7", b"99999", b"1e9", b"65536", b"9223372036854775808", b"1e400", b"0.5", b'"1"']


def flip_bits(data, choose):
    damaged = bytearray(data)
    for _ in range(choose.choice([1, 1, 1, 2, 8])):
        damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
    return bytes(damaged)


def other_bytes(data, choose):
    damaged = bytearray(data)
    for _ in range(choose.choice([1, 2, 16])):
        damaged[choose.randrange(len(damaged))] = choose.choice([*b'\0\t\n ",\\{\xff', choose.randrange(256)])
    return bytes(damaged)


def cut(data, choose):
    return data[:choose.randrange(len(data))]


def part(data, choose):
    begin = choose.randrange(len(data))
    return begin, min(len(data), begin + choose.choice([1, 4, 16, 64, 512, 4096]))


def zero(data, choose):
    begin, end = part(data, choose)
    return data[:begin] + bytes(end - begin) + data[end:]


def leave_out(data, choose):
    begin, end = part(data, choose)
    return data[:begin] + data[end:]


def twice(data, choose):
    begin, end = part(data, choose)
    return data[:end] + data[begin:end] + data[end:]


def swap_blocks(data, choose):
    a, b = sorted(choose.randrange(len(data)) for _ in range(2))
    size = min(choose.choice([1, 16, 512]), b - a, len(data) - b)
    return data[:a] + data[b:b + size] + data[a + size:b] + data[a:a + size] + data[b + size:]


def other_number(data, choose):
    """A number in a text becomes another one: what a person changes."""
    places = [i for i, byte in enumerate(data[:65536]) if 48 <= byte <= 57]
    if not places:
        return flip_bits(data, choose)
    at = choose.choice(places)
    return data[:at] + choose.choice(NUMBERS) + data[at + 1:]


def longer(data, choose):
    return data + choose.choice([b"\n", b"\0", b"x", b" " * 4096, data])


def nothing(*_):
    return b""


ALL = [flip_bits, flip_bits, other_bytes, cut, zero, leave_out, twice, swap_blocks, other_number, longer, nothing]


def mutate(data, choose):
    """(name of what was done, the damaged bytes), never the bytes that were given."""
    for _ in range(100):
        how = choose.choice(ALL)
        damaged = how(data, choose) if data else b"\n"
        if damaged != data:
            return how.__name__, damaged
    return "longer", data + b"x"
