#include "otseq2set/serving/metrics.h"

#include <gtest/gtest.h>

#include "otseq2set/serving/access_log.h"

namespace otseq2set::testing {
namespace {

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << line << " is not in\n" << text;
}

TEST(Histogram, CountsUpToEachBoundWithTheBound) {
  Histogram histogram({1, 2.5});
  for (double value : {0.5, 1.0, 2.0, 9.0}) histogram.add(value);
  std::string text;
  histogram.append(text, "x");
  EXPECT_EQ(text, "x_bucket{le=\"1\"} 2\nx_bucket{le=\"2.5\"} 3\nx_bucket{le=\"+Inf\"} 4\nx_sum 12.5\nx_count 4\n");
  text.clear();
  histogram.append(text, "x", "a=\"b\"");
  EXPECT_EQ(text,
            "x_bucket{a=\"b\",le=\"1\"} 2\nx_bucket{a=\"b\",le=\"2.5\"} 3\nx_bucket{a=\"b\",le=\"+Inf\"} 4\n"
            "x_sum{a=\"b\"} 12.5\nx_count{a=\"b\"} 4\n");
}

TEST(Metrics, AsPrometheusReadsThem) {
  Metrics metrics;
  metrics.request("POST /v1/predict", 200, 0.02, 3);
  metrics.request("POST /v1/predict", 200, 0.02, 3);
  metrics.request("", 404, 0.001, 0);
  metrics.batch(6);
  metrics.words(10, 4);
  metrics.words(5, 0);
  metrics.reload(false);
  metrics.connection_opened();
  metrics.connection_given_up();
  const std::string text = metrics.text({7, 1, 3});
  expect_line(text, R"(otseq2set_requests_total{route="POST /v1/predict",status="200"} 2)");
  expect_line(text, R"(otseq2set_requests_total{route="",status="404"} 1)");
  expect_line(text, "# TYPE otseq2set_request_seconds histogram");
  expect_line(text, R"(otseq2set_request_seconds_count{route="POST /v1/predict"} 2)");
  expect_line(text, R"(otseq2set_batch_documents_bucket{le="4"} 0)");
  expect_line(text, R"(otseq2set_batch_documents_bucket{le="8"} 1)");
  expect_line(text, "otseq2set_documents_total 6");
  expect_line(text, "otseq2set_words_total 15");
  expect_line(text, "otseq2set_unknown_words_total 4");
  expect_line(text, "otseq2set_queue_documents 7");
  expect_line(text, "otseq2set_idle_workers 1");
  expect_line(text, "otseq2set_connections 1");
  expect_line(text, "otseq2set_connections_given_up_total 1");
  expect_line(text, "otseq2set_log_lines_lost_total 3");
  expect_line(text, R"(otseq2set_reloads_total{result="failed"} 1)");
}

TEST(AccessLog, WhatAClientSendsCannotSteerATerminal) {
  Exchange exchange;
  exchange.method = std::string(5000, 'M');
  exchange.path = "/\x1b[2J\x7f\u009b2J\u0085\x9b";
  const std::string line = access_log_line(exchange);
  EXPECT_LT(line.size(), 500u);
  EXPECT_NE(line.find(R"("path":"/\u001b[2J\u007f\u009b2J\u0085)"), std::string::npos) << line;
  EXPECT_EQ(line.find_first_of("\x1b\x7f\x9b\x85"), std::string::npos) << line;
}

TEST(AccessLog, ALineStaysALine) {
  Exchange exchange;
  exchange.remote = "127.0.0.1";
  exchange.method = "GET";
  exchange.path = "/\n\"" + std::string(500, 'x');
  exchange.status = 404;
  const std::string line = access_log_line(exchange);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_NE(line.find(R"("path":"/\n\"xxx)"), std::string::npos) << line;
  EXPECT_LT(line.size(), 400u);
}

}  // namespace
}  // namespace otseq2set::testing
