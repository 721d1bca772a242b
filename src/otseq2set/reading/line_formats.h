// The formats with one document a line: what a LineDocumentReader does with each line of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "otseq2set/reading/label_names.h"
#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

// {"id":"d1","text":"...","labels":["fish","trade policy"]}
// The id may be a string or a number and is the line number when there is none. Other keys are ignored.
ParseLine jsonl_format(bool need_labels);

// Annif's: {"document_id":"d1","text":"...","subjects":[{"uri":"http://example.org/fish","label":"Fish"}]}
// The URI is the label, "label" its name; a subject without a URI is known by its name alone.
ParseLine annif_jsonl_format(bool need_labels);

// Annif's: text<TAB><uri1> <uri2>, the URIs with or without angle brackets.
// Nothing behind the tab is a document without labels.
ParseLine annif_tsv_format(bool need_labels);

// __label__fish __label__trade the council adopted ...
// A word that begins with __label__ is a label wherever it stands, as in fastText; usually labels come first.
// A line without any is a document without labels.
ParseLine fasttext_format(bool need_labels);

constexpr std::string_view kFastTextPrefix = "__label__";

// Where the next label begins, npos when there is none.
size_t find_fasttext_label(std::string_view text);

// [id<TAB>]E11 ECAT<TAB>text, labels separated by spaces.
// The first line decides for the whole file whether there is a column of ids; a line with another number of
// columns is that document's error.
ParseLine libmultilabel_format(bool need_labels);

// The line is the text.
ParseLine text_format();

// Labels of a format where a line has them: if something is wrong `with` labels, it is read `without`.
ParseLine labels_if_any(ParseLine with, ParseLine without);

// As PECOS text2text reads them: 0,1,2<TAB>text, where the numbers are lines, from 0, of a file of label
// names. 0::0.1,1::0.2 gives each label a relevance, which is read and not used. Without `labels` none are
// needed.
ParseLine pecos_format(std::optional<NumberedLabels> labels);

}  // namespace otseq2set::inline reading
