// The REST interface of Annif, so that its clients and its `http` backend find here what they know. A project
// is a model.
//
//   GET  /v1/projects                             {"projects":[...]}
//   GET  /v1/projects/{project_id}                {"project_id","name","language","backend","is_trained",...}
//   POST /v1/projects/{project_id}/suggest        form: text, limit (10), threshold (0)
//                                                 {"results":[{"uri","label","notation","score"}]}
//   POST /v1/projects/{project_id}/suggest-batch?limit=&threshold=
//                                                 {"documents":[{"text","document_id"}]}, at most 32
//                                                 [{"document_id","results":[...]}]
//
// As there, fields that are not known are ignored.
#pragma once

#include "otseq2set/http/router.h"
#include "otseq2set/serving/suggestion_service.h"

namespace otseq2set::inline serving {

constexpr size_t kMostDocumentsOfAnnif = 32;

// The service must outlive the router.
void add_annif_api(Router& router, SuggestionService& service);

}  // namespace otseq2set::inline serving
