#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_names.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/writing/writers.h"

namespace otseq2set::inline writing {

namespace {

// PECOS: 0,1,2<TAB>text. AttentionXML: the texts, and the numbers in a file of their own.
class NumberedWriter : public DocumentWriter {
 public:
  NumberedWriter(const OutputFiles& files, Format format) : DocumentWriter(files), format_(format) {
    std::error_code ignored;
    if (files.label_names == "-" || !std::filesystem::is_regular_file(files.label_names, ignored)) return;
    names_ = NumberedLabels(files.label_names).names();
    for (size_t i = 0; i < names_.size(); ++i) {
      labels_.add(names_[i]);
      if (numbers_.size() < labels_.size()) numbers_.push_back(i);
    }
  }

 private:
  void format(const Document& document, std::string& out) override {
    if (document.own_id) lose(Loss::kIds);
    if (format_ == Format::kPecos) {
      out += fmt::format("{}\t", joined_numbers(document, ","));
    } else {
      write_label_line(joined_numbers(document, " "));
    }
    out += one_line(document.text, Tabs::kStay);
    out += '\n';
  }

  void write_names(AtomicFile& file) override {
    if (!names_.empty()) check_start(names_.front());
    for (const std::string& name : names_) file.write(name + '\n');
  }
  bool keeps_display_names() const override { return false; }

  std::string joined_numbers(const Document& document, const char* separator) {
    std::vector<size_t> numbers;
    for (const std::string& label : document.labels) numbers.push_back(number(label));
    return fmt::format("{}", fmt::join(numbers, separator));
  }

  size_t number(const std::string& label) {
    const int32_t known = labels_.find(label);
    if (known >= 0) return numbers_[known];
    if (label.find_first_of("\r\n") != std::string::npos) {
      fail("the label '{}' has a line break, which a file of names cannot hold", excerpt(label));
    }
    labels_.add(label);
    numbers_.push_back(names_.size());
    names_.push_back(label);
    return numbers_.back();
  }

  Format format_;
  std::vector<std::string> names_;  // the lines of the file
  StringIndex labels_;
  std::vector<size_t> numbers_;  // of labels_
};

}  // namespace

std::unique_ptr<DocumentWriter> numbered_writer(const OutputFiles& files, Format format) {
  return std::make_unique<NumberedWriter>(files, format);
}

}  // namespace otseq2set::inline writing
