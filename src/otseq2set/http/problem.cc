#include "otseq2set/http/problem.h"

#include "otseq2set/text/json_writer.h"

namespace otseq2set::inline http {

std::string_view status_title(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

HttpResponse problem_response(int status, std::string_view detail) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  JsonWriter json(response.body);
  json.begin_object().field("type", "about:blank").field("title", status_title(status));
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
