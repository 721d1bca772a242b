#include "otseq2set/core/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they lie in memory");

namespace {

using nlohmann::json;

constexpr uint64_t kCheckedFirst = uint64_t{64} << 20;  // bytes: a larger file takes memory only if its header fits it
constexpr size_t kLengthBytes = 8;                      // of the header's length

// How long the header is, by the first bytes of a file of so many.
size_t header_length(const std::string& path, std::string_view start, uint64_t size, uint64_t largest) {
  if (start.size() < kLengthBytes) {
    fail("{}: truncated: {} bytes, the header's length alone needs 8", path, start.size());
  }
  uint64_t length;
  std::memcpy(&length, start.data(), kLengthBytes);
  if (length > kLargestHeader) {
    fail("{}: not a safetensors file: header of {} bytes, at most {} are valid", path, length, kLargestHeader);
  }
  if (length > size - kLengthBytes) {
    fail("{}: truncated: {} bytes, the header needs {}", path, size, length + kLengthBytes);
  }
  if (length > largest) {
    fail("{}: header of {} bytes, but the model that config.json describes needs at most {}", path, length, largest);
  }
  return length;
}

// An exponent of all ones is an infinity or not a number. Copied out in blocks, as data need not be aligned;
// the inner loop is one that compilers vectorise.
bool all_finite(const void* data, size_t bytes) {
  constexpr uint32_t kExponent = 0x7f800000;
  std::array<uint32_t, 1024> block;
  const auto* from = static_cast<const char*>(data);
  for (size_t done = 0; done < bytes; done += sizeof block) {
    const size_t size = std::min(sizeof block, bytes - done);
    std::memcpy(block.data(), from + done, size);
    uint32_t faults = 0;
    for (size_t i = 0; i < size / sizeof(float); ++i) faults |= (block[i] & kExponent) == kExponent ? 1 : 0;
    if (faults != 0) return false;
  }
  return true;
}

void check_floats(const std::string& path, const std::string& name, const std::string& dtype,
                  const std::vector<int64_t>& shape, const std::vector<int64_t>& wanted) {
  if (dtype == "F32" && shape == wanted) return;
  fail("{}: {} is {} [{}], but the configuration needs F32 [{}]", path, name, dtype, fmt::join(shape, ", "),
       fmt::join(wanted, ", "));
}

void check_finite(const std::string& path, std::string_view name, const void* data, size_t bytes) {
  if (!all_finite(data, bytes)) {
    fail("{}: {} contains values that are not finite; the file is damaged", path, name);
  }
}

std::vector<const TensorView*> in_file_order(const std::vector<TensorView>& tensors) {
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    const uint64_t a_size = element_size(a->dtype), b_size = element_size(b->dtype);
    return a_size != b_size ? a_size > b_size : a->name < b->name;
  });
  return order;
}

// Padded with spaces to a multiple of 8, as the reference does: the data behind it is aligned.
std::string make_header(const std::string& path, const std::vector<const TensorView*>& order,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kHeaderMetadata] = metadata;
  size_t offset = 0;
  for (const TensorView* tensor : order) {
    assert(element_size(tensor->dtype) > 0 && tensor->name != kHeaderMetadata && !header.contains(tensor->name));
    assert(tensor_bytes(tensor->dtype, tensor->shape) == static_cast<int64_t>(tensor->bytes));
    header[tensor->name] = {
        {"dtype", tensor->dtype}, {"shape", tensor->shape}, {"data_offsets", {offset, offset + tensor->bytes}}};
    offset += tensor->bytes;
  }
  try {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const json::type_error&) {
    fail("cannot write {}: a name or a text of the metadata is not UTF-8", path);
  }
}

}  // namespace

void write_safetensors(const FilePlace& place, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = make_header(place.path, order, metadata);
  const uint64_t length = header.size();
  AtomicFile file(place);
  file.write(&length, kLengthBytes);
  file.write(header);
  for (const TensorView* tensor : order) file.write(tensor->data, tensor->bytes);
  file.commit();
}

SafetensorsFile SafetensorsFile::open(const std::string& path, const SafetensorsLimits& limits) {
  SafetensorsFile file;
  file.path_ = path;
  if (RegularFile(path).size() > kCheckedFirst) {
    const SafetensorsOnDisk with_a_header_that_fits(path);
  }
  const WholeFile bytes = read_bytes(path, limits.largest_file);
  file.bytes_ = bytes.start;
  if (limits.check) limits.check(bytes.view());
  const size_t length = header_length(path, bytes.view(), bytes.size, limits.largest_header);
  const char* data = bytes.start.get() + kLengthBytes + length;
  SafetensorsHeader header =
      parse_safetensors_header(path, bytes.view().substr(kLengthBytes, length), bytes.size - kLengthBytes - length);
  file.metadata_ = std::move(header.metadata);
  for (TensorEntry& entry : header.tensors) {
    file.by_name_[entry.name] = file.tensors_.size();
    file.tensors_.push_back({std::move(entry.name), std::move(entry.dtype), std::move(entry.shape), data + entry.begin,
                             entry.end - entry.begin});
  }
  return file;
}

const TensorView& SafetensorsFile::view(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) fail("{}: no tensor {}", path_, name);
  return tensors_[found->second];
}

const TensorView& SafetensorsFile::finite_floats(std::string_view name, const std::vector<int64_t>& shape) const {
  const TensorView& tensor = view(name);
  check_floats(path_, tensor.name, tensor.dtype, tensor.shape, shape);
  check_finite(path_, name, tensor.data, tensor.bytes);
  return tensor;
}

SafetensorsOnDisk::SafetensorsOnDisk(const std::string& path) : file_(path) {
  std::string bytes(std::min<uint64_t>(kLengthBytes, file_.size()), '\0');
  bytes.resize(file_.read(0, bytes.data(), bytes.size()));
  const size_t length = header_length(path, bytes, file_.size(), kLargestHeader);
  data_ = kLengthBytes + length;
  bytes.resize(length);
  bytes.resize(file_.read(kLengthBytes, bytes.data(), length));
  header_ = parse_safetensors_header(path, bytes, file_.size() - data_);
}

void SafetensorsOnDisk::read_floats(const std::string& name, const std::vector<int64_t>& shape, float* to) const {
  const auto found = std::find_if(header_.tensors.begin(), header_.tensors.end(),
                                  [&](const TensorEntry& entry) { return entry.name == name; });
  if (found == header_.tensors.end()) fail("{}: no tensor {}", path(), name);
  check_floats(path(), name, found->dtype, found->shape, shape);
  const uint64_t bytes = found->end - found->begin;
  if (file_.read(data_ + found->begin, reinterpret_cast<char*>(to), bytes) != bytes) {
    fail("{}: truncated while it was read", path());
  }
  check_finite(path(), name, to, bytes);
}

}  // namespace otseq2set::inline core
