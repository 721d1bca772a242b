#include "otseq2set/writing/numbered_writers.h"

#include <sys/stat.h>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_names.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline writing {

namespace {

bool is_regular_file(const std::string& path) {
  struct stat status;
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

NumberedWriter::NumberedWriter(const OutputFiles& files) : DocumentWriter(files) {
  if (!is_regular_file(files.label_names)) return;
  names_ = NumberedLabels(files.label_names).names();
  for (size_t i = 0; i < names_.size(); ++i) {
    labels_.add(names_[i]);
    if (numbers_.size() < labels_.size()) numbers_.push_back(i);
  }
}

size_t NumberedWriter::number(const std::string& label) {
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

void NumberedWriter::append_numbers(const Document& document, char separator, std::string& out) {
  for (size_t i = 0; i < document.labels.size(); ++i) {
    if (i > 0) out += separator;
    out += std::to_string(number(document.labels[i]));
  }
}

void NumberedWriter::write_names(AtomicFile& file) {
  if (!names_.empty()) check_start(names_.front());
  for (const std::string& name : names_) file.write(name + '\n');
}

void PecosWriter::format(const Document& document, std::string& out) {
  if (document.own_id) lose(Loss::kIds);
  append_numbers(document, ',', out);
  out += '\t';
  out += one_line(document.text, Tabs::kStay);
  out += '\n';
}

void NumberedPairWriter::format(const Document& document, std::string& out) {
  if (document.own_id) lose(Loss::kIds);
  out += one_line(document.text, Tabs::kStay);
  out += '\n';
  std::string numbers;
  append_numbers(document, ' ', numbers);
  labels_file_.write(numbers + '\n');
}

void NumberedPairWriter::finish() {
  labels_file_.commit();
  NumberedWriter::finish();
}

}  // namespace otseq2set::inline writing
