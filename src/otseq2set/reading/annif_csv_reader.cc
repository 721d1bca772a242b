#include "otseq2set/reading/annif_csv_reader.h"

#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/reading/line_document_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

AnnifColumns::AnnifColumns(const CsvRecord& header) : count(header.count()) {
  for (size_t i = 0; i < header.count() && i < CsvRecord::kMaxFields; ++i) {
    std::string_view name = header.field(i);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name == "text" && !text) text = i;
    if (name == "subject_uris" && !uris) uris = i;
    if (name == "document_id" && !id) id = i;
  }
}

AnnifCsvReader::AnnifCsvReader(LineReader lines, bool with_labels, bool may_lack_labels)
    : records_(std::move(lines)), with_labels_(with_labels) {
  empty_ = !records_.next();
  if (empty_) return;
  if (!records_.problem().empty()) fail("{}: {}", records_.place(), records_.problem());
  columns_ = AnnifColumns(records_.record());
  if (!columns_.text || (!may_lack_labels && !columns_.uris)) {
    fail("{}: the header has no column {}; expected text,subject_uris or text,subject_uris,document_id",
         records_.place(), columns_.text ? "subject_uris" : "text");
  }
}

bool AnnifCsvReader::next(Document& document) {
  if (empty_ || !records_.next()) return false;
  begin_document(document, records_.lines());
  document.id = std::to_string(++documents_);
  document.place = records_.place();
  end_document(document, records_.problem().empty() ? read(records_.record(), document) : records_.problem());
  return true;
}

Problem AnnifCsvReader::read(const CsvRecord& record, Document& document) const {
  if (record.count() != columns_.count) {
    return fmt::format("{} columns, but the header has {}; a text with a comma needs quotes around it", record.count(),
                       columns_.count);
  }
  document.text = record.field(*columns_.text);
  if (columns_.id) set_id(document, record.field(*columns_.id));
  Problem text;
  if (is_blank(document.text)) text = {"the document has no text", ErrorKind::kNoText};
  return with_labels_ && columns_.uris ? both(text, add_uris(record.field(*columns_.uris), document)) : text;
}

}  // namespace otseq2set::inline reading
