#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/paper_tables.h"
#include "otseq2set/report/sections.h"
#include "otseq2set/report/set_blocks.h"

namespace otseq2set::inline report {

namespace {

using Kind = SystemResult::Kind;

struct Measure {
  const char* name;
  SetMeasure value;
};
const std::vector<Measure> kMicro = {
    {"P", &SetResult::micro_p}, {"R", &SetResult::micro_r}, {"F1", &SetResult::micro_f1}};
const std::vector<Measure> kAverages = {{"micro-F1", &SetResult::micro_f1},
                                        {"macro-F1", &SetResult::macro_f1},
                                        {"weighted-F1", &SetResult::weighted_f1},
                                        {"example-F1", &SetResult::example_f1}};

// Each seed may have got a rule of its own.
std::string rules_of(const SetLine& line) {
  std::set<std::string> rules;
  for (const RunResult& run : line.system->runs) {
    const SetResult* set = find_set(run, line.set);
    if (set && !set->rule.empty()) rules.insert(set->rule);
  }
  std::string text;
  for (const std::string& rule : rules) text += (text.empty() ? "" : " / ") + rule;
  return text;
}

Html line_heading(const SetLine& line, size_t seeds, bool with_set) {
  Html heading = title_of(*line.system);
  if (with_set) heading += element("span", escaped(", " + line.set), "set");
  const std::string caveat = line.caveat(seeds);
  if (!caveat.empty()) heading += Html{" "} + element("span", escaped("(" + caveat + ")"), "note");
  return heading;
}

void add_block(Table& table, const SetBlock& block, const std::vector<Measure>& measures, size_t seeds,
               bool with_rule) {
  std::vector<SetMeasure> chosen;
  for (const Measure& measure : measures) chosen.push_back(measure.value);
  const BlockValues values = values_of(block, chosen);
  table.group(block.title);
  for (size_t i = 0; i < block.lines.size(); ++i) {
    const SetLine& line = block.lines[i];
    std::vector<Cell> cells;
    for (size_t m = 0; m < measures.size(); ++m)
      cells.push_back(percent_cell(values.values[m][i], values.best[m][i], seeds > 1));
    if (with_rule) cells.push_back({element("span", escaped(rules_of(line)), "note")});
    if (i > 0 && line.system->kind != block.lines[i - 1].system->kind) table.rule();
    table.row(line_heading(line, seeds, block.other_tools), cells);
  }
}

Html table_of_sets(const SectionInput& input, const std::string& caption, const std::vector<Measure>& measures,
                   bool with_rule) {
  Table table(caption);
  std::vector<std::string> names = {"System"};
  for (const Measure& measure : measures) names.emplace_back(measure.name);
  if (with_rule) names.emplace_back("Rule");
  table.head(names);
  const size_t seeds = all_seeds(input.results).size();
  for (const SetBlock& block : set_blocks(input.systems)) add_block(table, block, measures, seeds, with_rule);
  if (with_rule) table.mark("ruled");
  return table.empty() ? Html{} : table.html();
}

// How the difference of two means stands to what chance does.
std::string against_spread(const Summary& a, const Summary& b) {
  switch (difference_of(a, b)) {
    case Difference::kUnknown:
      return " With only one run of a system, there is no telling how much of a difference is chance.";
    case Difference::kWithinSpread:
      return fmt::format(
          " That is within the spread of the seeds, ± {} and ± {} points: more seeds would make this clearer.",
          percent(a.spread), percent(b.spread));
    case Difference::kBeyondSpread: break;
  }
  return fmt::format(" The seeds lie closer together than that: their spread is at most {} points.",
                     percent(std::max(a.spread, b.spread)));
}

std::string f1_text(const SystemResult& system, const Summary& f1) {
  return fmt::format("{} reaches a micro-F1 of {} % with {} sets", plain_title(system), percent(f1.mean),
                     main_set(system));
}

std::string main_text(const SectionInput& input) {
  const Systems own_systems = of_kind(input.systems, Kind::kOwn);
  const SystemResult* own = best_system(own_systems);
  const SystemResult* baseline = best_system(of_kind(input.systems, Kind::kBaseline));
  if (!own && !baseline) return "No run of a model has finished yet.";
  if (!own || !baseline) {
    const SystemResult& only = own ? *own : *baseline;
    return f1_text(only, over_runs(only, main_set(only), &SetResult::micro_f1)) + ", the highest of the models.";
  }
  const Summary own_f1 = over_runs(*own, main_set(*own), &SetResult::micro_f1);
  const Summary baseline_f1 = over_runs(*baseline, main_set(*baseline), &SetResult::micro_f1);
  const std::string begin = fmt::format("{}, the highest of the set models; the best baseline, {}, has ",
                                        f1_text(*own, own_f1), plain_title(*baseline));
  const std::string difference = percent(std::abs(own_f1.mean - baseline_f1.mean));
  if (difference == percent(0)) return begin + "the same.";
  return fmt::format("{}{} %, {} points {}.{}", begin, percent(baseline_f1.mean), difference,
                     own_f1.mean > baseline_f1.mean ? "less" : "more", against_spread(own_f1, baseline_f1));
}

// Of a run's tuned sets over its greedy ones.
std::optional<double> tuned_gain(const RunResult& run) {
  const SetResult *greedy = find_set(run, "greedy"), *tuned = find_set(run, "tuned");
  if (!greedy || !tuned) return std::nullopt;
  return tuned->micro_f1 - greedy->micro_f1;
}

std::string tuned_text(const SectionInput& input) {
  std::vector<double> gains;
  for (const SystemResult* system : input.systems) {
    for (const RunResult& run : system->runs) {
      if (const std::optional<double> gain = tuned_gain(run)) gains.push_back(*gain);
    }
  }
  const Summary gain = summarise(gains);
  if (gain.count == 0) return "";
  const std::string begin = " Sets selected by a rule tuned on validation documents have ";
  if (percent(std::abs(gain.mean)) == percent(0)) return begin + "the same micro-F1 on average.";
  return fmt::format("{}{} points {} micro-F1 on average{}.", begin, percent(std::abs(gain.mean)),
                     gain.mean > 0 ? "more" : "less",
                     std::abs(gain.mean) <= gain.spread ? ", which is within the spread of the runs" : "");
}

std::string peer_text(const SectionInput& input) {
  const SystemResult* peer = best_system(of_kind(input.systems, Kind::kPeer));
  if (!peer) return "";
  const std::string set = main_set(*peer);
  return fmt::format(" The best other tool is {}, with {} % ({}).", plain_title(*peer),
                     percent(over_runs(*peer, set, &SetResult::micro_f1).mean), set);
}

// Set models against the best baseline. One that lies within the spread of the seeds is neither ahead nor behind.
struct Standing {
  size_t ahead = 0, within = 0, all = 0;

  void add(const Summary& f1, const Summary& base) {
    ++all;
    if (difference_of(f1, base) == Difference::kWithinSpread) {
      ++within;
    } else if (f1.mean > base.mean) {
      ++ahead;
    }
  }
  std::string text() const {
    if (all == 1 && within == 1) return "The set model lies within the spread of the seeds.";
    if (all == 1) return ahead == 1 ? "The set model is ahead of it." : "The set model is not ahead of it.";
    if (ahead == all) return fmt::format("All {} set models are ahead of it.", all);
    const std::string begin =
        ahead == 0 ? fmt::format("None of the {} set models is ahead of it", all)
                   : fmt::format("Of the {} set models, {} {} ahead of it", all, ahead, ahead == 1 ? "is" : "are");
    if (within == 0) return begin + ".";
    return fmt::format("{}; {} {} within the spread of the seeds.", begin, within, within == 1 ? "lies" : "lie");
  }
};

// Who most often ranks a correct label first, and who else does as far as the seeds can tell.
std::string leader_text(const Systems& systems, const std::vector<Summary>& at_1) {
  const auto lower = [](const Summary& a, const Summary& b) { return a.mean < b.mean; };
  const size_t leader = std::max_element(at_1.begin(), at_1.end(), lower) - at_1.begin();
  std::vector<std::string> others;
  size_t ranked = 0;
  for (size_t i = 0; i < at_1.size(); ++i) {
    ranked += at_1[i].count > 0;
    if (i == leader || at_1[i].count == 0) continue;
    const bool same = percent(at_1[i].mean) == percent(at_1[leader].mean);
    if (same || difference_of(at_1[i], at_1[leader]) == Difference::kWithinSpread)
      others.push_back(plain_title(*systems[i]));
  }
  if (ranked < 2) return "";
  const std::string begin = plain_title(*systems[leader]) + " most often ranks a correct label first";
  if (others.empty()) return begin + ". ";
  return fmt::format("{}; as far as the seeds can tell, {} {} so just as often. ", begin, fmt::join(others, ", "),
                     others.size() == 1 ? "does" : "do");
}

}  // namespace

Section main_section(const SectionInput& input) {
  Section section{"main", "Precision, recall and F1", {}};
  section.body += paragraph(main_text(input) + tuned_text(input) + peer_text(input));
  const bool several = all_seeds(input.results).size() > 1;
  const std::string caption =
      several ? "Micro-averages in percent: mean ± standard deviation over seeds. Best in each block in bold."
              : "Micro-averages in percent, one seed. Best in each block in bold.";
  section.body += table_of_sets(input, caption, kMicro, true);
  if (input.options.compare_paper) section.body += paper_micro_table();
  return section;
}

Section improvement_section(const SectionInput& input) {
  Section section{"improvements", "Improvement over the best baseline", {}};
  const SystemResult* baseline = best_system(of_kind(input.systems, Kind::kBaseline));
  const Systems own = of_kind(input.systems, Kind::kOwn);
  if (!baseline || !best_system(own)) return section;
  const Summary base = over_runs(*baseline, main_set(*baseline), &SetResult::micro_f1);

  Table table(fmt::format("Relative to {} with {} sets.", plain_title(*baseline), main_set(*baseline)));
  table.head({"System", "micro-F1", "Difference", "Improvement"});
  Standing standing;
  for (const SystemResult* system : own) {
    const Summary f1 = over_runs(*system, main_set(*system), &SetResult::micro_f1);
    if (f1.count == 0) continue;
    standing.add(f1, base);
    table.row(title_of(*system), {text_cell(percent(f1.mean)), text_cell(signed_points(f1.mean - base.mean, 2)),
                                  text_cell(signed_percent(relative_change(base.mean, f1.mean), 2))});
  }
  section.body += paragraph(fmt::format("The best baseline is {} with a micro-F1 of {} %. {}", plain_title(*baseline),
                                        percent(base.mean), standing.text()));
  section.body += table.html();
  if (input.options.compare_paper) section.body += paper_improvement_table();
  return section;
}

Section averages_section(const SectionInput& input) {
  Section section{"averages", "Other averages of F1", {}};
  section.body +=
      table_of_sets(input, "F1 in percent, averaged in four ways. Best in each block in bold.", kAverages, false);
  if (section.body.markup.empty()) return section;
  uint64_t neither = 0;
  for (const SystemResult* system : input.systems) {
    for (const RunResult& run : system->runs) {
      for (const SetResult& set : run.sets) {
        neither = std::max(neither, set.documents_with_neither.value_or(0));
      }
    }
  }
  section.body =
      paragraph(
          "Micro-F1 gives every pair of document and label the same weight. Macro-F1 gives every label the same "
          "weight, "
          "so rare labels dominate; weighted-F1 weights a label by how often it is true; example-F1 gives every "
          "document "
          "the same weight." +
          (neither == 0 ? ""
                        : fmt::format(" Up to {} documents have neither true nor predicted labels; they count "
                                      "as 0 in example-F1.",
                                      count_text(neither)))) +
      section.body;
  if (input.options.compare_paper) section.body += paper_averages_table();
  return section;
}

Section ranking_section(const SectionInput& input) {
  Section section{"rankings", "Rankings", {}};
  std::set<int> ks;
  for (const SystemResult* system : input.systems) {
    for (const RunResult& run : system->runs) {
      for (const RankingMetrics& at : run.at) ks.insert(at.k);
    }
  }
  if (ks.empty()) return section;

  using RankingMeasure = double RankingMetrics::*;
  constexpr std::pair<const char*, RankingMeasure> kMeasures[] = {
      {"P", &RankingMetrics::precision}, {"nDCG", &RankingMetrics::ndcg}, {"PSP", &RankingMetrics::psp}};
  std::vector<std::string> names = {"System"};
  std::vector<std::vector<Summary>> columns;
  for (const auto& [name, measure] : kMeasures) {
    for (int k : ks) {
      names.push_back(fmt::format("{}@{}", name, k));
      columns.emplace_back();
      for (const SystemResult* system : input.systems) {
        columns.back().push_back(over_runs(*system, [k, measure = measure](const RunResult& run) {
          std::optional<double> value;
          for (const RankingMetrics& at : run.at) {
            if (at.k == k) value = at.*measure;
          }
          return value;
        }));
      }
    }
  }
  Table table("In percent, means over seeds. Best values in bold.");
  table.head(names);
  std::vector<std::vector<bool>> best;
  for (const std::vector<Summary>& column : columns) best.push_back(best_of(column, kPercentDecimals + 2));
  for (size_t i = 0; i < input.systems.size(); ++i) {
    if (columns[0][i].count == 0) continue;
    std::vector<Cell> cells;
    for (size_t c = 0; c < columns.size(); ++c) cells.push_back({escaped(percent(columns[c][i].mean)), best[c][i]});
    table.row(title_of(*input.systems[i]), cells);
  }
  section.body +=
      paragraph((*ks.begin() == 1 ? leader_text(input.systems, columns[0]) : "") +
                "P@k is the share of correct labels among the k best; nDCG@k also rewards the right order; PSP@k gives "
                "rare labels more weight. A ranking does not decide the size of the set.");
  section.body += table.html();
  return section;
}

}  // namespace otseq2set::inline report
