// Puts figures into the page. When they cannot be drawn, their numbers stand in their place.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/html.h"
#include "otseq2set/report/plot.h"

namespace otseq2set::inline report {

class Illustrator {
 public:
  explicit Illustrator(std::string gnuplot) : gnuplot_(std::move(gnuplot)) {}

  // The figure with its caption, and its numbers to be unfolded. The id is unique in the page.
  Html figure(const std::string& id, const std::string& title, const std::string& caption, const Plot& plot,
              const Table& numbers);

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Html drawn(const std::string& id, const std::string& title, const std::string& caption, const Plot& plot);

  std::string gnuplot_;
  std::vector<std::string> warnings_;
};

// Side by side where there is room.
Html figure_row(const Html& figures);

}  // namespace otseq2set::inline report
