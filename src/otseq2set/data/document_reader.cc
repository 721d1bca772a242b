#include "otseq2set/data/document_reader.h"

#include <algorithm>
#include <unordered_set>

#include "otseq2set/core/error.h"
#include "otseq2set/data/jsonl_reader.h"
#include "otseq2set/data/text_pair_reader.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

std::unique_ptr<DocumentReader> open_documents(const DataFiles& files, bool need_labels) {
  if (!files.label_names.empty() && files.labels.empty()) {
    fail_usage("a file of label names ({}) is of use only with a file of labels", files.label_names);
  }
  if (files.data == "-" && files.labels == "-") {
    fail_usage("texts and labels cannot both come from standard input");
  }
  if (files.labels.empty()) return std::make_unique<JsonlReader>(LineReader(files.data), need_labels);
  return std::make_unique<TextPairReader>(files, need_labels);
}

void remove_duplicates(std::vector<std::string>& labels) {
  std::unordered_set<std::string> seen;
  const auto is_duplicate = [&](const std::string& label) { return !seen.insert(label).second; };
  labels.erase(std::remove_if(labels.begin(), labels.end(), is_duplicate), labels.end());
}

}  // namespace otseq2set
