// The models that are served, by name, each loaded again without a request noticing: who got a model keeps it
// until the answer is made, whatever stands under its name by then.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/serving/suggester.h"

namespace otseq2set::inline serving {

struct ModelPlace {
  std::string name;
  std::string folder;
};

// "NAME=DIR" or "DIR", whose name is then the folder's; throws a UsageError when the name is no good for an
// address: letters, digits, '.', '_' and '-' are.
ModelPlace parse_model_place(const std::string& text);

struct ServedModel {
  std::string name;
  std::shared_ptr<const Suggester> suggester;
  std::time_t modified = 0;  // when its weights were written
};

// Thread-safe.
class ModelStore {
 public:
  using Load = std::function<std::shared_ptr<const Suggester>(const std::string& folder)>;

  // Loads all of them; what `load` throws is passed on. Two of one name are a UsageError.
  ModelStore(std::vector<ModelPlace> places, Load load);

  // None if there is no such model.
  std::optional<ServedModel> find(std::string_view name) const;
  std::vector<ServedModel> all() const;  // in the order of the command line
  std::string names() const;             // for messages

  // Loads each again, one after the other. One that cannot be loaded stays as it is and `tell` hears why.
  // told(name, error), the error empty when it was loaded.
  using Tell = std::function<void(const std::string& name, const std::string& error)>;
  void reload(const Tell& tell);

 private:
  ServedModel load(const ModelPlace& place) const;

  std::vector<ModelPlace> places_;
  Load load_;
  mutable std::mutex mutex_;
  std::vector<ServedModel> models_;  // as many as places
};

}  // namespace otseq2set::inline serving
