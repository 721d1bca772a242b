// A connection to a server of the test, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace otseq2set::testing {

struct Reply {
  int status = 0;  // 0: the connection ended before an answer
  std::string head, body;
};

class Client {
 public:
  explicit Client(uint16_t port, const char* own_address = "127.0.0.1");
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view bytes) const;
  Reply receive();                // one answer
  void wait_until_taken() const;  // the other side's system has everything that was sent, and a moment more
  bool closed() const;            // waits until the other side closes; false when it sends something or takes 10 s

  Reply get(const std::string& path);
  Reply post(const std::string& path, const std::string& body, const std::string& type = "application/json");

 private:
  int socket_ = -1;
  std::string buffer_;
};

}  // namespace otseq2set::testing
