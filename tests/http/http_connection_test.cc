// What a client may send, and fail to send, over a connection to a whole server (http/http_connection.h).
#include <gtest/gtest.h>

#include "serving/running_server.h"

namespace otseq2set::testing {
namespace {

class HttpConnectionTest : public ServerTest {};

const std::string kPost = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

// Of 780 KB, with a short answer.
std::string large_question() { return R"({"limit":1,"text":"a)" + std::string(780000, ' ') + "\"}"; }

TEST_F(HttpConnectionTest, OddRequests) {
  start();
  const auto answer = [&](const std::string& bytes) {
    Client client = connect();
    client.send(bytes);
    return client.receive();
  };
  EXPECT_EQ(answer("GET http://localhost:80/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_EQ(answer("GET http://evil.example/v1/projects HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 421);
  EXPECT_EQ(answer("GET http://localhost?a/b HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_EQ(answer("GET /healthz HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(answer("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n").status, 400);
  EXPECT_EQ(answer("GET /healthz HTTP/1.0\r\n\r\n").status, 200);
  const Reply kept = answer("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(kept.head.find("Connection: keep-alive"), std::string::npos) << kept.head;
  EXPECT_NE(kept.head.find(" GMT\r\n"), std::string::npos) << kept.head;
  const Reply packed = answer(kPost + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b");
  EXPECT_EQ(packed.status, 415);
  EXPECT_NE(packed.head.find("Accept-Encoding: identity"), std::string::npos);
  const Reply old = answer(
      "POST /v1/predict HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
      "Expect: 100-continue\r\n\r\n{\"text\":\"a\"}");
  EXPECT_EQ(old.status, 200);
}

// Nobody knows where such a body ends: what follows must not be taken for the next request.
TEST_F(HttpConnectionTest, OtherTransferCodingsEndTheConnection) {
  start();
  for (const char* coding : {"gzip, chunked", "gzip", "identity", "chunked, identity"}) {
    Client client = connect();
    client.send(kPost + "Transfer-Encoding: " + coding + "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.receive().status, 501) << coding;
    EXPECT_TRUE(client.closed()) << coding;
  }
}

// Also where something else is wrong with the request.
TEST_F(HttpConnectionTest, OtherTransferCodingsWithoutAHostEndTheConnection) {
  start();
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const char* hosts : {"", "Host: localhost\r\nHost: localhost\r\n"}) {
    Client client = connect();
    client.send(std::string("POST /v1/predict HTTP/1.1\r\n") + hosts + "Transfer-Encoding: x\r\n\r\n" + get);
    EXPECT_EQ(client.receive().status, 501) << hosts;
    EXPECT_TRUE(client.closed()) << hosts;
  }
}

TEST_F(HttpConnectionTest, ClosesWhenAnyFieldAsksForIt) {
  start();
  for (const char* version : {"1.0", "1.1"}) {
    Client client = connect();
    client.send(std::string("GET /healthz HTTP/") + version +
                "\r\nHost: localhost\r\nConnection: keep-alive\r\nConnection: x, close\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200) << version;
    EXPECT_TRUE(client.closed()) << version;
  }
}

TEST_F(HttpConnectionTest, HeadHasNoBody) {
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

TEST_F(HttpConnectionTest, BodiesOverTheLimitAreNotRead) {
  ServerOptions options = quiet_options();
  options.http.max_body = 1000;
  start(options);
  Client announced = connect();
  announced.send(kPost + "Content-Length: 1001\r\n\r\n");
  EXPECT_EQ(announced.receive().status, 413);
  EXPECT_TRUE(announced.closed());
  EXPECT_NE(connect().get("/metrics").body.find(R"({route="POST /v1/predict",status="413"} 1)"), std::string::npos);

  Client stranger = connect();
  stranger.send("POST /v1/predict HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_EQ(stranger.receive().status, 421);

  Client chunked = connect();
  chunked.send(kPost + "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 200; ++i) chunked.send("a\r\n0123456789\r\n");
  EXPECT_EQ(chunked.receive().status, 413);

  EXPECT_EQ(predict(R"({"text":")" + std::string(900, 'a') + "\"}").status, 200);
}

// A client that has sent this many bytes of a longer body and no more. They have arrived when this returns.
std::unique_ptr<Client> slow_sender(uint16_t port, size_t bytes) {
  auto client = std::make_unique<Client>(port);
  client->send(kPost + "Content-Length: " + std::to_string(bytes + 1) + "\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client->receive().status, 100);
  client->send(std::string(bytes, ' '));
  client->wait_until_taken();
  return client;
}

TEST_F(HttpConnectionTest, HeadersAloneTakeNoMemory) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  start(options);
  std::vector<std::unique_ptr<Client>> announced;
  for (int i = 0; i < 10; ++i) {
    announced.push_back(std::make_unique<Client>(server_->port()));
    announced.back()->send(kPost + "Content-Length: 8000000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(announced.back()->receive().status, 100);
  }
  EXPECT_EQ(predict(large_question()).status, 200);
}

TEST_F(HttpConnectionTest, BodiesShareTheirMemory) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  options.http.slow_time = std::chrono::hours(1);
  start(options);
  const auto first = slow_sender(server_->port(), 800000);
  EXPECT_EQ(predict(large_question()).status, 503);
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);  // small ones are not kept out
  EXPECT_NE(connect().get("/metrics").body.find(R"({route="POST /v1/predict",status="503"} 1)"), std::string::npos);
}

// 30 of 60 KB are twice the memory, although each is small.
TEST_F(HttpConnectionTest, SmallBodiesCountToo) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  options.http.slow_time = std::chrono::hours(1);
  start(options);
  std::vector<std::unique_ptr<Client>> senders;
  for (int i = 0; i < 30; ++i) {
    senders.push_back(std::make_unique<Client>(server_->port()));
    senders.back()->send(kPost + "Content-Length: 60001\r\n\r\n" + std::string(60000, ' '));
  }
  wait_for([&] { return predict(std::string(50000, ' ') + R"({"text":"a"})").status == 503; });
}

TEST_F(HttpConnectionTest, WhatArrivesSlowlyMakesRoomForOthers) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  options.http.slow_time = milliseconds(0);
  start(options);
  const auto slow = slow_sender(server_->port(), 800000);
  EXPECT_EQ(predict(large_question()).status, 200);
  EXPECT_EQ(slow->receive().status, 408);
  EXPECT_TRUE(slow->closed());
}

// Nobody waits for the answer any more, but the text is still in the queue.
TEST_F(HttpConnectionTest, ABodyKeepsItsMemoryWhileItWaits) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 1000000;
  options.http.answer_time = milliseconds(500);
  model_->hold(true);
  start(options);
  EXPECT_NE(predict(large_question()).body.find("no answer in time"), std::string::npos);
  EXPECT_NE(predict(large_question()).body.find("not enough memory for more requests"), std::string::npos);
  model_->hold(false);
  wait_for([&] { return predict(large_question()).status == 200; });
}

TEST_F(HttpConnectionTest, AnswersShareTheirMemoryToo) {
  ServerOptions options = quiet_options();
  options.http.body_memory = 250000;
  options.http.slow_time = std::chrono::hours(1);
  start(options);
  const auto slow = slow_sender(server_->port(), 150000);
  std::string words;
  for (int i = 0; i < 1000; ++i) words += std::string(60, 'a') + " ";
  const Reply reply = predict(R"({"documents":[{"text":")" + words + R"("}],"limit":1000})");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("not enough memory for an answer this long"), std::string::npos)
      << reply.body.substr(0, 200);
}

TEST_F(HttpConnectionTest, WhatIsNoHttpIsToldSo) {
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
  EXPECT_EQ(answer(kPost + "Content-Length: x\r\n\r\n"), 400);
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHos"), 408);
  EXPECT_EQ(answer(kPost + "Content-Length: 10\r\n\r\n{"), 408);
  Client silent = connect();
  EXPECT_TRUE(silent.closed());
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
}

TEST_F(HttpConnectionTest, ASlowSenderIsNotKeptByItsBytes) {
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
TEST_F(HttpConnectionTest, StopsWhateverIsSent) {
  ServerOptions options = quiet_options();
  options.http.max_body = 1000;
  start(options);
  std::vector<std::thread> senders;
  std::atomic<int> refused{0};
  for (int i = 0; i < 8; ++i) {
    senders.emplace_back([&] {
      Client client = connect();
      client.send(kPost + "Content-Length: 99999999999\r\n\r\n");
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

// Connections whose time ends just when the server stops.
TEST_F(HttpConnectionTest, StopsWhileIdleConnectionsEnd) {
  for (int round = 0; round < 10; ++round) {
    ServerOptions options = quiet_options();
    options.http.idle_time = milliseconds(100);
    start(options);
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < 100; ++i) idle.push_back(std::make_unique<Client>(server_->port()));
    std::this_thread::sleep_for(milliseconds(90 + 2 * round));
    const auto begin = Clock::now();
    server_->stop();
    server_->wait();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  }
}

TEST_F(HttpConnectionTest, ContinuesWhenAsked) {
  start();
  Client client = connect();
  client.send(kPost + "Content-Length: 12\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send(R"({"text":"a"})");
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(HttpConnectionTest, ClientsThatLeaveDoNoHarm) {
  model_->hold(true);
  start();
  for (int i = 0; i < 20; ++i) {
    Client client = connect();
    client.send(kPost + "Content-Length: 12\r\n\r\n");
    if (i % 2 == 0) client.send(R"({"text":"a"})");
  }
  model_->hold(false);
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
  wait_for([&] { return connect().get("/metrics").body.find("otseq2set_connections 1\n") != std::string::npos; });
}

TEST_F(HttpConnectionTest, AClientThatHasGoneIsNotComputedFor) {
  ServerOptions options = quiet_options();
  options.batching = {1, milliseconds(0)};
  model_->hold(true);
  start(options);
  const Client stays = connect();
  const std::string question = kPost + "Content-Length: 12\r\n\r\n" + R"({"text":"a"})";
  stays.send(question);
  wait_for([&] { return measured("otseq2set_batch_documents_count 1"); });  // keeps the worker busy
  for (int i = 0; i < 5; ++i) {
    const Client goes = connect();
    goes.send(question);
    wait_for([&] { return measured("otseq2set_queue_documents " + std::to_string(i + 1)); });
  }
  wait_for([&] { return measured(R"(otseq2set_requests_total{route="POST /v1/predict",status="499"} 5)"); });
  model_->hold(false);
  wait_for([&] { return measured("otseq2set_queue_documents 0"); });
  EXPECT_EQ(predict(R"({"text":"a"})").status, 200);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 1}));
}

TEST_F(HttpConnectionTest, ConnectionsBeyondTheLimitWaitWhileAllAreAtWork) {
  ServerOptions options = quiet_options();
  options.http.max_connections = options.http.connections_per_address = 2;
  options.http.idle_time = std::chrono::hours(1);
  model_->hold(true);
  start(options);
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) clients.emplace_back([&] { EXPECT_EQ(predict(R"({"text":"a"})").status, 200); });
  std::this_thread::sleep_for(milliseconds(200));
  std::atomic<bool> answered{false};
  clients.emplace_back([&] {
    EXPECT_EQ(Client(server_->port(), "127.0.0.2").get("/healthz").status, 200);
    answered = true;
  });
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_FALSE(answered);
  model_->hold(false);
  for (std::thread& client : clients) client.join();
}

TEST_F(HttpConnectionTest, IdleConnectionsMakeRoom) {
  ServerOptions options = quiet_options();
  options.http.max_connections = options.http.connections_per_address = 50;
  options.http.idle_time = std::chrono::hours(1);
  start(options);
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 50; ++i) idle.push_back(std::make_unique<Client>(server_->port()));
  EXPECT_EQ(Client(server_->port(), "127.0.0.2").get("/healthz").status, 200);
  EXPECT_TRUE(idle.front()->closed());
  EXPECT_EQ(idle.back()->get("/healthz").status, 200);
  EXPECT_EQ(connect().get("/healthz").status, 200);  // among those of its own address
}

TEST_F(HttpConnectionTest, SoDoRequestsThatDoNotArrive) {
  ServerOptions options = quiet_options();
  options.http.max_connections = options.http.connections_per_address = 2;
  options.http.slow_time = milliseconds(0);
  start(options);
  Client first = connect(), second = connect();
  for (const Client* slow : {&first, &second}) {
    slow->send("GET /");
    slow->wait_until_taken();
  }
  EXPECT_EQ(Client(server_->port(), "127.0.0.2").get("/healthz").status, 200);
  EXPECT_EQ(first.receive().status, 408);
}

TEST_F(HttpConnectionTest, AnAddressHasItsPartOfTheConnections) {
  ServerOptions options = quiet_options();
  options.http.connections_per_address = 2;
  options.http.trusted_proxies = {"127.0.0.3"};
  model_->hold(true);
  start(options);
  const std::string question = kPost + "Content-Length: 12\r\n\r\n" + R"({"text":"a"})";
  std::vector<std::unique_ptr<Client>> clients;
  const auto ask = [&](const char* address) {
    clients.push_back(std::make_unique<Client>(server_->port(), address));
    clients.back()->send(question);
  };
  for (int i = 0; i < 2; ++i) ask("127.0.0.2");
  for (int i = 0; i < 5; ++i) ask("127.0.0.3");
  wait_for([&] { return measured("otseq2set_connections 8"); });
  EXPECT_TRUE(Client(server_->port(), "127.0.0.2").closed());
  EXPECT_EQ(connect().get("/healthz").status, 200);
  model_->hold(false);
  for (const auto& client : clients) EXPECT_EQ(client->receive().status, 200);
}

// RFC 9112, 6.1: nobody knows whether a client of HTTP/1.0 means what the field says.
TEST_F(HttpConnectionTest, AnOldRequestInChunksEndsTheConnection) {
  start();
  Client client = connect();
  client.send(
      "POST /v1/predict HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\nc\r\n{\"text\":\"a\"}\r\n0\r\n\r\n");
  const Reply reply = client.receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.head.find("keep-alive"), std::string::npos) << reply.head;
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpConnectionTest, RequestsThatWereSentBeforeItStopsAreAnswered) {
  model_->hold(true);
  start();
  Client client = connect();
  const std::string question = kPost + "Content-Length: 12\r\n\r\n" + R"({"text":"a"})";
  client.send(question + question + question);
  wait_for([&] { return measured("otseq2set_batch_documents_count 1"); });
  server_->stop();
  std::this_thread::sleep_for(milliseconds(100));
  client.send(question);  // too late
  model_->hold(false);
  for (int i = 0; i < 3; ++i) {
    const Reply reply = client.receive();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.head.find("Connection: close") != std::string::npos, i == 2) << reply.head;
  }
  EXPECT_TRUE(client.closed());
  server_->wait();
}

// An application that takes its time with every large body, and none with a small one.
class SlowReader : public HttpApplication {
 public:
  std::optional<HttpResponse> refuse_head(HttpRequest& /*head*/) override { return std::nullopt; }
  void answer(HttpRequest request, Respond respond) override {
    if (request.body.size() > 100000) over_.wait(false);
    respond({.content_type = "text/plain", .body = "read"});
  }
  void finished(const Exchange& /*exchange*/) override {}
  void connection_opened() override {}
  void connection_closed() override {}
  void connection_given_up() override {}

  void go_on() {
    over_ = true;
    over_.notify_all();
  }

 private:
  std::atomic<bool> over_{false};
};

TEST(HttpServerTest, LargeBodiesThatAreReadKeepNobodyElseWaiting) {
  SlowReader application;
  HttpOptions options;
  options.port = 0;
  HttpServer server(options, application);
  server.run();
  {
    std::vector<std::unique_ptr<Client>> large;
    for (int i = 0; i < 4; ++i) {
      large.push_back(std::make_unique<Client>(server.port()));
      large.back()->send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + std::string(200000, 'a'));
      large.back()->wait_until_taken();
    }
    EXPECT_EQ(Client(server.port()).get("/").status, 200);
    application.go_on();
    for (const auto& client : large) EXPECT_EQ(client->receive().status, 200);
  }
  server.stop();
  server.wait();
}

TEST_F(HttpConnectionTest, StopsAtOnceWhenNothingIsUnderWay) {
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
