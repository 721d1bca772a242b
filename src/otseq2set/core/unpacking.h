// What gzip, zstd and xz have packed, unpacked as it is read, with a few megabytes of memory at most (xz: the
// size of its dictionary, which is limited).
//
// `name` is what errors call the file.
#pragma once

#include <memory>
#include <string>

#include "otseq2set/core/byte_source.h"

namespace otseq2set::inline core {

std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> unpack_xz(std::unique_ptr<ByteSource> packed, std::string name);

}  // namespace otseq2set::inline core
