// The network that a model folder describes, without or with its weights.
#pragma once

#include <string>

#include "otseq2set/model/network.h"
#include "otseq2set/training/model_folder.h"

namespace otseq2set {

// A network of the right sizes.
Network make_network(const ModelDescription& description);

// The same with the weights from `file` (folder.weights() or folder.last()). The file must be large enough
// for the sizes that the configuration claims before anything is allocated for them.
Network load_network(const ModelDescription& description, const std::string& file);

}  // namespace otseq2set
