#include <fmt/format.h>

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/outputs.h"
#include "otseq2set/report/sections.h"

namespace otseq2set::inline report {

namespace {

// "9 systems, seeds 1, 2 · 40,990 training and 5,190 test documents, 612 labels · otseq2set 0.1.0"
std::string facts(const Results& results) {
  std::string seeds;
  for (int64_t seed : all_seeds(results)) seeds += (seeds.empty() ? "" : ", ") + std::to_string(seed);
  std::string text = fmt::format("{} systems", results.systems.size());
  if (!seeds.empty()) text += fmt::format(", {} {}", seeds.find(',') == std::string::npos ? "seed" : "seeds", seeds);
  if (results.runs_done < results.runs_planned)
    text += fmt::format(", {} of {} runs are done", results.runs_done, results.runs_planned);
  if (results.train.documents > 0 || results.test.documents > 0) {
    text += fmt::format(" · {} training and {} test documents, {} labels", count_text(results.train.documents),
                        count_text(results.test.documents), count_text(results.train.labels));
  }
  return text + " · otseq2set " + results.program_version;
}

}  // namespace

Page make_page(const Results& results, const ReportOptions& options) {
  Illustrator illustrator(options.gnuplot);
  const SectionInput input{results, options, compared_systems(results), illustrator};
  std::vector<Section> sections;
  for (Section (*make)(const SectionInput&) :
       {main_section, improvement_section, scheme_section, averages_section, frequency_section, ranking_section,
        sweep_section, cost_section, curve_section, size_section, calibration_section, origin_section}) {
    Section section = make(input);
    if (!section.body.markup.empty()) sections.push_back(std::move(section));
  }
  const std::string usual = "Comparison on " + (results.test.name.empty() ? "test documents" : results.test.name);
  Page page;
  page.html = whole_page(options.title.empty() ? usual : options.title, facts(results), sections);
  page.warnings = illustrator.warnings();
  return page;
}

}  // namespace otseq2set::inline report
