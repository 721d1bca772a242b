#include "otseq2set/serving/server.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/http/problem.h"
#include "otseq2set/http/tell.h"
#include "otseq2set/serving/annif_api.h"
#include "otseq2set/serving/predict_api.h"
#include "otseq2set/serving/static_files.h"
#include "otseq2set/text/ascii_words.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline serving {

namespace {

std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return host;
  return host.substr(0, colon);
}

bool is_dotted_number(std::string_view name) { return name.find_first_not_of("0123456789.") == std::string_view::npos; }

// `host`: with or without a port; `own`: the address that the server listens on.
bool is_this_machine(std::string_view host, const std::string& own) {
  std::string name = lower_ascii(without_port(host));
  if (!name.empty() && name.back() == '.') name.pop_back();
  return name.empty() || name == "localhost" || name == "[::1]" || name == own ||
         (name.starts_with("127.") && is_dotted_number(name));
}

// Of an Origin: http://host:port, or null.
std::string_view host_of(std::string_view origin) {
  const size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
}

// application/json; charset=utf-8 is application/json.
bool has_type(std::string_view content_type, std::string_view wanted) {
  std::string type = lower_ascii(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  return type == wanted;
}

std::string health(const ModelStore& models) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("status", "ok").begin_list("models");
  for (const ServedModel& model : models.all()) {
    json.begin_object().field("name", model.name).field("labels", model.suggester->label_count()).end_object();
  }
  json.end_list().end_object();
  return out;
}

}  // namespace

Server::Server(const ServerOptions& options, std::vector<ModelPlace> models, ModelStore::Load load)
    : options_(options),
      log_(options.access_log),
      models_(std::move(models), std::move(load)),
      http_(options.http, *this) {
  add_routes();
}

Server::~Server() {
  stop();
  wait();
}

// What a model needs of the calling thread, and of those that it starts, is there before anybody asks.
void Server::warm_up() const {
  for (const ServedModel& model : models_.all()) {
    try {
      model.suggester->warm_up();
    } catch (const std::exception& error) {
      tell("warning: {}: {}", model.name, error.what());
    }
  }
}

void Server::add_routes() {
  router_.add({"GET", "/healthz", "", /*open=*/true,
               [this](const Call&, const Respond& respond) { respond(json_response(health(models_))); }});
  router_.add({"GET", "/metrics", "", /*open=*/false, [this](const Call&, const Respond& respond) {
                 respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = metrics_.text({queue_.size() + slow_queue_.size(), queue_.idle(), log_.lost()})});
               }});
  add_predict_api(router_, service_);
  add_annif_api(router_, service_);
  add_static_files(router_);
}

// Without a token only this machine is served. Its browsers too, and a page from elsewhere can make its own
// name point here, or send a form here; what the browser says of it gives it away.
void Server::check_origin(const HttpRequest& head) const {
  if (!options_.tokens.empty()) return;
  const std::string& own = options_.http.host;
  if (!is_this_machine(head.host, own)) {
    refuse(421, "this server answers to the name localhost, not to '{}'", excerpt(head.host));
  }
  const std::string_view origin = host_of(head.origin);
  const bool from_elsewhere =
      head.from_other_site || (!head.origin.empty() && (origin.empty() || !is_this_machine(origin, own)));
  if (from_elsewhere && head.method == "POST") {
    refuse(403, "pages of other sites may not use this server");
  }
}

void Server::check_token(HttpRequest& head) const {
  if (options_.tokens.empty()) return;
  const std::optional<std::string> name = options_.tokens.name_of(head.authorization);
  if (!name) {
    throw Problem(401, "the header 'Authorization: Bearer TOKEN' with the server's token is required",
                  {{"WWW-Authenticate", "Bearer"}});
  }
  head.user = *name;
}

std::optional<HttpResponse> Server::refuse_head(HttpRequest& head) {
  head.remote = proxies_.client(head.remote, head.forwarded_for);
  try {
    check_origin(head);
    const Router::Match match = router_.find(head.method, head.path);
    head.route = match.route->name();
    if (!match.route->open) check_token(head);
    const std::string& type = match.route->content_type;
    if (!type.empty() && !has_type(head.content_type, type)) {
      refuse(415, "the body has the type '{}', but must have the type {}", excerpt(head.content_type), type);
    }
    const std::string coding = lower_ascii(head.content_encoding);
    if (!coding.empty() && coding != "identity") {
      throw Problem(415, fmt::format("the body is compressed with '{}'; send it uncompressed", excerpt(coding)),
                    {{"Accept-Encoding", "identity"}});
    }
  } catch (const Problem& problem) {
    return problem.response();
  }
  return std::nullopt;
}

void Server::answer(HttpRequest request, Respond respond) {
  const std::string route = request.route;
  try {
    const Router::Match match = router_.find(request.method, request.path);  // refuse_head has found it before
    match.route->handle({std::move(request), match.captured}, respond);
  } catch (const Problem& problem) {
    respond(problem.response());
  } catch (const std::bad_alloc&) {
    respond(busy_response("there is not enough memory for this request; try again in a moment"));
  } catch (const std::exception& error) {
    tell("error: {}: {}", route, error.what());
    respond(problem_response(500, "the server failed; its log says why"));
  }
}

void Server::finished(const Exchange& exchange) {
  metrics_.request(exchange.route, exchange.status, exchange.seconds, exchange.items);
  log_.write(exchange);
}

void Server::reload() {
  try {
    log_.reopen();
  } catch (const Error& error) {
    tell("warning: {}; still using the old access log", error.what());
  }
  models_.reload([this](const std::string& name, const std::string& error) {
    metrics_.reload(error.empty());
    if (error.empty()) {
      tell("reloaded {}", name);
    } else {
      tell("warning: {}; still using the {} that was loaded before", error, name);
    }
  });
}

}  // namespace otseq2set::inline serving
