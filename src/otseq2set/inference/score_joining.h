// How network and linear model are weighed against each other (ScoreJoining, store/model_folder.h): found by logistic
// regression on documents that neither was trained on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline inference {

// The joined score of a label. Without one of the models its part is left out.
float joined_score(const ScoreJoining& joining, std::optional<float> network_score, std::optional<float> margin);

// "0.83 * logit of the network + 4.5 * margin of the linear model - 0.2"
std::string describe(const ScoreJoining& joining);

class JoiningFit {
 public:
  void add(std::optional<float> network_score, std::optional<float> margin, bool is_true);

  // The likeliest weights for what was added; those of a model that never had a say are 0.
  ScoreJoining best() const;

 private:
  struct Example {
    float network, linear;  // logit of the score, margin
    bool is_true;
  };
  std::vector<Example> examples_;
};

}  // namespace otseq2set::inline inference
