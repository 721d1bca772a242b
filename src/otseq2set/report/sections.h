// The report's sections, each a heading, a few words on what is to be seen, tables and figures.
//
// The words are made of the numbers: a sentence that claims something stands there only if it is so. A
// section that has nothing to show has an empty body and is left out.
#pragma once

#include "otseq2set/report/comparison.h"
#include "otseq2set/report/html.h"
#include "otseq2set/report/illustrator.h"
#include "otseq2set/report/page_frame.h"
#include "otseq2set/report/write_report.h"

namespace otseq2set::inline report {

struct SectionInput {
  const Results& results;
  const ReportOptions& options;
  Systems systems;  // of the tables
  Illustrator& illustrator;
};

// sections_quality.cc: how good the sets and the rankings are
Section main_section(const SectionInput& input);
Section improvement_section(const SectionInput& input);
Section averages_section(const SectionInput& input);
Section ranking_section(const SectionInput& input);

// sections_labels.cc: label sets by size, labels by frequency
Section scheme_section(const SectionInput& input);
Section frequency_section(const SectionInput& input);
Section size_section(const SectionInput& input);

// section_calibration.cc: what the scores are worth
Section calibration_section(const SectionInput& input);

// sections_training.cc: how it was learnt and what it took
Section sweep_section(const SectionInput& input);
Section cost_section(const SectionInput& input);
Section curve_section(const SectionInput& input);

// section_origin.cc: what everything was made with
Section origin_section(const SectionInput& input);

}  // namespace otseq2set::inline report
