// labels.jsonl of a model folder: what loads is saved as it was.
#include <sstream>

#include "fuzz.h"
#include "otseq2set/corpus/label_vocabulary.h"

namespace otseq2set::fuzz {

void run(std::string_view input) {
  std::istringstream in{std::string(input)};
  const LabelVocabulary labels = LabelVocabulary::load(in, "labels.jsonl");
  std::stringstream saved, again;
  labels.save(saved);
  LabelVocabulary::load(saved, "saved").save(again);
  require(saved.str() == again.str());
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<int32_t>(i);
    require(labels.index(labels.name(label)) == label);
  }
}

}  // namespace otseq2set::fuzz
