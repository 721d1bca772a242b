#include "otseq2set/corpus/label_vocabulary.h"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

#include "otseq2set/core/error.h"

namespace otseq2set::inline corpus {

LabelVocabulary LabelVocabulary::from_counts(std::vector<std::pair<std::string, uint64_t>> counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  LabelVocabulary labels;
  for (const auto& [name, count] : counts) {
    labels.names_.add(name);
    labels.counts_.push_back(count);
  }
  assert(labels.names_.size() == labels.counts_.size());
  return labels;
}

void LabelVocabulary::set_display_name(int32_t index, std::string_view display_name) {
  if (display_name.empty() && display_names_.empty()) return;
  display_names_.resize(size());
  display_names_[index] = display_name;
}

void LabelVocabulary::save(std::ostream& out) const {
  for (size_t i = 0; i < size(); ++i) {
    nlohmann::ordered_json line;
    const auto index = static_cast<int32_t>(i);
    line["label"] = std::string(name(index));
    if (has_display_name(index)) line["name"] = display_names_[i];
    line["count"] = counts_[i];
    out << line.dump() << '\n';
  }
}

LabelVocabulary LabelVocabulary::load(std::istream& in, const std::string& name) {
  LabelVocabulary labels;
  std::string text;
  for (size_t line = 1; std::getline(in, text); ++line) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) fail("{}:{}: expected a label such as {{\"label\":\"fish\",\"count\":12}}", name, line);
    const auto label = json.find("label"), count = json.find("count");
    if (label == json.end() || !label->is_string()) fail("{}:{}: \"label\" is not a string", name, line);
    if (count == json.end() || !count->is_number_unsigned()) fail("{}:{}: \"count\" is not a count", name, line);
    const int32_t index = labels.names_.add(label->get_ref<const std::string&>());
    if (labels.names_.size() < line) {
      fail("{}:{}: '{}' is already in line {}", name, line, label->get_ref<const std::string&>(), index + 1);
    }
    labels.counts_.push_back(count->get<uint64_t>());
    const auto display_name = json.find("name");
    if (display_name == json.end()) continue;
    if (!display_name->is_string()) fail("{}:{}: \"name\" is not a string", name, line);
    labels.set_display_name(index, display_name->get_ref<const std::string&>());
  }
  if (!labels.display_names_.empty()) labels.display_names_.resize(labels.size());
  if (in.bad()) fail("{}: cannot be read", name);
  return labels;
}

}  // namespace otseq2set::inline corpus
