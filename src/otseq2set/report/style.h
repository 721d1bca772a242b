// How the page looks: calm, like a well-set paper, on paper as on a phone, by day and by night.
#pragma once

namespace otseq2set::inline report {

extern const char* const kStyle;

}  // namespace otseq2set::inline report
