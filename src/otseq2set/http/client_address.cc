#include "otseq2set/http/client_address.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace otseq2set::inline http {

namespace {

using boost::asio::ip::address;

std::optional<address> parse(std::string_view text) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  if (parsed.is_v6() && parsed.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, parsed.to_v6());
  }
  return parsed;
}

}  // namespace

std::optional<std::string> plain_address(std::string_view text) {
  const std::optional<address> parsed = parse(text);
  if (!parsed) return std::nullopt;
  return parsed->to_string();
}

std::string network_of(std::string_view text) {
  const std::optional<address> parsed = parse(text);
  if (!parsed) return std::string(text);
  if (parsed->is_v4()) return parsed->to_string();
  auto bytes = parsed->to_v6().to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace otseq2set::inline http
