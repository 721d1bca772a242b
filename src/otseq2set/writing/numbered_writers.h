// The formats whose labels are line numbers, from 0, of a file of names.
//
// A file of names that is there already keeps its lines, and new labels come behind them, so that training
// and test data which are converted one after the other have the same numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "otseq2set/writing/document_writer.h"

namespace otseq2set::inline writing {

class NumberedWriter : public DocumentWriter {
 public:
  explicit NumberedWriter(const OutputFiles& files);

 protected:
  void append_numbers(const Document& document, char separator, std::string& out);

 private:
  void write_names(AtomicFile& file) override;
  bool keeps_display_names() const override { return false; }
  size_t number(const std::string& label);

  std::vector<std::string> names_;  // the lines of the file
  StringIndex labels_;
  std::vector<size_t> numbers_;  // of labels_
};

// 0,1,2<TAB>text
class PecosWriter : public NumberedWriter {
 public:
  using NumberedWriter::NumberedWriter;

 private:
  void format(const Document& document, std::string& out) override;
};

// The texts, and the numbers in a file of their own.
class NumberedPairWriter : public NumberedWriter {
 public:
  explicit NumberedPairWriter(const OutputFiles& files) : NumberedWriter(files), labels_file_(files.labels) {}

  void finish() override;

 private:
  void format(const Document& document, std::string& out) override;

  AtomicFile labels_file_;
};

}  // namespace otseq2set::inline writing
