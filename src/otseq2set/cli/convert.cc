// otseq2set convert: documents from one format into another.
#include <fmt/ranges.h>

#include <filesystem>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/byte_source.h"
#include "otseq2set/core/error.h"
#include "otseq2set/reading/reading_warnings.h"
#include "otseq2set/writing/document_writer.h"

namespace otseq2set::inline cli {

namespace {

constexpr uint64_t kShownEvery = 1024;  // documents between two updates of the meter

struct ConvertOptions {
  DataFiles from;
  OutputFiles to;
  Format format = Format::kJsonl;
};

void tell_what_is_lost(const DocumentWriter& writer) {
  for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
    const auto loss = static_cast<Loss>(i);
    if (writer.lost(loss) > 0) fmt::print(stderr, "{}\n", describe(loss, writer.lost(loss)));
  }
}

// What is written replaces the file only at the end, but then what was read is gone.
void refuse_own_input(const ConvertOptions& options) {
  for (const std::string& out : {options.to.data, options.to.labels}) {
    for (const std::string& in : {options.from.data, options.from.labels, options.from.label_names}) {
      std::error_code missing;
      if (!out.empty() && out != "-" && !in.empty() && std::filesystem::equivalent(out, in, missing)) {
        fail_usage("{} is an input and would be overwritten; give the output another name", out);
      }
    }
  }
}

void convert(const ConvertOptions& options) {
  refuse_own_input(options);
  const auto reader = open_documents(options.from, /*need_labels=*/true);
  const auto writer = DocumentWriter::open(options.to, options.format);
  Meter meter;
  ReadingWarnings warnings;
  for (Document document; reader->next(document);) {
    if (!document.error.empty()) throw Error(document.error);
    writer->write(document);
    warnings.add(document);
    if (writer->documents() % kShownEvery == 0) meter.add(kShownEvery);
  }
  if (writer->documents() == 0) fail("{}: no documents", display_name(options.from.data));
  writer->finish();
  meter.add(writer->documents() % kShownEvery);
  meter.finish();
  for (const std::string& warning : warnings.lines()) fmt::print(stderr, "{}\n", warning);
  tell_what_is_lost(*writer);
}

}  // namespace

void add_convert(CLI::App& program) {
  auto options = std::make_shared<ConvertOptions>();
  options->to.data = "-";
  CLI::App& command = *program.add_subcommand("convert", "Write documents in another format");
  add_data_options(command, options->from, /*required=*/true);
  command
      .add_option_function<std::string>(
          "--to", [options](const std::string& name) { options->format = parse_format(name); },
          fmt::format("format to write: {}", fmt::join(labelled_format_names(), ", ")))
      ->required();
  command.add_option("--out", options->to.data, "file to write; - is standard output")->capture_default_str();
  command.add_option("--out-labels", options->to.labels, "file for the labels (attentionxml)");
  command.add_option("--out-label-names", options->to.label_names,
                     "file for the label names: one name per line (pecos; attentionxml, whose labels become line "
                     "numbers; an existing file is extended), otherwise <label>TABname");
  command.callback([options] { convert(*options); });
}

}  // namespace otseq2set::inline cli
