// Documents with labels, to learn from or to measure with: in memory, or in files of any format that the program reads.
#pragma once

#include <string>
#include <vector>

namespace otseq2set::inline v1 {

struct LabelledText {
  std::string id = {};                        // empty: its number, from 1
  std::string text = {};                      // UTF-8
  std::vector<std::string> labels = {};       // what tells labels apart: a name, a number, a URI
  std::vector<std::string> label_names = {};  // what people call them instead: none, or one a label
};

// Those in memory, or if there are none those of the files.
struct Documents {
  std::vector<LabelledText> in_memory = {};
  std::string file = {};              // packed by gzip, zstd or xz or not; - is standard input
  std::string labels_file = {};       // labels line by line, if they have a file of their own (attentionxml)
  std::string label_names_file = {};  // a name a line where labels are line numbers, else <label>TABname
  std::string format = {};            // jsonl, fasttext, ...; empty: the content decides
};

}  // namespace otseq2set::inline v1
