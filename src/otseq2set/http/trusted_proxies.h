// Who asks when proxies stand between? A proxy says so in X-Forwarded-For, and so can anybody else: it counts only as far
// as those who say it are trusted.
//
//   X-Forwarded-For: 203.0.113.9, 198.51.100.7        from 127.0.0.1
//
// Each proxy adds at the end the address that it was asked from. With 127.0.0.1 trusted, the client is 198.51.100.7:
// what stands before it is only its word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline http {

class TrustedProxies {
 public:
  // A UsageError when one of them is not an address.
  explicit TrustedProxies(const std::vector<std::string>& addresses);

  // peer: the other end of the connection; forwarded_for: the values of the header, joined by commas.
  std::string client(const std::string& peer, std::string_view forwarded_for) const;

  bool trusts(const std::string& address) const;  // in the form of plain_address

 private:
  std::vector<std::string> addresses_;  // in the form that all writings of an address have
};

}  // namespace otseq2set::inline http
