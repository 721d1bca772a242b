// A trained model and the test documents: everything that the report shows of a run.
#pragma once

#include <string>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/report/results.h"
#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline reproduction {

// beam: above 1, the sequence models are measured with beam search besides. predictions: a file that gets the answers
// to the test documents, as `predict` gives them.
RunResult measure_model(const ModelFolder& folder, const DataFiles& test, int64_t beam, const std::string& predictions);

}  // namespace otseq2set::inline reproduction
