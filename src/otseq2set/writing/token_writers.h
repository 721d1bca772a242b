// The formats whose labels are separated by spaces, so that each is one token: `_` joins its words.
#pragma once

#include "otseq2set/writing/document_writer.h"
#include "otseq2set/writing/label_tokens.h"

namespace otseq2set::inline writing {

class TokenWriter : public DocumentWriter {
 public:
  explicit TokenWriter(const OutputFiles& files) : DocumentWriter(files) {}

  void finish() override;

 protected:
  // All labels of the document, each after `prefix` and before `suffix`, separated by spaces.
  void append_labels(const Document& document, std::string_view prefix, std::string_view suffix,
                     std::string& out);
  std::string_view written(std::string_view label) override { return tokens_.token(label); }

 private:
  LabelTokens tokens_{"--to jsonl"};
};

// __label__fish __label__trade_policy text. A text with a word that begins with __label__ is an Error.
class FastTextWriter : public TokenWriter {
 public:
  using TokenWriter::TokenWriter;

 private:
  void format(const Document& document, std::string& out) override;
};

// [id<TAB>]fish trade_policy<TAB>text
class LibMultiLabelWriter : public TokenWriter {
 public:
  using TokenWriter::TokenWriter;

 private:
  void format(const Document& document, std::string& out) override;
};

// text<TAB><uri1> <uri2>
class AnnifTsvWriter : public TokenWriter {
 public:
  using TokenWriter::TokenWriter;

 private:
  void format(const Document& document, std::string& out) override;
};

// text,subject_uris[,document_id]
class AnnifCsvWriter : public TokenWriter {
 public:
  using TokenWriter::TokenWriter;

 private:
  void format(const Document& document, std::string& out) override;
};

// The texts, and the labels in a file of their own.
class TokenPairWriter : public TokenWriter {
 public:
  explicit TokenPairWriter(const OutputFiles& files) : TokenWriter(files), labels_file_(files.labels) {}

  void finish() override;

 private:
  void format(const Document& document, std::string& out) override;

  AtomicFile labels_file_;
};

}  // namespace otseq2set::inline writing
