// otseq2set._core: the library without what trains. What is public in Python is made of it in python/otseq2set.
#include <otseq2set/model.h>
#include <otseq2set/weights.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "calls.h"
#include "errors.h"

namespace otseq2set::python {
namespace {

namespace py = pybind11;

// The number that the program prints: 0.93 and not 0.9300000071525574, which is the same float.
double as_printed(float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  double result = 0;
  std::from_chars(digits, end, result);
  return result;
}

py::dict as_dict(const Quality& quality) {
  using namespace py::literals;
  py::dict all("documents"_a = quality.documents, "documents_with_neither"_a = quality.documents_with_neither,
               "mean_true_labels"_a = quality.mean_true_labels,
               "mean_predicted_labels"_a = quality.mean_predicted_labels);
  all["micro-P"] = quality.micro_p;
  all["micro-R"] = quality.micro_r;
  all["micro-F1"] = quality.micro_f1;
  all["macro-F1"] = quality.macro_f1;
  all["weighted-F1"] = quality.weighted_f1;
  all["example-F1"] = quality.example_f1;
  const std::pair<const char*, double Quality::At::*> kinds[] = {{"P", &Quality::At::precision},
                                                                 {"R", &Quality::At::recall},
                                                                 {"nDCG", &Quality::At::ndcg},
                                                                 {"PSP", &Quality::At::psp},
                                                                 {"PSnDCG", &Quality::At::psndcg}};
  for (const auto& [kind, value] : kinds) {
    for (const Quality::At& at : quality.at) all[py::str(kind + ("@" + std::to_string(at.k)))] = at.*value;
  }
  return all;
}

py::list as_list(const std::vector<Setting>& settings) {
  py::list list;
  for (const auto& [key, value, help, valid] : settings) list.append(py::make_tuple(key, value, help, valid));
  return list;
}

// The characters before each byte of a text, and before its end.
std::vector<size_t> characters_before(const std::string& text) {
  std::vector<size_t> before(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    before[i + 1] = before[i] + (continues ? 0 : 1);
  }
  for (size_t i = text.size(); i > 0; --i) {  // inside of a character: those before it
    if ((static_cast<unsigned char>(text[i - 1]) & 0xC0) == 0x80) before[i - 1] = before[i] - 1;
  }
  return before;
}

// Some rows of a sparse matrix.
struct Rows {
  std::vector<int64_t> ends;     // of each row, in the other two
  std::vector<int32_t> columns;  // ascending within a row
  std::vector<float> values;

  py::tuple arrays() const {
    return py::make_tuple(py::array_t<int64_t>(static_cast<py::ssize_t>(ends.size()), ends.data()),
                          py::array_t<int32_t>(static_cast<py::ssize_t>(columns.size()), columns.data()),
                          py::array_t<float>(static_cast<py::ssize_t>(values.size()), values.data()));
  }
  void end_row() { ends.push_back(static_cast<int64_t>(columns.size())); }
};

// A loaded model, and its labels' names as objects of Python, made when they are first met.
class LoadedModel {
 public:
  LoadedModel(const std::string& folder, int threads, int beam, py::object label_type)
      : model_(load(folder, threads, beam)), label_type_(std::move(label_type)), names_(model_.labels()) {}

  // Texts that come from a stream are counted from `first` in messages.
  py::list predict(const py::list& list, size_t first, const Choice& choice) {
    const std::vector<std::string> texts = strings(list, "texts", first);
    std::vector<LabelScores> answers;
    without_lock([&] { answers = model_.predict(texts, choice); });
    py::list result(answers.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      py::list labels(answers[i].size());
      for (size_t j = 0; j < answers[i].size(); ++j) labels[j] = label(answers[i][j]);
      result[i] = std::move(labels);
    }
    return result;
  }

  py::tuple scores(const py::list& list, size_t first, std::optional<size_t> top_k) const {
    const std::vector<std::string> texts = strings(list, "texts", first);
    Rows rows;
    without_lock([&] { rows = top_k ? best(texts, *top_k) : all(texts); });
    return rows.arrays();
  }

  // (labels: [(Label, [(begin, end, weight, fall)], [(begin, end, share)])], words in all, words read, cut), with places
  // in characters.
  py::list explain(const py::list& list, const Choice& choice, size_t words, bool leave_out) {
    const std::vector<std::string> texts = strings(list, "texts");
    std::vector<Reasons> answers;
    without_lock([&] { answers = model_.explain(texts, choice, {words, leave_out}); });
    py::list result;
    for (size_t i = 0; i < texts.size(); ++i) result.append(reasons(answers[i], characters_before(texts[i])));
    return result;
  }

  py::dict evaluate(const py::list& texts, const py::list& labels, const Choice& choice) const {
    const Documents given = documents(texts, labels, py::none());
    Quality quality;
    without_lock([&] { quality = model_.evaluate(given, choice); });
    return as_dict(quality);
  }

  size_t labels() const { return model_.labels(); }

  py::tuple label_at(size_t number) {
    const auto& [name, id] = names(number);
    return py::make_tuple(name, id, model_.label(number).training_documents);
  }

  py::dict info() const {
    const ModelInfo info = model_.info();
    using namespace py::literals;
    return py::dict("variant"_a = info.variant, "set_rule"_a = info.set_rule, "words"_a = info.words,
                    "labels"_a = info.labels, "steps"_a = info.steps, "max_words"_a = info.max_words,
                    "parameters"_a = info.parameters, "training_documents"_a = info.training_documents,
                    "validation_documents"_a = info.validation_documents, "settings"_a = as_list(info.settings));
  }

 private:
  using Names = std::pair<py::object, py::object>;  // name, id

  static Model load(const std::string& folder, int threads, int beam) {
    std::optional<Model> model;
    without_lock([&] { model = Model::load(folder, {threads, beam}); });
    return *model;
  }

  const Names& names(size_t number) {
    Names& names = names_.at(number);
    if (!names.first) {
      const Label label = model_.label(number);
      names.first = py::str(label.name);
      names.second = label.id == label.name ? names.first : py::str(label.id);
    }
    return names;
  }

  py::object label(const LabelScore& scored) {
    const auto& [name, id] = names(scored.label);
    const py::float_ score(as_printed(scored.score));
    PyObject* made = PyObject_CallFunctionObjArgs(label_type_.ptr(), name.ptr(), id.ptr(), score.ptr(), nullptr);
    if (made == nullptr) throw py::error_already_set();  // Ctrl-C comes to light wherever Python code runs
    return py::reinterpret_steal<py::object>(made);
  }

  py::tuple reasons(const Reasons& answer, const std::vector<size_t>& before) {
    py::list labels;
    for (const LabelReasons& one : answer.labels) {
      py::list words, ngrams;
      for (const WordReason& word : one.words) {
        const py::object fall = word.fall ? py::object(py::float_(as_printed(*word.fall))) : py::none();
        words.append(py::make_tuple(before[word.begin], before[word.end], as_printed(word.weight), fall));
      }
      for (const NgramReason& ngram : one.ngrams) {
        ngrams.append(py::make_tuple(before[ngram.begin], before[ngram.end], as_printed(ngram.share)));
      }
      labels.append(py::make_tuple(label(one.label), words, ngrams));
    }
    const py::object cut = answer.cut ? py::object(py::int_(before[*answer.cut])) : py::none();
    return py::make_tuple(labels, answer.words_total, answer.words_read, cut);
  }

  Rows best(const std::vector<std::string>& texts, size_t top_k) const {
    Rows rows;
    Choice choice;
    choice.top_k = top_k;
    for (LabelScores& labels : model_.predict(texts, choice)) {
      std::sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.label < b.label; });
      for (const auto& [label, score] : labels) {
        rows.columns.push_back(static_cast<int32_t>(label));
        rows.values.push_back(score);
      }
      rows.end_row();
    }
    return rows;
  }

  Rows all(const std::vector<std::string>& texts) const {
    Rows rows;
    for (const std::vector<float>& scores : model_.scores(texts)) {
      for (size_t label = 0; label < scores.size(); ++label) {
        if (scores[label] == 0) continue;
        rows.columns.push_back(static_cast<int32_t>(label));
        rows.values.push_back(scores[label]);
      }
      rows.end_row();
    }
    return rows;
  }

  Model model_;
  py::object label_type_;
  std::vector<Names> names_;  // [labels]; empty objects until they are met
};

std::string tune_folder(const std::string& folder, const py::list& texts, const py::list& labels,
                        const std::string& measure, int threads, int beam) {
  const Documents given = documents(texts, labels, py::none());
  std::string found;
  without_lock([&] { found = tune(folder, given, measure, {threads, beam}); });
  return found;
}

py::dtype type_of(const NamedWeights& weights) {
  static const std::map<std::string, const char*> types = {
      {"F64", "<f8"}, {"F32", "<f4"}, {"F16", "<f2"}, {"I64", "<i8"}, {"I32", "<i4"}, {"I16", "<i2"},
      {"I8", "i1"},   {"U64", "<u8"}, {"U32", "<u4"}, {"U16", "<u2"}, {"U8", "u1"},   {"BOOL", "?"}};
  const auto found = types.find(weights.type);
  if (found == types.end()) throw Error(weights.name + " is of type " + weights.type + ", which numpy does not have");
  return py::dtype(found->second);
}

// Arrays that nobody can write to, over the file in memory, which lives as long as any of them.
py::dict read_weights(const std::string& file) {
  const auto opened = std::make_unique<WeightsFile>(WeightsFile::open(file));
  py::dict arrays;
  for (const NamedWeights& weights : opened->weights()) {
    const py::capsule owner(new WeightsFile(*opened), [](void* own) { delete static_cast<WeightsFile*>(own); });
    py::array array(type_of(weights), weights.shape, weights.data, owner);
    array.attr("setflags")(py::arg("write") = false);
    arrays[py::str(weights.name)] = array;
  }
  return arrays;
}

using Numbers = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;

// The rows of a sparse matrix, one at a time.
class LabelRows {
 public:
  LabelRows(const Numbers& starts, const Numbers& labels) : starts_(starts), labels_(labels) {
    if (starts.ndim() != 1 || labels.ndim() != 1 || starts.size() == 0) {
      throw py::value_error("rows must be given as one-dimensional arrays");
    }
    for (py::ssize_t i = 0; i < starts.size(); ++i) {
      const int64_t low = i == 0 ? 0 : starts_.data()[i - 1];
      if (starts_.data()[i] < low || starts_.data()[i] > labels.size()) {
        throw py::value_error("the starts of rows must ascend, from 0 to the number of entries");
      }
    }
  }
  size_t size() const { return static_cast<size_t>(starts_.size() - 1); }
  std::vector<int32_t> row(size_t i) const {
    return {labels_.data() + starts_.data()[i], labels_.data() + starts_.data()[i + 1]};
  }

 private:
  Numbers starts_, labels_;
};

py::dict measure(const std::pair<Numbers, Numbers>& truth, const std::pair<Numbers, Numbers>& predicted,
                 const std::pair<Numbers, Numbers>& ranking, const QualityOptions& options) {
  const LabelRows truths(truth.first, truth.second), sets(predicted.first, predicted.second),
      rankings(ranking.first, ranking.second);
  if (sets.size() != truths.size() || rankings.size() != truths.size()) {
    throw py::value_error("truth, predicted and ranking must have the same number of rows");
  }
  QualityMeter meter(options);
  without_lock([&] {
    for (size_t i = 0; i < truths.size(); ++i) meter.add({truths.row(i), sets.row(i), rankings.row(i)});
  });
  return as_dict(meter.quality());
}

// For each portion of texts the engine takes some megabytes and frees them. The C library gives blocks of this size back to
// the system, to get them again page by page, until it has seen a larger one freed; so it is shown one. In the program,
// what reads documents does so.
void keep_freed_memory() {
  constexpr size_t kLargest = size_t{31} << 20;  // that glibc learns from
  void* volatile block = std::malloc(kLargest);
  std::free(block);
}

QualityOptions quality_options(size_t labels, std::vector<uint32_t> training_counts, uint64_t training_documents,
                               double propensity_a, double propensity_b, std::vector<int> ks) {
  return {labels, std::move(training_counts), training_documents, propensity_a, propensity_b, std::move(ks)};
}

}  // namespace

PYBIND11_MODULE(_core, core) {
  translate_errors();
  notice_forks();
  keep_freed_memory();
  core.def("is_forked", &is_forked);
  core.def("version", &version);
  core.def("presets", &list_presets);
  core.def("settings", [](const std::string& preset, const std::vector<std::string>& assignments) {
    return as_list(list_settings(preset, assignments));
  });
  core.def("tune", &tune_folder);
  core.def("weights", &read_weights);
  core.def("measure", [](const std::pair<Numbers, Numbers>& truth, const std::pair<Numbers, Numbers>& predicted,
                         const std::pair<Numbers, Numbers>& ranking, size_t labels,
                         const std::vector<uint32_t>& training_counts, uint64_t training_documents, double propensity_a,
                         double propensity_b, const std::vector<int>& ks) {
    return measure(truth, predicted, ranking,
                   quality_options(labels, training_counts, training_documents, propensity_a, propensity_b, ks));
  });

  py::class_<LoadedModel>(core, "Model")
      .def(py::init<const std::string&, int, int, py::object>())
      .def("predict", [](LoadedModel& model, const py::list& texts, size_t first, std::optional<size_t> top_k,
                         std::optional<double> threshold,
                         bool greedy) { return model.predict(texts, first, choice(top_k, threshold, greedy)); })
      .def("scores", &LoadedModel::scores)
      .def("explain",
           [](LoadedModel& model, const py::list& texts, std::optional<size_t> top_k, std::optional<double> threshold,
              bool greedy, size_t words,
              bool leave_out) { return model.explain(texts, choice(top_k, threshold, greedy), words, leave_out); })
      .def("evaluate", [](const LoadedModel& model, const py::list& texts, const py::list& labels,
                          std::optional<size_t> top_k, std::optional<double> threshold,
                          bool greedy) { return model.evaluate(texts, labels, choice(top_k, threshold, greedy)); })
      .def("labels", &LoadedModel::labels)
      .def("label", &LoadedModel::label_at)
      .def("info", &LoadedModel::info);
}

}  // namespace otseq2set::python
