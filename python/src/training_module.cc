// otseq2set._training: what trains. Loading it loads LibTorch, so otseq2set.train does so when it is first called.
#include <otseq2set/training.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "calls.h"
#include "errors.h"
#include "one_blas_thread.h"

namespace otseq2set::python {
namespace {

namespace py = pybind11;

// Hears of the progress on Python's behalf, and notices Ctrl-C. What an own function throws, as the KeyboardInterrupt,
// ends training with a checkpoint, and is thrown again afterwards.
class Listener {
 public:
  // progress(epoch, epochs, ...) returns true to stop; log(line).
  Listener(py::function progress, py::function log) : progress_(std::move(progress)), log_(std::move(log)) {}

  void listen(TrainingOptions& options) {
    options.progress = [this](const TrainingProgress& now) {
      call([&] {
        const py::object stop =
            progress_(now.epoch, now.epochs, now.documents_done, now.documents_total, now.loss, now.matching_loss,
                      now.transport_loss, now.learning_rate, now.documents_per_second, now.seconds_left);
        stop_ = stop_ || py::bool_(stop);
      });
    };
    options.log = [this](const std::string& line) {
      call([&] {
        log_(py::reinterpret_steal<py::object>(
            PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace")));
      });
    };
    options.stop = [this] {
      call([] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
      return stop_ || thrown_;
    };
  }

  void throw_again() const {
    if (thrown_) throw *thrown_;
  }

 private:
  template <typename Body>
  void call(const Body& body) {
    const py::gil_scoped_acquire lock;
    if (thrown_) return;
    try {
      body();
    } catch (const py::error_already_set& error) {
      thrown_.emplace(error);
    }
  }

  py::function progress_, log_;
  bool stop_ = false;
  std::optional<py::error_already_set> thrown_;
};

void train_folder(const py::list& texts, const py::list& labels, const py::object& label_names,
                  const std::optional<std::pair<py::list, py::list>>& valid, const std::string& folder,
                  TrainingOptions& options, Listener& listener) {
  const Documents given = documents(texts, labels, label_names);
  if (valid) options.validation = documents(valid->first, valid->second, label_names, "valid ");
  listener.listen(options);
  const OneBlasThread one_thread;
  try {
    without_lock([&] { train(given, folder, options); });
  } catch (const Interrupted&) {
    listener.throw_again();
    throw;
  }
  listener.throw_again();  // what came after the last batch
}

}  // namespace

PYBIND11_MODULE(_training, training) {
  translate_errors();
  notice_forks(py::module_::import("otseq2set._core").attr("is_forked")().cast<bool>());
  training.def("train", [](const py::list& texts, const py::list& labels, const py::object& label_names,
                           const std::optional<std::pair<py::list, py::list>>& valid, const std::string& folder,
                           const std::string& preset, const std::vector<std::string>& settings,
                           const std::string& vectors, int threads, bool resume, bool overwrite, bool memory_check,
                           double checkpoint_minutes, double hours, py::function progress, py::function log) {
    TrainingOptions options;
    options.preset = preset;
    options.settings = settings;
    options.vectors = vectors;
    options.threads = threads;
    options.resume = resume;
    options.overwrite = overwrite;
    options.memory_check = memory_check;
    options.checkpoint_minutes = checkpoint_minutes;
    options.hours = hours;
    Listener listener(std::move(progress), std::move(log));
    train_folder(texts, labels, label_names, valid, folder, options, listener);
  });
}

}  // namespace otseq2set::python
