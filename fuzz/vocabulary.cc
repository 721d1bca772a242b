// words.txt of a model folder: what loads is saved as it was.
#include "otseq2set/text/vocabulary.h"

#include <sstream>

#include "fuzz.h"

namespace otseq2set::fuzz {

void run(std::string_view input) {
  std::istringstream in{std::string(input)};
  const Vocabulary words = Vocabulary::load(in, "words.txt");
  std::stringstream saved, again;
  words.save(saved);
  Vocabulary::load(saved, "saved").save(again);
  require(saved.str() == again.str());
  for (size_t id = 0; id < words.ids(); ++id) {
    const auto word = static_cast<int32_t>(id);
    require(id < kFirstWord || words.id(words.word(word)) == word);
  }
}

}  // namespace otseq2set::fuzz
