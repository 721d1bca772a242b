// Trains, predicts, explains, measures and tunes through the public interface, from several threads: interface FOLDER.
// Prints what is wrong and exits with 1, or prints nothing.
#include <otseq2set/model.h>
#include <otseq2set/training.h>
#include <otseq2set/weights.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace {

using namespace otseq2set;

int failures = 0;

void expect(bool right, const std::string& what) {
  if (right) return;
  std::cerr << "not so: " << what << '\n';
  ++failures;
}

template <typename Wrong, typename Body>
void expect_throw(const std::string& part, const Body& body) {
  try {
    body();
    expect(false, "an error with '" + part + "'");
  } catch (const Wrong& error) {
    expect(std::string(error.what()).find(part) != std::string::npos, part + " in " + error.what());
  }
}

bool same(const LabelScores& a, const LabelScores& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LabelScore& x, const LabelScore& y) { return x.label == y.label && x.score == y.score; });
}

Documents small_corpus() {
  const std::vector<std::vector<std::string>> words = {{"cod", "trawler"}, {"sparrow", "nest"}, {"oak", "forest"}};
  const std::vector<std::string> ids = {"urn:fish", "urn:birds", "urn:trees"}, names = {"fish", "birds", "trees"};
  Documents documents;
  for (size_t i = 0; i < 240; ++i) {
    LabelledText& document = documents.in_memory.emplace_back();
    for (size_t label = 0; label < ids.size(); ++label) {
      if (i % 3 != label && i % 5 != label) continue;
      document.labels.push_back(ids[label]);
      document.label_names.push_back(names[label]);
      document.text += words[label][i % 2] + " and " + words[label][(i / 7) % 2] + " ";
    }
  }
  return documents;
}

TrainingOptions small_model() {
  TrainingOptions options;
  options.settings = {"model.hidden=24",        "model.word_embedding=16", "model.label_embedding=16",
                      "model.encoder_layers=1", "model.max_words=50",      "model.light_conv.kernels=2,3",
                      "training.epochs=6",      "training.batch=16",       "training.learning_rate=0.01"};
  return options;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_jsonl(const Documents& documents, const std::string& path) {
  std::ofstream file(path);
  for (const LabelledText& document : documents.in_memory) {
    file << R"({"text":")" << document.text << R"(","subjects":[)";
    for (size_t i = 0; i < document.labels.size(); ++i) {
      file << (i > 0 ? "," : "") << R"({"uri":"<)" << document.labels[i] << R"(>","label":")" << document.label_names[i]
           << R"("})";
    }
    file << "]}\n";
  }
}

void train_and_stop(const Documents& documents, const std::string& folder) {
  TrainingOptions options = small_model();
  size_t calls = 0, lines = 0;
  TrainingProgress last;
  options.threads = 1;
  options.progress = [&](const TrainingProgress& now) { last = now, ++calls; };
  options.log = [&](const std::string& line) { lines += !line.empty() && line.find('\n') == std::string::npos; };
  options.stop = [&] { return calls == 20; };
  expect_throw<Interrupted>("the checkpoint is saved", [&] { train(documents, folder, options); });
  expect(calls == 20 && lines > 3, "progress and lines are told");
  expect(last.epoch == 2 && last.epochs == 6 && last.documents_total == 216 * 6 && last.loss > 0 &&
             last.documents_done > 216 && last.documents_per_second > 0 && last.seconds_left > 0,
         "progress has its numbers");
  expect_throw<Error>("already contains a model", [&] { train(documents, folder, small_model()); });
  TrainingOptions resume = small_model();
  resume.resume = true;
  resume.threads = 2;
  train(documents, folder, resume);
}

void check_training(const Documents& documents, const std::string& folder) {
  train_and_stop(documents, folder + "/model");
  write_jsonl(documents, folder + "/documents.jsonl");
  Documents files;
  files.file = folder + "/documents.jsonl";
  train(files, folder + "/from_file", small_model());
  for (const char* name : {"/weights.safetensors", "/config.json", "/labels.jsonl", "/words.txt", "/set_rule.json"}) {
    expect(bytes_of(folder + "/model" + name) == bytes_of(folder + "/from_file" + name),
           std::string("the same bytes from memory and from a file:") + name);
  }
  TrainingOptions wrong = small_model();
  wrong.settings.push_back("model.hiden=3");
  expect_throw<UsageError>("did you mean 'model.hidden'", [&] { train(documents, folder + "/wrong", wrong); });
  Documents bad = documents;
  bad.in_memory[4].text = " ";
  expect_throw<Error>("document 5: the document has no text", [&] { train(bad, folder + "/wrong", small_model()); });
  expect_throw<UsageError>("neither documents nor a file", [&] { train({}, folder + "/wrong", small_model()); });
  expect(!std::filesystem::exists(folder + "/wrong"), "a fault leaves no folder behind");
}

void check_answers(const Model& model) {
  const std::string text = "an oak in the forest, and a cod";
  const LabelScores set = model.predict(text);
  expect(!set.empty() && model.label(set[0].label).name == "trees", "an oak is a tree");
  const LabelScores all = model.predict(text, {.top_k = 100});
  expect(all.size() == model.labels() && all[0].score >= all[2].score, "top_k ranks all labels");
  const std::vector<float> scores = model.scores(text);
  for (const auto& [label, score] : all) expect(scores[label] == score, "scores and top_k agree");
  expect(model.predict(text, {.threshold = 0.0}).size() == model.labels(), "threshold 0 lets all in");
  expect(!model.predict(text, {.greedy = true}).empty(), "the greedy set");
  expect_throw<UsageError>("threshold", [&] { model.predict(text, {.threshold = 2.0}); });
  expect(model.predict("").empty() && model.scores(" ;")[0] == 0, "without words no labels");

  const Reasons reasons = model.explain(text, {}, {.words = 3, .leave_out = true});
  expect(reasons.words_total == 8 && reasons.words_read == 8 && !reasons.cut, "eight words are read");
  expect(reasons.labels.size() == set.size() && reasons.labels[0].words.size() == 3, "three words a label");
  const WordReason& word = reasons.labels[0].words[0];
  expect(word.fall && word.end <= text.size() && word.weight > 0, "a word has a place, a weight and a fall");
}

void check_facts(const Model& model, const Documents& documents, const std::string& folder) {
  const auto fish = model.find_label("urn:fish");
  expect(fish && model.label(*fish).name == "fish" && model.label(*fish).training_documents > 50, "labels have names");
  expect(!model.find_label("fish"), "a name is no id");
  expect_throw<Error>("there is no label 3", [&] { (void)model.label(3); });
  const ModelInfo info = model.info();
  expect(info.variant == "otseq2set" && info.labels == 3 && info.words == 7 && info.max_words == 50 &&
             info.steps == 2 && info.parameters > 1000 && info.training_documents == 216 &&
             info.validation_documents == 24,
         "info");
  const Quality quality = model.evaluate(documents);
  expect(quality.documents == 240 && quality.micro_f1 > 0.9 && quality.at.size() == 3 && quality.at[0].precision > 0.9,
         "it has learnt its documents: micro-F1 " + std::to_string(quality.micro_f1));
  expect(model.evaluate(documents, {.top_k = 1}).mean_predicted_labels == 1, "one label each");
  expect(model.evaluate(documents, {.threshold = 0.0}).mean_predicted_labels == 3, "all labels each");
  expect(tune(folder, documents, "macro-F1").find("macro-F1") != std::string::npos, "tune tells what it found");
  expect_throw<Error>("nowhere", [] { Model::load("nowhere"); });
  expect_throw<UsageError>("threads is 100000", [&] { Model::load(folder, {.threads = 100000}); });
  expect_throw<UsageError>("beam", [&] { Model::load(folder, {.threads = 1, .beam = 4}); });
  expect(version().find('.') != std::string::npos, "version");
}

void check_measures() {
  QualityMeter meter({.labels = 3, .ks = {2}});
  meter.add({.truth = {0, 1}, .predicted = {0}, .ranking = {0, 2, 1}});
  meter.add({.truth = {2}, .predicted = {2, 1}, .ranking = {2}});
  const Quality quality = meter.quality();
  expect(quality.documents == 2 && quality.micro_p == 2.0 / 3 && quality.micro_r == 2.0 / 3, "measures of sets");
  expect(quality.at.size() == 1 && quality.at[0].precision == 0.5 && quality.at[0].recall == 0.75, "and of rankings");
  expect_throw<UsageError>("number -1", [&] { meter.add({.truth = {-1}}); });
  expect_throw<UsageError>("twice", [&] { meter.add({.ranking = {1, 1}}); });
  expect_throw<UsageError>("training counts for 2", [] { QualityMeter({.labels = 3, .training_counts = {1, 2}}); });
}

void check_settings_and_weights(const Model& model, const std::string& folder) {
  const auto value = [](const std::vector<Setting>& settings, const std::string& key) {
    for (const Setting& setting : settings) {
      if (setting.key == key) return setting.value;
    }
    return std::string("none");
  };
  expect(value(model.info().settings, "model.hidden") == "24", "the settings of a model");
  expect(value(list_settings("cpu_small", {"model.hidden=7"}), "model.hidden") == "7", "settings over a preset");
  expect(list_presets().size() > 3 && !list_settings()[0].help.empty(), "presets and help");
  expect_throw<UsageError>("cpu_small", [] { list_settings("small"); });

  size_t values = 0;
  const WeightsFile file = WeightsFile::open(folder + "/weights.safetensors");
  for (const NamedWeights& weights : file.weights()) {
    expect(weights.type == "F32" && weights.data != nullptr, weights.name);
    values += weights.bytes / sizeof(float);
  }
  expect(values == model.info().parameters, "all parameters are in the file");
  expect_throw<Error>("config.json", [&] { WeightsFile::open(folder + "/config.json"); });
}

// Each thread with its own model and number of threads, and one model for all.
void check_threads(const Model& shared, const std::string& folder) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i)
    texts.push_back(i % 4 == 0 ? "cod nest" : i % 4 == 1 ? "oak" : i % 4 == 2 ? "" : "trawler");
  const std::vector<LabelScores> right = shared.predict(texts);
  for (size_t i = 0; i < 8; ++i) expect(same(right[i], shared.predict(texts[i])), "alone as among others");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Model own = Model::load(folder, {.threads = t + 1});
      for (int repeat = 0; repeat < 3; ++repeat) {
        const auto mine = own.predict(texts), ours = shared.predict(texts);
        for (size_t i = 0; i < texts.size(); ++i) wrong[t] += !same(mine[i], right[i]) || !same(ours[i], right[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) expect(count == 0, "the same answers from all threads");
}

}  // namespace

int main(int, char** argv) try {
  const std::string folder = argv[1];
  const Documents documents = small_corpus();
  check_training(documents, folder);
  const Model model = Model::load(folder + "/model");
  check_answers(model);
  check_threads(model, folder + "/model");
  check_facts(model, documents, folder + "/model");
  check_settings_and_weights(model, folder + "/model");
  check_measures();
  return failures > 0;
} catch (const std::exception& error) {
  std::cerr << "unexpected: " << error.what() << '\n';
  return 1;
}
