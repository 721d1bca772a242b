// Which settings mattered? How much of the spread between the candidates' values does one setting alone explain?
//
//   1 - (sum within groups / (n - g)) / (sum of all / (n - 1)),   groups: the g values of the setting, sums: of squares
//                                                                 of the distance to the mean
//
// This is R2 corrected for the number of values: a setting that does not matter has 0 on average, and what falls below is
// shown as 0. Values that a single candidate has are left out. Settings change together, so that the shares of all are
// not parts of a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otseq2set/search/trials.h"

namespace otseq2set::inline search {

struct ValueScore {
  Json value;
  std::vector<double> scores;  // of the candidates that have it

  double mean() const;
};

struct SettingScore {
  std::string key;
  std::vector<ValueScore> values;   // rising where they are numbers
  std::optional<double> explained;  // 0 .. 1; none when there are too few candidates to tell
};

// Of the results on the first rung, on which all candidates stand. base: the given configuration (config/fields.h), whose
// values those have that do not change a setting. The settings that explain most come first.
std::vector<SettingScore> setting_scores(const std::vector<RungResult>& results, const Json& base);

}  // namespace otseq2set::inline search
