// The two kinds of JSON lines; they hold every text.
#pragma once

#include "otseq2set/writing/document_writer.h"

namespace otseq2set::inline writing {

// {"id":"d1","text":"...","labels":["fish","trade policy"]}
class JsonlWriter : public DocumentWriter {
 public:
  explicit JsonlWriter(const OutputFiles& files) : DocumentWriter(files) {}

 private:
  void format(const Document& document, std::string& out) override;
};

// {"document_id":"d1","text":"...","subjects":[{"uri":"http://example.org/fish","label":"Fish"}]}
class AnnifJsonlWriter : public DocumentWriter {
 public:
  explicit AnnifJsonlWriter(const OutputFiles& files) : DocumentWriter(files) {}

 private:
  void format(const Document& document, std::string& out) override;
  bool keeps_display_names() const override { return true; }
};

}  // namespace otseq2set::inline writing
