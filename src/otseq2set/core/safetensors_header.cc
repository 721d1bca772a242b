#include "otseq2set/core/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

namespace {

using nlohmann::json;

constexpr size_t kDeepest = 4;  // header, tensor, shape, and one that is none

// What the parser by itself lets pass: it keeps the last of two equal keys and nests without bound. (A callback of the
// parser could watch as well, but walks over all entries at the end of each.)
class HeaderWatch : public nlohmann::json_sax<json> {
 public:
  explicit HeaderWatch(const std::string& path) : path_(path) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool start_array(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) fail("{}: {} is given twice in the header", path_, name);
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::parse_error*>(&error) == nullptr) {
      fail("{}: the header contains a number out of range", path_);
    }
    fail("{}: the header is not JSON, byte {} of it", path_, byte);
  }

 private:
  bool enter() {
    if (keys_.size() == kDeepest) fail("{}: header nested too deeply", path_);
    keys_.emplace_back();
    return true;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }

  const std::string& path_;
  std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open; none of an array
};

json parse_json(const std::string& path, std::string_view header) {
  HeaderWatch watch(path);
  json::sax_parse(header.begin(), header.end(), &watch);
  json parsed = json::parse(header.begin(), header.end());
  if (!parsed.is_object()) fail("{}: the header is not a JSON object", path);
  return parsed;
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

TensorEntry read_entry(const std::string& path, const std::string& name, const json& entry, uint64_t data_size) {
  if (!entry.is_object()) fail("{}: tensor {}: must be an object", path, name);
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) fail("{}: tensor {}: dtype must be a text", path, name);
  TensorEntry tensor{name, dtype->get<std::string>(), read_numbers(path, name, entry, "shape")};
  if (element_size(tensor.dtype) == 0) fail("{}: tensor {}: unknown dtype {}", path, name, tensor.dtype);

  const std::vector<int64_t> offsets = read_numbers(path, name, entry, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail("{}: tensor {}: data_offsets must be [begin, end]", path, name);
  }
  if (static_cast<uint64_t>(offsets[1]) > data_size) {
    fail("{}: truncated: tensor {} ends at byte {} of the data, which has {}", path, name, offsets[1], data_size);
  }
  const int64_t bytes = offsets[1] - offsets[0];
  if (tensor_bytes(tensor.dtype, tensor.shape) != bytes) {
    fail("{}: tensor {}: its data has {} bytes, {} [{}] has another size", path, name, bytes, tensor.dtype,
         fmt::join(tensor.shape, ", "));
  }
  tensor.begin = static_cast<uint64_t>(offsets[0]);
  tensor.end = static_cast<uint64_t>(offsets[1]);
  return tensor;
}

std::map<std::string, std::string> read_metadata(const std::string& path, const json& entry) {
  std::map<std::string, std::string> metadata;
  if (!entry.is_object()) fail("{}: {} must be an object", path, kHeaderMetadata);
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) fail("{}: {}: {} must be a text", path, kHeaderMetadata, key);
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// In the order of the data each tensor begins where the one before it ends, and the last ends with the file.
void check_coverage(const std::string& path, const std::vector<TensorEntry>& tensors, uint64_t data_size) {
  uint64_t end = 0;
  for (const TensorEntry& tensor : tensors) {
    if (tensor.begin != end) {
      fail("{}: tensor {} begins at byte {} of the data, byte {} is expected: tensors overlap or leave a gap", path,
           tensor.name, tensor.begin, end);
    }
    end = tensor.end;
  }
  if (end != data_size) fail("{}: {} bytes after the last tensor", path, data_size - end);
}

}  // namespace

uint64_t element_size(const std::string& dtype) {
  static const std::map<std::string, uint64_t> kSizes = {
      {"F64", 8}, {"I64", 8}, {"U64", 8}, {"F32", 4},  {"I32", 4}, {"U32", 4},     {"F16", 2},    {"BF16", 2},
      {"I16", 2}, {"U16", 2}, {"I8", 1},  {"BOOL", 1}, {"U8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  const auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

std::optional<int64_t> tensor_bytes(const std::string& dtype, const std::vector<int64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t bytes = static_cast<int64_t>(element_size(dtype));
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view header, uint64_t data_size) {
  SafetensorsHeader parsed;
  const json entries = parse_json(path, header);
  for (const auto& [name, entry] : entries.items()) {
    if (name == kHeaderMetadata) {
      parsed.metadata = read_metadata(path, entry);
    } else {
      parsed.tensors.push_back(read_entry(path, name, entry, data_size));
    }
  }
  // An empty tensor goes before the one that begins at the same byte.
  std::sort(parsed.tensors.begin(), parsed.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_coverage(path, parsed.tensors, data_size);
  return parsed;
}

}  // namespace otseq2set::inline core
