#include "otseq2set/writing/document_writer.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "otseq2set/core/error.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/writing/json_writers.h"
#include "otseq2set/writing/numbered_writers.h"
#include "otseq2set/writing/token_writers.h"

namespace otseq2set::inline writing {

namespace {

// The same for all ways to write the path of a file, whether it is there or not.
std::string place_on_disk(const std::string& path) {
  if (path == "-") return path;
  std::error_code error;
  const std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place.string();
}

void check_files(const OutputFiles& files, Format format) {
  const bool pair = format == Format::kAttentionXml;
  if (pair && files.labels.empty()) fail_usage("the format attentionxml needs a second file: --out-labels");
  if (!pair && !files.labels.empty()) {
    fail_usage("--out-labels is for the format attentionxml; {} has labels and texts in one file",
               format_name(format));
  }
  if (format == Format::kPecos && files.label_names.empty()) {
    fail_usage("the format pecos needs a file for the label names: --out-label-names");
  }
  std::set<std::string> places;
  for (const std::string& path : {files.data, files.labels, files.label_names}) {
    if (!path.empty() && !places.insert(place_on_disk(path)).second) {
      fail_usage("two outputs go to the same place, '{}'", path);
    }
  }
}

}  // namespace

std::string describe(Loss loss, uint64_t count) {
  switch (loss) {
    case Loss::kIds:
      return fmt::format("ids of {} documents are not kept", count);
    case Loss::kChangedIds:
      return fmt::format("tabs and line breaks in the ids of {} documents became spaces", count);
    case Loss::kRelevances:
      return fmt::format("relevances of the labels of {} documents are not kept", count);
    case Loss::kDisplayNames:
      return fmt::format("display names of {} labels are not kept", count);
    case Loss::kJoinedLabels:
      return fmt::format("the words of {} labels are joined by _", count);
    case Loss::kLineBreaks:
      return fmt::format("line breaks in {} texts became spaces", count);
    case Loss::kTabs:
      return fmt::format("tabs in {} texts became spaces", count);
    case Loss::kByteOrderMark:
      return fmt::format(
          "{} files begin with a U+FEFF of the data, which will be taken for a byte-order mark", count);
    default:
      return fmt::format("bytes that are not UTF-8 were replaced in {} documents", count);
  }
}

std::unique_ptr<DocumentWriter> DocumentWriter::open(const OutputFiles& files, Format format) {
  check_files(files, format);
  switch (format) {
    case Format::kAnnifJsonl:
      return std::make_unique<AnnifJsonlWriter>(files);
    case Format::kAnnifTsv:
      return std::make_unique<AnnifTsvWriter>(files);
    case Format::kAnnifCsv:
      return std::make_unique<AnnifCsvWriter>(files);
    case Format::kFastText:
      return std::make_unique<FastTextWriter>(files);
    case Format::kLibMultiLabel:
      return std::make_unique<LibMultiLabelWriter>(files);
    case Format::kPecos:
      return std::make_unique<PecosWriter>(files);
    case Format::kAttentionXml:
      if (!files.label_names.empty()) return std::make_unique<NumberedPairWriter>(files);
      return std::make_unique<TokenPairWriter>(files);
    default:
      return std::make_unique<JsonlWriter>(files);
  }
}

DocumentWriter::DocumentWriter(const OutputFiles& files) : file_(files.data) {
  if (!files.label_names.empty()) names_file_.emplace(files.label_names);
}

void DocumentWriter::write(const Document& document) {
  if (documents_++ == 0) has_id_column_ = document.own_id;
  if (document.relevances) lose(Loss::kRelevances);
  keep_display_names(document);
  out_.clear();
  format(document, out_);
  if (documents_ == 1) check_start(out_);
  file_.write(out_);
}

void DocumentWriter::finish() {
  if (!keeps_display_names()) set_lost(Loss::kDisplayNames, named_.size());
  if (names_file_) {
    write_names(*names_file_);
    names_file_->commit();
  }
  file_.commit();
}

void DocumentWriter::check_start(std::string_view beginning) {
  if (beginning.substr(0, kByteOrderMark.size()) == kByteOrderMark) lose(Loss::kByteOrderMark);
}

std::string_view DocumentWriter::one_line(std::string_view text, Tabs tabs) {
  const bool breaks = text.find_first_of("\r\n") != std::string_view::npos;
  const bool has_tabs = tabs == Tabs::kBecomeSpaces && text.find('\t') != std::string_view::npos;
  if (breaks) lose(Loss::kLineBreaks);
  if (has_tabs) lose(Loss::kTabs);
  if (!breaks && !has_tabs) return text;
  one_line_ = text;
  for (char& c : one_line_) {
    if (c == '\r' || c == '\n' || (c == '\t' && has_tabs)) c = ' ';
  }
  return one_line_;
}

std::string_view DocumentWriter::column_id(const Document& document) {
  if (!document.own_id) return "";
  if (!has_id_column_ || is_blank(document.id)) lose(Loss::kIds);  // a blank column is no id
  return document.id;
}

void DocumentWriter::keep_display_names(const Document& document) {
  for (size_t i = 0; i < document.label_names.size(); ++i) {
    if (document.label_names[i].empty()) continue;
    named_.add(document.labels[i]);
    if (display_names_.size() < named_.size()) display_names_.push_back(document.label_names[i]);
  }
}

void DocumentWriter::write_names(AtomicFile& file) {
  for (size_t i = 0; i < display_names_.size(); ++i) {
    const std::string label(written(named_[static_cast<int32_t>(i)]));
    if (label.find_first_of("\t\r\n") != std::string::npos) {
      fail("the label '{}' has a tab or a line break, which a file of names cannot hold", excerpt(label));
    }
    std::string name = display_names_[i];
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    file.write(fmt::format("<{}>\t{}\n", label, name));
  }
}

}  // namespace otseq2set::inline writing
