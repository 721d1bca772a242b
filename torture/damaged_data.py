"""Data files that are damaged: no crash, no hang, bounded memory, and for compressed files, which have sums of their
own, no silently different documents."""

import ctypes
import gzip
import lzma
import shutil

import mutations
import subjects
from runner import complaint

VECTORS = "".join(f"topic{label}x{half} {' '.join(str(label / 10 + half) for _ in range(8))}\n"
                  for label in range(subjects.LABELS) for half in range(2))


def formats():
    """name -> (options that name the files, {file: content})."""
    documents = list(subjects.documents(60, 3))
    token = {label: label.replace(" ", "_") for _, _, labels in documents for label in labels}
    numbers = {label: number for number, label in enumerate(sorted(token))}
    texts = "".join(f"{text}\n" for _, text, _ in documents)
    names = "".join(f"{label}\n" for label in sorted(token))

    def lines(form):
        return "".join(form(name, text, labels) + "\n" for name, text, labels in documents)

    def marked(labels, mark):
        return " ".join(mark.format(token[label]) for label in labels)

    def numbered(labels):
        return ",".join(str(numbers[label]) for label in labels)

    return {
        "jsonl": ([], {"data": subjects.jsonl(60, 3)}),
        "annif-tsv": ([], {"data": lines(lambda _, text, labels: f"{text}\t{marked(labels, '<{}>')}")}),
        "annif-csv": ([], {"data": "text,subject_uris,document_id\n" + lines(
            lambda name, text, labels: f'"{text}",{marked(labels, "{}")},{name}')}),
        "fasttext": ([], {"data": lines(lambda _, text, labels: f"{marked(labels, '__label__{}')} {text}")}),
        "libmultilabel": ([], {"data": lines(lambda name, text, labels: f"{name}\t{marked(labels, '{}')}\t{text}")}),
        "pecos": (["--label-names", "names"],
                  {"data": lines(lambda _, text, labels: f"{numbered(labels)}\t{text}"), "names": names}),
        "attentionxml": (["--labels", "labels"],
                         {"data": texts, "labels": lines(lambda _, __, labels: marked(labels, "{}"))}),
    }


def zstd(data):
    """With a sum, as the program `zstd` writes it."""
    library = ctypes.CDLL("libzstd.so.1")
    for name in ("ZSTD_compressBound", "ZSTD_compress2"):
        getattr(library, name).restype = ctypes.c_size_t
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.ZSTD_createCCtx())
    library.ZSTD_CCtx_setParameter(context, 201, 1)  # ZSTD_c_checksumFlag
    room = ctypes.create_string_buffer(library.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = library.ZSTD_compress2(context, room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    library.ZSTD_freeCCtx(context)
    return room.raw[:size]


PACKING = {"": lambda data: data, "gz": gzip.compress, "xz": lzma.compress, "zst": zstd}


class DataFiles:
    def __init__(self, torture, models):
        self.torture, self.models, self.formats = torture, models, formats()
        self.model = models.folder("hybrid") / "model"
        self.right = {}  # (format, command) -> what it prints of the undamaged files

    def command(self, name, format_name, folder):
        options = [folder / word if word in ("names", "labels") else word for word in self.formats[format_name][0]]
        data = ["--data", folder / "data", "--format", format_name, *options]
        model = ["--model", self.model, "--threads", "1"]
        if name == "predict":
            return ["predict", *model, "--data", folder / "data", "--format", format_name]
        if name == "eval":
            return ["eval", *model, *data]
        if name == "vectors":
            return ["check", *data, "--vectors", folder / "vectors", "--threads", "1"]
        if name == "check":
            return ["check", *data, "--threads", "1"]
        return ["convert", *data, "--to", "jsonl"]

    def lay_out(self, folder, format_name, packing, damaged=None):
        for file, content in {**self.formats[format_name][1], "vectors": VECTORS}.items():
            packed = PACKING[packing](content.encode()) if file == "data" else content.encode()
            (folder / file).write_bytes(damaged(file, packed) if damaged else packed)

    def answer(self, format_name, command):
        """What the command prints of the undamaged files."""
        if (format_name, command) not in self.right:
            folder = self.torture.new_folder()
            self.lay_out(folder, format_name, "")
            outcome = self.torture.run(self.command(command, format_name, folder))
            self.right[format_name, command] = outcome.out
        return self.right[format_name, command]

    def judge(self, number):
        choose = self.torture.choose("data", number)
        format_name = choose.choice(sorted(self.formats))
        packing = choose.choice(["", "", *PACKING])
        command = choose.choice(["convert", "convert", "predict", "check", "eval", "vectors"])
        target = "vectors" if command == "vectors" else choose.choice(sorted(self.formats[format_name][1]))
        done = []

        def damaged(file, content):
            if file != target:
                return content
            how, result = mutations.mutate(content, choose)
            # Twice the same file is a whole one to all of these formats, and without its first bytes it is a plain one.
            packed = packing and file == "data" and result[:6] == content[:6]
            done.extend([how, packed and result != content + content])
            return result

        folder = self.torture.new_folder()
        self.lay_out(folder, format_name, packing, damaged)
        outcome = self.torture.run(self.command(command, format_name, folder))
        self.torture.count("data")
        about = f"{command} of {format_name}{'.' + packing if packing else ''}, {target}: {done[0]}"
        self.torture.note(about, outcome)
        wrong = complaint(outcome)
        if not wrong and outcome.code == 0 and done[1] and command in ("convert", "predict"):
            if outcome.out != self.answer(format_name, command):
                wrong = "a damaged file was read as other documents, without a word"
        shutil.rmtree(folder)
        return wrong and f"{about}: {wrong}"


def run(torture, models, until, most=None, only=None):
    files = DataFiles(torture, models)
    for format_name in files.formats:
        for command in ("convert", "predict"):
            files.answer(format_name, command)

    def work(number):
        wrong = files.judge(number)
        if wrong:
            torture.found("data", number, wrong)

    torture.each("data", [int(only)] if only else range(1 << 30), work, until, most)
