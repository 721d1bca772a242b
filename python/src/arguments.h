// What Python hands over, as the library takes it. Whatever is wrong is a TypeError or ValueError that names the place:
// "texts[3] is None, but must be a str".
#pragma once

#include <otseq2set/documents.h>
#include <otseq2set/model.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

namespace otseq2set::python {

// `name` is what messages call it; texts that come from a stream are counted from `first`.
std::vector<std::string> strings(const pybind11::list& list, const std::string& name, size_t first = 0);

// Texts and as many lists of labels; `label_names` maps some labels to what people call them, or is None.
Documents documents(const pybind11::list& texts, const pybind11::list& labels, const pybind11::object& label_names,
                    const std::string& names_prefix = "");

Choice choice(std::optional<size_t> top_k, std::optional<double> threshold, bool greedy);

}  // namespace otseq2set::python
