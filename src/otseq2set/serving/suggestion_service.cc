#include "otseq2set/serving/suggestion_service.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "otseq2set/http/problem.h"
#include "otseq2set/http/tell.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline serving {

namespace {

constexpr const char* kNoMemory = "there is not enough memory for an answer; try again in a moment";

// By so much the documents of a request count as younger one by one: about the time that one takes.
constexpr std::chrono::milliseconds kNextTurn{1};

bool is_slow(const Question& question, size_t documents) {
  return documents > SuggestionService::kFewDocuments || question.leave_out ||
         question.text.size() > SuggestionService::kLongText;
}

void limit_labels(Question& question) {
  constexpr size_t kMost = SuggestionService::kMostLabels;
  if (question.limit || question.threshold) question.limit = std::min(question.limit.value_or(kMost), kMost);
}

// Called by a worker, which an exception would end.
HttpResponse answer(Fate fate, const std::vector<Suggestion>& suggestions, const SuggestionService::Write& write) {
  if (fate == Fate::kTooLate || fate == Fate::kUnwanted) {
    return busy_response("the request waited too long; the server is overloaded");
  }
  if (fate == Fate::kNoMemory) return busy_response(kNoMemory);
  if (fate == Fate::kRefused) return busy_response("the queue is full; try again in a moment");
  try {
    if (fate == Fate::kAnswered) {
      HttpResponse response = json_response(write(suggestions));
      response.items = suggestions.size();
      return response;
    }
  } catch (const std::bad_alloc&) {
    return busy_response(kNoMemory);
  } catch (const std::exception& error) {
    tell("error: an answer could not be written: {}", error.what());
  }
  return problem_response(500, "the model failed; the server's log says why");
}

}  // namespace

ServedModel SuggestionService::model(std::string_view name) const {
  std::optional<ServedModel> model = models_.find(name);
  if (!model) refuse(404, "no model '{}'; the models are {}", excerpt(name), models_.names());
  return std::move(*model);
}

void SuggestionService::suggest(const ServedModel& model, std::vector<Question> questions, Write write,
                                const Respond& respond) {
  const size_t count = questions.size();
  const auto respond_for_model = [respond, name = model.name](HttpResponse response) {
    response.subject = name;
    respond(std::move(response));
  };
  if (count == 0) return respond_for_model(json_response(write({})));
  if (respond.unwanted() && *respond.unwanted()) return respond_for_model(answer(Fate::kUnwanted, {}, write));
  auto done = [respond_for_model, write = std::move(write)](Fate fate, const std::vector<Suggestion>& suggestions) {
    respond_for_model(answer(fate, suggestions, write));
  };
  const auto answers = std::make_shared<PendingAnswers>(count, std::move(done), respond.unwanted());
  const auto now = Clock::now();
  std::vector<QueuedDocument> usual, slow;
  for (size_t i = 0; i < count; ++i) {
    QueuedDocument document;
    document.model = model.suggester;
    document.length = model.suggester->length(questions[i].text);
    document.arrived = now;
    document.turn = now + i * kNextTurn;
    document.deadline = now + time_limit_;
    document.question = std::move(questions[i]);
    limit_labels(document.question);
    document.client = respond.client();
    document.answers = answers;
    document.index = i;
    const bool takes_long = is_slow(document.question, count);
    (takes_long ? slow : usual).push_back(std::move(document));
  }
  push(std::move(usual), queues_.usual);
  push(std::move(slow), queues_.slow);
}

void SuggestionService::push(std::vector<QueuedDocument> documents, RequestQueue& queue) {
  if (documents.empty()) return;
  const std::shared_ptr<PendingAnswers> answers = documents.front().answers;
  const size_t count = documents.size();
  if (queue.push(std::move(documents))) return;
  for (size_t i = 0; i < count; ++i) answers->fail(Fate::kRefused);
}

}  // namespace otseq2set::inline serving
