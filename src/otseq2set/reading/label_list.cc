#include "otseq2set/reading/label_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

// Up to here comparing each with each is quicker than a table.
constexpr size_t kFew = 16;

class FirstPlaces {
 public:
  explicit FirstPlaces(const std::vector<std::string>& labels) : labels_(labels) {
    if (labels.size() <= kFew) return;
    table_.reserve(labels.size());
    for (size_t i = 0; i < labels.size(); ++i) table_.emplace(labels[i], i);  // the first stays
  }
  size_t of(size_t i) const {
    if (labels_.size() > kFew) return table_.at(labels_[i]);
    return std::find(labels_.begin(), labels_.end(), labels_[i]) - labels_.begin();
  }

 private:
  const std::vector<std::string>& labels_;
  std::unordered_map<std::string_view, size_t> table_;
};

}  // namespace

std::string add_label(Document& document, std::string_view label, std::string_view name) {
  if (document.labels.size() == kMaxLabels) return fmt::format("more than {} labels", kMaxLabels);
  document.utf8 = document.utf8 && is_utf8(label);
  document.labels.push_back(utf8_or_latin1(label));
  if (!name.empty()) document.label_names.resize(document.labels.size() - 1);
  if (!name.empty() || !document.label_names.empty()) document.label_names.emplace_back(name);
  return "";
}

std::string_view without_brackets(std::string_view uri) {
  const bool bracketed = uri.size() >= 2 && uri.front() == '<' && uri.back() == '>';
  return bracketed ? uri.substr(1, uri.size() - 2) : uri;
}

std::string add_uris(std::string_view column, Document& document) {
  return split_labels(column, [&](std::string_view token) -> std::string {
    const std::string_view uri = without_brackets(token);
    if (uri.empty()) return "an empty label '<>'";
    return add_label(document, uri);
  });
}

void remove_duplicates(Document& document) {
  std::vector<std::string>& labels = document.labels;
  std::vector<std::string>& names = document.label_names;
  std::vector<bool> again(labels.size(), false);
  bool any = false;
  {
    const FirstPlaces first(labels);
    for (size_t i = 0; i < labels.size(); ++i) {
      const size_t place = first.of(i);
      again[i] = place != i;
      any = any || again[i];
      if (again[i] && !names.empty() && names[place].empty()) names[place] = names[i];
    }
  }
  if (!any) return;
  const auto drop = [&](std::vector<std::string>& values) {
    size_t kept = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (again[i]) continue;
      if (kept != i) values[kept] = std::move(values[i]);
      ++kept;
    }
    values.resize(kept);
  };
  drop(labels);
  drop(names);
}

}  // namespace otseq2set::inline reading
