#include "otseq2set/serving/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "otseq2set/core/memory.h"

namespace otseq2set::inline serving {

namespace {

const std::vector<double> kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

void append_head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void append_number(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                   uint64_t value) {
  append_head(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

}  // namespace

void Histogram::add(double value) {
  ++counts_[std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin()];
  sum_ += value;
}

void Histogram::append(std::string& out, std::string_view name, const std::string& label) const {
  const std::string first = label.empty() ? "" : label + ",";
  const std::string alone = label.empty() ? "" : "{" + label + "}";
  uint64_t count = 0;
  for (size_t i = 0; i < bounds_.size(); ++i) {
    count += counts_[i];
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}le=\"{}\"}} {}\n", name, first, bounds_[i], count);
  }
  count += counts_.back();
  fmt::format_to(std::back_inserter(out), "{0}_bucket{{{1}le=\"+Inf\"}} {3}\n{0}_sum{2} {4}\n{0}_count{2} {3}\n", name,
                 first, alone, count, sum_);
}

void Metrics::request(const std::string& route, int status, double seconds, size_t documents) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{route, status}];
  latency_.try_emplace(route, kSeconds).first->second.add(seconds);
  documents_ += documents;
}

void Metrics::batch(size_t documents) {
  const std::lock_guard<std::mutex> lock(mutex_);
  batches_.add(static_cast<double>(documents));
}

void Metrics::words(size_t read, size_t unknown) {
  const std::lock_guard<std::mutex> lock(mutex_);
  words_ += read;
  unknown_words_ += unknown;
}

void Metrics::reload(bool succeeded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++reloads_[succeeded ? 1 : 0];
}

std::string Metrics::text(const Others& others) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string out;
  append_head(out, "otseq2set_requests_total", "counter", "Requests by route and status.");
  for (const auto& [what, count] : requests_) {
    fmt::format_to(std::back_inserter(out), "otseq2set_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", what.first,
                   what.second, count);
  }
  append_head(out, "otseq2set_request_seconds", "histogram",
              "Time from the complete request to the complete answer, by route.");
  for (const auto& [route, histogram] : latency_) {
    histogram.append(out, "otseq2set_request_seconds", fmt::format("route=\"{}\"", route));
  }
  append_number(out, "otseq2set_documents_total", "counter", "Documents answered.", documents_);
  append_number(out, "otseq2set_words_total", "counter", "Words read.", words_);
  append_number(out, "otseq2set_unknown_words_total", "counter", "Words read that the model does not know.",
                unknown_words_);
  append_head(out, "otseq2set_batch_documents", "histogram", "Documents predicted together.");
  batches_.append(out, "otseq2set_batch_documents");
  append_number(out, "otseq2set_queue_documents", "gauge", "Documents waiting for a worker.", others.queue);
  append_number(out, "otseq2set_idle_workers", "gauge", "Idle workers.", others.idle_workers);
  append_number(out, "otseq2set_connections", "gauge", "Open connections.", connections_.load());
  append_number(out, "otseq2set_connections_given_up_total", "counter",
                "Connections closed because others needed the room.", given_up_.load());
  append_number(out, "otseq2set_log_lines_lost_total", "counter", "Lines of the access log that were not written.",
                others.lost_lines);
  append_head(out, "otseq2set_reloads_total", "counter", "Model reloads, by result.");
  fmt::format_to(std::back_inserter(out),
                 "otseq2set_reloads_total{{result=\"failed\"}} {}\n"
                 "otseq2set_reloads_total{{result=\"loaded\"}} {}\n",
                 reloads_[0], reloads_[1]);
  append_number(out, "process_resident_memory_bytes", "gauge", "Memory of the process.", resident_memory());
  return out;
}

}  // namespace otseq2set::inline serving
