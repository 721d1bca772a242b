#include "otseq2set/search/importance.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace otseq2set::inline search {

namespace {

// Fewer tell chance from effect too badly.
constexpr size_t kLeastCandidates = 6;

Json given_value(const Json& base, const std::string& key) {
  std::string pointer = "/" + key;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return base.at(Json::json_pointer(pointer));
}

double squares(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

std::optional<double> explained_by(const std::vector<ValueScore>& groups) {
  std::vector<double> all;
  double within = 0;
  size_t values = 0;
  for (const ValueScore& group : groups) {
    if (group.scores.size() < 2) continue;  // what one candidate reached may have come from any of its settings
    all.insert(all.end(), group.scores.begin(), group.scores.end());
    within += squares(group.scores);
    ++values;
  }
  if (values < 2 || all.size() < kLeastCandidates) return std::nullopt;
  const double spread = squares(all) / static_cast<double>(all.size() - 1);
  if (spread == 0) return 0;
  return std::max(0.0, 1 - within / static_cast<double>(all.size() - values) / spread);
}

}  // namespace

double ValueScore::mean() const {
  return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
}

std::vector<SettingScore> setting_scores(const std::vector<RungResult>& results, const Json& base) {
  std::set<std::string> keys;
  for (const RungResult& result : results) {
    for (const auto& [key, value] : result.settings.items()) keys.insert(key);
  }
  std::vector<SettingScore> settings;
  for (const std::string& key : keys) {
    SettingScore setting{key, {}, {}};
    for (const RungResult& result : results) {
      if (result.rung != 0 || !result.value) continue;
      const Json value = result.settings.value(key, given_value(base, key));
      auto group = std::find_if(setting.values.begin(), setting.values.end(),
                                [&](const ValueScore& one) { return one.value == value; });
      if (group == setting.values.end()) group = setting.values.insert(group, {value, {}});
      group->scores.push_back(*result.value);
    }
    if (setting.values.size() < 2) continue;
    std::sort(setting.values.begin(), setting.values.end(),
              [](const ValueScore& a, const ValueScore& b) { return a.value < b.value; });
    setting.explained = explained_by(setting.values);
    settings.push_back(setting);
  }
  std::stable_sort(settings.begin(), settings.end(), [](const SettingScore& a, const SettingScore& b) {
    return a.explained.value_or(-1) > b.explained.value_or(-1);
  });
  return settings;
}

}  // namespace otseq2set::inline search
