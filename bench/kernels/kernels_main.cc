// Runs the benchmarks of the kernels: five repetitions in random order, so that what is compared meets the
// same neighbours, and of each the best time. Where there is a .../fused and a .../plain, their ratio too.
// Flags are Google Benchmark's; what is given replaces what stands here.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

class BestTimes : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.iterations == 0) {
        fmt::print("{:60} failed: fused and plain differ\n", run.benchmark_name());
        failed_ = true;
        continue;
      }
      keep(run);
    }
    if (!runs.empty()) print(runs.front().benchmark_name());
    std::fflush(stdout);
  }

  bool failed() const { return failed_; }

 private:
  struct Best {
    double time = 1e300;  // in the benchmark's unit
    std::string unit;
    double gigaflops = 0;
  };

  void keep(const Run& run) {
    Best& best = best_[run.benchmark_name()];
    best.time = std::min(best.time, run.GetAdjustedRealTime());
    best.unit = benchmark::GetTimeUnitString(run.time_unit);
    const auto rate = run.counters.find("GFLOP/s");
    if (rate != run.counters.end()) best.gigaflops = std::max(best.gigaflops, rate->second.value);
  }

  void print(const std::string& name) const {
    const auto found = best_.find(name);
    if (found == best_.end()) return;
    const Best& best = found->second;
    fmt::print("{:60} {:10.3f} {}", name, best.time, best.unit);
    if (best.gigaflops > 0) fmt::print("  {:6.1f} GFLOP/s", best.gigaflops);
    const std::string plain = twin(name, "/fused", "/plain"), fused = twin(name, "/plain", "/fused");
    if (plain != fused && time_of(plain) > 0 && time_of(fused) > 0)
      fmt::print("  plain / fused = {:.2f}", time_of(plain) / time_of(fused));
    fmt::print("\n");
  }

  // The name with `from` replaced by `to`, the same where there is none.
  static std::string twin(std::string name, const std::string& from, const std::string& to) {
    const size_t place = name.find(from);
    return place == std::string::npos ? name : name.replace(place, from.size(), to);
  }

  // 0 where there is no such benchmark, or not yet.
  double time_of(const std::string& name) const {
    const auto found = best_.find(name);
    return found == best_.end() ? 0 : found->second.time;
  }

  std::map<std::string, Best> best_;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> given(argv, argv + argc);
  given.insert(given.begin() + 1, {"--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true"});
  std::vector<char*> arguments;
  for (std::string& argument : given) arguments.push_back(argument.data());
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  BestTimes reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.failed() ? 1 : 0;
}
