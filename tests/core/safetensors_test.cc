#include "otseq2set/core/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/random.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

class Safetensors : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/otseq2set_safetensors_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    path_ = folder_ + "/weights.safetensors";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Three tensors, one of them empty and one a scalar.
  std::vector<TensorView> tensors() const {
    return {{"b.weight", "F32", {2, 3}, floats_, sizeof floats_},
            {"count", "I64", {}, &integer_, sizeof integer_},
            {"a.none", "F32", {0, 4}, nullptr, 0}};
  }

  // Thousands of small files: a new one each time, which the file system need not sync.
  void put(const std::string& bytes) const {
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  // What is wrong with a file of this header and this many bytes of data, without the path before it.
  std::string fault(const std::string& header, size_t data_bytes) const {
    const uint64_t length = header.size();
    const std::string start(reinterpret_cast<const char*>(&length), 8);
    return fault(start + header + std::string(data_bytes, 'd'));
  }

  // The same for a file of these bytes.
  std::string fault(const std::string& bytes) const {
    put(bytes);
    try {
      SafetensorsFile::open(path_);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, path_.size() + 2), path_ + ": ");
      return message.substr(path_.size() + 2);
    }
    return "none";
  }

  std::string folder_, path_;
  const float floats_[6] = {1.0f, -2.0f, 3.5f, 0.0f, 1e-30f, 7.0f};
  const int64_t integer_ = -5;
};

std::vector<std::string> names_of(const SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors()) names.push_back(tensor.name);
  return names;
}

TEST_F(Safetensors, RoundTrip) {
  write_safetensors(path_, tensors(), {{"format", "pt"}, {"note", "\"ä\"\n"}});
  const SafetensorsFile file = SafetensorsFile::open(path_);
  EXPECT_EQ(names_of(file), std::vector<std::string>({"count", "a.none", "b.weight"}));
  EXPECT_EQ(file.metadata().at("note"), "\"ä\"\n");
  EXPECT_EQ(file.metadata().size(), 2u);
  for (const TensorView& written : tensors()) {
    const TensorView& read = file.view(written.name);
    EXPECT_EQ(read.dtype, written.dtype);
    EXPECT_EQ(read.shape, written.shape);
    ASSERT_EQ(read.bytes, written.bytes);
    EXPECT_TRUE(read.bytes == 0 || std::memcmp(read.data, written.data, read.bytes) == 0);
  }
}

TEST_F(Safetensors, BytesAreThoseOfTheFormat) {
  write_safetensors(path_, {{"x", "U8", {2}, "AB", 2}}, {{"k", "v"}});
  const std::string header = R"({"__metadata__":{"k":"v"},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}  )";
  ASSERT_EQ(header.size() % 8, 0u);
  const uint64_t length = header.size();
  EXPECT_EQ(read_file(path_), std::string(reinterpret_cast<const char*>(&length), 8) + header + "AB");
}

TEST_F(Safetensors, OrderGivenDoesNotMatter) {
  std::vector<TensorView> views = tensors();
  write_safetensors(path_, views, {{"a", "1"}, {"b", "2"}});
  const std::string bytes = read_file(path_);
  std::swap(views[0], views[2]);
  write_safetensors(path_, views, {{"b", "2"}, {"a", "1"}});
  EXPECT_EQ(read_file(path_), bytes);
}

TEST_F(Safetensors, EveryTensorIsAligned) {
  const std::vector<double> data(100);
  write_safetensors(path_, {{"a", "U8", {3}, data.data(), 3},
                            {"b", "F64", {2}, data.data(), 16},
                            {"c", "F16", {5}, data.data(), 10},
                            {"d", "F32", {3}, data.data(), 12}});
  const SafetensorsFile file = SafetensorsFile::open(path_);
  EXPECT_EQ(names_of(file), std::vector<std::string>({"b", "d", "c", "a"}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.view("b").data) % 8, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.view("d").data) % 4, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.view("c").data) % 2, 0u);
}

TEST_F(Safetensors, NoTensorsAtAll) {
  write_safetensors(path_, {});
  EXPECT_EQ(read_file(path_).substr(8), "{}      ");
  EXPECT_TRUE(SafetensorsFile::open(path_).tensors().empty());
}

TEST_F(Safetensors, CopiedBytesDoNotChangeWhenTheFileIsOverwrittenOrCut) {
  write_safetensors(path_, tensors());
  const SafetensorsFile file = SafetensorsFile::open(path_);
  std::ofstream(path_, std::ios::binary).flush();  // cut to nothing, in place
  const TensorView& read = file.view("b.weight");
  ASSERT_EQ(read.bytes, sizeof floats_);
  EXPECT_EQ(std::memcmp(read.data, floats_, sizeof floats_), 0);
}

TEST_F(Safetensors, APipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const std::string message = "cannot read " + path_ + ": not a regular file";
  EXPECT_EQ(message_of<Error>([&] { SafetensorsFile::open(path_); }), message);
  EXPECT_EQ(message_of<Error>([&] { SafetensorsOnDisk{path_}; }), message);
}

// A parser that walks over all entries at the end of each takes half an hour for this one, and the test is stopped.
TEST_F(Safetensors, AHeaderOfManyEntriesIsReadInProportion) {
  constexpr int kEntries = 300000;
  std::string header = "{";
  for (int i = 0; i < kEntries; ++i) {
    header += fmt::format("{}\"{}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", i > 0 ? "," : "", i);
  }
  EXPECT_EQ(fault(header + "}", 0), "none");
  EXPECT_EQ(fault(header + ",\"7\":{}}", 0), "7 is given twice in the header");
}

TEST_F(Safetensors, WhatIsExpectedOfAFileIsChecked) {
  write_safetensors(path_, tensors());
  const uint64_t size = std::filesystem::file_size(path_);
  const auto message = [&](const SafetensorsLimits& limits) {
    return message_of<Error>([&] { SafetensorsFile::open(path_, limits); });
  };
  EXPECT_EQ(message({.largest_file = size}), "nothing was thrown");
  EXPECT_NE(message({.largest_file = size - 1}).find("at most"), std::string::npos);
  EXPECT_NE(message({.largest_header = 20}).find("needs at most 20"), std::string::npos);
  std::string seen;
  EXPECT_EQ(message({.check = [&](std::string_view bytes) { seen = bytes; }}), "nothing was thrown");
  EXPECT_EQ(seen, read_file(path_));
  put("damaged");  // which is not looked at before
  EXPECT_EQ(message({.check = [](std::string_view) { fail("not the right one"); }}), "not the right one");
}

TEST_F(Safetensors, OnDiskTensorsAreReadOneByOne) {
  write_safetensors(path_, tensors(), {{"note", "kept"}});
  const SafetensorsOnDisk file(path_);
  EXPECT_EQ(file.metadata().at("note"), "kept");
  const std::vector<int64_t> shape = SafetensorsFile::open(path_).view("b.weight").shape;
  float read[6] = {};
  file.read_floats("b.weight", shape, read);
  EXPECT_EQ(std::memcmp(read, floats_, sizeof floats_), 0);
  const auto message = [&](const std::string& name, const std::vector<int64_t>& wanted) {
    return message_of<Error>([&] { file.read_floats(name, wanted, read); });
  };
  EXPECT_EQ(message("other", shape), path_ + ": no tensor other");
  EXPECT_NE(message("b.weight", {7}).find("needs F32 [7]"), std::string::npos);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_EQ(message("b.weight", shape), path_ + ": truncated while it was read");
}

TEST_F(Safetensors, ViewsOutliveTheFirstCopyAndTheFile) {
  write_safetensors(path_, tensors());
  auto first = std::make_unique<SafetensorsFile>(SafetensorsFile::open(path_));
  const SafetensorsFile copy = *first;
  first.reset();
  std::filesystem::remove(path_);
  float value;
  std::memcpy(&value, copy.view("b.weight").data, sizeof value);
  EXPECT_EQ(value, 1.0f);
}

TEST_F(Safetensors, MissingTensorIsAnError) {
  write_safetensors(path_, tensors());
  const SafetensorsFile file = SafetensorsFile::open(path_);
  EXPECT_EQ(file.view("count").name, "count");
  try {
    file.view("other");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path_ + ": no tensor other");
  }
}

// Longer than a block of the check, behind a byte that keeps it from being aligned.
TEST_F(Safetensors, ParametersAreFinite) {
  const auto fault_of_w = [&](const std::vector<float>& values, const std::vector<int64_t>& shape) {
    const std::string header = R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
                               R"("w":{"dtype":"F32","shape":[3000],"data_offsets":[1,12001]}})";
    const uint64_t length = header.size();
    put(std::string(reinterpret_cast<const char*>(&length), 8) + header + "x" +
        std::string(reinterpret_cast<const char*>(values.data()), 12000));
    const SafetensorsFile file = SafetensorsFile::open(path_);
    return message_of<Error>([&] { file.finite_floats("w", shape); });
  };
  using Limits = std::numeric_limits<float>;
  const std::vector<float> values(3000, -Limits::max());
  EXPECT_EQ(fault_of_w(values, {3000}), "nothing was thrown");
  EXPECT_EQ(fault_of_w(values, {3, 1000}), path_ + ": w is F32 [3000], but the configuration needs F32 [3, 1000]");
  for (const size_t at : {0, 1023, 1024, 2999}) {
    for (const float wrong : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      std::vector<float> damaged = values;
      damaged[at] = wrong;
      EXPECT_EQ(fault_of_w(damaged, {3000}), path_ + ": w contains values that are not finite; the file is damaged")
          << at;
    }
  }
}

TEST_F(Safetensors, MissingFileIsAnError) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      SafetensorsFile::open(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(message(path_), "cannot read " + path_ + ": No such file or directory");
  EXPECT_EQ(message(folder_), "cannot read " + folder_ + ": Is a directory");
}

TEST_F(Safetensors, NameThatIsNoUtf8IsAnError) {
  EXPECT_THROW(write_safetensors(path_, {{"\xff", "U8", {1}, "A", 1}}), Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Safetensors, WrongLengthOfTheHeader) {
  EXPECT_EQ(fault(""), "truncated: 0 bytes, the header's length alone needs 8");
  EXPECT_EQ(fault("1234567"), "truncated: 7 bytes, the header's length alone needs 8");
  EXPECT_EQ(fault(std::string("\x10\0\0\0\0\0\0\0{}", 10)), "truncated: 10 bytes, the header needs 24");
  EXPECT_EQ(fault(std::string("\x03\0\0\0\0\0\0\0{}", 10)), "truncated: 10 bytes, the header needs 11");
  EXPECT_EQ(fault(std::string(16, '\xff')),
            "not a safetensors file: header of 18446744073709551615 bytes, at most 100000000 are valid");
}

TEST_F(Safetensors, HeaderThatIsNoHeader) {
  EXPECT_EQ(fault("", 0), "the header is not JSON, byte 1 of it");
  EXPECT_EQ(fault("{\"x\": ", 0), "the header is not JSON, byte 7 of it");
  EXPECT_EQ(fault("{} x", 0), "the header is not JSON, byte 4 of it");
  EXPECT_EQ(fault("[]", 0), "the header is not a JSON object");
  EXPECT_EQ(fault("{\"\xff\": 1}", 0), "the header is not JSON, byte 3 of it");
  EXPECT_EQ(fault("{\"x\": 1e999}", 0), "the header contains a number out of range");
  EXPECT_EQ(fault("{\"x\": " + std::string(100000, '['), 0), "header nested too deeply");
}

TEST_F(Safetensors, EntriesThatAreNoTensors) {
  const std::string number = "must be a list of whole numbers";
  EXPECT_EQ(fault(R"({"x":3})", 0), "tensor x: must be an object");
  EXPECT_EQ(fault(R"({"x":{}})", 0), "tensor x: dtype must be a text");
  EXPECT_EQ(fault(R"({"x":{"dtype":1}})", 0), "tensor x: dtype must be a text");
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32"}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":3}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":[-1]}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":[1.5]}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":[[]]}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":[9223372036854775808]}})", 0), "tensor x: shape " + number);
  EXPECT_EQ(fault(R"({"x":{"dtype":"F3","shape":[]}})", 0), "tensor x: unknown dtype F3");
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","shape":[]}})", 0), "tensor x: data_offsets " + number);
  EXPECT_EQ(fault(R"({"__metadata__":[]})", 0), "__metadata__ must be an object");
  EXPECT_EQ(fault(R"({"__metadata__":{"a":1}})", 0), "__metadata__: a must be a text");
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST_F(Safetensors, OffsetsThatDoNotFit) {
  const std::string pair = "tensor x: data_offsets must be [begin, end]";
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[0]") + "}", 4), pair);
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[0,4,8]") + "}", 4), pair);
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[4,0]") + "}", 4), pair);
  EXPECT_EQ(fault("{" + entry("x", "[2]", "[0,8]") + "}", 4),
            "truncated: tensor x ends at byte 8 of the data, which has 4");
  EXPECT_EQ(fault("{" + entry("x", "[2]", "[0,4]") + "}", 4),
            "tensor x: its data has 4 bytes, F32 [2] has another size");
  EXPECT_EQ(fault("{" + entry("x", "[0]", "[0,4]") + "}", 4),
            "tensor x: its data has 4 bytes, F32 [0] has another size");
}

TEST_F(Safetensors, SizesThatOverflow) {
  // 2^62 * 4 and 2^32 * 2^32 * 4 are 0 modulo 2^64.
  EXPECT_EQ(fault("{" + entry("x", "[4611686018427387904]", "[0,0]") + "}", 0),
            "tensor x: its data has 0 bytes, F32 [4611686018427387904] has another size");
  EXPECT_EQ(fault("{" + entry("x", "[4294967296,4294967296]", "[0,0]") + "}", 0),
            "tensor x: its data has 0 bytes, F32 [4294967296, 4294967296] has another size");
  EXPECT_EQ(fault("{" + entry("x", "[4294967296,4294967296,0]", "[0,0]") + "}", 0), "none");
}

TEST_F(Safetensors, OverlapsAndGaps) {
  const std::string reason = " is expected: tensors overlap or leave a gap";
  EXPECT_EQ(fault("{" + entry("x", "[2]", "[0,8]") + "," + entry("y", "[2]", "[4,12]") + "}", 12),
            "tensor y begins at byte 4 of the data, byte 8" + reason);
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[0,4]") + "," + entry("y", "[1]", "[8,12]") + "}", 12),
            "tensor y begins at byte 8 of the data, byte 4" + reason);
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[4,8]") + "}", 8), "tensor x begins at byte 4 of the data, byte 0" + reason);
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[0,4]") + "}", 7), "3 bytes after the last tensor");
  EXPECT_EQ(fault("{" + entry("y", "[1]", "[4,8]") + "," + entry("x", "[1]", "[0,4]") + "}", 8), "none");
}

TEST_F(Safetensors, NamesGivenTwice) {
  EXPECT_EQ(fault("{" + entry("x", "[1]", "[0,4]") + "," + entry("x", "[1]", "[0,4]") + "}", 4),
            "x is given twice in the header");
  EXPECT_EQ(fault(R"({"x":{"dtype":"F32","dtype":"F64"}})", 0), "dtype is given twice in the header");
  EXPECT_EQ(fault(R"({"__metadata__":{},"__metadata__":{}})", 0), "__metadata__ is given twice in the header");
}

TEST_F(Safetensors, EveryTruncationIsAnError) {
  write_safetensors(path_, tensors(), {{"key", "value"}});
  const std::string bytes = read_file(path_);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault(bytes.substr(0, size)), "none") << size << " bytes";
  }
}

TEST_F(Safetensors, AHoleTakesNoMemory) {
  put("");
  constexpr uint64_t kSize = uint64_t{3} << 30;
  std::filesystem::resize_file(path_, kSize);
  const uint64_t before = peak_resident_memory();
  EXPECT_THROW(SafetensorsFile::open(path_), Error);
  EXPECT_LT(peak_resident_memory() - before, kSize / 10);
}

// A changed byte may go unnoticed, but never leads outside the file; the sanitizers watch.
TEST_F(Safetensors, RandomDamageIsHarmless) {
  write_safetensors(path_, tensors(), {{"key", "value"}});
  const std::string bytes = read_file(path_);
  RandomStream random(1, "damage");
  for (int repeat = 0; repeat < 3000; ++repeat) {
    std::string damaged = bytes;
    for (uint64_t i = 1 + random.below(3); i > 0; --i) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    }
    put(damaged);
    try {
      const SafetensorsFile opened = SafetensorsFile::open(path_);
      size_t total = 0;
      for (const TensorView& tensor : opened.tensors()) {
        total += std::string(static_cast<const char*>(tensor.data), tensor.bytes).size();
      }
      EXPECT_LT(total, damaged.size());
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace otseq2set
