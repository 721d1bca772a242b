#include "otseq2set/linear/linear_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/linear/label_tree.h"
#include "otseq2set/linear/train_linear.h"
#include "otseq2set/text/vocabulary.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

using Words = std::vector<int32_t>;

// Label l likes the words 3 l, 3 l + 1, 3 l + 2; a document has one to three labels, words of each, and noise.
Dataset documents(size_t count, int32_t labels, uint64_t seed) {
  Dataset data(SIZE_MAX, labels);
  for (size_t i = 0; i < count; ++i) {
    RandomStream random(seed, "document", {i});
    Words words, own;
    for (uint64_t k = 0; k < 1 + i % 3; ++k) {
      const auto label = static_cast<int32_t>(random.below(labels));
      if (std::find(own.begin(), own.end(), label) != own.end()) continue;
      own.push_back(label);
      for (int j = 0; j < 4; ++j) words.push_back(kFirstWord + 3 * label + static_cast<int32_t>(random.below(3)));
    }
    for (int j = 0; j < 3; ++j) words.push_back(kFirstWord + 3 * labels + static_cast<int32_t>(random.below(20)));
    random.shuffle(words);
    data.add("d" + std::to_string(i), words, own);
  }
  return data;
}

size_t word_ids(int32_t labels) { return kFirstWord + 3 * labels + 20; }

LinearConfig config(int64_t flat_labels = 8192) {
  LinearConfig config;
  config.flat_labels = flat_labels;
  return config;
}

// The share of the true labels among the best of each document, as many as it has.
double precision(const LinearModel& model, const Dataset& data) {
  size_t right = 0, all = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    const std::vector<float> margins = model.margins(data.words(i));
    std::vector<int32_t> order(margins.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return margins[a] > margins[b]; });
    for (size_t k = 0; k < data.labels(i).size(); ++k) {
      right += std::count(data.labels(i).begin(), data.labels(i).end(), order[k]);
      ++all;
    }
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

TEST(LinearModel, LearnsLabelsThatWordsTell) {
  const Dataset test = documents(300, 30, 2);
  EXPECT_GT(precision(train_linear(documents(1500, 30, 1), word_ids(30), config(), 1), test), 0.97);
}

TEST(LinearModel, ATreeOfManyLabelsLearnsThemAsWell) {
  const Dataset train = documents(6000, 600, 1), test = documents(300, 600, 2);
  const double flat = precision(train_linear(train, word_ids(600), config(), 1), test);
  const double tree = precision(train_linear(train, word_ids(600), config(100), 1), test);
  EXPECT_GT(flat, 0.8);
  EXPECT_GT(tree, flat - 0.03);
}

TEST(LinearModel, SameBytesOnAnyNumberOfThreads) {
  const TempFolder folder;
  const Dataset train = documents(2000, 300, 1);
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    for (const int64_t flat : {1000, 100}) {
      const std::string path = folder.path(std::to_string(flat) + "-");
      train_linear(train, word_ids(300), config(flat), 1).save(path + std::to_string(threads));
      EXPECT_EQ(read_file(path + std::to_string(threads)), read_file(path + "1"));
    }
  }
}

TEST(LinearModel, IsTheSameAfterSavingAndLoading) {
  const TempFolder folder;
  const LinearModel model = train_linear(documents(400, 10, 1), word_ids(10), config(), 1);
  model.save(folder.path("linear"));
  const LinearModel loaded = LinearModel::load(folder.path("linear"), word_ids(10), 10);
  const Dataset test = documents(20, 10, 2);
  for (size_t i = 0; i < test.size(); ++i) EXPECT_EQ(model.margins(test.words(i)), loaded.margins(test.words(i)));
}

TEST(LinearModel, SharesSumToTheMargin) {
  LinearConfig whole = config();
  whole.prune = 0;
  const LinearModel model = train_linear(documents(400, 10, 1), word_ids(10), whole, 1);
  const std::vector<float> nothing = model.margins(Words{});  // the bias alone
  const Dataset test = documents(20, 10, 2);
  for (size_t i = 0; i < test.size(); ++i) {
    const std::vector<float> margins = model.margins(test.words(i));
    for (int32_t label = 0; label < 10; ++label) {
      double sum = nothing[label];
      float last = INFINITY;
      for (const NgramShare& ngram : model.shares(test.words(i), label)) {
        EXPECT_LE(ngram.share, last);
        last = ngram.share;
        sum += ngram.share;
        EXPECT_FALSE(ngram.places.empty());
      }
      EXPECT_NEAR(sum, margins[label], 1e-5);
    }
  }
}

TEST(LinearModel, AFileForOtherSizesIsRefused) {
  const TempFolder folder;
  const std::string path = folder.path("linear");
  train_linear(documents(100, 5, 1), word_ids(5), config(), 1).save(path);
  EXPECT_THROW(LinearModel::load(path, word_ids(5), 6), Error);
  EXPECT_THROW(LinearModel::load(path, word_ids(5) + 1, 5), Error);
  EXPECT_THROW(LinearModel::load(path + "x", word_ids(5), 5), Error);
}

TEST(LinearModel, NearestDocumentsComeBackFromTheFile) {
  const TempFolder folder;
  const Dataset train = documents(100, 5, 1), test = documents(20, 5, 2);
  LinearConfig with = config();
  with.neighbours = true;
  EXPECT_FALSE(train_linear(train, word_ids(5), config(), 1).nearest());
  const LinearModel model = train_linear(train, word_ids(5), with, 1);
  model.save(folder.path("linear"));
  const LinearModel loaded = LinearModel::load(folder.path("linear"), word_ids(5), 5);
  ASSERT_TRUE(loaded.nearest());
  EXPECT_EQ(loaded.nearest()->documents(), 100u);
  for (size_t i = 0; i < test.size(); ++i) {
    const Votes before = model.nearest()->votes(test.words(i)), after = loaded.nearest()->votes(test.words(i));
    EXPECT_EQ(before.nearest, after.nearest);
    ASSERT_EQ(before.labels.size(), after.labels.size());
    for (size_t j = 0; j < before.labels.size(); ++j) {
      EXPECT_EQ(before.labels[j].label, after.labels[j].label);
      EXPECT_EQ(before.labels[j].share, after.labels[j].share);
    }
  }
}

TEST(LinearModel, ADamagedFileIsRefused) {
  const TempFolder folder;
  const std::string path = folder.path("linear"), damaged = folder.path("damaged");
  LinearConfig with = config();
  with.neighbours = true;
  train_linear(documents(100, 5, 1), word_ids(5), with, 1).save(path);
  const auto expect_refused = [&](const std::string& name, size_t byte, uint8_t value) {
    std::string bytes = read_file(path);
    const SafetensorsFile file = SafetensorsFile::open(path);
    size_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    size_t offset = 8 + header;
    for (const TensorView& tensor : file.tensors()) {
      if (tensor.name == name) break;
      offset += tensor.bytes;
    }
    bytes[offset + byte] = static_cast<char>(value);
    write_file(damaged, bytes);
    EXPECT_THROW(LinearModel::load(damaged, word_ids(5), 5), Error) << name;
  };
  expect_refused("idf", 3, 0xbf);                 // below zero
  expect_refused("weights.ends", 0, 1);           // the first column begins behind the start
  expect_refused("weights.ends", 15, 0x7f);       // a column ends behind all weights
  expect_refused("weights.classifier", 3, 0x7f);  // no such label
  expect_refused("documents.ends", 15, 0x7f);
  expect_refused("documents.document", 3, 0x7f);
  expect_refused("documents.label_ends", 15, 0x7f);
  expect_refused("documents.labels", 3, 0x7f);
  expect_refused("weights.classifier", 3, 0x80);  // below zero
}

TEST(LabelTree, HoldsEveryLabelOnceInBalancedLeaves) {
  const int32_t labels = 700;
  const Dataset data = documents(3000, labels, 1);
  const NgramFeatures features = NgramFeatures::from_documents(data, word_ids(labels), 2);
  std::vector<std::vector<uint32_t>> of_label(labels);
  for (uint32_t i = 0; i < data.size(); ++i) {
    for (const int32_t label : data.labels(i)) of_label[label].push_back(i);
  }
  const LabelTree tree = grow_label_tree(features.rows(data), features.size(), of_label, 100, 1);
  ASSERT_EQ(tree.size(), 2u);
  ASSERT_EQ(tree[1].size(), static_cast<size_t>(labels));
  std::vector<size_t> sizes(tree[0].size());
  for (const int32_t leaf : tree[1]) ++sizes.at(leaf);
  for (const size_t size : sizes) {
    EXPECT_GE(size, labels / sizes.size());
    EXPECT_LE(size, labels / sizes.size() + 1);
  }
  EXPECT_EQ(grow_label_tree(features.rows(data), features.size(), of_label, labels, 1).size(), 1u);
}

}  // namespace
}  // namespace otseq2set::testing
