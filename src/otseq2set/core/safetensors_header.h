// The header of a safetensors file (core/safetensors.h): what tensors there are and where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline core {

constexpr uint64_t kLargestHeader = 100'000'000;  // bytes; the limit of the format's reference
constexpr char kHeaderMetadata[] = "__metadata__";

// Bytes of a tensor, nothing if the type is unknown or the number does not fit into 63 bits.
std::optional<int64_t> tensor_bytes(const std::string& dtype, const std::vector<int64_t>& shape);
// Of one element, 0 for an unknown type.
uint64_t element_size(const std::string& dtype);

struct TensorEntry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // in the data
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of the data, which they cover without gap or overlap
  std::map<std::string, std::string> metadata;
};

// Takes time in proportion to the header's length. An Error names `path` and what is wrong. data_size: bytes behind the
// header.
SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view header, uint64_t data_size);

}  // namespace otseq2set::inline core
