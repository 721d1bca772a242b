// Documents that a program hands to the library, for everything that reads files.
#pragma once

#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline v1 {
struct Documents;
}

namespace otseq2set::inline reading {

// Those in memory are not copied: `documents` must live as long as they are read.
DataFiles data_files(const Documents& documents);

}  // namespace otseq2set::inline reading
