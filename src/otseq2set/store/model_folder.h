// A model on disk: a folder that `train` writes and everything else reads.
//
//   SHA256SUMS             what each of these files must be (store/manifest.h)
//   config.json            format version, configuration, facts about the training data
//   words.txt              the words, one a line
//   labels.jsonl           the labels with their training counts
//   weights.safetensors    the best network by validation
//   linear.safetensors     the linear model, alone or beside the network
//   members/SEED/          further networks of an ensemble, with files as above
//   selection/             while training on everything: the model that was trained without the held-out documents
//   linear.json            how long it took to train
//   joining.json           how the scores of a label are made of what the models say
//   last.safetensors       the latest
//   set_rule.json          which labels make a set; without it, the greedy ones
//   metrics.json           how the best model did; there once training has ended
//   log.jsonl              one object an epoch
//   training_state.safetensors   while training: all that a resumed run needs
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/evaluation/set_rule.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline store {

// Raised when older programs can no longer read the folder. A folder has the number of the oldest that can: 2 is for
// quantised models alone.
constexpr int kFolderFormat = 2;

class Manifest;

class ModelFolder {
 public:
  explicit ModelFolder(std::string path) : path_(std::move(path)), root_(path_) {}
  // A part of the model in the folder `root`, which vouches for its files.
  ModelFolder(std::string path, std::string root) : path_(std::move(path)), root_(std::move(root)) {}

  const std::string& path() const { return path_; }
  const std::string& root() const { return root_; }
  std::string manifest() const { return root_ + "/SHA256SUMS"; }
  std::string config() const { return path_ + "/config.json"; }
  std::string words() const { return path_ + "/words.txt"; }
  std::string labels() const { return path_ + "/labels.jsonl"; }
  std::string weights() const { return path_ + "/weights.safetensors"; }
  std::string linear() const { return path_ + "/linear.safetensors"; }
  std::string linear_times() const { return path_ + "/linear.json"; }
  std::string joining() const { return path_ + "/joining.json"; }
  std::string last() const { return path_ + "/last.safetensors"; }
  std::string set_rule() const { return path_ + "/set_rule.json"; }
  std::string metrics() const { return path_ + "/metrics.json"; }
  std::string log() const { return path_ + "/log.jsonl"; }
  std::string state() const { return path_ + "/training_state.safetensors"; }

  // All of these.
  std::vector<std::string> files() const;

  ModelFolder member(int64_t seed) const { return {path_ + "/members/" + std::to_string(seed), root_}; }
  ModelFolder selection() const { return ModelFolder(path_ + "/selection"); }

  bool holds_model() const;     // anything that training would overwrite
  bool has_checkpoint() const;  // training has begun and can go on
  bool finished() const;        // training has ended
  bool vouched_for() const;     // by a list of what its files must be
  void remove_model(bool with_selection = true) const;

 private:
  bool holds(const std::string& path) const;

  std::string path_, root_;
};

// Steps beyond this decode nothing but memory away: a document has each label once.
int64_t most_steps(int64_t labels);

// Facts about the data a model was trained on, to notice when a resumed run is given other data.
struct TrainingData {
  uint64_t documents = 0;        // trained on
  uint64_t valid_documents = 0;  // held out or given
  std::string fingerprint;       // of both, after tokenising
};

// What a folder says about its model, without the weights.
struct ModelDescription {
  Config config;  // model.steps and model.labels are set
  TrainingData data;
  Vocabulary words;
  LabelVocabulary labels;
  bool quantised = false;  // weights are bytes: for prediction alone

  // Ids, with the special ones, of the words and labels that the network has vectors for.
  int64_t word_ids() const;
  int64_t label_ids() const;
  // Words of a document that are read, by whichever model reads most.
  size_t words_read() const;
};

// The folders of the networks that the configuration asks for, with their seeds; the model's own is the first.
struct NetworkFolder {
  ModelFolder folder;
  int64_t seed;
};
std::vector<NetworkFolder> network_folders(const ModelFolder& folder, const Config& config);

void save_description(const ModelFolder& folder, const ModelDescription& description);
ModelDescription load_description(const ModelFolder& folder);
ModelDescription load_description(const ModelFolder& folder, const Manifest& manifest);

// A set rule and how it was found.
struct TunedRule {
  SetRule rule;
  std::string measure;                 // that it is the best in, such as micro-F1
  double value = 0, greedy_value = 0;  // of the measure, under the rule and under the greedy one
  uint64_t documents = 0;              // that it was found on
};
void save_set_rule(const ModelFolder& folder, const TunedRule& tuned);
SetRule load_set_rule(const ModelFolder& folder);  // greedy when the folder has none
SetRule load_set_rule(const ModelFolder& folder, const Manifest& manifest);

}  // namespace otseq2set::inline store
