// The model behind the server: the predictor as a Suggester.
#pragma once

#include <memory>
#include <string>

#include "otseq2set/serving/suggester.h"

namespace otseq2set::inline serving {

// Throws an Error when the folder holds no model.
std::shared_ptr<const Suggester> load_suggester(const std::string& folder);

}  // namespace otseq2set::inline serving
