// Which format a file has, from its first lines.
//
// Only content counts, so that the same bytes are the same documents whatever their name, from a file or a
// pipe. What cannot be told apart is decided by what else is given: `5<TAB>text` is PECOS when there is a
// file of label names, LibMultiLabel otherwise.
#pragma once

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

// Throws an Error when the file is one (reading/bag_of_words.h). Looks ahead without reading.
void refuse_bag_of_words(LineReader& lines);

// Looks ahead without reading. Throws an Error when the file is a bag of words (XC repository, LIBSVM), when
// PECOS lacks its label names, or when nothing fits.
Format detect_format(LineReader& lines, const DataFiles& files, bool need_labels);

}  // namespace otseq2set::inline reading
