// Documents as Annif's CSV: a header with the columns text, subject_uris and perhaps document_id, in any
// order and among others; URIs separated by white space, with or without angle brackets.
#pragma once

#include <optional>

#include "otseq2set/reading/csv_records.h"
#include "otseq2set/reading/document_reader.h"
#include "otseq2set/reading/problem.h"

namespace otseq2set::inline reading {

// Which column is which.
struct AnnifColumns {
  std::optional<size_t> text, uris, id;
  size_t count = 0;

  explicit AnnifColumns(const CsvRecord& header);
  AnnifColumns() = default;
};

class AnnifCsvReader : public DocumentReader {
 public:
  // Throws an Error when the header lacks a column. may_lack_labels: that of the labels may be missing.
  AnnifCsvReader(LineReader lines, bool with_labels, bool may_lack_labels);

  bool next(Document& document) override;

 private:
  Problem read(const CsvRecord& record, Document& document) const;

  CsvRecords records_;
  bool with_labels_;
  AnnifColumns columns_;
  bool empty_ = false;  // not even a header
  size_t documents_ = 0;
};

}  // namespace otseq2set::inline reading
