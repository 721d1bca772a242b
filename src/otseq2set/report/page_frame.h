// A whole page of sections, in one file that needs nothing else: no network, no scripts, no fonts of its own.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/html.h"

namespace otseq2set::inline report {

struct Section {
  std::string id, title;
  Html body;
};

// facts: a line below the title.
std::string whole_page(const std::string& title, const std::string& facts, const std::vector<Section>& sections);

}  // namespace otseq2set::inline report
