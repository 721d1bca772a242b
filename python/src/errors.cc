#include "errors.h"

#include <otseq2set/error.h>
#include <pybind11/pybind11.h>

namespace otseq2set::python {

namespace {

void raise(const char* type, const std::exception& error) {
  const auto errors = pybind11::module_::import("otseq2set.errors");
  // A message may name a file, whose name need not be UTF-8.
  const auto message = pybind11::reinterpret_steal<pybind11::object>(
      PyUnicode_DecodeUTF8(error.what(), static_cast<Py_ssize_t>(std::string_view(error.what()).size()), "replace"));
  PyErr_SetObject(errors.attr(type).ptr(), message.ptr());
}

}  // namespace

void translate_errors() {
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const UsageError& error) {
      raise("UsageError", error);
    } catch (const Interrupted& error) {
      raise("Interrupted", error);
    } catch (const Error& error) {
      raise("Error", error);
    }
  });
}

}  // namespace otseq2set::python
