#include "otseq2set/core/error.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/text/escaping.h"
#include "otseq2set/writing/label_tokens.h"
#include "otseq2set/writing/writers.h"

namespace otseq2set::inline writing {

namespace {

class TokenWriter : public DocumentWriter {
 public:
  TokenWriter(const OutputFiles& files, Format format) : DocumentWriter(files), format_(format) {}

  void finish() override {
    set_lost(Loss::kJoinedLabels, tokens_.joined());
    DocumentWriter::finish();
  }

 private:
  void format(const Document& document, std::string& out) override {
    const bool id_column = format_ == Format::kLibMultiLabel || format_ == Format::kAnnifCsv;
    if (!id_column && document.own_id) lose(Loss::kIds);
    switch (format_) {
      case Format::kFastText: return format_fasttext(document, out);
      case Format::kLibMultiLabel: return format_libmultilabel(document, out);
      case Format::kAnnifCsv: return format_annif_csv(document, out);
      case Format::kAnnifTsv:
        out += fmt::format("{}\t{}\n", one_line(document.text, Tabs::kBecomeSpaces), tokens(document, "<", ">"));
        return;
      default:  // AttentionXML: the texts, and the labels in a file of their own
        write_label_line(tokens(document));
        out += fmt::format("{}\n", one_line(document.text, Tabs::kStay));
    }
  }

  // __label__fish __label__trade_policy text
  void format_fasttext(const Document& document, std::string& out) {
    if (find_fasttext_label(document.text) != std::string_view::npos) {
      fail("{}: the text has a word that begins with {}, which fastText would take for a label", document.place,
           kFastTextPrefix);
    }
    out += fmt::format("{}{}{}\n", tokens(document, kFastTextPrefix), document.labels.empty() ? "" : " ",
                       one_line(document.text, Tabs::kStay));
  }

  // [id<TAB>]fish trade_policy<TAB>text
  void format_libmultilabel(const Document& document, std::string& out) {
    const std::string_view id = column_id(document);
    if (has_id_column()) {
      const std::string field = one_field(id);
      if (field != id) lose(Loss::kChangedIds);
      out += field + '\t';
    }
    out += fmt::format("{}\t{}\n", tokens(document), one_line(document.text, Tabs::kBecomeSpaces));
  }

  // text,subject_uris[,document_id]
  void format_annif_csv(const Document& document, std::string& out) {
    const std::string_view id = column_id(document);
    if (documents() == 1) out += has_id_column() ? "text,subject_uris,document_id\n" : "text,subject_uris\n";
    out += fmt::format("{},{}", csv_field(document.text), csv_field(tokens(document, "<", ">")));
    if (has_id_column()) out += ',' + csv_field(id);
    out += '\n';
  }

  // All labels of the document, each after `prefix` and before `suffix`, separated by spaces.
  std::string tokens(const Document& document, std::string_view prefix = "", std::string_view suffix = "") {
    std::string all;
    for (const std::string& label : document.labels) {
      if (&label != &document.labels.front()) all += ' ';
      all += prefix;
      all += tokens_.token(label);
      all += suffix;
    }
    return all;
  }
  std::string_view written(std::string_view label) override { return tokens_.token(label); }

  Format format_;
  LabelTokens tokens_{"--to jsonl"};
};

}  // namespace

std::unique_ptr<DocumentWriter> token_writer(const OutputFiles& files, Format format) {
  return std::make_unique<TokenWriter>(files, format);
}

}  // namespace otseq2set::inline writing
