// Addresses of clients, written as one text whatever way they came.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace otseq2set::inline http {

// One form for all writings of an address; none if it is not an address. A server that listens on :: sees IPv4
// addresses as ::ffff:127.0.0.1.
std::optional<std::string> plain_address(std::string_view text);

// Whom a limit per address is about: an IPv4 address, or the first half of an IPv6 address, since whoever has one of
// these has 2^64. Text that is no address stays as it is.
std::string network_of(std::string_view address);

}  // namespace otseq2set::inline http
