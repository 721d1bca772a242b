#include <fmt/format.h>

#include <map>
#include <string_view>

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/outputs.h"
#include "otseq2set/report/set_blocks.h"

namespace otseq2set::inline report {

namespace {

std::string escaped_latex(const std::string& text) {
  static const std::map<char, const char*> kNames = {
      {'\\', "\\textbackslash{}"},
      {'~', "\\textasciitilde{}"},
      {'^', "\\textasciicircum{}"},
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'"', "\\char34{}"},
      {'[', "{[}"},  // behind a line break it would be the length of that
  };
  std::string result;
  for (char character : text) {
    if (const auto name = kNames.find(character); name != kNames.end()) {
      result += name->second;
      continue;
    }
    if (std::string_view("&%$#_{}").find(character) != std::string_view::npos) result += '\\';
    result += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
  }
  return result;
}

std::string heading(const SetLine& line, bool with_set, size_t seeds) {
  const TitleParts parts = title_parts(*line.system);
  std::string text = escaped_latex(parts.head);
  if (!parts.scheme.empty()) text += "\\textsubscript{" + escaped_latex(parts.scheme) + "}";
  text += escaped_latex(parts.tail);
  if (with_set) text += ", " + escaped_latex(line.set);
  const std::string caveat = line.caveat(seeds);
  return caveat.empty() ? text : text + " (" + escaped_latex(caveat) + ")";
}

std::string cell(const Summary& value, bool best) {
  if (value.count == 0) return "--";
  std::string text = percent(value.mean);
  if (best) text = "\\textbf{" + text + "}";
  if (value.count > 1) text += " {\\scriptsize$\\pm$ " + percent(value.spread) + "}";
  return text;
}

std::string rows(const SetBlock& block, size_t seeds) {
  const BlockValues values = values_of(block, {&SetResult::micro_p, &SetResult::micro_r, &SetResult::micro_f1});
  std::string text = "    \\midrule\n    \\multicolumn{4}{l}{\\emph{" + escaped_latex(block.title) + "}} \\\\\n";
  for (size_t i = 0; i < block.lines.size(); ++i) {
    text += "    " + heading(block.lines[i], block.other_tools, seeds);
    for (size_t m = 0; m < values.values.size(); ++m) text += " & " + cell(values.values[m][i], values.best[m][i]);
    text += " \\\\\n";
  }
  return text;
}

}  // namespace

std::string to_latex(const Results& results) {
  std::string body;
  const size_t seeds = all_seeds(results).size();
  for (const SetBlock& block : set_blocks(compared_systems(results))) body += rows(block, seeds);
  return fmt::format(
      "% Needs \\usepackage{{booktabs}}.\n"
      "\\begin{{table}}\n  \\centering\n  \\begin{{tabular}}{{lrrr}}\n    \\toprule\n"
      "    Methods & P & R & F1 \\\\\n{}    \\bottomrule\n  \\end{{tabular}}\n"
      "  \\caption{{Micro-averaged precision, recall and F1 in percent on {}{}. Best in each block in bold.}}\n"
      "\\end{{table}}\n",
      body, results.test.name.empty() ? "the test documents" : escaped_latex(results.test.name),
      seeds > 1 ? ", mean and standard deviation over seeds" : "");
}

}  // namespace otseq2set::inline report
