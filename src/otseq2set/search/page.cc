#include "otseq2set/search/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "otseq2set/core/machine.h"
#include "otseq2set/report/illustrator.h"
#include "otseq2set/report/numbers.h"
#include "otseq2set/report/page_frame.h"
#include "otseq2set/search/importance.h"

namespace otseq2set::inline search {

namespace {

constexpr size_t kFiguresOfSettings = 4;
constexpr const char* kNetwork = "network-";
constexpr const char* kLinear = "linear-";

using Points = std::vector<std::vector<double>>;

std::string settings_text(const Json& settings) {
  std::string text;
  for (const auto& [key, value] : settings.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, setting_text(value));
  return text.empty() ? "as given" : text;
}

Json given(const SearchFindings& findings, const std::string& key) {
  std::string pointer = "/" + key;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return findings.base.value(Json::json_pointer(pointer), Json());
}

// The candidates of a kind, by their names in the order in which they ended first.
struct CandidateRuns {
  std::string name;
  std::vector<RungResult> rungs;

  bool has_value() const { return rungs.back().value.has_value(); }
  double value() const { return rungs.back().value.value_or(0); }
};

std::vector<CandidateRuns> runs_of(const SearchFindings& findings, const std::string& kind) {
  std::vector<CandidateRuns> runs;
  for (const RungResult& result : findings.results) {
    if (result.trial.rfind(kind, 0) != 0) continue;
    auto run =
        std::find_if(runs.begin(), runs.end(), [&](const CandidateRuns& one) { return one.name == result.trial; });
    if (run == runs.end()) run = runs.insert(run, {result.trial, {}});
    run->rungs.push_back(result);
  }
  return runs;
}

// The networks; of a search without any, the linear models.
std::vector<CandidateRuns> candidates(const SearchFindings& findings) {
  std::vector<CandidateRuns> networks = runs_of(findings, kNetwork);
  return networks.empty() ? runs_of(findings, kLinear) : networks;
}

// The winner, or while the search runs the best so far.
const CandidateRuns* best_of_runs(const SearchFindings& findings, const std::vector<CandidateRuns>& runs) {
  const CandidateRuns* best = nullptr;
  for (const CandidateRuns& run : runs) {
    if (findings.winner && run.name == *findings.winner) return &run;
    if (run.has_value() && (best == nullptr || run.value() > best->value())) best = &run;
  }
  return best;
}

bool is_given(const CandidateRuns& run) { return run.name == "network-0" || run.name == "linear-0"; }

std::string percent_of(const CandidateRuns& run) { return run.has_value() ? percent(run.value()) : "–"; }

// --- the best settings

std::string best_text(const SearchFindings& findings, const CandidateRuns& best,
                      const std::vector<CandidateRuns>& runs) {
  std::string text =
      fmt::format("{} {} {}: {} {} % on {} validation documents", best.name, findings.winner ? "is" : "is so far",
                  "the best", findings.metric, percent_of(best), count_text(findings.valid_documents));
  for (const CandidateRuns& run : runs) {
    if (!is_given(run) || !run.has_value()) continue;
    text += is_given(best) ? ", with the configuration as given; nothing else that was tried did better"
                           : fmt::format("; the configuration as given has {} %", percent_of(run));
  }
  text += ". It was chosen on these documents as the best of many, so it will probably do a little worse on others.";
  if (!findings.winner) return text;
  return text + (findings.refitted ? fmt::format(" The model was then trained again on all {} documents.",
                                                 count_text(findings.documents + findings.valid_documents))
                                   : " There was no time to train it again on all documents.");
}

Section best_section(const SearchFindings& findings, const std::vector<CandidateRuns>& runs) {
  Section section{"best", "The best settings", {}};
  const CandidateRuns* best = best_of_runs(findings, runs);
  if (best == nullptr) {
    section.body = paragraph("No candidate has been measured yet.");
    return section;
  }
  section.body = paragraph(best_text(findings, *best, runs));
  Table table("What differs from the configuration as given.");
  table.head({"Setting", "Given", "Best"});
  for (const auto& [key, value] : best->rungs.back().settings.items()) {
    table.row(element("code", escaped(key)),
              {text_cell(setting_text(given(findings, key))), text_cell(setting_text(value))});
  }
  if (!table.empty()) section.body += table.html();
  if (!findings.winner_command.empty()) {
    section.body += paragraph("To train the same model again:") + command_line(findings.winner_command);
  }
  return section;
}

// --- by time

struct TimeUnit {
  std::string name;
  double seconds;
};

TimeUnit unit_for(double longest) {
  if (longest >= 3 * 3600) return {"hours", 3600};
  if (longest >= 180) return {"minutes", 60};
  return {"seconds", 1};
}

// A line for each candidate: the best and the given one in colour.
Plot lines_plot(const std::vector<CandidateRuns>& runs, const CandidateRuns* best, const std::string& x_label,
                const std::string& y_label, const std::function<Points(const CandidateRuns&)>& points) {
  Plot plot;
  plot.axes(x_label, y_label).left(44).set("set xrange [0:*]").set("set offsets 0,0,graph 0.05,graph 0.05");
  for (const CandidateRuns& run : runs) {
    if (&run != best && !is_given(run))
      plot.add(points(run), "using 1:2 with linespoints lw 1 pt 7 ps 0.35", Role::axis());
  }
  for (const CandidateRuns& run : runs) {
    if (is_given(run) && &run != best) {
      plot.add(points(run), "using 1:2 with linespoints lw 2 pt 5 ps 0.6", Role::series(2), run.name + ", as given");
    }
  }
  if (best != nullptr) {
    plot.add(points(*best), "using 1:2 with linespoints lw 2 pt 7 ps 0.7", Role::series(1),
             best->name + (is_given(*best) ? ", as given, the best" : ", the best"));
  }
  return plot;
}

Table points_table(const std::string& caption, const std::string& x_name, const std::vector<CandidateRuns>& runs,
                   const std::function<Points(const CandidateRuns&)>& points) {
  Table table(caption);
  table.head({"Candidate", x_name, "Value, %"});
  for (const CandidateRuns& run : runs) {
    for (const std::vector<double>& point : points(run)) {
      table.row(escaped(run.name), {text_cell(decimal(point[0], 1)), text_cell(decimal(point[1], 2))});
    }
  }
  return table;
}

Section time_section(const SearchFindings& findings, const std::vector<CandidateRuns>& runs, Illustrator& illustrator) {
  Section section{"time", "Candidates over time", {}};
  const CandidateRuns* best = best_of_runs(findings, runs);
  if (best == nullptr) return section;
  double longest = 0, longest_own = 0;
  for (const CandidateRuns& run : runs) {
    double own = 0;
    for (const RungResult& rung : run.rungs) own += rung.seconds;
    longest = std::max(longest, run.rungs.back().at);
    longest_own = std::max(longest_own, own);
  }
  const TimeUnit unit = unit_for(longest), own_unit = unit_for(longest_own);
  const auto by_clock = [&](const CandidateRuns& run) {
    Points points;
    for (const RungResult& rung : run.rungs) {
      if (rung.value) points.push_back({rung.at / unit.seconds, 100 * *rung.value});
    }
    return points;
  };
  const auto by_own_time = [&](const CandidateRuns& run) {
    Points points;
    double own = 0;
    for (const RungResult& rung : run.rungs) {
      own += rung.seconds;
      if (rung.value) points.push_back({own / own_unit.seconds, 100 * *rung.value});
    }
    return points;
  };
  const std::string value = findings.metric + ", %";
  section.body = paragraph(
      "Each point is a candidate on a rung, measured on the validation documents with the set rule that suits it best. "
      "Lines connect the rungs of a candidate: the best third of each rung continues to train.");
  section.body += figure_row(
      illustrator.figure("figure-clock", "The search over time", "When each candidate reached each rung.",
                         lines_plot(runs, best, unit.name + " since the search began", value, by_clock),
                         points_table("The points.", unit.name, runs, by_clock)) +
      illustrator.figure("figure-own", "Each candidate by training time", "What each candidate reached as it trained.",
                         lines_plot(runs, best, own_unit.name + " spent on the candidate", value, by_own_time),
                         points_table("The points.", own_unit.name, runs, by_own_time)));
  return section;
}

// --- what mattered

Plot setting_plot(const SettingScore& setting, const std::string& metric) {
  Plot plot;
  std::vector<std::string> names;
  Points dots, means;
  for (size_t place = 0; place < setting.values.size(); ++place) {
    const ValueScore& group = setting.values[place];
    names.push_back(setting_text(group.value));
    for (const double score : group.scores) dots.push_back({static_cast<double>(place), 100 * score});
    means.push_back({static_cast<double>(place), 100 * group.mean()});
  }
  plot.axes(setting.key, metric + " on the first rung, %").left(44).names_at('x', names).height(160);
  plot.set(fmt::format("set xrange [-0.5:{}]", static_cast<double>(names.size()) - 0.5));
  plot.set("set offsets 0,0,graph 0.08,graph 0.08");
  plot.add(means, "using ($1-0.25):2:(0.5):(0) with vectors nohead lw 2", Role::series(1), "mean");
  plot.add(dots, "using 1:2 with points pt 7 ps 0.5", Role::axis(), "a candidate");
  return plot;
}

Table setting_table(const SettingScore& setting) {
  Table table("By value of " + setting.key + ", on the first rung, in percent.");
  table.head({"Value", "Candidates", "Mean", "Best"});
  for (const ValueScore& group : setting.values) {
    table.row(escaped(setting_text(group.value)),
              {text_cell(std::to_string(group.scores.size())), text_cell(percent(group.mean())),
               text_cell(percent(*std::max_element(group.scores.begin(), group.scores.end())))});
  }
  return table;
}

Section mattered_section(const SearchFindings& findings, const std::vector<CandidateRuns>& runs,
                         Illustrator& illustrator) {
  Section section{"mattered", "What mattered", {}};
  std::vector<RungResult> results;
  for (const CandidateRuns& run : runs) results.push_back(run.rungs.front());
  const std::vector<SettingScore> settings = setting_scores(results, findings.base);
  if (settings.empty()) return section;
  section.body = paragraph(fmt::format(
      "How much of the spread between the {} candidates on the first rung a setting explains by itself, corrected for "
      "chance: a setting without effect has 0 on average. Candidates differ in several settings at once, so the "
      "shares do not add up to a whole, and with few candidates they are rough. A dash: too few candidates share a "
      "value.",
      results.size()));
  Table table("Settings that explain most come first. Means in percent, on the first rung.");
  table.head({"Setting", "Explains", "Given", "Mean", "Best value", "Mean"});
  for (const SettingScore& setting : settings) {
    const auto by_mean = [](const ValueScore& a, const ValueScore& b) { return a.mean() < b.mean(); };
    const ValueScore& best = *std::max_element(setting.values.begin(), setting.values.end(), by_mean);
    const Json given_value = given(findings, setting.key);
    const auto own = std::find_if(setting.values.begin(), setting.values.end(),
                                  [&](const ValueScore& one) { return one.value == given_value; });
    const auto mean = [](const ValueScore& one) {
      return fmt::format("{} ({})", percent(one.mean()), one.scores.size());
    };
    table.row(element("code", escaped(setting.key)),
              {text_cell(setting.explained ? percent(*setting.explained, 0) + " %" : "–"),
               text_cell(setting_text(given_value)), text_cell(own == setting.values.end() ? "–" : mean(*own)),
               text_cell(setting_text(best.value)), text_cell(mean(best))});
  }
  section.body += table.html() + paragraph("In brackets: how many candidates have the value.", "note");
  Html figures;
  for (size_t i = 0; i < std::min(settings.size(), kFiguresOfSettings); ++i) {
    figures += illustrator.figure(fmt::format("figure-setting-{}", i + 1), findings.metric + " by " + settings[i].key,
                                  "Candidates on the first rung. Values are evenly spaced.",
                                  setting_plot(settings[i], findings.metric), setting_table(settings[i]));
  }
  section.body += figure_row(figures);
  return section;
}

// --- all of them

Html candidates_table(const std::string& caption, std::vector<CandidateRuns> runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const CandidateRuns& a, const CandidateRuns& b) {
    return a.rungs.back().value.value_or(-1) > b.rungs.back().value.value_or(-1);
  });
  Table table(caption);
  table.head({"Candidate", "Value, %", "Epochs", "Time", "Settings"});
  for (const CandidateRuns& run : runs) {
    double seconds = 0;
    for (const RungResult& rung : run.rungs) seconds += rung.seconds;
    const RungResult& last = run.rungs.back();
    table.row(escaped(run.name),
              {text_cell(percent_of(run)),
               text_cell(last.all_epochs == 0 ? "–" : fmt::format("{} of {}", last.epochs, last.all_epochs)),
               text_cell(duration(seconds)),
               text_cell(settings_text(last.settings) + (last.failure.empty() ? "" : "; " + last.failure))});
  }
  return table.mark("ruled").html();
}

Section candidates_section(const SearchFindings& findings) {
  Section section{"candidates", "All candidates", {}};
  const std::vector<CandidateRuns> networks = runs_of(findings, kNetwork), linears = runs_of(findings, kLinear);
  if (!networks.empty()) section.body += candidates_table("Networks, best first.", networks);
  if (!linears.empty()) {
    section.body += candidates_table(
        networks.empty() ? "Linear models." : "Linear models alone. Networks are combined with the best one.", linears);
  }
  return section;
}

Section origin_of_search(const SearchFindings& findings) {
  Section section{"origin", "How this was made", {}};
  section.body = command_line(findings.command);
  section.body += paragraph(fmt::format("otseq2set {} on {}. All numbers are in search.jsonl next to this page.",
                                        OTSEQ2SET_VERSION, machine_description()));
  return section;
}

}  // namespace

SearchPage make_search_page(const SearchFindings& findings, const std::string& gnuplot) {
  Illustrator illustrator(gnuplot);
  const std::vector<CandidateRuns> runs = candidates(findings);
  std::vector<Section> sections;
  for (const Section& section :
       {best_section(findings, runs), time_section(findings, runs, illustrator),
        mattered_section(findings, runs, illustrator), candidates_section(findings), origin_of_search(findings)}) {
    if (!section.body.markup.empty()) sections.push_back(section);
  }
  const std::string time = findings.ended_at
                               ? fmt::format("{} of {}", duration(*findings.ended_at), duration(findings.seconds))
                               : fmt::format("running, of {}", duration(findings.seconds));
  const std::string facts =
      fmt::format("{} candidates, {} · {} training and {} validation documents · otseq2set {}", runs.size(), time,
                  count_text(findings.documents), count_text(findings.valid_documents), OTSEQ2SET_VERSION);
  return {whole_page("Search on " + findings.data, facts, sections), illustrator.warnings()};
}

}  // namespace otseq2set::inline search
