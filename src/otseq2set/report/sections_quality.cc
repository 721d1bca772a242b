#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
std::string against_spread(const Summary& better, const Summary& worse) {
  const double difference = better.mean - worse.mean, spread = std::max(better.spread, worse.spread);
  if (better.count < 2 || worse.count < 2)
    return "With one seed per system, there is no telling how much of a difference is chance.";
  if (difference > 2 * spread)
    return fmt::format("The seeds lie much closer together than that: their spread is at most {} points.",
                       percent(spread));
  return fmt::format(
      "The seeds lie about as far apart, with a spread of up to {} points: more seeds would make this clearer.",
      percent(spread));
}

std::string f1_text(const SystemResult& system, const Summary& f1) {
  return fmt::format("{} reaches a micro-F1 of {} %", plain_title(system), percent(f1.mean));
}

std::string main_text(const SectionInput& input) {
  const SystemResult* own = best_system(of_kind(input.systems, Kind::kOwn));
  const SystemResult* baseline = best_system(of_kind(input.systems, Kind::kBaseline));
  if (!own && !baseline) return "No run of a model has finished yet.";
  if (!own || !baseline) {
    const SystemResult& only = own ? *own : *baseline;
    return f1_text(only, over_runs(only, main_set(only), &SetResult::micro_f1)) + ", the best in the table.";
  }
  const Summary own_f1 = over_runs(*own, main_set(*own), &SetResult::micro_f1);
  const Summary baseline_f1 = over_runs(*baseline, main_set(*baseline), &SetResult::micro_f1);
  const bool ahead = own_f1.mean >= baseline_f1.mean;
  return fmt::format("{} with {} sets, the best of the set models; the best baseline, {}, has {} %, {} points {}. {}",
                     f1_text(*own, own_f1), main_set(*own), plain_title(*baseline), percent(baseline_f1.mean),
                     percent(std::abs(own_f1.mean - baseline_f1.mean)), ahead ? "less" : "more",
                     ahead ? against_spread(own_f1, baseline_f1) : against_spread(baseline_f1, own_f1));
}

std::string tuned_text(const SectionInput& input) {
  WeightedMean gain;
  for (const SystemResult* system : input.systems) {
    const Summary greedy = over_runs(*system, "greedy", &SetResult::micro_f1);
    const Summary tuned = over_runs(*system, "tuned", &SetResult::micro_f1);
    if (greedy.count > 0 && tuned.count > 0) gain.add(tuned.mean - greedy.mean, 1);
  }
  if (gain.weight == 0) return "";
  if (percent(std::abs(gain.mean())) == percent(0)) {
    return " Sets selected by a rule tuned on validation documents have the same micro-F1 on average.";
  }
  return fmt::format(" Sets selected by a rule tuned on validation documents have {} points {} micro-F1 on average.",
                     percent(std::abs(gain.mean())), gain.mean() >= 0 ? "more" : "less");
}

std::string peer_text(const SectionInput& input) {
  const SystemResult* peer = best_system(of_kind(input.systems, Kind::kPeer));
  if (!peer) return "";
  const std::string set = main_set(*peer);
  return fmt::format(" The best other tool is {}, with {} % ({}).", plain_title(*peer),
                     percent(over_runs(*peer, set, &SetResult::micro_f1).mean), set);
}

std::string ahead_text(size_t ahead, size_t all) {
  if (all == 1) return ahead == 1 ? "The set model is ahead of it." : "The set model is not ahead of it.";
  if (ahead == all) return fmt::format("All {} set models are ahead of it.", all);
  if (ahead == 0) return fmt::format("None of the {} set models is ahead of it.", all);
  return fmt::format("Of the {} set models, {} {} ahead of it.", all, ahead, ahead == 1 ? "is" : "are");
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
  size_t ahead = 0, all = 0;
  for (const SystemResult* system : own) {
    const Summary f1 = over_runs(*system, main_set(*system), &SetResult::micro_f1);
    if (f1.count == 0) continue;
    ++all;
    if (f1.mean > base.mean) ++ahead;
    table.row(title_of(*system), {text_cell(percent(f1.mean)), text_cell(signed_points(f1.mean - base.mean, 2)),
                                  text_cell(signed_percent(relative_change(base.mean, f1.mean), 2))});
  }
  section.body += paragraph(fmt::format("The best baseline is {} with a micro-F1 of {} %. {}", plain_title(*baseline),
                                        percent(base.mean), ahead_text(ahead, all)));
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
  std::string leader;
  for (size_t i = 0; i < input.systems.size(); ++i) {
    if (columns[0][i].count == 0) continue;
    std::vector<Cell> cells;
    for (size_t c = 0; c < columns.size(); ++c) cells.push_back({escaped(percent(columns[c][i].mean)), best[c][i]});
    table.row(title_of(*input.systems[i]), cells);
    if (best[0][i] && leader.empty()) leader = plain_title(*input.systems[i]);
  }
  section.body +=
      paragraph((leader.empty() ? "" : fmt::format("{} most often ranks a correct label first. ", leader)) +
                "P@k is the share of correct labels among the k best; nDCG@k also rewards the right order; PSP@k gives "
                "rare labels more weight. A ranking does not decide the size of the set.");
  section.body += table.html();
  return section;
}

}  // namespace otseq2set::inline report
