#include "otseq2set/core/sha256.h"

#include <fmt/format.h>
#include <nettle/version.h>

#include <array>

namespace otseq2set::inline core {

void Sha256::add(std::string_view bytes) {
  sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

std::string Sha256::hex() {
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest = {};
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(&state_, digest.data());
#else
  sha256_digest(&state_, digest.size(), digest.data());
#endif
  std::string text;
  for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace otseq2set::inline core
