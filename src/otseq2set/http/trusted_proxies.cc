#include "otseq2set/http/trusted_proxies.h"

#include <algorithm>
#include <optional>

#include "otseq2set/core/error.h"
#include "otseq2set/http/client_address.h"

namespace otseq2set::inline http {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711.
std::optional<std::string> address_of_entry(std::string_view entry) {
  entry = trimmed(entry);
  if (entry.starts_with('[')) return plain_address(entry.substr(1, entry.find(']') - 1));
  if (std::count(entry.begin(), entry.end(), ':') == 1) entry = entry.substr(0, entry.find(':'));
  return plain_address(entry);
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& addresses) {
  for (const std::string& text : addresses) {
    const std::optional<std::string> address = plain_address(text);
    if (!address) fail_usage("--trusted-proxy {}: not an address such as 127.0.0.1 or ::1", text);
    addresses_.push_back(*address);
  }
}

bool TrustedProxies::trusts(const std::string& address) const {
  return std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
}

std::string TrustedProxies::client(const std::string& peer, std::string_view forwarded_for) const {
  std::string client = plain_address(peer).value_or(peer);
  while (!forwarded_for.empty() && trusts(client)) {
    const size_t comma = forwarded_for.rfind(',');
    const std::optional<std::string> before = address_of_entry(forwarded_for.substr(comma + 1));  // npos + 1 is 0
    if (!before) break;
    client = *before;
    forwarded_for = forwarded_for.substr(0, comma == std::string_view::npos ? 0 : comma);
  }
  return client;
}

}  // namespace otseq2set::inline http
