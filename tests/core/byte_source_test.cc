#include "otseq2set/core/byte_source.h"

#include <gtest/gtest.h>
#include <lzma.h>
#include <sys/stat.h>

#include <thread>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "support/packing.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

struct Packer {
  const char* name;
  std::string (*pack)(std::string_view);
};
void PrintTo(const Packer& packer, std::ostream* out) { *out << packer.name; }

std::string read_all(const std::string& path, size_t block = 1000) {
  const auto source = open_bytes(path);
  std::string bytes;
  std::string buffer(block, '\0');
  while (const size_t count = source->read(buffer.data(), buffer.size())) bytes.append(buffer, 0, count);
  EXPECT_EQ(source->read(buffer.data(), buffer.size()), 0u) << "the end stays the end";
  return bytes;
}

// Neither all alike nor without any pattern.
std::string some_bytes(size_t count) {
  RandomStream random(7, "bytes");
  std::string bytes;
  while (bytes.size() < count) bytes += "word" + std::to_string(random.below(1000)) + ' ';
  bytes.resize(count);
  return bytes;
}

class Unpacking : public testing::TestWithParam<Packer> {
 protected:
  std::string pack(std::string_view bytes) const { return GetParam().pack(bytes); }
  // The error without the folder's name.
  std::string error(std::string_view packed) const {
    const std::string path = folder_.write("file", packed);
    const std::string message = message_of<Error>([&] { read_all(path); });
    return message.rfind(path, 0) == 0 ? message.substr(path.size()) : "does not name the file: " + message;
  }
  const TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, Unpacking, testing::Values(Packer{"gzip", gzip}, Packer{"zstd", zstd}, Packer{"xz", xz}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Unpacking, GivesTheBytes) {
  for (const size_t size : {0, 1, 2, 999, 1000, 1001, 200000, 3000000}) {
    const std::string bytes = some_bytes(size);
    const std::string path = folder_.write("file.txt", pack(bytes));
    EXPECT_TRUE(read_all(path) == bytes) << size;
    EXPECT_TRUE(read_all(path, 1 << 20) == bytes) << size;
  }
}

TEST_P(Unpacking, PartsOneAfterTheOther) {
  const std::string a = some_bytes(150000), b = "more";
  EXPECT_TRUE(read_all(folder_.write("file", pack(a) + pack("") + pack(b) + pack(""))) == a + b);
}

TEST_P(Unpacking, CutOff) {
  const std::string packed = pack(some_bytes(20000));
  for (const size_t size : {packed.size() - 1, packed.size() / 2, size_t{7}}) {
    EXPECT_EQ(error(packed.substr(0, size)),
              fmt::format(": the {} data ends too early; is the file complete?", GetParam().name))
        << size;
  }
  const std::string two = packed + packed;
  EXPECT_NE(error(two.substr(0, two.size() - 3)).find("ends too early"), std::string::npos);
}

TEST_P(Unpacking, Damaged) {
  const std::string packed = pack(some_bytes(20000));
  const std::string start = fmt::format(": the {} data is damaged (", GetParam().name);
  int noticed = 0;
  for (size_t at = 12; at + 1 < packed.size(); at += packed.size() / 23) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const std::string message = error(damaged);
    noticed += message.rfind(start, 0) == 0 || message.find("ends too early") != std::string::npos;
  }
  EXPECT_GE(noticed, 23) << "a checksum is there to be looked at";
  EXPECT_EQ(error(packed + "something else").rfind(start, 0), 0u);
}

TEST_P(Unpacking, FromAPipeByteByByte) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string packed = pack("some bytes");
  std::thread writer([&] {
    std::FILE* pipe = std::fopen(path.c_str(), "w");
    for (const char c : packed) {
      std::fputc(c, pipe);
      std::fflush(pipe);
    }
    std::fclose(pipe);
  });
  EXPECT_EQ(read_all(path), "some bytes");
  writer.join();
}

TEST(ByteSource, PlainBytesStayWhatTheyAre) {
  using namespace std::string_view_literals;
  const TempFolder folder;
  for (const std::string_view bytes : {""sv, "\x1f"sv, "\x28\xb5\x2f"sv,
                                       "\xfd"sv
                                       "7zXZ"sv,
                                       "BZh9"sv, "PK"sv, "{\"text\":\"a\"}\n"sv, "\0\0"sv}) {
    EXPECT_EQ(read_all(folder.write("file", bytes)), bytes);
  }
}

TEST(ByteSource, ZerosBehindGzipAreTapeFilling) {
  const TempFolder folder;
  EXPECT_EQ(read_all(folder.write("file", gzip("a") + std::string(700, '\0'))), "a");
}

TEST(ByteSource, OtherPackingsAreNamed) {
  const TempFolder folder;
  const std::string path = folder.write("file", "PK\x03\x04 and so on");
  EXPECT_EQ(message_of<Error>([&] { open_bytes(path); }),
            path + " is compressed with zip, which is not supported; unpack it, or compress it with gzip, zstd or xz");
  folder.write("file", "BZh91AY&SY and so on");
  EXPECT_NE(message_of<Error>([&] { open_bytes(path); }).find("compressed with bzip2"), std::string::npos);
}

// What the header of an xz file asks for is not given unseen: here a dictionary of 4 GB.
TEST(ByteSource, AnXzFileThatWantsTooMuchMemory) {
  const TempFolder folder;
  std::string packed = xz("some bytes");
  constexpr size_t kStreamHeader = 12;  // the block header follows it
  char* header = packed.data() + kStreamHeader;
  const size_t size = 4 * (static_cast<size_t>(header[0]) + 1) - 4;  // without its checksum
  packed[packed.find("\x21\x01", kStreamHeader) + 2] = 40;           // LZMA2, one byte of properties: the size
  const uint32_t checksum = lzma_crc32(reinterpret_cast<const uint8_t*>(header), size, 0);
  for (size_t i = 0; i < 4; ++i) header[size + i] = static_cast<char>(checksum >> (8 * i));
  const std::string path = folder.write("file", packed);
  EXPECT_EQ(message_of<Error>([&] { read_all(path); }),
            path + ": the xz data is damaged (unpacking it needs more than 512 MB)");
}

}  // namespace
}  // namespace otseq2set
