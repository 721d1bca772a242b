#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/sections.h"

namespace otseq2set::inline report {

namespace {

Html data_table(const Results& results) {
  Table table("The documents. A fingerprint changes when the words or labels of any document do.");
  table.head({"Part", "File", "Documents", "Labels", "Labels per document", "Words per document", "Fingerprint"});
  const std::pair<const char*, const DataResult&> parts[] = {
      {"Training", results.train}, {"Validation", results.valid}, {"Test", results.test}};
  for (const auto& [part, data] : parts) {
    if (data.documents == 0) continue;
    table.row(escaped(part), {text_cell(data.name),
                              text_cell(count_text(data.documents)),
                              text_cell(count_text(data.labels)),
                              text_cell(fmt::format("{}, at most {}", decimal(data.mean_labels, 2), data.most_labels)),
                              text_cell(decimal(data.mean_words, 1)),
                              {element("code", escaped(data.fingerprint))}});
  }
  return table.empty() ? Html{} : table.mark("texts").html();
}

// Without a validation file each seed holds out documents of its own.
bool data_differs_by_seed(const Results& results) {
  std::set<std::string> fingerprints;
  for (const SystemResult& system : results.systems) {
    for (const RunResult& run : system.runs) {
      if (!run.data_fingerprint.empty()) fingerprints.insert(run.data_fingerprint);
    }
  }
  return fingerprints.size() > 1;
}

// ", seeds 1, 2"; nothing for other tools, which have seeds of their own if any.
std::string seeds_of(const SystemResult& system) {
  if (system.kind == SystemResult::Kind::kPeer) return "";
  std::string text = system.runs.size() == 1 ? ", seed" : ", seeds";
  for (const RunResult& run : system.runs)
    text += (&run == &system.runs.front() ? " " : ", ") + std::to_string(run.seed);
  return text;
}

// A value once if all runs share it, otherwise run by run.
std::string shared_or_each(const SystemResult& system, std::string RunResult::*field, const std::string& usual) {
  std::string text;
  bool all_usual = true;
  for (const RunResult& run : system.runs) {
    all_usual = all_usual && (run.*field == usual || (run.*field).empty());
    text += fmt::format("{}seed {}: {}", text.empty() ? "" : "; ", run.seed, run.*field);
  }
  return all_usual ? "" : text;
}

Html configuration_of(const SystemResult& system, const Results& results) {
  Html body;
  for (auto [field, usual] : {std::pair(&RunResult::program_version, &results.program_version),
                              std::pair(&RunResult::machine, &results.machine)}) {
    const std::string text = shared_or_each(system, field, *usual);
    if (!text.empty()) body += paragraph(text);
  }
  for (const RunResult& run : system.runs) {
    const bool same = &run != &system.runs.front() && [&] {
      nlohmann::json a = run.config, b = system.runs.front().config;
      for (nlohmann::json* json : {&a, &b}) {
        if (json->is_object() && json->contains("training")) (*json)["training"].erase("seed");
      }
      return a == b;
    }();
    if (same) {
      body += paragraph(fmt::format("Seed {}: the same except for the seed.", run.seed));
    } else if (run.config.is_null()) {
      body += paragraph("This is another tool; its configuration is not known.");
    } else {
      const std::string text = run.config.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
      body += paragraph(fmt::format("Seed {}:", run.seed)) + element("pre", escaped(text)) + Html{"\n"};
    }
  }
  return Html{"<details><summary>"} + title_of(system) + escaped(seeds_of(system)) + Html{"</summary>\n"} + body +
         Html{"</details>\n"};
}

}  // namespace

Section origin_section(const SectionInput& input) {
  const Results& results = input.results;
  Section section{"origin", "How this was made", {}};
  if (!results.command.empty()) section.body += command_line(results.command);
  section.body += paragraph(fmt::format(
      "otseq2set {} on {}. The same seed and data give the same model, on any number of threads.",
      results.program_version, results.machine.empty() ? "a machine that was not recorded" : results.machine));
  if (results.vectors) section.body += paragraph("Word vectors: " + *results.vectors + ".");
  section.body += data_table(results);
  if (data_differs_by_seed(results)) {
    section.body += paragraph(
        "Each seed holds out its own validation documents. Training and validation are shown for the first "
        "seed; other tools were trained on the same documents.");
  }
  section.body += Html{"<h3>Configurations</h3>\n"};
  for (const SystemResult& system : results.systems) {
    if (!system.runs.empty()) section.body += configuration_of(system, results);
  }
  return section;
}

}  // namespace otseq2set::inline report
