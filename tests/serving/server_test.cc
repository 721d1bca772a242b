// The whole server over real sockets, with a stand-in for the model: everything that has threads runs here,
// and under the thread sanitizer too (./run tsan).
#include "otseq2set/serving/server.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "otseq2set/core/error.h"
#include "serving/running_server.h"

namespace otseq2set::testing {
namespace {

using nlohmann::json;

TEST_F(ServerTest, Predicts) {
  start();
  Client client = connect();
  const Reply reply = client.post("/v1/predict", R"({"documents":[{"id":"d","text":"fish trade"}],"explain":true})");
  EXPECT_EQ(reply.status, 200);
  const json answer = json::parse(reply.body);
  EXPECT_EQ(answer["model"], "words");
  EXPECT_EQ(answer["documents"][0]["id"], "d");
  EXPECT_EQ(answer["documents"][0]["labels"][1]["label"], "trade");
  EXPECT_EQ(answer["documents"][0]["labels"][1]["name"], "the trade");
  EXPECT_EQ(answer["documents"][0]["labels"][1]["score"], 0.75);
  EXPECT_EQ(answer["documents"][0]["labels"][1]["words"][0]["end"], 5);
  // The connection goes on.
  EXPECT_EQ(client.post("/v1/predict", R"({"text":"a b c","model":"other","limit":2})").status, 200);
  EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST_F(ServerTest, SpeaksAnnif) {
  start();
  Client client = connect();
  const json projects = json::parse(client.get("/v1/projects").body);
  EXPECT_EQ(projects["projects"][1]["project_id"], "other");
  EXPECT_EQ(json::parse(client.get("/v1/projects/words").body)["is_trained"], true);
  EXPECT_EQ(client.get("/v1/projects/none").status, 404);

  const std::string form = "application/x-www-form-urlencoded";
  const json hits = json::parse(client.post("/v1/projects/words/suggest", "text=a+b+c+d+e+f&x=y", form).body);
  EXPECT_EQ(hits["results"].size(), 4u);  // the fifth has score 0
  EXPECT_EQ(hits["results"][1], json::parse(R"({"uri":"b","label":"the b","notation":null,"score":0.75})"));
  EXPECT_EQ(json::parse(client.post("/v1/projects/words/suggest", "text=a+b+c&limit=2", form).body)["results"].size(),
            2u);
  EXPECT_EQ(
      json::parse(client.post("/v1/projects/words/suggest", "text=a+b&threshold=0.9", form).body)["results"].size(),
      1u);
  EXPECT_EQ(client.post("/v1/projects/words/suggest", "limit=5", form).status, 400);
  EXPECT_EQ(client.post("/v1/projects/words/suggest", "text=a&limit=five", form).status, 400);
  EXPECT_EQ(client.post("/v1/projects/words/suggest", "text=%ff", form).status, 400);

  const json batch = json::parse(client
                                     .post("/v1/projects/words/suggest-batch?limit=1",
                                           R"({"documents":[{"text":"a b","document_id":"1"},{"text":"c"}]})")
                                     .body);
  EXPECT_EQ(batch[0]["document_id"], "1");
  EXPECT_EQ(batch[0]["results"].size(), 1u);
  EXPECT_EQ(batch[1]["document_id"], nullptr);
}

TEST_F(ServerTest, ProblemsAreToldAsProblems) {
  start();
  const std::vector<std::pair<Reply, int>> replies = {
      {predict("{"), 400},
      {predict(R"({"text":"a","model":"none"})"), 404},
      {connect().post("/v1/predict", "text=a", "text/plain"), 415},
      {connect().get("/v1/predict"), 405},
      {connect().get("/../../etc/passwd"), 404},
      {predict(R"({"text":"fail"})"), 500},
  };
  for (const auto& [reply, status] : replies) {
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_NE(reply.head.find("application/problem+json"), std::string::npos) << reply.head;
    EXPECT_EQ(json::parse(reply.body)["status"], status);
  }
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
}

TEST_F(ServerTest, RequestsThatWaitShareABatch) {
  model_->hold(true);
  start();
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  const auto ask = [&] { answered += predict(R"({"text":"a"})").status == 200; };
  clients.emplace_back(ask);
  wait_for([&] { return measured("otseq2set_batch_documents_count 1"); });  // keeps the worker busy
  for (int i = 0; i < 20; ++i) clients.emplace_back(ask);
  wait_for([&] { return measured("otseq2set_queue_documents 20"); });
  model_->hold(false);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 21);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 20}));
}

TEST_F(ServerTest, WhatTakesLongHasWorkersOfItsOwn) {
  model_->hold(true);
  start();
  std::vector<std::thread> clients;
  const std::string long_text(100000, 'a');
  clients.emplace_back([&] { EXPECT_EQ(predict(R"({"text":")" + long_text + "\"}").status, 200); });
  wait_for([&] { return measured("otseq2set_batch_documents_count 1"); });
  clients.emplace_back([&] { EXPECT_EQ(predict(R"({"text":"a","explain":true,"leave_out":true})").status, 200); });
  std::string many;
  for (int i = 0; i < 20; ++i) many += R"({"text":"c"},)";
  clients.emplace_back([&] { EXPECT_EQ(predict(R"({"documents":[)" + many + R"({"text":"d"}]})").status, 200); });
  EXPECT_EQ(predict(R"({"text":"b","model":"other"})").status, 200);  // by the one worker there is
  model_->hold(false);
  for (std::thread& client : clients) client.join();
}

TEST_F(ServerTest, AFormOfManyFieldsIsRefused) {
  start();
  std::string form = "text=a";
  for (int i = 0; i < 100; ++i) form += "&abcd";
  const Reply reply = connect().post("/v1/projects/words/suggest", form, "application/x-www-form-urlencoded");
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("more than 100 fields"), std::string::npos) << reply.body;
}

TEST_F(ServerTest, TooLittleMemoryIsNoFaultOfTheClient) {
  start();
  const Reply reply = predict(R"({"text":"no memory"})");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.head.find("Retry-After: "), std::string::npos);
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
}

TEST_F(ServerTest, AFullQueueSaysSoAndRecovers) {
  ServerOptions options = quiet_options();
  options.queue = 4;
  options.batching = {1, milliseconds(0)};
  model_->hold(true);
  start(options);
  std::vector<std::thread> clients;
  std::atomic<int> answered{0}, refused{0};
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&] {
      const Reply reply = predict(R"({"text":"a"})");
      answered += reply.status == 200;
      refused += reply.status == 503 && reply.head.find("Retry-After: ") != std::string::npos;
    });
  }
  wait_for([&] { return refused >= 15; });  // 4 wait, and 1 is being answered unless it came too late
  model_->hold(false);
  for (std::thread& client : clients) client.join();
  EXPECT_GE(answered, 4);
  EXPECT_EQ(answered + refused, 20);
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
}

TEST_F(ServerTest, WhoWaitsTooLongHearsItWhateverTheModelDoes) {
  ServerOptions options = quiet_options();
  options.http.answer_time = milliseconds(1000);
  options.batching = {1, milliseconds(0)};
  model_->hold(true);
  start(options);
  Client client = connect();
  const Reply reply = client.post("/v1/predict", R"({"documents":[{"text":"a"},{"text":"b"},{"text":"c"}]})");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.head.find("Retry-After: "), std::string::npos);
  EXPECT_EQ(client.get("/healthz").status, 200);  // and not a late answer
  model_->hold(false);
  wait_for([&] { return client.get("/metrics").body.find("otseq2set_queue_documents 0\n") != std::string::npos; });
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 1}));  // what came too late is not computed
}

TEST_F(ServerTest, TokensAreAskedFor) {
  ServerOptions options = quiet_options();
  options.tokens.add("", "secret");
  start(options);
  const auto with = [&](const std::string& header, const std::string& path = "/v1/projects") {
    Client client = connect();
    client.send("GET " + path + " HTTP/1.1\r\nHost: elsewhere\r\n" + header + "\r\n");
    return client.receive();
  };
  const Reply refused = with("");
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.head.find("WWW-Authenticate: Bearer"), std::string::npos);
  for (const char* wrong : {"secre", "secrets", "Secret", "secretsecret", ""}) {
    EXPECT_EQ(with(std::string("Authorization: Bearer ") + wrong + "\r\n").status, 401) << wrong;
  }
  EXPECT_EQ(with("Authorization: Basic secret\r\n").status, 401);
  EXPECT_EQ(with("Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(with("Authorization: bearer secret\r\n").status, 200);
  EXPECT_EQ(with("", "/metrics").status, 401);
  EXPECT_EQ(with("", "/healthz").status, 200);
  EXPECT_EQ(with("", "/").status, 200);
}

// A page from elsewhere whose name was made to point at this machine.
TEST_F(ServerTest, OtherHostNamesAreRefusedWithoutAToken) {
  start();
  const auto of_host = [&](const std::string& host) {
    Client client = connect();
    client.send("GET /v1/projects HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.receive().status;
  };
  for (const char* host :
       {"localhost", "localhost:8080", "LOCALHOST", "localhost.", "127.0.0.1:1", "[::1]:8080", "[::1]"}) {
    EXPECT_EQ(of_host(host), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8080", "localhost.evil.example", "127.evil.example"}) {
    EXPECT_EQ(of_host(host), 421) << host;
  }
}

// A form on a page from elsewhere, which a browser sends without asking.
TEST_F(ServerTest, PagesOfOtherSitesAreRefusedWithoutAToken) {
  start();
  const auto posted = [&](const std::string& header) {
    Client client = connect();
    client.send("POST /v1/projects/words/suggest HTTP/1.1\r\nHost: localhost\r\n" + header +
                "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\ntext=a");
    return client.receive().status;
  };
  EXPECT_EQ(posted("Sec-Fetch-Site: cross-site"), 403);
  EXPECT_EQ(posted("Sec-Fetch-Site: same-origin"), 200);
  // A browser that does not say it.
  EXPECT_EQ(posted("Origin: https://evil.example"), 403);
  EXPECT_EQ(posted("Origin: https://localhost.evil.example:8080"), 403);
  EXPECT_EQ(posted("Origin: null"), 403);
  EXPECT_EQ(posted("Origin: file://"), 403);
  EXPECT_EQ(posted("Origin: http://localhost:8080"), 200);
  EXPECT_EQ(posted("Origin: http://[::1]:8080"), 200);
}

TEST_F(ServerTest, ThePageMayDoLittle) {
  start();
  const Reply page = connect().get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.head.find("Content-Type: text/html; charset=utf-8"), std::string::npos);
  EXPECT_NE(page.head.find("Content-Security-Policy: default-src 'none'; script-src 'self'"), std::string::npos);
  EXPECT_NE(page.head.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_NE(connect().get("/page.js").head.find("text/javascript"), std::string::npos);
  EXPECT_NE(connect().get("/page.css").head.find("text/css"), std::string::npos);
  EXPECT_EQ(json::parse(connect().get("/v1/openapi.json").body)["openapi"], "3.0.3");
}

TEST_F(ServerTest, AnAddressInUse) {
  start();
  ServerOptions options = quiet_options();
  options.http.port = server_->port();
  const auto again = [&] { Server(options, {}, {}); };
  EXPECT_THROW(again(), Error);
  options.http.host = "nowhere.example";
  EXPECT_THROW(again(), UsageError);
}

// Reload and stop while many ask: every request that the server took is answered, by a model old or new.
TEST_F(ServerTest, NothingIsLostByReloadAndStop) {
  ServerOptions options = quiet_options();
  options.workers = 2;
  options.batching = {8, std::chrono::microseconds(500)};
  start(options);
  std::atomic<int> answered{0}, lost{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      try {
        Client client = connect();
        for (;;) {
          const Reply reply = client.post("/v1/predict", R"({"model":"other","text":"x"})");
          if (reply.status != 200) {
            ++lost;
            return;
          }
          ++answered;
          if (reply.head.find("Connection: close") != std::string::npos) return;
        }
      } catch (const std::runtime_error&) {
        ++lost;
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    server_->reload();
    std::this_thread::sleep_for(milliseconds(10));
  }
  wait_for([&] { return answered > 50; });
  server_->stop();
  for (std::thread& client : clients) client.join();
  server_->wait();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(loaded_, 11);
  EXPECT_THROW(connect(), std::runtime_error);
}

}  // namespace
}  // namespace otseq2set::testing
