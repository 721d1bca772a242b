#include "otseq2set/writing/document_writer.h"

#include <filesystem>
#include <set>

#include "otseq2set/core/error.h"
#include "otseq2set/text/escaping.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/writing/writers.h"

namespace otseq2set::inline writing {

namespace {

// The same for all ways to write the path of a file, whether it is there or not.
std::string place_on_disk(const std::string& path) {
  if (path == "-") return path;
  std::error_code error;
  const std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place.string();
}

void check_files(const OutputFiles& files, Format format) {
  if (format == Format::kText) fail_usage("the format text has no labels; it can be read, but not written");
  const bool pair = format == Format::kAttentionXml;
  if (pair && files.labels.empty()) fail_usage("the format attentionxml needs a second file: --out-labels");
  if (!pair && !files.labels.empty()) {
    fail_usage("--out-labels is for the format attentionxml; {} has labels and texts in one file", format_name(format));
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
  // In the order of Loss.
  constexpr std::string_view kTexts[] = {
      "ids of {} documents are not kept",
      "tabs and line breaks in the ids of {} documents became spaces",
      "relevances of the labels of {} documents are not kept",
      "display names of {} labels are not kept",
      "the words of {} labels are joined by _",
      "line breaks in {} texts became spaces",
      "tabs in {} texts became spaces",
      "bytes that are not UTF-8 were replaced in {} documents",
      "{} files begin with a U+FEFF of the data, which will be taken for a byte-order mark",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(Loss::kCount));
  return fmt::format(fmt::runtime(kTexts[static_cast<size_t>(loss)]), count);
}

std::unique_ptr<DocumentWriter> DocumentWriter::open(const OutputFiles& files, Format format) {
  check_files(files, format);
  if (format == Format::kJsonl || format == Format::kAnnifJsonl) return json_writer(files, format);
  const bool numbered = format == Format::kAttentionXml && !files.label_names.empty();
  return numbered || format == Format::kPecos ? numbered_writer(files, format) : token_writer(files, format);
}

DocumentWriter::DocumentWriter(const OutputFiles& files) : file_(files.data) {
  if (!files.label_names.empty()) names_file_.emplace(files.label_names);
  if (!files.labels.empty()) labels_file_.emplace(files.labels);
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
  if (labels_file_) labels_file_->commit();
  if (names_file_) {
    write_names(*names_file_);
    names_file_->commit();
  }
  file_.commit();
}

void DocumentWriter::write_label_line(const std::string& labels) {
  if (documents_ == 1) check_start(labels);
  labels_file_->write(labels + '\n');
}

void DocumentWriter::check_start(std::string_view beginning) {
  if (beginning.starts_with(kByteOrderMark)) lose(Loss::kByteOrderMark);
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
    file.write(fmt::format("<{}>\t{}\n", label, one_field(display_names_[i])));
  }
}

}  // namespace otseq2set::inline writing
