// The whole server: connections, routes, queue, workers, measures and log, around models that somebody loads.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/http/http_server.h"
#include "otseq2set/http/router.h"
#include "otseq2set/http/trusted_proxies.h"
#include "otseq2set/serving/access_log.h"
#include "otseq2set/serving/batching_policy.h"
#include "otseq2set/serving/metrics.h"
#include "otseq2set/serving/model_store.h"
#include "otseq2set/serving/request_queue.h"
#include "otseq2set/serving/suggestion_service.h"
#include "otseq2set/serving/tokens.h"
#include "otseq2set/serving/worker_pool.h"

namespace otseq2set::inline serving {

struct ServerOptions {
  HttpOptions http;
  BatchingOptions batching;
  size_t queue = 256;  // documents that may wait
  size_t workers = 1;
  Tokens tokens;  // without any, none is asked for
  std::string access_log = "-";
};

class Server : private HttpApplication {
 public:
  // Loads the models and listens; answers from `run` on.
  Server(const ServerOptions& options, std::vector<ModelPlace> models, ModelStore::Load load);
  // Stops and waits.
  ~Server() override;

  uint16_t port() const { return http_.port(); }
  const ModelStore& models() const { return models_; }

  void run() { http_.run(); }
  void reload();                 // all models and the log file; says on standard error what came of it
  void stop() { http_.stop(); }  // thread-safe; what was accepted is answered
  void wait() { http_.wait(); }  // until it is

 private:
  std::optional<HttpResponse> refuse_head(HttpRequest& head) override;
  void answer(HttpRequest request, Respond respond) override;
  void finished(const Exchange& exchange) override;
  void connection_opened() override { metrics_.connection_opened(); }
  void connection_closed() override { metrics_.connection_closed(); }
  void connection_given_up() override { metrics_.connection_given_up(); }

  void add_routes();
  void warm_up() const;  // the calling worker
  void check_origin(const HttpRequest& head) const;
  void check_token(HttpRequest& head) const;

  ServerOptions options_;
  TrustedProxies proxies_{options_.http.trusted_proxies};
  Metrics metrics_;
  AccessLog log_;
  ModelStore models_;
  RequestQueue queue_{options_.batching, options_.queue};
  RequestQueue slow_queue_{options_.batching, options_.queue};
  SuggestionService service_{models_, {queue_, slow_queue_}, options_.http.answer_time};
  Router router_;
  HttpServer http_;
  // Last: gone before what they answer to.
  WorkerPool workers_{queue_, metrics_, options_.workers, Priority::kUsual, [this] { warm_up(); }};
  WorkerPool slow_workers_{slow_queue_, metrics_, options_.workers, Priority::kLow, [this] { warm_up(); }};
};

}  // namespace otseq2set::inline serving
