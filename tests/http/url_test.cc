#include "otseq2set/http/url.h"

#include <gtest/gtest.h>

#include "otseq2set/http/client_address.h"
#include "otseq2set/http/problem.h"

namespace otseq2set::testing {
namespace {

TEST(Form, Fields) {
  const auto fields = parse_form("text=two+words%21&&limit=5&limit=6&flag");
  EXPECT_EQ(fields, (std::map<std::string, std::string>{{"flag", ""}, {"limit", "5"}, {"text", "two words!"}}));
  EXPECT_THROW(parse_form("a=%4"), Problem);
}

// Also when all have the same name.
TEST(Form, HasNoMoreFieldsThanItMay) {
  std::string form;
  for (size_t i = 0; i < kMostFields; ++i) form += "abcd&&";
  EXPECT_EQ(parse_form(form).size(), 1u);
  EXPECT_THROW(parse_form(form + "e"), Problem);
}

TEST(ClientAddress, WhomALimitIsAbout) {
  EXPECT_EQ(network_of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(network_of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(network_of("2001:db8:1:2::9"), network_of("2001:db8:1:2:ffff::1"));
  EXPECT_NE(network_of("2001:db8:1:2::9"), network_of("2001:db8:1:3::9"));
  EXPECT_EQ(network_of(""), "");
}

}  // namespace
}  // namespace otseq2set::testing
