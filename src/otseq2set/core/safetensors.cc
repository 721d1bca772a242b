#include "otseq2set/core/safetensors.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"

namespace otseq2set::inline core {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they lie in memory");

namespace {

using nlohmann::json;

constexpr size_t kLengthBytes = 8;                // of the header's length
constexpr uint64_t kLargestHeader = 100'000'000;  // the limit of the format's reference
constexpr int kDeepest = 3;                       // header, tensor, shape, number
constexpr char kMetadata[] = "__metadata__";

// Bytes of an element, 0 for an unknown type.
uint64_t element_size(const std::string& dtype) {
  static const std::map<std::string, uint64_t> kSizes = {
      {"F64", 8}, {"I64", 8}, {"U64", 8}, {"F32", 4},  {"I32", 4}, {"U32", 4},     {"F16", 2},    {"BF16", 2},
      {"I16", 2}, {"U16", 2}, {"I8", 1},  {"BOOL", 1}, {"U8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  const auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

// Bytes of a tensor, nothing if the number does not fit into 63 bits.
std::optional<int64_t> tensor_bytes(const std::string& dtype, const std::vector<int64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t bytes = static_cast<int64_t>(element_size(dtype));
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

struct Bytes {
  std::shared_ptr<const char> start;  // null if there are none
  size_t size = 0;
};

Bytes map(int descriptor, size_t size) {
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) return {};
  const auto unmap = [size](const char* bytes) { munmap(const_cast<char*>(bytes), size); };
  return {std::shared_ptr<const char>(static_cast<const char*>(start), unmap), size};
}

// As many as there are, if the file has become shorter meanwhile.
Bytes copy(int descriptor, size_t size) {
  const std::shared_ptr<char> start(new char[size], std::default_delete<char[]>());
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, start.get() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return {start, done};
}

Bytes read_bytes(const std::string& path, HeldBytes where) {
  // Without waiting for whoever writes into a pipe.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail("cannot read {}: {}", path, std::strerror(errno));
  struct stat status = {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const size_t size = regular ? static_cast<size_t>(status.st_size) : 0;
  Bytes bytes;
  if (size > 0) bytes = where == HeldBytes::kMapped ? map(descriptor, size) : copy(descriptor, size);
  const int reason = errno;
  ::close(descriptor);
  if (!regular) fail("cannot read {}: {}", path, S_ISDIR(status.st_mode) ? std::strerror(EISDIR) : "not a file");
  if (size > 0 && !bytes.start) fail("cannot read {}: {}", path, std::strerror(reason));
  return bytes;
}

// Where the header is; its length has been checked against the file.
std::string_view find_header(const std::string& path, const char* bytes, size_t size) {
  if (size < kLengthBytes) fail("{}: truncated: {} bytes, the header's length alone needs 8", path, size);
  uint64_t length;
  std::memcpy(&length, bytes, kLengthBytes);
  if (length > kLargestHeader) {
    fail("{}: not a safetensors file: header of {} bytes, at most {} are valid", path, length, kLargestHeader);
  }
  if (length > size - kLengthBytes) {
    fail("{}: truncated: {} bytes, the header needs {}", path, size, length + kLengthBytes);
  }
  return {bytes + kLengthBytes, static_cast<size_t>(length)};
}

// The parser by itself keeps the last of two equal keys and nests without bound; this refuses both.
json parse_header(const std::string& path, std::string_view header) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kDeepest) fail("{}: header nested too deeply", path);
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      fail("{}: {} is given twice in the header", path, parsed.get<std::string>());
    }
    return true;
  };
  try {
    json parsed = json::parse(header.begin(), header.end(), watch);
    if (!parsed.is_object()) fail("{}: the header is not a JSON object", path);
    return parsed;
  } catch (const json::parse_error& error) {
    fail("{}: the header is not JSON, byte {} of it", path, error.byte);
  } catch (const json::exception&) {  // a number beyond all types
    fail("{}: the header contains a number out of range", path);
  }
}

// A list of numbers 0 .. 2^63 - 1.
std::vector<int64_t> read_numbers(const std::string& path, const std::string& name, const json& entry,
                                  const char* key) {
  const auto found = entry.find(key);
  const bool valid =
      found != entry.end() && found->is_array() && std::all_of(found->begin(), found->end(), [](const json& number) {
        return number.is_number_unsigned() && number.get<uint64_t>() <= INT64_MAX;
      });
  if (!valid) fail("{}: tensor {}: {} must be a list of whole numbers", path, name, key);
  return found->get<std::vector<int64_t>>();
}

// data: where the tensors begin, with `size` bytes to the end of the file.
TensorView read_entry(const std::string& path, const std::string& name, const json& entry, const char* data,
                      size_t size) {
  if (!entry.is_object()) fail("{}: tensor {}: must be an object", path, name);
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) fail("{}: tensor {}: dtype must be a text", path, name);
  TensorView view{name, dtype->get<std::string>(), read_numbers(path, name, entry, "shape"), nullptr, 0};
  if (element_size(view.dtype) == 0) fail("{}: tensor {}: unknown dtype {}", path, name, view.dtype);

  const std::vector<int64_t> offsets = read_numbers(path, name, entry, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail("{}: tensor {}: data_offsets must be [begin, end]", path, name);
  }
  if (static_cast<uint64_t>(offsets[1]) > size) {
    fail("{}: truncated: tensor {} ends at byte {} of the data, which has {}", path, name, offsets[1], size);
  }
  const int64_t bytes = offsets[1] - offsets[0];
  if (tensor_bytes(view.dtype, view.shape) != bytes) {
    fail("{}: tensor {}: its data has {} bytes, {} [{}] has another size", path, name, bytes, view.dtype,
         fmt::join(view.shape, ", "));
  }
  view.data = data + offsets[0];
  view.bytes = static_cast<size_t>(bytes);
  return view;
}

std::map<std::string, std::string> read_metadata(const std::string& path, const json& entry) {
  std::map<std::string, std::string> metadata;
  if (!entry.is_object()) fail("{}: {} must be an object", path, kMetadata);
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) fail("{}: {}: {} must be a text", path, kMetadata, key);
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// In the order of the data each tensor begins where the one before it ends, and the last ends with the file.
void check_coverage(const std::string& path, const std::vector<TensorView>& tensors, const char* data, size_t size) {
  const char* end = data;
  for (const TensorView& tensor : tensors) {
    if (tensor.data != end) {
      fail("{}: tensor {} begins at byte {} of the data, byte {} is expected: tensors overlap or leave a gap", path,
           tensor.name, static_cast<const char*>(tensor.data) - data, end - data);
    }
    end += tensor.bytes;
  }
  if (end != data + size) fail("{}: {} bytes after the last tensor", path, data + size - end);
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
  if (!metadata.empty()) header[kMetadata] = metadata;
  size_t offset = 0;
  for (const TensorView* tensor : order) {
    assert(element_size(tensor->dtype) > 0 && tensor->name != kMetadata && !header.contains(tensor->name));
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

void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = make_header(path, order, metadata);
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(&length, kLengthBytes);
  file.write(header);
  for (const TensorView* tensor : order) file.write(tensor->data, tensor->bytes);
  file.commit();
}

SafetensorsFile SafetensorsFile::open(const std::string& path, HeldBytes where) {
  SafetensorsFile file;
  file.path_ = path;
  const auto [start, size] = read_bytes(path, where);
  file.bytes_ = start;
  const std::string_view header = find_header(path, start.get(), size);
  const char* data = header.data() + header.size();
  const size_t data_size = size - kLengthBytes - header.size();

  const json entries = parse_header(path, header);
  for (const auto& [name, entry] : entries.items()) {
    if (name == kMetadata) {
      file.metadata_ = read_metadata(path, entry);
    } else {
      file.tensors_.push_back(read_entry(path, name, entry, data, data_size));
    }
  }
  // An empty tensor goes before the one that begins at the same byte.
  std::sort(file.tensors_.begin(), file.tensors_.end(), [](const TensorView& a, const TensorView& b) {
    return std::tie(a.data, a.bytes, a.name) < std::tie(b.data, b.bytes, b.name);
  });
  check_coverage(path, file.tensors_, data, data_size);
  for (size_t i = 0; i < file.tensors_.size(); ++i) file.by_name_[file.tensors_[i].name] = i;
  return file;
}

const TensorView& SafetensorsFile::view(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) fail("{}: no tensor {}", path_, name);
  return tensors_[found->second];
}

const TensorView& SafetensorsFile::finite_floats(std::string_view name, const std::vector<int64_t>& shape) const {
  const TensorView& tensor = view(name);
  if (tensor.dtype != "F32" || tensor.shape != shape) {
    fail("{}: {} is {} [{}], but the configuration needs F32 [{}]", path_, name, tensor.dtype,
         fmt::join(tensor.shape, ", "), fmt::join(shape, ", "));
  }
  if (!all_finite(tensor.data, tensor.bytes)) {
    fail("{}: {} contains values that are not finite; the file is damaged", path_, name);
  }
  return tensor;
}

}  // namespace otseq2set::inline core
