// otseq2set quantize: a copy of a model with weights of one byte, and what that costs.
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/core/units.h"
#include "otseq2set/inference/quantising.h"
#include "otseq2set/inference/scored_dataset.h"
#include "otseq2set/inference/tuning.h"

namespace otseq2set::inline cli {

namespace {

namespace fs = std::filesystem;

struct QuantizeOptions {
  std::string model, out, measure = "micro-F1";
  DataFiles data;
  QuantisingOptions quantising;
  double max_loss = 0.5;  // points
  int threads = 0;
};

// A folder that is complete before it gets its name, and goes if it never does.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path)
      : path_(fs::weakly_canonical(path).string()), temporary_(path_ + ".XXXXXX") {
    if (fs::exists(path_) && !fs::is_empty(path_)) fail("{} exists already; give the new model another folder", path);
    check_writable_folder(path_);
    create_folder(fs::path(path_).parent_path().string());
    if (mkdtemp(temporary_.data()) == nullptr) fail("cannot create folder {}: {}", temporary_, std::strerror(errno));
  }
  ~NewFolder() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  ModelFolder temporary() const { return ModelFolder(temporary_); }
  void commit() {
    constexpr auto kAsUsual = static_cast<fs::perms>(0777);  // a temporary folder is for its owner alone
    const mode_t mask = umask(0);
    umask(mask);
    fs::permissions(temporary_, kAsUsual & ~static_cast<fs::perms>(mask));
    fs::remove(path_);  // empty, if it is there
    fs::rename(temporary_, path_);
    sync_folder(fs::path(path_).parent_path().string());
  }

 private:
  std::string path_, temporary_;
};

// How good a model is with the set rule that suits it best on the same documents.
struct Quality {
  TunedRule rule;
  MetricsReport report;
};

Quality quality_of(const ModelFolder& folder, const Dataset& data, const std::string& measure_name) {
  const Predictor predictor(folder);
  Meter meter;
  const auto progress = [&](size_t documents) { meter.add(documents); };
  const TunedRule rule = tune(predictor, data, measure_name, progress);
  Quality quality{rule, measure(predictor, data, rule.rule, progress)};
  meter.finish();
  return quality;
}

void print_row(const std::string& name, double before, double after) {
  fmt::print("{:<12} {:>10.4f} {:>10.4f} {:>+9.2f} points\n", name, before, after, 100 * (after - before));
}

void print_sizes(const std::string& from, const std::string& to) {
  const uint64_t before = folder_size(from), after = folder_size(to);
  fmt::print("{:<12} {:>10} {:>10} {:>9.1f} %\n", "size", format_bytes(before), format_bytes(after),
             100 * static_cast<double>(after) / static_cast<double>(before));
}

// Of the set measure and P@1, whichever lost more, in points.
double compare(const Quality& before, const Quality& after) {
  print_row(before.rule.measure, before.rule.value, after.rule.value);
  double loss = before.rule.value - after.rule.value;
  for (size_t i = 0; i < before.report.at.size(); ++i) {
    const RankingMetrics &old = before.report.at[i], &now = after.report.at[i];
    print_row(fmt::format("P@{}", old.k), old.precision, now.precision);
    if (old.k == 1) loss = std::max(loss, old.precision - now.precision);
  }
  return 100 * loss;
}

void quantize(const QuantizeOptions& options) {
  set_threads(options.threads);
  const ModelFolder from(options.model);
  const ModelDescription description = load_description(from);
  std::optional<Dataset> data;
  if (!options.data.data.empty()) data = read_dataset(options.data, description);
  NewFolder folder(options.out);
  const ModelFolder to = folder.temporary();
  quantise_model(from, to, options.quantising);
  std::optional<Quality> before, after;
  if (data) {
    before = quality_of(from, *data, options.measure);
    after = quality_of(to, *data, options.measure);
  }
  fmt::print("{:<12} {:>10} {:>10}\n", "", "float32", "int8");
  print_sizes(from.path(), to.path());
  if (data) {
    const double loss = compare(*before, *after);
    if (loss > options.max_loss) {
      fail("{} would lose {:.2f} points, more than the {:.2f} of --max-loss; nothing was written", options.out, loss,
           options.max_loss);
    }
    save_set_rule(to, after->rule);
    fmt::print("{}\n", describe(after->rule));
  }
  folder.commit();
}

}  // namespace

void add_quantize(CLI::App& program) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App& command = *program.add_subcommand(
      "quantize", "Make a copy of a model with weights of one byte: a quarter of the size, and faster");
  command.add_option("--model", options->model, "folder of the model")->required();
  command.add_option("--out", options->out, "folder for the copy; must not exist yet")->required();
  add_data_options(command, options->data, /*required=*/false);
  add_metric_option(command, options->measure);
  command
      .add_option("--max-loss", options->max_loss,
                  "with --data: write nothing if the metric or P@1 falls by more points than this")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--words", options->quantising.words,
                  "keep vectors of this many most frequent words only; rarer ones become unknown to the network")
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}));
  add_threads_option(command, options->threads);
  command.callback([options] { quantize(*options); });
}

}  // namespace otseq2set::inline cli
