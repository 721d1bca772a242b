// A server on a port of its own with two models, "words" and "other", both stand-ins; it stops with the test.
#pragma once

#include <gtest/gtest.h>

#include "otseq2set/serving/server.h"
#include "serving/client.h"
#include "serving/stand_in.h"

namespace otseq2set::testing {

using std::chrono::milliseconds;

inline ServerOptions quiet_options() {
  ServerOptions options;
  options.http.port = 0;
  options.access_log = "off";
  return options;
}

class ServerTest : public ::testing::Test {
 protected:
  ~ServerTest() override {
    if (server_) server_->stop();
    model_->hold(false);
  }
  void start(const ServerOptions& options = quiet_options()) {
    server_ = std::make_unique<Server>(options, std::vector<ModelPlace>{{"words", "w"}, {"other", "o"}},
                                       [this](const std::string& folder) -> std::shared_ptr<const Suggester> {
                                         if (folder == "w") return model_;
                                         return std::make_shared<StandIn>(std::to_string(loaded_++) + "-");
                                       });
    server_->run();
  }
  Client connect() const { return Client(server_->port()); }
  bool measured(const std::string& line) const {
    return connect().get("/metrics").body.find(line + "\n") != std::string::npos;
  }
  Reply predict(const std::string& body) const { return connect().post("/v1/predict", body); }

  std::shared_ptr<StandIn> model_ = std::make_shared<StandIn>();
  std::atomic<int> loaded_{0};
  std::unique_ptr<Server> server_;
};

inline void wait_for(const std::function<bool()>& condition) {
  const auto last = Clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    ASSERT_LT(Clock::now(), last);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

}  // namespace otseq2set::testing
