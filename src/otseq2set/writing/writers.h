// The writers of all formats, by what labels are in them; DocumentWriter::open chooses.
#pragma once

#include <memory>

#include "otseq2set/writing/document_writer.h"

namespace otseq2set::inline writing {

// json_writers.cc: the two kinds of JSON lines; they hold every text and label.
std::unique_ptr<DocumentWriter> json_writer(const OutputFiles& files, Format format);

// token_writers.cc: labels are separated by spaces, so that each is one token: `_` joins its words.
std::unique_ptr<DocumentWriter> token_writer(const OutputFiles& files, Format format);

// numbered_writers.cc: labels are line numbers, from 0, of a file of names. One that is there already keeps
// its lines, and new labels come behind them, so that training and test data which are converted one after the
// other have the same numbers.
std::unique_ptr<DocumentWriter> numbered_writer(const OutputFiles& files, Format format);

}  // namespace otseq2set::inline writing
