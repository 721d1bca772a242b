#include "arguments.h"

namespace otseq2set::python {

namespace py = pybind11;

namespace {

std::string place(const std::string& name, size_t index) { return name + "[" + std::to_string(index) + "]"; }

// "None", "nan" and "<NA>" say more than their types.
std::string describe(py::handle object) {
  const std::string type = Py_TYPE(object.ptr())->tp_name;
  if (object.is_none()) return "None";
  if (PyFloat_Check(object.ptr()) || type == "NAType") return py::str(object).cast<std::string>();
  return "of type " + type;
}

[[noreturn]] void fail_type(py::handle object, const std::string& place) {
  const char* hint = PyBytes_Check(object.ptr()) ? "; decode it first, for example with .decode('utf-8')" : "";
  throw py::type_error(place + " is " + describe(object) + ", but must be a str" + hint);
}

std::string string(py::handle object, const std::string& name, size_t index) {
  if (!PyUnicode_Check(object.ptr())) fail_type(object, place(name, index));
  const auto bytes = py::reinterpret_steal<py::object>(PyUnicode_AsUTF8String(object.ptr()));
  if (!bytes) {
    if (PyErr_ExceptionMatches(PyExc_UnicodeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw py::value_error(place(name, index) + " has a lone surrogate, which UTF-8 cannot encode");
  }
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

// A str is iterable too, but never a list of labels.
py::list labels_of(py::handle object, const std::string& place) {
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
      PyObject_HasAttrString(object.ptr(), "__iter__") == 0) {
    throw py::type_error(place + " is " + describe(object) + ", but must be a list of labels");
  }
  return py::list(py::reinterpret_borrow<py::object>(object));
}

}  // namespace

std::vector<std::string> strings(const py::list& list, const std::string& name, size_t first) {
  std::vector<std::string> strings;
  strings.reserve(list.size());
  for (const py::handle item : list) strings.push_back(string(item, name, first + strings.size()));
  return strings;
}

Documents documents(const py::list& texts, const py::list& labels, const py::object& label_names,
                    const std::string& names_prefix) {
  const std::string texts_name = names_prefix + "texts", labels_name = names_prefix + "labels";
  if (texts.size() != labels.size()) {
    throw py::value_error("there are " + std::to_string(texts.size()) + " " + texts_name + ", but " +
                          std::to_string(labels.size()) + " " + labels_name);
  }
  if (texts.empty()) throw py::value_error("there are no " + texts_name);
  const bool named = !label_names.is_none();
  const py::dict names = named ? py::dict(label_names) : py::dict();
  Documents documents;
  documents.in_memory.resize(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    LabelledText& document = documents.in_memory[i];
    document.text = string(texts[i], texts_name, i);
    const std::string own_name = place(labels_name, i);
    const py::list own = labels_of(labels[i], own_name);
    document.labels = strings(own, own_name);
    if (!named) continue;
    for (size_t j = 0; j < own.size(); ++j) {
      py::object name = py::str();
      if (names.contains(own[j])) name = names[own[j]];
      if (!PyUnicode_Check(name.ptr())) fail_type(name, "label_names['" + document.labels[j] + "']");
      document.label_names.push_back(string(name, "label_names", j));
    }
  }
  return documents;
}

Choice choice(std::optional<size_t> top_k, std::optional<double> threshold, bool greedy) {
  Choice choice;
  choice.top_k = top_k;
  choice.threshold = threshold;
  choice.greedy = greedy;
  return choice;
}

}  // namespace otseq2set::python
