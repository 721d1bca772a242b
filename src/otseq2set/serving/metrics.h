// What the server counts, as Prometheus reads it at /metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace otseq2set::inline serving {

// Counts of values up to each bound, and beyond.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

  void add(double value);
  // name_bucket{le="..."}, name_sum and name_count; `label` such as route="GET /" stands in the braces too.
  void append(std::string& out, std::string_view name, const std::string& label = "") const;

 private:
  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;
  double sum_ = 0;
};

// Thread-safe.
class Metrics {
 public:
  void request(const std::string& route, int status, double seconds, size_t documents);
  void batch(size_t documents);
  void words(size_t read, size_t unknown);
  void reload(bool succeeded);
  void connection_opened() { ++connections_; }
  void connection_closed() { --connections_; }
  void connection_given_up() { ++given_up_; }

  // What others know at the moment.
  struct Others {
    size_t queue = 0;  // documents
    size_t idle_workers = 0;
    uint64_t lost_lines = 0;  // of the access log
  };
  std::string text(const Others& others) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;  // by route and status
  std::map<std::string, Histogram> latency_;                  // by route
  Histogram batches_{{1, 2, 4, 8, 16, 32, 64, 128, 256}};
  uint64_t documents_ = 0, words_ = 0, unknown_words_ = 0;
  std::array<uint64_t, 2> reloads_ = {0, 0};  // failed, succeeded
  std::atomic<int64_t> connections_{0};
  std::atomic<uint64_t> given_up_{0};
};

}  // namespace otseq2set::inline serving
