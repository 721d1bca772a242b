#include "otseq2set/http/trusted_proxies.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"

namespace otseq2set {
namespace {

TEST(TrustedProxies, NobodyIsTrustedUnasked) {
  const TrustedProxies none({});
  EXPECT_EQ(none.client("192.0.2.1", "203.0.113.9"), "192.0.2.1");
  EXPECT_EQ(none.client("", "203.0.113.9"), "");
}

TEST(TrustedProxies, TheLastThatIsNotTrustedIsTheClient) {
  const TrustedProxies two({"127.0.0.1", "2001:DB8::0007"});
  EXPECT_EQ(two.client("192.0.2.1", "203.0.113.9"), "192.0.2.1");
  EXPECT_EQ(two.client("127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(two.client("127.0.0.1", "203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(two.client("127.0.0.1", "10.0.0.1, 203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(two.client("2001:db8::7", "10.0.0.1,203.0.113.9 ,127.0.0.1"), "203.0.113.9");
  EXPECT_EQ(two.client("127.0.0.1", "127.0.0.1,127.0.0.1"), "127.0.0.1");
}

TEST(TrustedProxies, AddressesInOtherWritings) {
  const TrustedProxies one({"::ffff:127.0.0.1"});
  EXPECT_EQ(one.client("127.0.0.1", "203.0.113.9:80"), "203.0.113.9");
  EXPECT_EQ(one.client("::ffff:127.0.0.1", "[2001:db8::1]:80"), "2001:db8::1");
  EXPECT_EQ(one.client("127.0.0.1", "2001:db8::1"), "2001:db8::1");
}

TEST(TrustedProxies, WhatIsNoAddressEndsTheSearch) {
  const TrustedProxies one({"127.0.0.1"});
  for (const char* text : {"unknown", "a, b", ",", " , ", "[", "[]", "]:", ":", "203.0.113.9, _hidden", "1.2.3"}) {
    EXPECT_EQ(one.client("127.0.0.1", text), "127.0.0.1") << text;
  }
  EXPECT_THROW(TrustedProxies({"localhost"}), UsageError);
  EXPECT_THROW(TrustedProxies({""}), UsageError);
}

}  // namespace
}  // namespace otseq2set
