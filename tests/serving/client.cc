#include "serving/client.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace otseq2set::testing {

Client::Client(uint16_t port, const char* own_address) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience = {10, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, own_address, &address.sin_addr);
  bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect");
  }
}

Client::~Client() { ::close(socket_); }

bool Client::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

Reply Client::receive() {
  Reply reply;
  char chunk[4096];
  size_t length = std::string::npos;
  for (;;) {
    const size_t end = buffer_.find("\r\n\r\n");
    if (end != std::string::npos && length == std::string::npos) {
      reply.head = buffer_.substr(0, end + 2);
      const size_t field = reply.head.find("Content-Length: ");
      length = field == std::string::npos ? 0 : std::strtoul(reply.head.c_str() + field + 16, nullptr, 10);
      buffer_.erase(0, end + 4);
    }
    if (length != std::string::npos && buffer_.size() >= length) break;
    const ssize_t got = ::recv(socket_, chunk, sizeof(chunk), 0);
    if (got <= 0) return {};
    buffer_.append(chunk, static_cast<size_t>(got));
  }
  reply.status = std::atoi(reply.head.c_str() + 9);
  reply.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return reply;
}

void Client::wait_until_taken() const {
  int left = 1;
  while (left > 0 && ioctl(socket_, SIOCOUTQ, &left) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

bool Client::closed() const {
  char byte = 0;
  return ::recv(socket_, &byte, 1, 0) == 0;
}

Reply Client::get(const std::string& path) {
  if (!send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) return {};
  return receive();
}

Reply Client::post(const std::string& path, const std::string& body, const std::string& type) {
  if (!send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)) {
    return {};
  }
  return receive();
}

}  // namespace otseq2set::testing
