#include "otseq2set/writing/token_writers.h"

#include "otseq2set/core/error.h"
#include "otseq2set/reading/fasttext_reader.h"
#include "otseq2set/text/escaping.h"

namespace otseq2set::inline writing {

void TokenWriter::append_labels(const Document& document, std::string_view prefix, std::string_view suffix,
                                std::string& out) {
  for (size_t i = 0; i < document.labels.size(); ++i) {
    if (i > 0) out += ' ';
    out += prefix;
    out += tokens_.token(document.labels[i]);
    out += suffix;
  }
}

void TokenWriter::finish() {
  set_lost(Loss::kJoinedLabels, tokens_.joined());
  DocumentWriter::finish();
}

void FastTextWriter::format(const Document& document, std::string& out) {
  if (find_fasttext_label(document.text) != std::string_view::npos) {
    fail("{}: the text has a word that begins with {}, which fastText would take for a label", document.place,
         kFastTextPrefix);
  }
  if (document.own_id) lose(Loss::kIds);
  append_labels(document, kFastTextPrefix, "", out);
  if (!document.labels.empty()) out += ' ';
  out += one_line(document.text, Tabs::kStay);
  out += '\n';
}

void LibMultiLabelWriter::format(const Document& document, std::string& out) {
  const std::string_view id = column_id(document);
  if (has_id_column()) {
    const std::string field = one_field(id);
    if (field != id) lose(Loss::kChangedIds);
    out += field;
    out += '\t';
  }
  append_labels(document, "", "", out);
  out += '\t';
  out += one_line(document.text, Tabs::kBecomeSpaces);
  out += '\n';
}

void AnnifTsvWriter::format(const Document& document, std::string& out) {
  if (document.own_id) lose(Loss::kIds);
  out += one_line(document.text, Tabs::kBecomeSpaces);
  out += '\t';
  append_labels(document, "<", ">", out);
  out += '\n';
}

void AnnifCsvWriter::format(const Document& document, std::string& out) {
  const std::string_view id = column_id(document);
  if (documents() == 1) out += has_id_column() ? "text,subject_uris,document_id\n" : "text,subject_uris\n";
  out += csv_field(document.text);
  out += ',';
  std::string labels;
  append_labels(document, "<", ">", labels);
  out += csv_field(labels);
  if (has_id_column()) {
    out += ',';
    out += csv_field(id);
  }
  out += '\n';
}

void TokenPairWriter::format(const Document& document, std::string& out) {
  if (document.own_id) lose(Loss::kIds);
  out += one_line(document.text, Tabs::kStay);
  out += '\n';
  std::string labels;
  append_labels(document, "", "", labels);
  if (documents() == 1) check_start(labels);
  labels_file_.write(labels + '\n');
}

void TokenPairWriter::finish() {
  labels_file_.commit();
  TokenWriter::finish();
}

}  // namespace otseq2set::inline writing
