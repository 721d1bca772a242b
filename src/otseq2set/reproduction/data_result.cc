#include "otseq2set/reproduction/data_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace otseq2set::inline reproduction {

namespace {

size_t distinct_labels(const Dataset& data) {
  std::vector<bool> seen(data.known_labels() + data.unknown_labels());
  size_t count = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    for (const int32_t label : data.labels(i)) {
      count += !seen[label];
      seen[label] = true;
    }
  }
  return count;
}

}  // namespace

DataResult data_result(const std::string& file, const Dataset& data) {
  DataResult result;
  result.name = std::filesystem::path(file).filename().string();
  result.fingerprint = fmt::format("{:016x}", data.fingerprint());
  result.documents = data.size();
  result.labels = distinct_labels(data);
  result.most_labels = data.largest_label_set();
  result.documents_with_size.resize(result.most_labels + 1);
  uint64_t label_sum = 0, word_sum = 0, small = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    ++result.documents_with_size[data.labels(i).size()];
    label_sum += data.labels(i).size();
    word_sum += data.words(i).size();
  }
  const auto documents = static_cast<double>(std::max<size_t>(data.size(), 1));
  result.mean_labels = static_cast<double>(label_sum) / documents;
  result.mean_words = static_cast<double>(word_sum) / documents;
  for (size_t size = 0; size < result.documents_with_size.size(); ++size) {
    if (static_cast<double>(size) <= result.mean_labels) small += result.documents_with_size[size];
  }
  result.share_at_most_mean = static_cast<double>(small) / documents;
  return result;
}

}  // namespace otseq2set::inline reproduction
