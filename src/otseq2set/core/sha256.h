// SHA-256, which tells whether bytes are still those that were written.
#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace otseq2set::inline core {

class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }

  void add(std::string_view bytes);
  // Of all that was added, as 64 hexadecimal digits; begins anew.
  std::string hex();

 private:
  sha256_ctx state_;
};

std::string sha256_of(std::string_view bytes);

}  // namespace otseq2set::inline core
