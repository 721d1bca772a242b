#include "otseq2set/http/router.h"

#include <gtest/gtest.h>

#include "otseq2set/http/problem.h"
#include "otseq2set/http/url.h"

namespace otseq2set::testing {
namespace {

class Routes : public ::testing::Test {
 protected:
  Routes() {
    for (const char* pattern : {"/", "/v1/projects", "/v1/projects/{id}"}) router_.add({"GET", pattern, "", true, {}});
    router_.add({"POST", "/v1/projects/{id}/suggest", "", true, {}});
    router_.add({"POST", "/v1/projects", "", true, {}});
  }
  std::string find(const std::string& method, const std::string& path) {
    try {
      const Router::Match match = router_.find(method, path);
      std::string text = match.route->name();
      for (const std::string& captured : match.captured) text += " " + captured;
      return text;
    } catch (const Problem& problem) {
      const HttpResponse response = problem.response();
      std::string text = std::to_string(response.status);
      for (const auto& [name, value] : response.headers) text += " " + name + ": " + value;
      return text;
    }
  }
  Router router_;
};

TEST_F(Routes, Found) {
  EXPECT_EQ(find("GET", "/"), "GET /");
  EXPECT_EQ(find("HEAD", "/"), "GET /");
  EXPECT_EQ(find("GET", "/v1/projects"), "GET /v1/projects");
  EXPECT_EQ(find("POST", "/v1/projects"), "POST /v1/projects");
  EXPECT_EQ(find("GET", "/v1/projects/a%20b"), "GET /v1/projects/{id} a b");
  EXPECT_EQ(find("POST", "/v1/projects/x/suggest"), "POST /v1/projects/{id}/suggest x");
}

TEST_F(Routes, NotFound) {
  for (const char* path :
       {"", "//", "/v1", "/v1/projects/", "/v1/projects/x/", "/v1/projects/x/suggest/", "v1/projects",
        "/v1/projects/x/y", "/v1//projects", "/../etc/passwd", "/v1/projects/%", "/v1/projects/%zz"}) {
    EXPECT_EQ(find("GET", path), "404") << path;
  }
}

TEST_F(Routes, OtherMethods) {
  EXPECT_EQ(find("PUT", "/v1/projects"), "405 Allow: GET, HEAD, POST");
  EXPECT_EQ(find("HEAD", "/v1/projects/x/suggest"), "405 Allow: POST");
}

TEST(Url, DecodesForms) {
  const auto fields = parse_form("text=a+b%26c&limit=5&&empty&text=again&x==");
  EXPECT_EQ(fields.at("text"), "a b&c");
  EXPECT_EQ(fields.at("limit"), "5");
  EXPECT_EQ(fields.at("empty"), "");
  EXPECT_EQ(fields.at("x"), "=");
  EXPECT_TRUE(parse_form("").empty());
  EXPECT_THROW(parse_form("text=%4"), Problem);
  EXPECT_THROW(parse_form("text=%xy"), Problem);
}

TEST(Url, PlusIsASpaceInFormsOnly) {
  EXPECT_EQ(decode_percent("a+b%2B", false), "a+b+");
  EXPECT_EQ(decode_percent("a+b%2B", true), "a b+");
  EXPECT_EQ(decode_percent("%00", true), std::string(1, '\0'));
}

}  // namespace
}  // namespace otseq2set::testing
