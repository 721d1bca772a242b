#include "otseq2set/reading/given_documents.h"

#include "otseq2set/core/error.h"
#include "otseq2set/documents.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/reading/line_document_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

// As if each document were a line of a file.
class MemoryReader : public DocumentReader {
 public:
  explicit MemoryReader(const std::vector<LabelledText>& documents) : documents_(documents) {}

  bool next(Document& document) override {
    if (next_ == documents_.size()) return false;
    const LabelledText& given = documents_[next_++];
    document = {};
    document.id = std::to_string(next_);
    document.place = "document " + document.id;
    set_id(document, given.id);
    document.text = given.text;
    end_document(document, read_labels(given, document));
    return true;
  }

 private:
  static Problem read_labels(const LabelledText& given, Document& document) {
    const size_t names = given.label_names.size();
    if (is_blank(given.text)) return {"the document has no text", ErrorKind::kNoText};
    if (names > 0 && names != given.labels.size()) return "there are not as many label names as labels";
    for (size_t i = 0; i < given.labels.size(); ++i) {
      if (is_blank(given.labels[i])) return "a label is empty";
      std::string problem = add_label(document, given.labels[i], names > 0 ? given.label_names[i] : "");
      if (!problem.empty()) return problem;
    }
    return "";
  }

  const std::vector<LabelledText>& documents_;
  size_t next_ = 0;
};

}  // namespace

DataFiles data_files(const Documents& documents) {
  DataFiles files{documents.file, documents.labels_file, documents.label_names_file};
  if (!documents.format.empty()) files.format = parse_format(documents.format);
  if (!documents.in_memory.empty()) {
    files.data = "the documents given";
    files.open = [&documents] { return std::make_unique<MemoryReader>(documents.in_memory); };
  } else if (files.data.empty()) {
    fail_usage("neither documents nor a file of documents is given");
  }
  return files;
}

}  // namespace otseq2set::inline reading
