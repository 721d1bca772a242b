#include "otseq2set/reading/document_reader.h"

#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/annif_csv_reader.h"
#include "otseq2set/reading/format_detection.h"
#include "otseq2set/reading/label_names.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/reading/text_pair_reader.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

namespace {

// What is wrong with the choice of files, whatever is in them.
void check_files(const DataFiles& files, bool need_labels) {
  const int from_input = (files.data == "-") + (files.labels == "-") + (files.label_names == "-");
  if (from_input > 1) fail_usage("only one of documents, labels and label names can come from standard input");
  if (!files.format) return;
  if (*files.format != Format::kAttentionXml && !files.labels.empty()) {
    fail_usage("a file of labels ({}) goes with the format attentionxml, not with {}", files.labels,
               format_name(*files.format));
  }
  if (!need_labels) return;
  if (*files.format == Format::kText) {
    fail_usage("the format text has no labels; it is for predict and explain");
  }
  if (*files.format == Format::kAttentionXml && files.labels.empty()) {
    fail_usage("the format attentionxml needs a file of labels: --labels");
  }
  if (*files.format == Format::kPecos && files.label_names.empty()) {
    fail_usage("the format pecos needs a file of label names: --label-names");
  }
}

enum class Labels { kIgnored, kWelcome, kNeeded };

// How the lines of the formats that need no second file are read.
ParseLine line_format(Format format, bool with_labels) {
  switch (format) {
    case Format::kAnnifJsonl: return annif_jsonl_format(with_labels);
    case Format::kAnnifTsv: return annif_tsv_format(with_labels);
    case Format::kFastText: return fasttext_format(with_labels);
    case Format::kLibMultiLabel: return libmultilabel_format(with_labels);
    case Format::kText: return text_format();
    default: return jsonl_format(with_labels);
  }
}

std::unique_ptr<DocumentReader> open_numbered(LineReader lines, const DataFiles& files, Format format, Labels wanted) {
  std::optional<NumberedLabels> names;
  if (wanted != Labels::kIgnored && !files.label_names.empty()) names.emplace(files.label_names);
  if (format == Format::kPecos) {
    return std::make_unique<LineDocumentReader>(std::move(lines), pecos_format(std::move(names)));
  }
  std::optional<LineReader> labels;
  if (wanted != Labels::kIgnored && !files.labels.empty()) labels.emplace(files.labels);
  return std::make_unique<TextPairReader>(std::move(lines), std::move(labels), std::move(names));
}

std::unique_ptr<DocumentReader> open_one_file(LineReader lines, Format format, Labels wanted) {
  if (format == Format::kAnnifCsv) {
    return std::make_unique<AnnifCsvReader>(std::move(lines), wanted != Labels::kIgnored,
                                            /*may_lack_labels=*/wanted != Labels::kNeeded);
  }
  ParseLine parse = line_format(format, wanted != Labels::kIgnored);
  if (wanted == Labels::kWelcome) parse = labels_if_any(std::move(parse), line_format(format, /*with_labels=*/false));
  return std::make_unique<LineDocumentReader>(std::move(lines), std::move(parse));
}

std::unique_ptr<DocumentReader> open_in_format(LineReader lines, const DataFiles& files, Format format, Labels wanted) {
  if (has_numbered_labels(format)) return open_numbered(std::move(lines), files, format, wanted);
  auto reader = open_one_file(std::move(lines), format, wanted);
  if (wanted == Labels::kIgnored || files.label_names.empty()) return reader;
  return name_labels(std::move(reader), files.label_names);
}

std::unique_ptr<DocumentReader> open_files(const DataFiles& files, Labels wanted) {
  if (files.open) return files.open();
  const bool need_labels = wanted == Labels::kNeeded;
  check_files(files, need_labels);
  LineReader lines(files.data);
  // To predict, a forced format does not look ahead: a program may send one document and wait.
  if (files.format && need_labels) refuse_bag_of_words(lines);
  const Format format = files.format ? *files.format : detect_format(lines, files, need_labels);
  auto reader = open_in_format(std::move(lines), files, format, wanted);
  reader->set_format(format);
  return reader;
}

}  // namespace

std::unique_ptr<DocumentReader> open_documents(const DataFiles& files, bool need_labels) {
  return open_files(files, need_labels ? Labels::kNeeded : Labels::kIgnored);
}

std::unique_ptr<DocumentReader> open_documents_with_any_labels(const DataFiles& files) {
  return open_files(files, Labels::kWelcome);
}

}  // namespace otseq2set::inline reading
