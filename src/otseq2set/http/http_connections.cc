#include "otseq2set/http/http_connections.h"

#include "otseq2set/http/http_connection.h"

namespace otseq2set::inline http {

// The first may be larger than the limit: nothing would ever make room for it.
bool Reservation::take(size_t bytes, size_t limit) {
  size_t before = total_.load();
  do {
    if (before > 0 && before + bytes > limit) return false;
  } while (!total_.compare_exchange_weak(before, before + bytes));
  bytes_ = bytes;
  return true;
}

std::shared_ptr<Reservation> HttpConnections::reserve(size_t bytes) {
  auto reservation = std::make_shared<Reservation>(reserved_);
  return reservation->take(bytes, options_.body_memory) ? reservation : nullptr;
}

void HttpConnections::opened(HttpConnection* connection) {
  application_.connection_opened();
  const std::lock_guard<std::mutex> lock(mutex_);
  connections_.insert(connection);
}

void HttpConnections::closed(HttpConnection* connection) {
  application_.connection_closed();
  const std::lock_guard<std::mutex> lock(mutex_);
  connections_.erase(connection);
}

bool HttpConnections::full() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connections_.size() >= options_.max_connections;
}

void HttpConnections::stop() {
  stopping_ = true;
  for (const std::shared_ptr<HttpConnection>& connection : open()) connection->stop();
}

// Without those that are about to go: they wait in `closed` for the lock.
std::vector<std::shared_ptr<HttpConnection>> HttpConnections::open() {
  std::vector<std::shared_ptr<HttpConnection>> alive;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (HttpConnection* connection : connections_) {
    if (auto shared = connection->weak_from_this().lock()) alive.push_back(std::move(shared));
  }
  return alive;
}

}  // namespace otseq2set::inline http
