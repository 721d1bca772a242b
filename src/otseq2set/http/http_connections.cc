#include "otseq2set/http/http_connections.h"

#include <algorithm>

#include "otseq2set/http/client_address.h"
#include "otseq2set/http/http_connection.h"
#include "otseq2set/http/low_priority.h"

namespace otseq2set::inline http {

namespace {

constexpr size_t kSmallBody = 64 << 10;  // bytes; large bodies keep out no small one:
constexpr size_t kPartForSmall = 4;      // these have a quarter more memory

}  // namespace

bool Reservation::grow(size_t bytes, size_t limit) {
  if (bytes > bytes_) {
    const size_t more = bytes - bytes_;
    size_t before = total_.load();
    do {
      if (before > bytes_ && before + more > limit) return false;
    } while (!total_.compare_exchange_weak(before, before + more));
    bytes_ = bytes;
  }
  return true;
}

HttpConnections::HttpConnections(const HttpOptions& options, HttpApplication& application)
    : options_(options), proxies_(options.trusted_proxies), application_(application) {
  work_aside(lower_priority);
}

bool HttpConnections::reserve(Place place, Reservation& reservation, size_t bytes) {
  const size_t memory = options_.body_memory;
  const size_t limit = bytes <= kSmallBody ? memory + memory / kPartForSmall : memory;
  std::shared_ptr<HttpConnection> given_up;  // lives longer than the lock: its end needs it
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!reservation.grow(bytes, limit + leaving_bytes_)) {
    const size_t more = std::min(bytes, kSmallBody);
    const auto slow = std::find_if(all(Activity::kTransfer).begin(), all(Activity::kTransfer).end(),
                                   [&](const Connected& other) { return &other != &*place && other.held >= more; });
    if (slow == all(Activity::kTransfer).end() || Clock::now() - slow->since < options_.slow_time) return false;
    given_up = send_away(slow);
    reservation.force(bytes);
  }
  place->held = bytes;
  return true;
}

bool HttpConnections::admit(const std::string& address) {
  if (proxies_.trusts(plain_address(address).value_or(address))) return true;
  const size_t half = std::max<size_t>(1, options_.max_connections / 2);
  const size_t most = options_.connections_per_address > 0 ? options_.connections_per_address : half;
  const std::string network = network_of(address);
  std::shared_ptr<HttpConnection> given_up;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto own = of_addresses_.find(network);
  if (own == of_addresses_.end() || own->second < most) return true;
  auto& idle = all(Activity::kIdle);
  const auto first = std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return one.address == network; });
  if (first == idle.end()) return false;
  given_up = send_away(first);
  return true;
}

bool HttpConnections::full() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return staying_ >= options_.max_connections;
}

bool HttpConnections::make_room() {
  std::shared_ptr<HttpConnection> given_up;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Activity activity : {Activity::kIdle, Activity::kTransfer}) {
    const auto first = all(activity).begin();
    if (first == all(activity).end()) continue;
    if (activity == Activity::kTransfer && Clock::now() - first->since < options_.slow_time) continue;
    given_up = send_away(first);
    return true;
  }
  return false;
}

std::shared_ptr<HttpConnection> HttpConnections::send_away(Place place) {
  move(place, Activity::kLeaving);
  application_.connection_given_up();
  auto connection = place->connection->weak_from_this().lock();  // null if it is about to go anyway
  if (connection) connection->give_up();
  return connection;
}

HttpConnections::Place HttpConnections::opened(HttpConnection* connection, const std::string& address) {
  application_.connection_opened();
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& leaving = all(Activity::kLeaving);
  const auto place = leaving.insert(leaving.end(), {connection, network_of(address), Activity::kLeaving, {}, 0});
  move(place, Activity::kIdle);
  return place;
}

void HttpConnections::enter(Place place, Activity activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  move(place, activity);
  if (activity != Activity::kTransfer) place->held = 0;
}

bool HttpConnections::leaves(Place place) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return place->activity == Activity::kLeaving;
}

void HttpConnections::closed(Place place) {
  application_.connection_closed();
  const std::lock_guard<std::mutex> lock(mutex_);
  move(place, Activity::kLeaving);
  leaving_bytes_ -= place->held;
  all(Activity::kLeaving).erase(place);
}

void HttpConnections::move(Place place, Activity activity) {
  const bool stayed = place->activity != Activity::kLeaving, stays = activity != Activity::kLeaving;
  if (stays && !stayed) {
    ++of_addresses_[place->address];
    ++staying_;
  } else if (stayed && !stays) {
    const auto own = of_addresses_.find(place->address);
    if (--own->second == 0) of_addresses_.erase(own);
    --staying_;
  }
  if (!stayed) leaving_bytes_ -= std::exchange(place->held, 0);
  if (!stays) leaving_bytes_ += place->held;
  auto& to = all(activity);
  to.splice(to.end(), all(place->activity), place);
  place->activity = activity;
  place->since = Clock::now();
}

void HttpConnections::stop() {
  stopping_ = true;
  for (const std::shared_ptr<HttpConnection>& connection : open()) connection->stop();
}

// Without those that are about to go: they wait in `closed` for the lock.
std::vector<std::shared_ptr<HttpConnection>> HttpConnections::open() {
  std::vector<std::shared_ptr<HttpConnection>> alive;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& connected : connected_) {
    for (const Connected& one : connected) {
      if (auto shared = one.connection->weak_from_this().lock()) alive.push_back(std::move(shared));
    }
  }
  return alive;
}

}  // namespace otseq2set::inline http
