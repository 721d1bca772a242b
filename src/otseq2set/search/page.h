// The page of a search: the best settings and how to train with them again, every candidate by time, what mattered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otseq2set/search/trials.h"

namespace otseq2set::inline search {

struct SearchFindings {
  std::vector<RungResult> results;  // in the order in which they ended
  Json base;                        // the configuration as it was given
  std::string metric, command, data;
  double seconds = 0;  // that the search was given
  uint64_t documents = 0, valid_documents = 0;
  std::optional<std::string> winner;  // once the search itself has ended
  std::string winner_command;
  bool refitted = false;           // trained again on all documents
  std::optional<double> ended_at;  // seconds, when all was done
};

struct SearchPage {
  std::string html;
  std::vector<std::string> warnings;
};
// gnuplot: the program that draws the figures.
SearchPage make_search_page(const SearchFindings& findings, const std::string& gnuplot = "gnuplot");

}  // namespace otseq2set::inline search
