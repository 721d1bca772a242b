#include "otseq2set/serving/server.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/serving/annif_api.h"
#include "otseq2set/serving/predict_api.h"
#include "otseq2set/serving/problem.h"
#include "otseq2set/serving/static_files.h"
#include "otseq2set/text/json_string.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set {

namespace {

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |=
        static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i % secret.size()]);
  }
  return difference == 0;
}

std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return host;
  return host.substr(0, colon);
}

bool is_dotted_number(std::string_view name) {
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// application/json; charset=utf-8 is application/json.
bool has_type(std::string_view content_type, std::string_view wanted) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  for (char& c : type) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return type == wanted;
}

std::string health(const ModelStore& models) {
  std::string out = R"({"status":"ok","models":[)";
  for (const ServedModel& model : models.all()) {
    if (out.back() != '[') out += ',';
    out += R"({"name":)";
    append_json_string(out, model.name);
    out += fmt::format(R"(,"labels":{}}})", model.suggester->label_count());
  }
  return out + "]}";
}

}  // namespace

Server::Server(const ServerOptions& options, std::vector<ModelPlace> models, ModelStore::Load load)
    : options_(options),
      log_(options.access_log),
      models_(std::move(models), std::move(load)),
      queue_(options.batching, options.queue),
      http_(options.http, *this) {
  add_routes();
}

Server::~Server() { wait(); }

void Server::add_routes() {
  router_.add({"GET", "/healthz", "", /*open=*/true,
               [this](const Call&, const Respond& respond) { respond(json_response(health(models_))); }});
  router_.add({"GET", "/metrics", "", /*open=*/false, [this](const Call&, const Respond& respond) {
                 HttpResponse response;
                 response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                 response.body = metrics_.text(queue_.size());
                 respond(std::move(response));
               }});
  add_predict_api(router_, service_);
  add_annif_api(router_, service_);
  add_static_files(router_);
}

// Without a token only this machine is served. Its browsers too, and a page from elsewhere can make its own
// name point here; the name that the browser sends gives it away.
void Server::check_host(const std::string& host) const {
  const std::string_view name = without_port(host);
  const bool local = name.empty() || name == "localhost" || name == "[::1]" || name == options_.http.host ||
                     (name.substr(0, 4) == "127." && is_dotted_number(name));
  if (!options_.token.empty() || local) return;
  refuse(421, "this server goes by the name of localhost, not by '{}'", excerpt(name));
}

void Server::check_token(const std::string& authorization) const {
  if (options_.token.empty()) return;
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.substr(0, kScheme.size()) == kScheme &&
      same_secret(std::string_view(authorization).substr(kScheme.size()), options_.token)) {
    return;
  }
  throw Problem(401, "the header 'Authorization: Bearer TOKEN' with the server's token is needed",
                {{"WWW-Authenticate", "Bearer"}});
}

std::optional<HttpResponse> Server::refuse_head(const HttpRequest& head) {
  std::string route;
  try {
    check_host(head.host);
    const Router::Match match = router_.find(head.method, head.path);
    route = match.route->name();
    if (!match.route->open) check_token(head.authorization);
    const std::string& type = match.route->content_type;
    if (!type.empty() && !has_type(head.content_type, type)) {
      refuse(415, "the body has the type '{}'; {} is expected", excerpt(head.content_type), type);
    }
  } catch (const Problem& problem) {
    HttpResponse response = problem.response();
    response.route = route;
    return response;
  }
  return std::nullopt;
}

void Server::answer(HttpRequest request, Respond respond) {
  const Router::Match match = router_.find(request.method, request.path);  // refuse_head has found it before
  const Respond respond_for_route = [name = match.route->name(), respond](HttpResponse response) {
    response.route = name;
    respond(std::move(response));
  };
  try {
    match.route->handle({std::move(request), match.captured}, respond_for_route);
  } catch (const Problem& problem) {
    respond_for_route(problem.response());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}: {}\n", match.route->name(), error.what());
    respond_for_route(problem_response(500, "the server failed; its log says why"));
  }
}

void Server::finished(const Exchange& exchange) {
  metrics_.request(exchange.route, exchange.status, exchange.seconds, exchange.documents);
  log_.write(exchange);
}

void Server::reload() {
  try {
    log_.reopen();
  } catch (const Error& error) {
    fmt::print(stderr, "warning: {}; the old access log goes on\n", error.what());
  }
  models_.reload([this](const std::string& name, const std::string& error) {
    metrics_.reload(error.empty());
    if (error.empty()) {
      fmt::print(stderr, "loaded {} again\n", name);
    } else {
      fmt::print(stderr, "warning: {}; the {} that was loaded before goes on\n", error, name);
    }
  });
}

}  // namespace otseq2set
