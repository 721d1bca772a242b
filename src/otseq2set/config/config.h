// Everything that decides what a training run computes, as plain structs with the paper's values as defaults.
//
// Each field has one entry in `config/fields.cc` with its range and help; that list feeds --set,
// configuration files, `info` and the model folder. What does not change the result (threads,
// folders) is not here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace otseq2set::inline config {

struct LightConvConfig {
  std::vector<int64_t> kernels = {3, 7, 15, 30};
  int64_t last_stride = 3;
  int64_t heads = 0;  // 0: one kernel per channel
};

struct ModelConfig {
  int64_t hidden = 512;  // GRU units, per direction in the encoder
  int64_t word_embedding = 300;
  int64_t label_embedding = 300;
  int64_t encoder_layers = 2;
  int64_t bottleneck = 0;  // 0: none
  int64_t max_words = 1000;
  int64_t steps = 0;   // 0: the largest label set of the training data
  int64_t labels = 0;  // 0: counted in the training data, which has the last word when there is any
  int64_t words = 0;   // that the network knows, the most frequent; training sets it; 0: the whole vocabulary
  double dropout = 0.2;
  std::string label_vectors = "words";
  LightConvConfig light_conv;
};

struct LossConfig {
  std::string scheme = "all";
  double lambda = 8;
  double lambda_empty = 0.2;
};

struct TrainingConfig {
  int64_t epochs = 20;
  int64_t batch = 32;
  double learning_rate = 0.001;
  std::string schedule = "epochs";  // when the learning rate falls: after each epoch, as in the paper, or step
  double warmup = 0;                // share of all steps over which the learning rate rises to its start
  double average = 0;               // weight of the past in a moving average of the parameters; 0: no average
  double word_dropout = 0;          // share of words that are read as unknown in training
  double clip = 8;
  double valid_fraction = 0.1;
  int64_t early_stopping = 0;  // epochs without a better validation score before stopping; 0: never
  bool lazy_adam = false;      // rows of the embeddings without a gradient are left alone
  int64_t seed = 1;
  std::vector<int64_t> more_seeds =
      {};              // further networks of an ensemble, with the same words and validation documents
  bool refit = false;  // when all is chosen, train once more on the validation documents too
};

struct TextConfig {
  std::string tokenizer = "icu";
  int64_t vocabulary = 50000;
  int64_t min_count = 1;
};

// A linear model over words and word pairs: a variant of its own, or beside the network.
struct LinearConfig {
  bool hybrid = false;          // beside the network, with joined scores
  int64_t max_words = 1000000;  // of a document that are read
  int64_t vocabulary = 500000;
  int64_t pairs = 2;  // documents that a pair of words needs to be a feature; 0: no pairs
  double c = 1;
  double tolerance = 0.1;
  double prune = 0.05;         // smaller weights are left out
  int64_t flat_labels = 1000;  // above, the labels stand in a tree
  bool neighbours = false;     // the labels of the most similar training documents count; they become part of the model
  bool names = false;          // names of labels that stand in the text count
};

struct EvaluationConfig {
  double propensity_a = 0.55;
  double propensity_b = 1.5;
};

struct Config {
  std::string variant = "otseq2set";
  ModelConfig model;
  LossConfig loss;
  TrainingConfig training;
  TextConfig text;
  LinearConfig linear;
  EvaluationConfig evaluation;
};

// The rows of the paper's tables: which parts a variant has.
struct Variant {
  std::string name;
  std::string title;  // as the paper writes it
  bool light_conv;
  bool sequence;          // trained with the labels in an order, and an end mark; otherwise with a set loss
  bool transport;         // set: with the transport term
  bool by_frequency;      // sequence: from frequent to rare labels, otherwise in the order of the file
  bool global_embedding;  // SGM's, with its masked decoding
  bool network = true;    // otherwise it is the linear model alone
};
const std::vector<Variant>& variants();
std::vector<std::string> variant_names();
const Variant& variant_of(const Config& config);
bool has_linear(const Config& config);  // alone, or beside the network

// Words that the LightConv stack looks at together, 1 + sum(kernel - 1);
// shorter documents are filled up to it.
int64_t receptive_field(const LightConvConfig& light_conv);

// What no single field can tell: heads against channels, strides against lengths. Throws UsageError.
void check_consistency(const Config& config);

// With --vectors: word vectors can be those of labels only when both have the same width. Throws UsageError.
void check_vector_widths(const Config& config);

}  // namespace otseq2set::inline config
