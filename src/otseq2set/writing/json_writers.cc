#include "otseq2set/writing/json_writers.h"

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline writing {

namespace {

// {"id":"d1","text":"..."
void begin_document(JsonWriter& json, const char* id_key, const Document& document) {
  json.begin_object();
  if (document.own_id) json.field(id_key, document.id);
  json.field("text", document.text);
}

// Readers take one pair of angle brackets off a URI, so a label that has them as its own gets another.
std::string in_brackets_if_it_has_some(const std::string& label) {
  return without_brackets(label) == label ? label : '<' + label + '>';
}

bool is_broken(const Document& document) { return !is_utf8(document.text) || !is_utf8(document.id); }

}  // namespace

void JsonlWriter::format(const Document& document, std::string& out) {
  if (is_broken(document)) lose(Loss::kBrokenUtf8);
  JsonWriter json(out);
  begin_document(json, "id", document);
  json.begin_list("labels");
  for (const std::string& label : document.labels) json.value(label);
  json.end_list().end_line();
}

void AnnifJsonlWriter::format(const Document& document, std::string& out) {
  if (is_broken(document)) lose(Loss::kBrokenUtf8);
  JsonWriter json(out);
  begin_document(json, "document_id", document);
  json.begin_list("subjects");
  for (size_t i = 0; i < document.labels.size(); ++i) {
    json.begin_object().field("uri", in_brackets_if_it_has_some(document.labels[i]));
    if (!document.label_names.empty() && !document.label_names[i].empty()) {
      json.field("label", document.label_names[i]);
    }
    json.end_object();
  }
  json.end_list().end_line();
}

}  // namespace otseq2set::inline writing
