#include "otseq2set/training/load_network.h"

#include "otseq2set/core/error.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/model/ids.h"
#include "otseq2set/model/weights.h"

namespace otseq2set {

namespace {

int64_t label_ids(const ModelDescription& description) {
  return static_cast<int64_t>(description.labels.size()) + kFirstLabel;
}

void check_size(const ModelDescription& description, const SafetensorsFile& file) {
  int64_t held = 0;
  for (const TensorView& tensor : file.tensors()) held += static_cast<int64_t>(tensor.bytes / 4);
  const int64_t needed = parameter_count(static_cast<int64_t>(description.words.ids()),
                                         label_ids(description), description.config);
  if (held < needed) {
    fail("{}: {} numbers, but the model that config.json describes has {}", file.path(), held, needed);
  }
}

}  // namespace

Network make_network(const ModelDescription& description) {
  return Network(static_cast<int64_t>(description.words.ids()), label_ids(description), description.config);
}

Network load_network(const ModelDescription& description, const std::string& file) {
  check_size(description, SafetensorsFile::open(file));
  Network network = make_network(description);
  load_weights(file, *network);
  return network;
}

}  // namespace otseq2set
