// Packs bytes as gzip, zstd and xz do, for tests of what unpacks them.
#pragma once

#include <string>
#include <string_view>

namespace otseq2set {

std::string gzip(std::string_view bytes);
std::string zstd(std::string_view bytes);
std::string xz(std::string_view bytes);

}  // namespace otseq2set
