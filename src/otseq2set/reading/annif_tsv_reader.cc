#include "otseq2set/reading/annif_tsv_reader.h"

#include <utility>

#include "otseq2set/reading/label_list.h"

namespace otseq2set::inline reading {

AnnifTsvReader::AnnifTsvReader(LineReader lines, bool need_labels)
    : LineDocumentReader(std::move(lines), need_labels) {}

Problem AnnifTsvReader::parse(std::string_view line, Document& document) {
  const size_t tab = line.find('\t');
  document.text = line.substr(0, tab);
  if (!need_labels()) return "";
  if (tab == std::string_view::npos) return "no tab; a text, a tab and <uri> <uri> ... are expected";
  return add_uris(line.substr(tab + 1), document);
}

std::string add_uris(std::string_view column, Document& document) {
  return split_labels(column, [&](std::string_view token) -> std::string {
    const std::string_view uri = without_brackets(token);
    if (uri.empty()) return "an empty label '<>'";
    return add_label(document, uri);
  });
}

}  // namespace otseq2set::inline reading
