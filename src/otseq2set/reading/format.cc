#include "otseq2set/reading/format.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "otseq2set/core/error.h"

namespace otseq2set::inline reading {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> kNames = {
      "jsonl", "annif-jsonl", "annif-tsv", "annif-csv", "fasttext", "libmultilabel", "pecos", "attentionxml", "text"};
  return kNames;
}

const std::vector<std::string>& labelled_format_names() {
  static const std::vector<std::string> kNames(format_names().begin(), format_names().end() - 1);
  return kNames;
}

std::string_view format_name(Format format) { return format_names()[static_cast<size_t>(format)]; }

bool has_numbered_labels(Format format) { return format == Format::kPecos || format == Format::kAttentionXml; }

Format parse_format(std::string_view name) {
  const auto& names = format_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    fail_usage("unknown format '{}'; the formats are {}", name, fmt::join(names, ", "));
  }
  return static_cast<Format>(found - names.begin());
}

}  // namespace otseq2set::inline reading
