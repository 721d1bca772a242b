#include "otseq2set/serving/predict_api.h"

#include <utility>

#include "otseq2set/http/problem.h"
#include "otseq2set/serving/json_request.h"
#include "otseq2set/text/json_writer.h"

namespace otseq2set::inline serving {

namespace {

std::string document_id(const simdjson::dom::object& document, size_t place) {
  const auto id = document["id"];
  if (id.error() || id.is_null()) return std::to_string(place);
  if (id.is_int64()) return std::to_string(int64_t(id));
  if (!id.is_string()) refuse(400, "the \"id\" of document {} is neither a string nor a whole number", place);
  return std::string(std::string_view(id));
}

std::string document_text(const simdjson::dom::object& document, size_t place) {
  std::optional<std::string> text = optional_string(document, "text");
  if (!text) refuse(400, "document {} has no \"text\"", place);
  return std::move(*text);
}

void add_documents(const simdjson::dom::array& documents, const Question& manner, PredictRequest& request) {
  for (const simdjson::dom::element element : documents) {
    const size_t place = request.ids.size() + 1;
    if (place > kMostDocuments) refuse(400, "more than {} documents in a request", kMostDocuments);
    simdjson::dom::object document;
    if (element.get(document)) refuse(400, "document {} is not an object with \"id\" and \"text\"", place);
    refuse_other_fields(document, {"id", "text"});
    Question question = manner;
    question.text = document_text(document, place);
    request.ids.push_back(document_id(document, place));
    request.questions.push_back(std::move(question));
  }
}

void write_label(JsonWriter& json, const SuggestedLabel& label, bool explain) {
  json.begin_object().field("label", label.label).field("name", label.name).field("score", label.score);
  if (explain) {
    json.begin_list("words");
    for (const SuggestedWord& word : label.words) {
      json.begin_object().field("begin", word.begin).field("end", word.end).field("weight", word.weight);
      if (word.fall) json.field("fall", *word.fall);
      json.end_object();
    }
    json.end_list();
  }
  if (explain && !label.ngrams.empty()) {
    json.begin_list("ngrams");
    for (const SuggestedNgram& ngram : label.ngrams) {
      json.begin_object().field("begin", ngram.begin).field("end", ngram.end).field("share", ngram.share).end_object();
    }
    json.end_list();
  }
  if (explain && label.neighbours) json.field("neighbours", *label.neighbours);
  if (explain && label.name_in_text) json.field("name_in_text", *label.name_in_text);
  json.end_object();
}

}  // namespace

PredictRequest parse_predict_request(std::string_view body) {
  const JsonRequest json(body);
  const simdjson::dom::object& object = json.object();
  refuse_other_fields(object, {"model", "documents", "text", "threshold", "limit", "explain", "leave_out"});
  PredictRequest request;
  request.model = optional_string(object, "model").value_or("");
  Question manner;
  if (const auto limit = optional_number(object, "limit")) manner.limit = checked_limit(*limit);
  if (const auto threshold = optional_number(object, "threshold")) {
    manner.threshold = checked_threshold(*threshold);
  }
  manner.leave_out = optional_flag(object, "leave_out").value_or(false);
  manner.explain = optional_flag(object, "explain").value_or(false);
  if (manner.leave_out && !manner.explain) refuse(400, "\"leave_out\" needs \"explain\": true");
  const auto documents = optional_array(object, "documents");
  std::optional<std::string> text = optional_string(object, "text");
  if (documents.has_value() == text.has_value()) {
    refuse(400, "expected either \"documents\" or \"text\", not both");
  }
  if (documents) {
    add_documents(*documents, manner, request);
  } else {
    manner.text = std::move(*text);
    request.ids.emplace_back("1");
    request.questions.push_back(std::move(manner));
  }
  if (request.questions.size() > kMostLeaveOut && request.questions.front().leave_out) {
    refuse(400, "more than {} documents in a request with \"leave_out\"", kMostLeaveOut);
  }
  return request;
}

std::string write_predict_answer(std::string_view model, const std::vector<std::string>& ids,
                                 const std::vector<Suggestion>& suggestions, bool explain) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("model", model).begin_list("documents");
  for (size_t i = 0; i < suggestions.size(); ++i) {
    const Suggestion& suggestion = suggestions[i];
    json.begin_object().field("id", ids[i]);
    if (explain) {
      json.field("words_total", suggestion.words_total).field("words_read", suggestion.words_read);
      json.field("words_unknown", suggestion.words_unknown);
    }
    if (suggestion.cut) json.field("cut", *suggestion.cut);
    json.begin_list("labels");
    for (const SuggestedLabel& label : suggestion.labels) write_label(json, label, explain);
    json.end_list().end_object();
  }
  json.end_list().end_object();
  return out;
}

void add_predict_api(Router& router, SuggestionService& service) {
  const auto predict = [&service](const Call& call, const Respond& respond) {
    PredictRequest request = parse_predict_request(call.request.body);
    const ServedModel model = request.model.empty() ? service.models().all().front() : service.model(request.model);
    const bool explain = !request.questions.empty() && request.questions.front().explain;
    auto write = [name = model.name, ids = std::move(request.ids),
                  explain](const std::vector<Suggestion>& suggestions) {
      return write_predict_answer(name, ids, suggestions, explain);
    };
    service.suggest(model, std::move(request.questions), std::move(write), respond);
  };
  router.add({"POST", "/v1/predict", "application/json", /*open=*/false, predict});
}

}  // namespace otseq2set::inline serving
