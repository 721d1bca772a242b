// From documents to a model, its predictions and its measures, with the real program.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/workspace.h"
#include "otseq2set/core/safetensors.h"

namespace otseq2set::testing {
namespace {

std::string id_of(const Json& line) { return line.at("id"); }

std::set<std::string> true_labels(const Json& document) { return document.at("labels"); }

std::set<std::string> predicted_labels(const Json& answer) {
  std::set<std::string> labels;
  for (const Json& label : answer.at("labels")) labels.insert(label.at("label").get<std::string>());
  return labels;
}

std::set<std::string> known_labels(const std::string& model) {
  std::set<std::string> labels;
  for (const Json& line : json_lines(contents(model + "/labels.jsonl"))) labels.insert(line.at("label"));
  return labels;
}

// An answer line has an id and distinct known labels with scores in 0 .. 1, best first.
void expect_answer(const Json& answer, const std::set<std::string>& known) {
  ASSERT_TRUE(answer.contains("labels")) << answer;
  double above = 1;
  for (const Json& label : answer.at("labels")) {
    EXPECT_TRUE(known.count(label.at("label"))) << answer;
    const double score = label.at("score");
    EXPECT_GE(score, 0) << answer;
    EXPECT_LE(score, above) << answer;
    above = score;
  }
  EXPECT_EQ(predicted_labels(answer).size(), answer.at("labels").size()) << "a label twice: " << answer;
}

double micro_f1(const std::vector<Json>& documents, const std::vector<Json>& answers) {
  double hits = 0, all = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    const std::set<std::string> truth = true_labels(documents[i]), predicted = predicted_labels(answers[i]);
    for (const std::string& label : predicted) hits += static_cast<double>(truth.count(label));
    all += static_cast<double>(truth.size() + predicted.size());
  }
  return 2 * hits / all;
}

double precision_at(size_t k, const std::vector<Json>& documents, const std::vector<Json>& rankings) {
  double hits = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    const std::set<std::string> truth = true_labels(documents[i]);
    for (size_t r = 0; r < k; ++r) hits += static_cast<double>(truth.count(rankings[i].at("labels")[r].at("label")));
  }
  return hits / static_cast<double>(k * documents.size());
}

std::vector<Json> predict(const std::string& model, const std::string& data, const Arguments& more = {}) {
  return json_lines(expect_success(Arguments{"predict", "--model", model, "--data", data} + more).out);
}

// One training that has learnt its task, shared by the tests below that only read it.
class TrainedModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space_ = new Workspace(240);
    test_ = space_->write("test.jsonl", small_corpus(80, 2));
    model_ = space_->path("model");
    training_ = space_->train(
        "model", {"--set", "training.epochs=7", "--set", "model.hidden=16", "--set", "model.word_embedding=16", "--set",
                  "model.label_embedding=16", "--set", "model.dropout=0.1"});
  }
  static void TearDownTestSuite() {
    delete space_;
    space_ = nullptr;
  }

  static Workspace* space_;
  static std::string test_, model_;
  static Outcome training_;
};
Workspace* TrainedModel::space_ = nullptr;
std::string TrainedModel::test_, TrainedModel::model_;
Outcome TrainedModel::training_;

TEST_F(TrainedModel, FolderHoldsWhatTheFormatSays) {
  EXPECT_EQ(files_in(model_),
            (std::vector<std::string>{"SHA256SUMS", "config.json", "labels.jsonl", "last.safetensors", "log.jsonl",
                                      "metrics.json", "set_rule.json", "weights.safetensors", "words.txt"}));
  EXPECT_EQ(training_.out, "");
  const std::vector<Json> log = json_lines(contents(model_ + "/log.jsonl"));
  ASSERT_EQ(log.size(), 7u);
  double best = -1;
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].at("epoch"), i + 1);
    const double loss = log[i].at("loss"), matching = log[i].at("matching_loss"),
                 transport = log[i].at("transport_loss");
    EXPECT_NEAR(loss, matching + 8 * transport, 1e-5 * loss);
    EXPECT_GT(log[i].at("seconds"), 0);
    best = std::max(best, log[i].at("valid_micro_f1").get<double>());
  }
  EXPECT_LT(log.back().at("loss"), log.front().at("loss"));
  const Json metrics = Json::parse(contents(model_ + "/metrics.json"));
  EXPECT_EQ(metrics.at("best").at("valid_micro_f1"), best);
  EXPECT_EQ(metrics.at("epochs"), 7);

  const Json info = Json::parse(expect_success({"info", "--model", model_, "--json"}).out);
  int64_t values = 0;
  const SafetensorsFile weights = SafetensorsFile::open(model_ + "/weights.safetensors");
  for (const TensorView& tensor : weights.tensors()) values += static_cast<int64_t>(tensor.bytes / 4);
  EXPECT_EQ(info.at("parameters"), values);
  EXPECT_EQ(info.at("labels"), kSmallCorpusLabels);
  EXPECT_EQ(info.at("documents"), 216);
  EXPECT_EQ(info.at("valid_documents"), 24);
  EXPECT_EQ(info.at("config").at("model").at("hidden"), 16);
  EXPECT_EQ(info.at("config").at("model").at("steps"), 3);  // the largest label set
  EXPECT_NE(expect_success({"info", "--model", model_}).out.find(std::to_string(values)), std::string::npos);
}

TEST_F(TrainedModel, EvalMeasuresWhatPredictAnswers) {
  const std::string metrics_file = space_->path("metrics.json"), per_label_file = space_->path("labels.tsv");
  const Outcome eval = expect_success(
      {"eval", "--model", model_, "--data", test_, "--metrics-file", metrics_file, "--per-label-file", per_label_file});
  const Json metrics = Json::parse(contents(metrics_file));
  EXPECT_GT(metrics.at("micro-F1"), 0.7) << "it did not learn; chance is about 0.25";
  EXPECT_EQ(metrics.at("documents"), 80);
  EXPECT_NE(eval.out.find("micro-F1"), std::string::npos) << eval.out;
  EXPECT_NE(eval.out.find("PSnDCG@5"), std::string::npos) << eval.out;

  const std::vector<Json> documents = json_lines(contents(test_));
  const std::vector<Json> answers = predict(model_, test_);
  ASSERT_EQ(answers.size(), documents.size());
  const std::set<std::string> known = known_labels(model_);
  for (size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(id_of(answers[i]), id_of(documents[i]));
    expect_answer(answers[i], known);
  }
  EXPECT_NEAR(micro_f1(documents, answers), metrics.at("micro-F1"), 1e-9);
  const std::vector<Json> rankings = predict(model_, test_, {"--top-k", "5"});
  for (size_t k : {1, 3, 5}) {
    EXPECT_NEAR(precision_at(k, documents, rankings), metrics.at("P@" + std::to_string(k)), 1e-9) << k;
  }

  // The table of labels adds up to the same counts.
  const std::vector<std::string> rows = lines_of(contents(per_label_file));
  ASSERT_EQ(rows.size(), 1u + kSmallCorpusLabels);
  EXPECT_EQ(rows[0], "label\ttrue\tpredicted\thits\tprecision\trecall\tf1");
  std::map<std::string, int> truths;
  for (const Json& document : documents) {
    for (const std::string& label : true_labels(document)) ++truths[label];
  }
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::string name = rows[i].substr(0, rows[i].find('\t'));
    EXPECT_EQ(std::stoi(rows[i].substr(name.size() + 1)), truths[name]) << rows[i];
  }
}

TEST_F(TrainedModel, TopKAndThreshold) {
  const std::string data = space_->write("few.jsonl", small_corpus(20, 3));
  const std::set<std::string> known = known_labels(model_);
  const std::vector<Json> all = predict(model_, data, {"--top-k", "1000"});
  ASSERT_EQ(all.size(), 20u);
  std::vector<double> scores;
  for (const Json& ranking : all) {
    expect_answer(ranking, known);
    EXPECT_EQ(predicted_labels(ranking), known) << "not all labels are ranked";
    for (const Json& label : ranking.at("labels")) scores.push_back(label.at("score"));
  }
  const std::vector<Json> two = predict(model_, data, {"--top-k", "2"});
  for (size_t i = 0; i < all.size(); ++i) {
    Json first = all[i].at("labels");
    first.erase(first.begin() + 2, first.end());
    EXPECT_EQ(two[i].at("labels"), first);
  }
  // A score as it was printed, given back as the threshold: the label with that score reaches it.
  std::sort(scores.begin(), scores.end());
  for (size_t at : {scores.size() / 3, scores.size() / 2, scores.size() - 7}) {
    const double threshold = scores[at];
    const std::vector<Json> reached = predict(model_, data, {"--threshold", Json(threshold).dump()});
    const std::vector<Json> at_most_two =
        predict(model_, data, {"--threshold", Json(threshold).dump(), "--top-k", "2"});
    for (size_t i = 0; i < all.size(); ++i) {
      Json expected = Json::array();
      for (const Json& label : all[i].at("labels")) {
        if (label.at("score") >= threshold) expected.push_back(label);
      }
      EXPECT_EQ(reached[i].at("labels"), expected) << threshold;
      while (expected.size() > 2) expected.erase(expected.size() - 1);
      EXPECT_EQ(at_most_two[i].at("labels"), expected) << threshold;
    }
  }
}

// Neither how many threads there are nor where the documents come from changes an answer.
TEST_F(TrainedModel, PredictsFromStandardInputAndOnAnyNumberOfThreads) {
  const std::string corpus = small_corpus(40, 4);
  const std::string data = space_->write("some.jsonl", corpus);
  const std::string expected = expect_success({"predict", "--model", model_, "--data", data, "--threads", "1"}).out;
  EXPECT_EQ(lines_of(expected).size(), 40u);
  EXPECT_EQ(expect_success({"predict", "--model", model_, "--threads", "2"}, corpus).out, expected);
  EXPECT_EQ(expect_success({"predict", "--model", model_, "--data", "-"}, corpus).out, expected);
}

// True labels that the model does not know count as misses and have a row of their own.
TEST_F(TrainedModel, EvalCountsUnknownLabels) {
  const std::string data =
      space_->write("unknown.jsonl", R"({"text":"topic1x0 topic1x1","labels":["label_1","never seen"]})"
                                     "\n");
  const std::string rows = space_->path("unknown.tsv"), metrics = space_->path("unknown.json");
  expect_success({"eval", "--model", model_, "--data", data, "--per-label-file", rows, "--metrics-file", metrics});
  EXPECT_NE(contents(rows).find("\nnever seen\t1\t0\t0\t"), std::string::npos) << contents(rows);
  EXPECT_LE(Json::parse(contents(metrics)).at("micro-R"), 0.5);
}

TEST(EvalPerLabel, HasTheNamesThatTheModelHas) {
  const Workspace space(24);
  const std::string names =
      space.write("names.tsv", "label_1\tThe first\nlabel_2\tThe second\nlabel_3\t3\nlabel_4\t4\n");
  space.train("model", {"--label-names", names, "--set", "training.epochs=1"});
  const std::string rows = space.path("rows.tsv");
  expect_success({"eval", "--model", space.path("model"), "--data", space.data(), "--per-label-file", rows});
  EXPECT_EQ(lines_of(contents(rows)).at(0), "label\tname\ttrue\tpredicted\thits\tprecision\trecall\tf1");
  EXPECT_NE(contents(rows).find("\nlabel_1\tThe first\t"), std::string::npos) << contents(rows);
  EXPECT_NE(contents(rows).find("\nlabel_5\t\t"), std::string::npos) << contents(rows);
}

TEST(Variants, EachTrains) {
  const Workspace space(24);
  for (const std::string variant : {"bm", "bm_ot", "bm_lc"}) {
    space.train(variant, {"--variant", variant, "--set", "training.epochs=1", "--set", "loss.scheme=first_n"});
    const Json log = json_lines(contents(space.path(variant) + "/log.jsonl")).at(0);
    EXPECT_EQ(log.at("transport_loss") > 0, variant == "bm_ot") << log;
    const SafetensorsFile weights = SafetensorsFile::open(space.path(variant) + "/weights.safetensors");
    const bool convolves = std::any_of(weights.tensors().begin(), weights.tensors().end(),
                                       [](const TensorView& one) { return one.name == "dl_conv.0.0.weight"; });
    EXPECT_EQ(convolves, variant == "bm_lc") << variant;
  }
}

// The pair of files of AttentionXML, with names or with numbers of names, is the same training data.
TEST(AttentionXmlPair, TrainsTheSameModelAsJsonLines) {
  const Workspace space(48);
  std::string texts, names, numbers, name_list;
  for (int i = 0; i < kSmallCorpusLabels; ++i) name_list += "label_" + std::to_string(i) + "\n";
  for (const Json& document : json_lines(contents(space.data()))) {
    texts += document.at("text").get<std::string>() + "\n";
    for (const std::string label : document.at("labels")) {
      names += label + " ";
      numbers += label.substr(6) + " ";
    }
    names += "\n";
    numbers += "\n";
  }
  const std::string text_file = space.write("texts.txt", texts);
  const std::string name_file = space.write("names.txt", names), number_file = space.write("numbers.txt", numbers);
  const std::string list_file = space.write("list.txt", name_list);
  space.train("jsonl");
  auto pair = [&](const std::string& command, const Arguments& more) {
    return Arguments{command, "--data", text_file} + more;
  };
  const Arguments options = small_model();
  expect_success(pair("train", {"--labels", name_file, "--model", space.path("names")}) + options);
  expect_success(
      pair("train", {"--labels", number_file, "--label-names", list_file, "--model", space.path("numbers")}) + options);
  expect_same_weights(space.path("jsonl"), space.path("names"));
  expect_same_weights(space.path("jsonl"), space.path("numbers"));
  EXPECT_EQ(contents(space.path("numbers") + "/labels.jsonl"), contents(space.path("jsonl") + "/labels.jsonl"));

  const std::string from_pair = space.path("pair.json"), from_jsonl = space.path("jsonl.json");
  expect_success(pair("eval", {"--labels", number_file, "--label-names", list_file, "--model", space.path("numbers"),
                               "--metrics-file", from_pair}));
  expect_success({"eval", "--data", space.data(), "--model", space.path("jsonl"), "--metrics-file", from_jsonl});
  EXPECT_EQ(contents(from_pair), contents(from_jsonl));
}

std::vector<float> row_of(const SafetensorsFile& file, const std::string& name, size_t row) {
  const TensorView& view = file.view(name);
  const auto width = static_cast<size_t>(view.shape.at(1));
  const auto* values = static_cast<const float*>(view.data) + row * width;
  return {values, values + width};
}

// A learning rate that moves nothing leaves the start values to be seen.
TEST(Vectors, AreTheStartOfWordsAndLabels) {
  const Workspace space(48);
  std::string vectors;
  auto value = [](int word, int i) { return 0.5 * std::sin(word * 8 + i); };
  for (int label = 0; label < kSmallCorpusLabels; ++label) {
    vectors += "topic" + std::to_string(label) + "x0";
    for (int i = 0; i < 8; ++i) vectors += " " + std::to_string(value(label, i));
    vectors += "\n";
  }
  vectors += "label";
  for (int i = 0; i < 8; ++i) vectors += " " + std::to_string(0.125 * i);
  const Arguments still = {"--set", "training.learning_rate=1e-9", "--set", "training.epochs=1"};
  const Outcome training =
      space.train("glove", still + Arguments{"--vectors", space.write("glove.txt", vectors + "\n")});
  EXPECT_EQ(training.err.find("note: "), std::string::npos) << training.err;
  EXPECT_NE(training.err.find("vectors for 8 of 16 words (50.0 %), which make up "), std::string::npos) << training.err;
  const int count = kSmallCorpusLabels + 1;
  space.train("vec", still + Arguments{"--vectors", space.write("fast.vec", std::to_string(count) + " 8\n" + vectors)});
  expect_same_weights(space.path("glove"), space.path("vec"));

  const SafetensorsFile weights = SafetensorsFile::open(space.path("glove") + "/weights.safetensors");
  const std::vector<std::string> words = lines_of(contents(space.path("glove") + "/words.txt"));
  int seen = 0;
  for (size_t id = 0; id < words.size(); ++id) {
    const std::vector<float> row = row_of(weights, "encoder.embedding.weight", id + 2);
    const bool has_vector = words[id].back() == '0';
    seen += has_vector;
    for (int i = 0; i < 8; ++i) {
      const double expected = has_vector ? value(words[id][5] - '0', i) : 0;
      EXPECT_NEAR(row[i], expected, has_vector ? 1e-5 : 0.1 + 1e-5) << words[id];
    }
  }
  EXPECT_EQ(seen, kSmallCorpusLabels);
  // label_3 is the mean of `label`, which has a vector, and `3`, which has a random one in [-0.1, 0.1].
  for (size_t label = 0; label < static_cast<size_t>(kSmallCorpusLabels); ++label) {
    const std::vector<float> row = row_of(weights, "decoder.embedding.weight", label + 3);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(row[i], 0.125 * i / 2, 0.05 + 1e-5) << "label " << label;
  }
}

// --valid replaces the held-out part: all of --data is trained on, and the best epoch is that of the file.
TEST(Validation, FromAFile) {
  const Workspace space(32);
  const std::string valid = space.write("valid.jsonl", small_corpus(10, 9));
  const Outcome training = space.train("model", {"--valid", valid, "--set", "training.epochs=1"});
  EXPECT_NE(training.err.find("32 documents to train on, 10 to validate"), std::string::npos) << training.err;
  const std::string metrics = space.path("metrics.json");
  expect_success(
      {"eval", "--model", space.path("model"), "--data", valid, "--rule", "greedy", "--metrics-file", metrics});
  const Json log = json_lines(contents(space.path("model") + "/log.jsonl")).at(0);
  EXPECT_EQ(Json::parse(contents(metrics)).at("micro-F1"), log.at("valid_micro_f1"));
}

// The weights kept are those of the epoch with the best validation score, not the last ones.
TEST(Validation, KeepsTheBestEpochAndStopsEarly) {
  const Workspace space(32);
  const std::string valid = space.write("valid.jsonl", small_corpus(10, 9));
  const Outcome training = space.train("model", {"--valid", valid, "--set", "training.epochs=40", "--set",
                                                 "training.learning_rate=20", "--early-stopping", "2"});
  const std::vector<Json> log = json_lines(contents(space.path("model") + "/log.jsonl"));
  const Json metrics = Json::parse(contents(space.path("model") + "/metrics.json"));
  ASSERT_LT(log.size(), 40u) << "it should have stopped early\n" << training.err;
  const size_t best = metrics.at("best_epoch");
  EXPECT_EQ(log.size(), best + 2);
  for (size_t i = 0; i < log.size(); ++i) {
    const double score = log[i].at("valid_micro_f1"), best_score = log[best - 1].at("valid_micro_f1");
    EXPECT_TRUE(i + 1 < best ? score < best_score : score <= best_score) << "epoch " << i + 1;
  }
  const std::string measured = space.path("metrics.json");
  expect_success(
      {"eval", "--model", space.path("model"), "--data", valid, "--rule", "greedy", "--metrics-file", measured});
  EXPECT_EQ(Json::parse(contents(measured)).at("micro-F1"), log[best - 1].at("valid_micro_f1"));
  EXPECT_NE(contents(space.path("model") + "/weights.safetensors"),
            contents(space.path("model") + "/last.safetensors"));
}

TEST(Warnings, MoreLabelsThanSteps) {
  const Workspace space(40);
  const Outcome training = space.train("model", {"--set", "model.steps=1"});
  std::vector<std::string> warnings;
  for (const std::string& line : lines_of(training.err)) {
    if (line.rfind("warning: ", 0) == 0) warnings.push_back(line);
  }
  ASSERT_EQ(warnings.size(), 1u) << training.err;
  EXPECT_NE(warnings[0].find("model.steps is 1"), std::string::npos) << warnings[0];
  EXPECT_EQ(space.train("enough", {"--set", "model.steps=3"}).err.find("warning"), std::string::npos);
}

TEST(Warnings, TransportBetweenRandomLabels) {
  const Workspace space(40);
  const std::string note = "note: the vectors of all labels are random";
  EXPECT_NE(space.train("model").err.find(note), std::string::npos);
  EXPECT_EQ(space.train("matching", {"--variant", "bm_lc"}).err.find(note), std::string::npos);
  EXPECT_EQ(space.train("random", {"--set", "model.label_vectors=random"}).err.find(note), std::string::npos);
}

TEST(Warnings, LabelsOfAnotherVocabulary) {
  const Workspace space(40);
  std::string other = small_corpus(12, 1);
  for (size_t at = 0; (at = other.find("label_", at)) != std::string::npos; at += 6) other.replace(at, 6, "other_");
  const std::string none = space.write("none.jsonl", other);
  const std::string few = space.write("few.jsonl", other + small_corpus(2, 1));
  const std::string told = space.train("model", {"--valid", none}).err;
  EXPECT_NE(told.find("warning: 100.0 % of the labels of the validation documents never occur"), std::string::npos)
      << told;
  expect_failure(run_program({"eval", "--model", space.path("model"), "--data", none}), kFailure,
                 {"none.jsonl", "knows none of the labels"});
  const Outcome measured = expect_success({"eval", "--model", space.path("model"), "--data", few});
  EXPECT_NE(measured.err.find("warning: the model does not know "), std::string::npos) << measured.err;
}

// The words of a URI are those of a server, the same for all labels.
TEST(Warnings, LabelsThatAreUrisHaveNoNames) {
  const Workspace space(40);
  std::string data;
  for (int i = 0; i < 20; ++i) {
    const std::string topic = std::to_string(i % 3);
    data += R"({"text":"topic)" + topic + R"( word","labels":["https://example.org/)" + topic + "\"]}\n";
  }
  space.write("data.jsonl", data);
  const std::string vectors = space.write("vectors", "https 1 2 3 4 5 6 7 8\nexample 1 2 3 4 5 6 7 8\n");
  const std::string told = space.train("model", {"--vectors", vectors}).err;
  EXPECT_NE(told.find("warning: 0 of 3 labels have a name with words"), std::string::npos) << told;
  EXPECT_NE(told.find("--label-names"), std::string::npos) << told;
  EXPECT_NE(told.find("warning: the vectors of all labels are random"), std::string::npos) << told;
}

}  // namespace
}  // namespace otseq2set::testing
