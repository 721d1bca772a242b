// read_rankings: predictions of other tools, in three formats told by their first line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/reproduction/peer.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reproduction {

namespace {

class RankingsReader {
 public:
  RankingsReader(const std::string& path, const LabelVocabulary& labels, const std::string& label_names, Dataset& data)
      : path_(path), labels_(labels), data_(data), lines_(path) {
    if (!label_names.empty()) names_.emplace(label_names);
  }

  Rankings read() {
    std::string_view line;
    for (bool first = true; lines_.next(line); first = false) {
      if (first) choose_format(std::string(line));
      if (first && format_ == Format::kXc) continue;  // its header
      add(line);
    }
    if (any_label_ && !any_known_) {
      fail("{}: none of its labels is a label of the training data{}", path_,
           format_ == Format::kXc && !names_ ? "; --prediction-labels can give the names of numbered labels" : "");
    }
    if (format_ != Format::kJsonl && rankings_.size() != data_.size()) {
      fail("{}: {} predictions for {} documents", path_, rankings_.size(), data_.size());
    }
    if (format_ == Format::kJsonl) check_complete();
    for (auto& ranking : rankings_) {
      std::stable_sort(ranking.begin(), ranking.end(),
                       [](const ScoredLabel& a, const ScoredLabel& b) { return a.score > b.score; });
    }
    return std::move(rankings_);
  }

 private:
  enum class Format { kJsonl, kXc, kFasttext };

  void choose_format(const std::string& line) {
    unsigned long long documents = 0, labels = 0;
    char rest = 0;
    if (line.rfind('{', 0) == 0) {
      format_ = Format::kJsonl;
      rankings_.resize(data_.size());
      found_.resize(data_.size());
      for (size_t i = 0; i < data_.size(); ++i) places_.emplace(data_.id(i), i);
    } else if (std::sscanf(line.c_str(), "%llu %llu %c", &documents, &labels, &rest) == 2) {
      format_ = Format::kXc;
    } else {
      format_ = Format::kFasttext;
    }
  }

  void add(std::string_view line) {
    if (format_ == Format::kJsonl) return add_json(line);
    rankings_.emplace_back();
    if (format_ == Format::kXc) {
      add_sparse(line, rankings_.back());
    } else {
      add_pairs(line, rankings_.back());
    }
    check_distinct(rankings_.back());
  }

  void check_distinct(const std::vector<ScoredLabel>& ranking) const {
    std::vector<int32_t> labels;
    for (const ScoredLabel& label : ranking) labels.push_back(label.label);
    std::sort(labels.begin(), labels.end());
    if (std::adjacent_find(labels.begin(), labels.end()) != labels.end()) {
      fail("{}: a label is given twice", lines_.place());
    }
  }

  void add_json(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    const bool whole = json.is_object() && json.value("labels", Json()).is_array();
    if (!whole) fail("{}: not an object with \"id\" and \"labels\"", lines_.place());
    const Json id = json.value("id", Json());
    if (id.is_null()) fail("{}: no \"id\"", lines_.place());
    const auto found = places_.find(id.is_string() ? id.get<std::string>() : id.dump());
    if (found == places_.end()) fail("{}: no document has the id {}", lines_.place(), id.dump());
    if (found_[found->second]) fail("{}: the id {} occurs twice", lines_.place(), id.dump());
    found_[found->second] = true;
    auto& ranking = rankings_[found->second];
    for (const Json& label : json.at("labels")) {
      const bool known =
          label.is_object() && label.value("label", Json()).is_string() && label.value("score", Json()).is_number();
      if (!known) fail("{}: a label is not {{\"label\": ..., \"score\": ...}}", lines_.place());
      ranking.push_back({index_of(label.at("label").get<std::string>()), label.at("score")});
    }
    check_distinct(ranking);
  }

  // 12:0.93 7:0.1
  void add_sparse(std::string_view line, std::vector<ScoredLabel>& ranking) {
    const std::string problem = split_labels(line, [&](std::string_view token) -> std::string {
      const size_t colon = token.rfind(':');
      if (colon == std::string_view::npos) return fmt::format("'{}' is not index:score", token);
      Document named;
      const std::string_view index = token.substr(0, colon);
      if (names_) {
        if (std::string wrong = names_->add(index, named); !wrong.empty()) return wrong;
      }
      ranking.push_back({index_of(names_ ? named.labels.back() : index), score_of(token.substr(colon + 1))});
      return "";
    });
    if (!problem.empty()) fail("{}: {}", lines_.place(), problem);
  }

  // __label__fish 0.93 __label__trade 0.1
  void add_pairs(std::string_view line, std::vector<ScoredLabel>& ranking) {
    std::string label;
    bool has_label = false;
    split_labels(line, [&](std::string_view token) -> std::string {
      if (has_label) {
        ranking.push_back({index_of(label), score_of(token)});
      } else {
        label = token.substr(token.starts_with(kFastTextPrefix) ? kFastTextPrefix.size() : 0);
      }
      has_label = !has_label;
      return "";
    });
    if (has_label) fail("{}: the label '{}' is not followed by a score", lines_.place(), label);
  }

  float score_of(std::string_view text) const {
    double score = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(score)) {
      fail("{}: '{}' is not a score", lines_.place(), text);
    }
    return static_cast<float>(score);
  }

  int32_t index_of(std::string_view name) {
    const int32_t index = labels_.index(name);
    any_label_ = true;
    any_known_ = any_known_ || index >= 0;
    return index >= 0 ? index : data_.unknown_label(name);
  }

  void check_complete() const {
    const auto missing = std::find(found_.begin(), found_.end(), false);
    if (missing != found_.end()) {
      fail("{}: no prediction for the document {}", path_, data_.id(missing - found_.begin()));
    }
  }

  std::string path_;
  const LabelVocabulary& labels_;
  Dataset& data_;
  LineReader lines_;
  std::optional<NumberedLabels> names_;
  Format format_ = Format::kFasttext;
  bool any_label_ = false, any_known_ = false;
  Rankings rankings_;
  std::unordered_map<std::string_view, size_t> places_;  // of ids, for JSON lines
  std::vector<bool> found_;                              // likewise
};

}  // namespace

Rankings read_rankings(const std::string& path, const LabelVocabulary& labels, const std::string& label_names,
                       Dataset& data) {
  return RankingsReader(path, labels, label_names, data).read();
}

}  // namespace otseq2set::inline reproduction
