// The way from a request that was read to its suggestions: finds the model, puts the documents into the
// queue, and answers when they are all done. What both interfaces, ours and Annif's, share.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/http/http_message.h"
#include "otseq2set/serving/model_store.h"
#include "otseq2set/serving/request_queue.h"

namespace otseq2set::inline serving {

class SuggestionService {
 public:
  // Labels that an answer has at most, whatever is asked for: an answer with all of a million labels would
  // take more memory than the model.
  static constexpr size_t kMostLabels = 1000;

  // What takes long has a queue of its own, with workers of its own: a request of more than so many documents, a text
  // over so many bytes, which may have a million words, and a document whose words are left out one by one.
  static constexpr size_t kFewDocuments = 8;
  static constexpr size_t kLongText = 64 << 10;

  struct Queues {
    RequestQueue &usual, &slow;
  };

  // All must outlive it.
  SuggestionService(const ModelStore& models, const Queues& queues, std::chrono::milliseconds time_limit)
      : models_(models), queues_(queues), time_limit_(time_limit) {}

  const ModelStore& models() const { return models_; }

  // Throws a Problem, 404, if there is none.
  ServedModel model(std::string_view name) const;

  // Responds with what `write` makes of the suggestions, one a question; or that the server is busy, or that
  // the model failed.
  using Write = std::function<std::string(const std::vector<Suggestion>&)>;
  void suggest(const ServedModel& model, std::vector<Question> questions, Write write, const Respond& respond);

 private:
  void push(std::vector<QueuedDocument> documents, RequestQueue& queue);

  const ModelStore& models_;
  Queues queues_;
  std::chrono::milliseconds time_limit_;
};

}  // namespace otseq2set::inline serving
