#include "otseq2set/http/problem.h"

#include <boost/beast/http/status.hpp>

#include "otseq2set/text/json_writer.h"

namespace otseq2set::inline http {

HttpResponse problem_response(int status, std::string_view detail) {
  HttpResponse response{.status = status, .content_type = "application/problem+json"};
  JsonWriter json(response.body);
  const auto title = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  json.begin_object().field("type", "about:blank").field("title", std::string_view(title.data(), title.size()));
  json.field("status", status).field("detail", detail).end_object();
  return response;
}

HttpResponse Problem::response() const {
  HttpResponse response = problem_response(status_, what());
  response.headers = headers_;
  return response;
}

HttpResponse busy_response(std::string_view detail) {
  HttpResponse response = problem_response(503, detail);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace otseq2set::inline http
