#include "otseq2set/writing/json_writers.h"

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/json_string.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline writing {

namespace {

// {"id":"d1","text":"...",
void begin_object(const Document& document, const char* id_key, std::string& out) {
  out += '{';
  if (document.own_id) {
    out += id_key;
    append_json_string(out, document.id);
    out += ',';
  }
  out += "\"text\":";
  append_json_string(out, document.text);
}

// Readers take one pair of angle brackets off a URI, so a label that has them as its own gets another.
std::string in_brackets_if_it_has_some(const std::string& label) {
  return without_brackets(label) == label ? label : '<' + label + '>';
}

bool is_broken(const Document& document) { return !is_utf8(document.text) || !is_utf8(document.id); }

}  // namespace

void JsonlWriter::format(const Document& document, std::string& out) {
  if (is_broken(document)) lose(Loss::kBrokenUtf8);
  begin_object(document, "\"id\":", out);
  out += ",\"labels\":[";
  for (size_t i = 0; i < document.labels.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, document.labels[i]);
  }
  out += "]}\n";
}

void AnnifJsonlWriter::format(const Document& document, std::string& out) {
  if (is_broken(document)) lose(Loss::kBrokenUtf8);
  begin_object(document, "\"document_id\":", out);
  out += ",\"subjects\":[";
  for (size_t i = 0; i < document.labels.size(); ++i) {
    out += i > 0 ? ",{\"uri\":" : "{\"uri\":";
    append_json_string(out, in_brackets_if_it_has_some(document.labels[i]));
    if (!document.label_names.empty() && !document.label_names[i].empty()) {
      out += ",\"label\":";
      append_json_string(out, document.label_names[i]);
    }
    out += '}';
  }
  out += "]}\n";
}

}  // namespace otseq2set::inline writing
