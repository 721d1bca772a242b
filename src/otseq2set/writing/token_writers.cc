#include "otseq2set/writing/token_writers.h"

#include "otseq2set/core/error.h"
#include "otseq2set/reading/fasttext_reader.h"

namespace otseq2set::inline writing {

namespace {

// In quotes where it must be.
void append_csv_field(std::string_view field, std::string& out) {
  if (field.find_first_of("\",\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (size_t quote; (quote = field.find('"')) != std::string_view::npos; field.remove_prefix(quote + 1)) {
    out += field.substr(0, quote);
    out += "\"\"";
  }
  out += field;
  out += '"';
}

}  // namespace

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
  std::string id(column_id(document));
  if (has_id_column()) {
    if (id.find_first_of("\t\r\n") != std::string::npos) lose(Loss::kChangedIds);
    for (char& c : id) c = c == '\t' || c == '\r' || c == '\n' ? ' ' : c;
    out += id;
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
  append_csv_field(document.text, out);
  out += ',';
  std::string labels;
  append_labels(document, "<", ">", labels);
  append_csv_field(labels, out);
  if (has_id_column()) {
    out += ',';
    append_csv_field(id, out);
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
