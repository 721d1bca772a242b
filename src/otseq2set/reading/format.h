// The formats that documents come in and go out as; docs/formats.md shows each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline reading {

enum class Format {
  kJsonl,          // {"id":"d1","text":"...","labels":["fish"]}
  kAnnifJsonl,     // {"document_id":"d1","text":"...","subjects":[{"uri":"...","label":"..."}]}
  kAnnifTsv,       // text<TAB><uri1> <uri2>
  kAnnifCsv,       // header text,subject_uris[,document_id]
  kFastText,       // __label__fish __label__trade text
  kLibMultiLabel,  // [id<TAB>]labels<TAB>text
  kPecos,          // 0,1,2<TAB>text and a file of label names
  kAttentionXml,   // a file of texts and a file of labels, line by line
  kText,           // a text a line, without labels
};

// As --format and --to have it, such as "annif-tsv".
std::string_view format_name(Format format);

// All names, in the order above.
const std::vector<std::string>& format_names();
// Those of formats that have labels.
const std::vector<std::string>& labelled_format_names();

// Whether a file of label names says what the labels are, by line numbers, and not only what people call them.
bool has_numbered_labels(Format format);

// Throws a UsageError that lists the names when there is no such format.
Format parse_format(std::string_view name);

}  // namespace otseq2set::inline reading
