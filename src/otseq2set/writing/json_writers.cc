#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/writing/writers.h"

namespace otseq2set::inline writing {

namespace {

// Readers take one pair of angle brackets off a URI, so a label that has them as its own gets another.
std::string in_brackets_if_it_has_some(const std::string& label) {
  return without_brackets(label) == label ? label : '<' + label + '>';
}

// {"id":"d1","text":"...","labels":["fish","trade policy"]}
class JsonlWriter : public DocumentWriter {
 public:
  JsonlWriter(const OutputFiles& files, const char* id_key) : DocumentWriter(files), id_key_(id_key) {}

 private:
  void format(const Document& document, std::string& out) final {
    if (!is_utf8(document.text) || !is_utf8(document.id)) lose(Loss::kBrokenUtf8);
    JsonWriter json(out);
    json.begin_object();
    if (document.own_id) json.field(id_key_, document.id);
    json.field("text", document.text);
    write_labels(document, json);
    json.end_list().end_line();
  }

  // With the beginning of the list.
  virtual void write_labels(const Document& document, JsonWriter& json) {
    json.begin_list("labels");
    for (const std::string& label : document.labels) json.value(label);
  }

  const char* id_key_;
};

// {"document_id":"d1","text":"...","subjects":[{"uri":"http://example.org/fish","label":"Fish"}]}
class AnnifJsonlWriter : public JsonlWriter {
 public:
  explicit AnnifJsonlWriter(const OutputFiles& files) : JsonlWriter(files, "document_id") {}

 private:
  void write_labels(const Document& document, JsonWriter& json) override {
    json.begin_list("subjects");
    for (size_t i = 0; i < document.labels.size(); ++i) {
      json.begin_object().field("uri", in_brackets_if_it_has_some(document.labels[i]));
      if (!document.label_names.empty() && !document.label_names[i].empty()) {
        json.field("label", document.label_names[i]);
      }
      json.end_object();
    }
  }
  bool keeps_display_names() const override { return true; }
};

}  // namespace

std::unique_ptr<DocumentWriter> json_writer(const OutputFiles& files, Format format) {
  if (format == Format::kAnnifJsonl) return std::make_unique<AnnifJsonlWriter>(files);
  return std::make_unique<JsonlWriter>(files, "id");
}

}  // namespace otseq2set::inline writing
