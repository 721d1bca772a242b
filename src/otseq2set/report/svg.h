// gnuplot's SVG made ready to stand inside a page beside others: ids are unique in the page, colours are the
// page's variables, the font is the page's font, and there is a title and a description to read out.
#pragma once

#include <string>

#include "otseq2set/report/html.h"

namespace otseq2set::inline report {

// An Error if it does not look like gnuplot's SVG. id: letters, digits and dashes.
Html inline_svg(const std::string& svg, const std::string& id, const std::string& title,
                const std::string& description);

}  // namespace otseq2set::inline report
