// The whole server over real sockets, with a stand-in for the model: everything that has threads runs here,
// and under the thread sanitizer too (./run tsan).
#include "otseq2set/serving/server.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "otseq2set/core/error.h"
#include "serving/client.h"
#include "serving/stand_in.h"

namespace otseq2set::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

ServerOptions quiet_options() {
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
  Reply predict(const std::string& body) const { return connect().post("/v1/predict", body); }

  std::shared_ptr<StandIn> model_ = std::make_shared<StandIn>();
  std::atomic<int> loaded_{0};
  std::unique_ptr<Server> server_;
};

void wait_for(const std::function<bool()>& condition) {
  const auto last = Clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    ASSERT_LT(Clock::now(), last);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_F(ServerTest, Predicts) {
  start();
  Client client = connect();
  const Reply reply =
      client.post("/v1/predict", R"({"documents":[{"id":"d","text":"fish trade"}],"explain":true})");
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
  EXPECT_EQ(json::parse(client.post("/v1/projects/words/suggest", "text=a+b+c&limit=2", form).body)["results"]
                .size(),
            2u);
  EXPECT_EQ(
      json::parse(client.post("/v1/projects/words/suggest", "text=a+b&threshold=0.9", form).body)["results"]
          .size(),
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
  const auto measured = [&](const std::string& line) {
    return connect().get("/metrics").body.find(line + "\n") != std::string::npos;
  };
  clients.emplace_back(ask);
  wait_for([&] { return measured("otseq2set_batch_documents_count 1"); });  // keeps the worker busy
  for (int i = 0; i < 20; ++i) clients.emplace_back(ask);
  wait_for([&] { return measured("otseq2set_queue_documents 20"); });
  model_->hold(false);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 21);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 20}));
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
  options.http.answer_time = milliseconds(50);
  options.batching = {1, milliseconds(0)};
  model_->hold(true);
  start(options);
  Client client = connect();
  const Reply reply = client.post("/v1/predict", R"({"documents":[{"text":"a"},{"text":"b"},{"text":"c"}]})");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.head.find("Retry-After: "), std::string::npos);
  EXPECT_EQ(client.get("/healthz").status, 200);  // and not a late answer
  model_->hold(false);
  wait_for(
      [&] { return client.get("/metrics").body.find("otseq2set_queue_documents 0\n") != std::string::npos; });
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 1}));  // what came too late is not computed
}

TEST_F(ServerTest, TokensAreAskedFor) {
  ServerOptions options = quiet_options();
  options.token = "secret";
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
  for (const char* host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "127.evil.example"}) {
    EXPECT_EQ(of_host(host), 421) << host;
  }
}

// A form on a page from elsewhere, which a browser sends without asking.
TEST_F(ServerTest, PagesOfOtherSitesAreRefusedWithoutAToken) {
  start();
  const auto posted = [&](const std::string& site) {
    Client client = connect();
    client.send("POST /v1/projects/words/suggest HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: " + site +
                "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\ntext=a");
    return client.receive().status;
  };
  EXPECT_EQ(posted("cross-site"), 403);
  EXPECT_EQ(posted("same-origin"), 200);
}

TEST_F(ServerTest, OddRequests) {
  start();
  const auto answer = [&](const std::string& bytes) {
    Client client = connect();
    client.send(bytes);
    return client.receive();
  };
  const std::string post =
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  EXPECT_EQ(answer("GET http://localhost:80/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_EQ(answer("GET http://evil.example/v1/projects HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 421);
  EXPECT_EQ(answer("GET /healthz HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(answer("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n").status, 400);
  EXPECT_EQ(answer("GET /healthz HTTP/1.0\r\n\r\n").status, 200);
  const Reply kept = answer("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(kept.head.find("Connection: keep-alive"), std::string::npos) << kept.head;
  EXPECT_NE(kept.head.find(" GMT\r\n"), std::string::npos) << kept.head;
  const Reply packed = answer(post + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b");
  EXPECT_EQ(packed.status, 415);
  EXPECT_NE(packed.head.find("Accept-Encoding: identity"), std::string::npos);
  EXPECT_EQ(answer(post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n").status, 501);
}

TEST_F(ServerTest, ThePageMayDoLittle) {
  start();
  const Reply page = connect().get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.head.find("Content-Type: text/html; charset=utf-8"), std::string::npos);
  EXPECT_NE(page.head.find("Content-Security-Policy: default-src 'none'; script-src 'self'"),
            std::string::npos);
  EXPECT_NE(page.head.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_NE(connect().get("/page.js").head.find("text/javascript"), std::string::npos);
  EXPECT_NE(connect().get("/page.css").head.find("text/css"), std::string::npos);
  EXPECT_EQ(json::parse(connect().get("/v1/openapi.json").body)["openapi"], "3.0.3");
}

TEST_F(ServerTest, HeadHasNoBody) {
  start();
  const std::string get_body = connect().get("/healthz").body;
  Client client = connect();
  const std::string rest = " /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send("HEAD" + rest + "GET" + rest);
  const Reply reply = client.receive();
  EXPECT_NE(reply.head.find("Content-Length: " + std::to_string(get_body.size())), std::string::npos);
  EXPECT_EQ(reply.body.substr(0, 15),
            "HTTP/1.1 200 OK");  // already the answer to GET, right behind the header
}

TEST_F(ServerTest, BodiesOverTheLimitAreNotRead) {
  ServerOptions options = quiet_options();
  options.http.max_body = 1000;
  start(options);
  Client announced = connect();
  announced.send(
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "1001\r\n\r\n");
  EXPECT_EQ(announced.receive().status, 413);
  EXPECT_TRUE(announced.closed());

  Client chunked = connect();
  chunked.send(
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n");
  for (int i = 0; i < 200; ++i) chunked.send("a\r\n0123456789\r\n");
  EXPECT_EQ(chunked.receive().status, 413);

  EXPECT_EQ(predict(R"({"text":")" + std::string(900, 'a') + "\"}").status, 200);
}

TEST_F(ServerTest, BodiesShareTheirMemory) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  start(options);
  const std::string head =
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "800000\r\n\r\n";
  {
    Client first = connect(), second = connect();
    first.send(head + "{");
    std::this_thread::sleep_for(milliseconds(100));
    second.send(head);
    EXPECT_EQ(second.receive().status, 503);
    EXPECT_EQ(predict(R"({"text":"a"})").status, 200);  // small ones are not kept out
    EXPECT_NE(connect().get("/metrics").body.find(R"({route="POST /v1/predict",status="503"} 1)"),
              std::string::npos);
  }
  wait_for([&] {
    return connect().post("/v1/predict", R"({"text":")" + std::string(780000, 'a') + "\"}").status == 200;
  });
}

TEST_F(ServerTest, WhatIsNoHttpIsToldSo) {
  ServerOptions options = quiet_options();
  options.http.idle_time = options.http.transfer_time = milliseconds(300);
  start(options);
  const auto answer = [&](const std::string& bytes) {
    Client client = connect();
    client.send(bytes);
    return client.receive().status;
  };
  EXPECT_EQ(answer("hello\r\n\r\n"), 400);
  EXPECT_EQ(answer("GET / HTTP/9.9\r\n\r\n"), 400);
  EXPECT_EQ(answer("GET /\r\n\r\n"), 400);
  EXPECT_EQ(answer(std::string("\0\1\2\3\r\n\r\n", 8)), 400);
  EXPECT_EQ(answer("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\nContent-Length: x\r\n\r\n"),
            400);
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHos"), 408);
  EXPECT_EQ(answer("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\nContent-Length: 10\r\n\r\n{"),
            408);
  Client silent = connect();
  EXPECT_TRUE(silent.closed());
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
}

TEST_F(ServerTest, ASlowSenderIsNotKeptByItsBytes) {
  ServerOptions options = quiet_options();
  options.http.transfer_time = milliseconds(400);
  start(options);
  Client slow = connect();
  slow.send("GET / HTTP/1.1\r\n");
  const auto begin = Clock::now();
  std::thread sender([&] {
    for (int i = 0; i < 20 && slow.send("X: y\r\n"); ++i) std::this_thread::sleep_for(milliseconds(100));
  });
  EXPECT_EQ(slow.receive().status, 408);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  sender.join();
}

// Clients that go on sending, as fast as they can, what was refused.
TEST_F(ServerTest, StopsWhateverIsSent) {
  ServerOptions options = quiet_options();
  options.http.max_body = 1000;
  start(options);
  std::vector<std::thread> senders;
  std::atomic<int> refused{0};
  for (int i = 0; i < 8; ++i) {
    senders.emplace_back([&] {
      Client client = connect();
      client.send(
          "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
          "application/json\r\nContent-Length: 99999999999\r\n\r\n");
      refused += client.receive().status == 413;
      const auto end = Clock::now() + std::chrono::seconds(30);
      const std::string bytes(1 << 16, 'x');
      while (client.send(bytes) && Clock::now() < end) continue;
      EXPECT_LT(Clock::now(), end);
    });
  }
  wait_for([&] { return refused == 8; });
  server_->stop();
  server_->wait();
  for (std::thread& sender : senders) sender.join();
}

TEST_F(ServerTest, ContinuesWhenAsked) {
  start();
  Client client = connect();
  client.send(
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "12\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send(R"({"text":"a"})");
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(ServerTest, ClientsThatLeaveDoNoHarm) {
  model_->hold(true);
  start();
  for (int i = 0; i < 20; ++i) {
    Client client = connect();
    client.send(
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        "12\r\n\r\n");
    if (i % 2 == 0) client.send(R"({"text":"a"})");
  }
  model_->hold(false);
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
  wait_for(
      [&] { return connect().get("/metrics").body.find("otseq2set_connections 1\n") != std::string::npos; });
}

TEST_F(ServerTest, ConnectionsBeyondTheLimitWait) {
  ServerOptions options = quiet_options();
  options.http.max_connections = 2;
  start(options);
  auto first = std::make_unique<Client>(server_->port()), second = std::make_unique<Client>(server_->port());
  EXPECT_EQ(first->get("/healthz").status, 200);
  EXPECT_EQ(second->get("/healthz").status, 200);
  std::atomic<bool> answered{false};
  std::thread third([&] {
    EXPECT_EQ(connect().get("/healthz").status, 200);
    answered = true;
  });
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_FALSE(answered);
  first.reset();
  third.join();
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

TEST_F(ServerTest, StopsAtOnceWhenNothingIsUnderWay) {
  start();
  const Client idle = connect();
  std::this_thread::sleep_for(milliseconds(50));
  const auto begin = Clock::now();
  server_->stop();
  server_->wait();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3));
  EXPECT_TRUE(idle.closed());
}

}  // namespace
}  // namespace otseq2set::testing
