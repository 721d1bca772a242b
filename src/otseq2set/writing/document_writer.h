// Documents into files of any format (reading/format.h), one after the other.
//
// What a format cannot hold is left out or replaced, and counted, so that the user can be told; what could
// not be told apart afterwards is an Error. All files appear whole at `finish`, or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/reading/document.h"
#include "otseq2set/reading/format.h"
#include "otseq2set/text/string_index.h"

namespace otseq2set::inline writing {

// Where documents go.
struct OutputFiles {
  std::string data;         // "-" is standard output
  std::string labels;       // attentionxml: the labels
  std::string label_names;  // pecos: the names of the numbers; attentionxml: the same, labels become numbers;
                            // others: <label>TABname for labels that have a display name
};

enum class Loss {
  kIds,            // documents whose id has no place
  kChangedIds,     // ids with tabs or line breaks, which became spaces
  kRelevances,     // documents whose labels had relevances
  kDisplayNames,   // labels whose display name has no place
  kJoinedLabels,   // labels whose words are joined by `_`
  kLineBreaks,     // texts whose line breaks became spaces
  kTabs,           // texts whose tabs became spaces
  kBrokenUtf8,     // documents with bytes that are not UTF-8, which became U+FFFD
  kByteOrderMark,  // files that begin with a U+FEFF of a text or label, which readers skip
  kCount
};

// "ids of 12 documents are not kept"
std::string describe(Loss loss, uint64_t count);

class DocumentWriter {
 public:
  // Throws a UsageError when the format needs other files than those given.
  static std::unique_ptr<DocumentWriter> open(const OutputFiles& files, Format format);
  virtual ~DocumentWriter() = default;

  // The document has no error.
  void write(const Document& document);
  virtual void finish();

  uint64_t documents() const { return documents_; }
  uint64_t lost(Loss loss) const { return losses_[static_cast<size_t>(loss)]; }

 protected:
  explicit DocumentWriter(const OutputFiles& files);

  // Appends the document as it stands in the file of documents.
  virtual void format(const Document& document, std::string& out) = 0;

  // How a label stands in the files.
  virtual std::string_view written(std::string_view label) { return label; }

  // What comes into the file of label names; the display names, unless a format says otherwise.
  virtual void write_names(AtomicFile& file);
  virtual bool keeps_display_names() const { return names_file_.has_value(); }

  // The text without line breaks, and without tabs when they separate columns; valid until the next call.
  enum class Tabs { kStay, kBecomeSpaces };
  std::string_view one_line(std::string_view text, Tabs tabs);

  // Whether there is a column of ids is decided by the first document; the id, empty when it has none.
  bool has_id_column() const { return has_id_column_; }
  std::string_view column_id(const Document& document);

  // The labels of a document, for the format that has them in a file of their own.
  void write_label_line(const std::string& labels);

  // To be called with what comes first into a file.
  void check_start(std::string_view beginning);

  void lose(Loss loss) { ++losses_[static_cast<size_t>(loss)]; }
  void set_lost(Loss loss, uint64_t count) { losses_[static_cast<size_t>(loss)] = count; }

 private:
  void keep_display_names(const Document& document);

  AtomicFile file_;
  std::optional<AtomicFile> names_file_, labels_file_;
  std::string out_, one_line_;
  StringIndex named_;                       // labels that have a display name,
  std::vector<std::string> display_names_;  // and what it is
  bool has_id_column_ = false;
  uint64_t documents_ = 0;
  std::array<uint64_t, static_cast<size_t>(Loss::kCount)> losses_ = {};
};

}  // namespace otseq2set::inline writing
