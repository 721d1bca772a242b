// The report's sections, each a heading, a few words on what is to be seen, tables and figures.
//
// The words are made of the numbers: a sentence that claims something stands there only if it is so. A
// section that has nothing to show has an empty body and is left out.
#pragma once

#include <string>

#include "otseq2set/report/comparison.h"
#include "otseq2set/report/html.h"
#include "otseq2set/report/write_report.h"

namespace otseq2set {

struct Section {
  std::string id, title;
  Html body;
};

struct SectionInput {
  const Results& results;
  const ReportOptions& options;
  Systems systems;  // of the tables
};

// sections_quality.cc: how good the sets and the rankings are
Section main_section(const SectionInput& input);
Section improvement_section(const SectionInput& input);
Section averages_section(const SectionInput& input);
Section ranking_section(const SectionInput& input);

// section_origin.cc: what everything was made with
Section origin_section(const SectionInput& input);

}  // namespace otseq2set
