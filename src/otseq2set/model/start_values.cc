#include "otseq2set/model/start_values.h"

#include <algorithm>

#include "otseq2set/core/random.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/text/label_words.h"

namespace otseq2set::inline model {

namespace {

constexpr double kRange = 0.1;

void fill_uniform(RandomStream random, float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(random.uniform(-kRange, kRange));
}

// The start vector of one word, written to `to`.
void word_vector(const StartValues& start, std::string_view word, float* to, int64_t width) {
  if (start.vectors != nullptr) {
    if (const float* pretrained = start.vectors->find(word)) {
      std::copy_n(pretrained, width, to);
      return;
    }
  }
  fill_uniform(RandomStream(start.seed, "word vector", {hash_bytes(word)}), to, width);
}

void set_words(const StartValues& start, torch::Tensor table) {
  const int64_t width = table.size(1);
  auto* rows = table.data_ptr<float>();
  std::fill_n(rows + kPaddingWord * width, width, 0.0F);
  for (auto id = static_cast<int64_t>(kUnknownWord) + 1; id < table.size(0); ++id) {
    word_vector(start, start.words.word(static_cast<int32_t>(id)), rows + id * width, width);
  }
}

void set_labels(const StartValues& start, torch::Tensor table) {
  const int64_t width = table.size(1);
  auto* rows = table.data_ptr<float>();
  std::fill_n(rows + kEmptyLabel * width, width, 0.0F);
  if (!start.labels_from_words) return;
  std::vector<float> vector(width);
  for (size_t label = 0; label < start.labels.size(); ++label) {
    const std::vector<std::string> words =
        label_words(std::string(start.labels.display_name(static_cast<int32_t>(label))), start.tokenizer);
    if (words.empty()) continue;  // keeps its random vector
    float* row = rows + (kFirstLabel + static_cast<int64_t>(label)) * width;
    std::fill_n(row, width, 0.0F);
    for (const std::string& word : words) {
      word_vector(start, word, vector.data(), width);
      for (int64_t i = 0; i < width; ++i) row[i] += vector[i] / static_cast<float>(words.size());
    }
  }
}

}  // namespace

void set_start_values(Network& network, const StartValues& start) {
  torch::NoGradGuard no_gradient;
  for (const auto& item : network->named_parameters()) {
    torch::Tensor values = torch::empty(item.value().sizes(), torch::kFloat32);
    fill_uniform(RandomStream(start.seed, "start " + item.key()), values.data_ptr<float>(), values.numel());
    if (item.key() == "encoder.embedding.weight") set_words(start, values);
    if (item.key() == "decoder.embedding.weight") set_labels(start, values);
    item.value().copy_(values);
  }
}

}  // namespace otseq2set::inline model
