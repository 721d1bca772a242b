// Weights on disk in the safetensors format, which Python and most tools of the field read:
//
//   8 bytes     length of the header, little-endian
//   header      JSON {"__metadata__": {"key": "text", ...},
//                     "encoder.weight": {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}, ...}
//   data        the tensors' bytes, row-major and little-endian; offsets count from the start of the data
//
// The tensors cover the data without gap or overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/safetensors_header.h"

namespace otseq2set::inline core {

struct TensorView {
  std::string name;
  std::string dtype;  // F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL F8_E4M3 F8_E5M2
  std::vector<int64_t> shape;
  const void* data = nullptr;
  size_t bytes = 0;
};

// Writes atomically. The same tensors and metadata give the same bytes, in whatever order they are passed:
// wide types come first, then by name, so that every tensor is aligned to its type. Names are distinct.
void write_safetensors(const FilePlace& place, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

// What a file may be, where that is known before.
struct SafetensorsLimits {
  uint64_t largest_file = UINT64_MAX;        // bytes
  uint64_t largest_header = kLargestHeader;  // bytes
  // Called with all bytes before any of them is believed, to throw if they are not the right ones.
  std::function<void(std::string_view bytes)> check = {};
};

// A file in memory, a copy: whoever changes or cuts the file afterwards disturbs nobody. The header is not trusted:
// whatever is wrong with the file is an Error that names it and the fault, and nothing is allocated because a header
// claims it. Views live as long as any copy of this.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::string& path, const SafetensorsLimits& limits = {});

  const std::vector<TensorView>& tensors() const { return tensors_; }  // in the order of the data
  // An Error if there is no such tensor.
  // Files of other programs need not align data to its type: copy it out.
  const TensorView& view(std::string_view name) const;
  // The same for parameters of a model: F32 of this shape with finite values only, or an Error. Damaged bytes
  // would otherwise become scores.
  const TensorView& finite_floats(std::string_view name, const std::vector<int64_t>& shape) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::shared_ptr<const char> bytes_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t, std::less<>> by_name_;  // index into tensors_
  std::map<std::string, std::string> metadata_;
};

// A file whose tensors are read one by one, each where it is wanted: a checkpoint is too large to be in memory twice.
class SafetensorsOnDisk {
 public:
  explicit SafetensorsOnDisk(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  // Into `to`, as SafetensorsFile::finite_floats checks them.
  void read_floats(const std::string& name, const std::vector<int64_t>& shape, float* to) const;

 private:
  RegularFile file_;
  uint64_t data_ = 0;  // where it begins
  SafetensorsHeader header_;
};

}  // namespace otseq2set::inline core
