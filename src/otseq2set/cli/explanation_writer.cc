#include "otseq2set/cli/explanation_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "explained_data.inc"  // made by CMake: kStyle, kScript, and their hashes
#include "otseq2set/core/error.h"
#include "otseq2set/text/code_points.h"
#include "otseq2set/text/escaping.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline cli {

namespace {

constexpr float kLargeChange = 0.05F;  // of a score, when a word is left out: shown in bold

// What stands at the place of a WordWeight or NgramReason.
template <typename Place>
std::string_view raw(const Document& document, const Place& place) {
  return std::string_view(document.text).substr(place.begin, place.end - place.begin);
}

template <typename... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

class JsonExplanations : public ExplanationWriter {
 public:
  using ExplanationWriter::ExplanationWriter;

  void write(const Document& document, const Explanation& explanation) override {
    std::string out;
    JsonWriter json(out);
    json.begin_object().field("id", document.id);
    if (document.error.empty()) {
      const CodePoints place(document.text);
      json.field("words_total", explanation.words_total).field("words_read", explanation.words_read);
      if (explanation.cut) json.field("cut", place(*explanation.cut));
      json.begin_list("labels");
      for (const ExplainedLabel& label : explanation.labels) write_label(json, document, label, place);
      json.end_list();
      if (!document.labels.empty()) {
        json.begin_list("true_labels");
        for (const std::string& label : document.labels) json.value(label);
        json.end_list();
      }
    } else {
      json.field("error", document.error);
    }
    json.end_line();
    sink_(out);
  }

 private:
  void write_label(JsonWriter& json, const Document& document, const ExplainedLabel& label,
                   const CodePoints& place) const {
    const int32_t index = label.label.label;
    json.begin_object().field("label", labels_.name(index));
    if (labels_.has_display_name(index)) json.field("name", labels_.display_name(index));
    json.field("score", label.label.score).begin_list("words");
    for (const WordWeight& word : label.words) {
      json.begin_object().field("word", raw(document, word));
      json.field("begin", place(word.begin)).field("end", place(word.end)).field("weight", word.weight);
      if (word.fall) json.field("fall", *word.fall);
      json.end_object();
    }
    json.end_list();
    if (!label.ngrams.empty()) {
      json.begin_list("ngrams");
      for (const NgramReason& ngram : label.ngrams) {
        json.begin_object().field("ngram", raw(document, ngram)).field("begin", place(ngram.begin));
        json.field("end", place(ngram.end)).field("share", ngram.share).end_object();
      }
      json.end_list();
    }
    if (label.neighbours) json.field("neighbours", *label.neighbours);
    if (label.name_in_text) json.field("name_in_text", *label.name_in_text);
    json.end_object();
  }
};

class HtmlExplanations : public ExplanationWriter {
 public:
  using ExplanationWriter::ExplanationWriter;

  void write(const Document& document, const Explanation& explanation) override {
    std::string out;
    if (!begun_) append_beginning(out);
    begun_ = true;
    append(out, "<article class=\"document\">\n<h2>{}</h2>\n", escape_markup(document.id));
    if (document.error.empty()) {
      append_document(out, document, explanation);
    } else {
      append(out, "<p class=\"error\">{}</p>\n", escape_markup(document.error));
    }
    out += "</article>\n";
    sink_(out);
  }

  void finish() override {
    std::string out;
    if (!begun_) append_beginning(out);
    append(out, "</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
    sink_(out);
  }

 private:
  // A word of a label, all its places taken together.
  struct Word {
    std::string_view text;  // as it stands at its heaviest place
    float weight;
    std::optional<float> fall;
  };

  void append_beginning(std::string& out) const {
    append(out,
           "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'; "
           "script-src '{}'; base-uri 'none'; form-action 'none'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<title>Labels and their words</title>\n<style>{}</style>\n</head>\n<body>\n",
           kStyleHash, kScriptHash, kStyle);
    append(out,
           "<main class=\"explained\">\n<header>\n<h1>Labels and their words</h1>\n"
           "<p><span class=\"on-screen\">Point at a label or tap it to see where the model looked when it "
           "chose it. </span>{}</p>\n</header>\n",
           leave_out_ ? "The number after a word is the change in the label's score when the word is left out."
                      : "This is a hint at its reasons, not a proof. For a hybrid model, a second line shows the words "
                        "and the exact numbers that the linear model added up.");
  }

  void append_document(std::string& out, const Document& document, const Explanation& explanation) const {
    out += "<div class=\"columns\">\n<div class=\"reading\">\n";
    append_text(out, document.text, explanation);
    out += "</div>\n<div class=\"side\">\n";
    if (explanation.labels.empty()) {
      out += "<p class=\"nothing\">No labels</p>\n";
    } else {
      out += "<ol class=\"labels\">\n";
      for (const ExplainedLabel& label : explanation.labels) append_label(out, document, label);
      out += "</ol>\n";
    }
    append_missed(out, document, explanation);
    out += "</div>\n</div>\n";
    append_places(out, document, explanation);
  }

  static void append_text(std::string& out, std::string_view text, const Explanation& explanation) {
    if (!explanation.cut) {
      out += "<div class=\"text\" dir=\"auto\">";
      out += escape_markup(text);
      out += "</div>\n";
      return;
    }
    append(out, "<div class=\"text\" dir=\"auto\" data-cut=\"{}\">", CodePoints(text)(*explanation.cut));
    out += escape_markup(text.substr(0, *explanation.cut));
    out += "<span class=\"unread\">";
    out += escape_markup(text.substr(*explanation.cut));
    append(out, "</span></div>\n<p class=\"cut\">The model read the first {} of {} words, not the grey part.</p>\n",
           explanation.words_read, explanation.words_total);
  }

  // Whether the document really has the label, if that is known.
  std::string_view verdict(const Document& document, int32_t label) const {
    if (document.labels.empty()) return "";
    const auto& truth = document.labels;
    const bool right = std::find(truth.begin(), truth.end(), labels_.name(label)) != truth.end();
    return right ? " <span class=\"verdict right\">right</span>" : " <span class=\"verdict wrong\">wrong</span>";
  }

  // Labels that the document really has and that were not predicted.
  void append_missed(std::string& out, const Document& document, const Explanation& explanation) const {
    std::string missed;
    for (const std::string& label : document.labels) {
      const int32_t index = labels_.index(label);
      const auto is_it = [&](const ExplainedLabel& predicted) { return predicted.label.label == index; };
      if (std::any_of(explanation.labels.begin(), explanation.labels.end(), is_it)) continue;
      append(missed, "<li><span dir=\"auto\">{}</span> <span class=\"verdict wrong\">missed{}</span></li>\n",
             escape_markup(index >= 0 ? labels_.display_name(index) : label),
             index >= 0 ? "" : ", unknown to the model");
    }
    if (!missed.empty()) append(out, "<ul class=\"missed\">\n{}</ul>\n", missed);
  }

  void append_label(std::string& out, const Document& document, const ExplainedLabel& label) const {
    append(out,
           "<li><button type=\"button\" class=\"label\" aria-pressed=\"false\">"
           "<span class=\"label-name\" dir=\"auto\">{}{}</span><span class=\"label-score\">{:.2f}</span>"
           "<svg class=\"label-bar\" aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\"/>"
           "<rect class=\"value\" width=\"{:.1f}%\" height=\"100%\"/></svg><span class=\"label-words\">",
           escape_markup(labels_.display_name(label.label.label)), verdict(document, label.label.label),
           label.label.score, 100 * std::clamp(label.label.score, 0.0F, 1.0F));
    for (const Word& word : distinct_words(document, label)) {
      append(out, "<span class=\"word\"><bdi>{}</bdi>", escape_markup(word.text));
      const std::string change = score_change(word);
      if (!change.empty()) {
        const bool large = std::abs(*word.fall) >= kLargeChange;
        append(out, " <span class=\"fall{}\">{}</span>", large ? " large" : "", change);
      }
      out += "</span> ";
    }
    if (!label.ngrams.empty()) out += "</span><span class=\"label-words\">";
    for (const NgramReason& ngram : label.ngrams) {
      append(out, "<span class=\"word\"><bdi>{}</bdi> {:+.2f}</span> ", escape_markup(raw(document, ngram)),
             ngram.share);
    }
    if (label.neighbours > 0 || label.name_in_text > 0) out += "</span><span class=\"label-words\">";
    if (label.neighbours > 0) append(out, "similar documents {:.0f} % ", 100 * *label.neighbours);
    if (label.name_in_text > 0) append(out, "name in the text {:.0f} %", 100 * *label.name_in_text);
    out += "</span></button></li>\n";
  }

  // Empty when it does not show in two digits.
  static std::string score_change(const Word& word) {
    const float hundredths = std::round(word.fall.value_or(0) * 100);
    if (hundredths == 0) return "";
    return fmt::format("{}{:.2f}", hundredths > 0 ? "↓" : "↑", std::abs(hundredths) / 100);
  }

  static std::vector<Word> distinct_words(const Document& document, const ExplainedLabel& label) {
    std::vector<Word> words;
    std::vector<std::string> spellings;
    for (const WordWeight& word : label.words) {
      const std::string spelling = fold_spelling(raw(document, word));
      const auto found = std::find(spellings.begin(), spellings.end(), spelling);
      if (found != spellings.end()) {
        words[static_cast<size_t>(found - spellings.begin())].weight += word.weight;
        continue;
      }
      spellings.push_back(spelling);
      words.push_back({raw(document, word), word.weight, word.fall});
    }
    std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) { return a.weight > b.weight; });
    return words;
  }

  // For the script: [begin, end, weight] of each word of each label. Numbers alone.
  static void append_places(std::string& out, const Document& document, const Explanation& explanation) {
    const CodePoints place(document.text);
    std::string places;
    JsonWriter json(places);
    json.begin_list();
    for (const ExplainedLabel& label : explanation.labels) {
      json.begin_list();
      for (const WordWeight& word : label.words) {
        json.begin_list().value(place(word.begin)).value(place(word.end)).value("{:.4f}", word.weight).end_list();
      }
      json.end_list();
    }
    json.end_list();
    append(out, "<script type=\"application/json\">{}</script>\n", places);
  }

  bool begun_ = false;
};

}  // namespace

const std::vector<std::string>& ExplanationWriter::formats() {
  static const std::vector<std::string> kFormats = {"json", "html"};
  return kFormats;
}

std::unique_ptr<ExplanationWriter> ExplanationWriter::make(const std::string& format, const LabelVocabulary& labels,
                                                           bool leave_out, Sink sink) {
  if (format == "json") return std::make_unique<JsonExplanations>(labels, leave_out, std::move(sink));
  if (format == "html") return std::make_unique<HtmlExplanations>(labels, leave_out, std::move(sink));
  fail_usage("unknown output format '{}'; the formats are {}", format, fmt::join(formats(), ", "));
}

}  // namespace otseq2set::inline cli
