#include "otseq2set/serving/annif_api.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "otseq2set/http/problem.h"
#include "otseq2set/http/url.h"
#include "otseq2set/serving/json_request.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline serving {

namespace {

constexpr size_t kUsualLimit = 10;

using Fields = std::map<std::string, std::string>;

std::optional<double> number(const Fields& fields, const char* name) {
  const auto field = fields.find(name);
  if (field == fields.end()) return std::nullopt;
  const std::string& text = field->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(400, "\"{}\" is '{}', not a number", name, excerpt(text));
  }
  return value;
}

Question manner(const Fields& fields) {
  Question question;
  const std::optional<double> limit = number(fields, "limit");
  question.limit = limit ? checked_limit(*limit) : kUsualLimit;
  question.threshold = checked_threshold(number(fields, "threshold").value_or(0));
  return question;
}

void write_project(JsonWriter& json, const ServedModel& model) {
  json.begin_object().field("project_id", model.name).field("name", model.name);
  // A model may be trained on any language, or several: the code of ISO 639 for one that is not determined.
  json.field("language", "und");
  json.key("backend").begin_object().field("backend_id", "otseq2set").end_object().field("is_trained", true);
  json.field("modification_time", fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(model.modified)));
  json.end_object();
}

void write_results(JsonWriter& json, const Suggestion& suggestion) {
  json.begin_list("results");
  for (const SuggestedLabel& label : suggestion.labels) {
    if (!(label.score > 0)) continue;
    json.begin_object().field("uri", label.label).field("label", label.name).field("notation", nullptr);
    json.field("score", label.score).end_object();
  }
  json.end_list();
}

std::string projects(const ModelStore& models) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().begin_list("projects");
  for (const ServedModel& model : models.all()) write_project(json, model);
  json.end_list().end_object();
  return out;
}

void suggest(SuggestionService& service, const Call& call, const Respond& respond) {
  const ServedModel model = service.model(call.captured[0]);
  Fields fields = parse_form(call.request.body);
  const auto text = fields.find("text");
  if (text == fields.end()) refuse(400, "the form has no field \"text\"");
  if (!is_utf8(text->second)) refuse(400, "the text is not UTF-8");
  std::vector<Question> questions = {manner(fields)};
  questions[0].text = std::move(text->second);
  const auto write = [](const std::vector<Suggestion>& suggestions) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    write_results(json, suggestions.front());
    json.end_object();
    return out;
  };
  service.suggest(model, std::move(questions), write, respond);
}

struct BatchRequest {
  std::vector<std::optional<std::string>> ids;
  std::vector<Question> questions;
};

BatchRequest parse_batch(std::string_view body, const Question& manner) {
  const JsonRequest json(body);
  const auto documents = optional_array(json.object(), "documents");
  if (!documents) refuse(400, "the list \"documents\" is missing");
  if (documents->size() > kMostDocumentsOfAnnif) {
    refuse(400, "more than {} documents in a request", kMostDocumentsOfAnnif);
  }
  BatchRequest request;
  for (const simdjson::dom::element element : *documents) {
    simdjson::dom::object document;
    if (element.get(document)) refuse(400, "a document is not an object with \"text\"");
    std::optional<std::string> text = optional_string(document, "text");
    if (!text) refuse(400, "a document has no \"text\"");
    request.ids.push_back(optional_string(document, "document_id"));
    request.questions.push_back(manner);
    request.questions.back().text = std::move(*text);
  }
  return request;
}

std::string write_batch(const std::vector<std::optional<std::string>>& ids,
                        const std::vector<Suggestion>& suggestions) {
  std::string out;
  JsonWriter json(out);
  json.begin_list();
  for (size_t i = 0; i < suggestions.size(); ++i) {
    json.begin_object().key("document_id");
    ids[i] ? json.value(*ids[i]) : json.value(nullptr);
    write_results(json, suggestions[i]);
    json.end_object();
  }
  json.end_list();
  return out;
}

void suggest_batch(SuggestionService& service, const Call& call, const Respond& respond) {
  const ServedModel model = service.model(call.captured[0]);
  BatchRequest request = parse_batch(call.request.body, manner(parse_form(call.request.query)));
  auto write = [ids = std::move(request.ids)](const std::vector<Suggestion>& suggestions) {
    return write_batch(ids, suggestions);
  };
  service.suggest(model, std::move(request.questions), std::move(write), respond);
}

}  // namespace

void add_annif_api(Router& router, SuggestionService& service) {
  router.add({"GET", "/v1/projects", "", /*open=*/false,
              [&service](const Call&, const Respond& respond) { respond(json_response(projects(service.models()))); }});
  router.add(
      {"GET", "/v1/projects/{project_id}", "", /*open=*/false, [&service](const Call& call, const Respond& respond) {
         std::string out;
         JsonWriter json(out);
         write_project(json, service.model(call.captured[0]));
         respond(json_response(std::move(out)));
       }});
  router.add({"POST", "/v1/projects/{project_id}/suggest", "application/x-www-form-urlencoded",
              /*open=*/false,
              [&service](const Call& call, const Respond& respond) { suggest(service, call, respond); }});
  router.add({"POST", "/v1/projects/{project_id}/suggest-batch", "application/json", /*open=*/false,
              [&service](const Call& call, const Respond& respond) { suggest_batch(service, call, respond); }});
}

}  // namespace otseq2set::inline serving
