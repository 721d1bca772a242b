// POST /v1/predict: documents in, their label sets out.
//
//   {"model":"debtags","documents":[{"id":"d1","text":"..."}],"threshold":0.5,"limit":10,"explain":true}
//   {"text":"..."}
//
//   {"model":"debtags","documents":[{"id":"d1","words_total":305,"words_read":100,"words_unknown":3,"cut":612,
//     "labels":[{"label":"http://example.org/fish","name":"Fish","score":0.93,
//      "words":[{"begin":4,"end":8,"weight":0.7}]}]}]}
//
// Everything but the documents may be left out. Without threshold and limit, the answer is the model's set.
// With "leave_out" besides "explain", words have a "fall": what the label's score loses without them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/http/router.h"
#include "otseq2set/serving/suggestion_service.h"

namespace otseq2set::inline serving {

struct PredictRequest {
  std::string model;             // empty: the first
  std::vector<std::string> ids;  // its place, from 1, where a document has none
  std::vector<Question> questions;
};

constexpr size_t kMostDocuments = 256;  // in one request
constexpr size_t kMostLeaveOut = 16;    // with leave_out, which costs a hundred predictions a document

// Throws a Problem that names what is wrong.
PredictRequest parse_predict_request(std::string_view body);

std::string write_predict_answer(std::string_view model, const std::vector<std::string>& ids,
                                 const std::vector<Suggestion>& suggestions, bool explain);

// The service must outlive the router.
void add_predict_api(Router& router, SuggestionService& service);

}  // namespace otseq2set::inline serving
