#include "otseq2set/store/manifest.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "otseq2set/core/error.h"
#include "otseq2set/core/sha256.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

struct Killed {};  // thrown where a process would end

class ManifestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path());
    begin_anew(folder_);
    put(folder_.config(), "configuration");
    put(folder_.words(), "words");
    create_folder(folder_.member(7).path());
    put(folder_.member(7).weights(), "weights", folder_.member(7));
  }

  void put(const std::string& path, const std::string& bytes) const { put(path, bytes, folder_); }
  static void put(const std::string& path, const std::string& bytes, const ModelFolder& folder) {
    write_file(vouched(folder, path), bytes);
  }
  // Ends at the moment that `place` is made to throw at.
  void killed(FilePlace place, const std::string& bytes) const { EXPECT_THROW(write_file(place, bytes), Killed); }
  std::vector<std::string> faults() const { return Manifest(folder_).faults(); }
  std::string list() const { return read_file(folder_.manifest()); }
  // As everybody can.
  bool is_as_sha256sum_says() const {
    const std::string command = "cd '" + folder_.path() + "' && sha256sum --strict --quiet --check SHA256SUMS";
    return std::system(command.c_str()) == 0;
  }

  const TempFolder temp_;
  const ModelFolder folder_{temp_.path("model")};
  static constexpr char kNone[] = "nothing was thrown";
};

using Faults = std::vector<std::string>;

TEST_F(ManifestTest, HasALineForEachFileThatSha256sumChecks) {
  EXPECT_EQ(list(), sha256_of("configuration") + "  config.json\n" + sha256_of("weights") +
                        "  members/7/weights.safetensors\n" + sha256_of("words") + "  words.txt\n");
  EXPECT_TRUE(is_as_sha256sum_says());
  EXPECT_EQ(faults(), Faults{});
  put(folder_.words(), "other words");
  EXPECT_TRUE(is_as_sha256sum_says());
  remove_vouched(folder_, folder_.words());
  EXPECT_EQ(list().find("words"), std::string::npos);
  EXPECT_TRUE(is_as_sha256sum_says());
}

TEST_F(ManifestTest, NamesWhatIsNotAsItWasWritten) {
  write_file(folder_.words(), "wOrds");
  fs::remove(folder_.member(7).weights());
  write_file(folder_.set_rule(), "from elsewhere");
  EXPECT_EQ(faults(),
            (Faults{"members/7/weights.safetensors: missing", "set_rule.json: not in the list of the folder's files",
                    "words.txt: damaged: its SHA-256 is " + sha256_of("wOrds") + ", not " + sha256_of("words")}));
  const Manifest manifest(folder_);
  EXPECT_EQ(message_of<Error>([&] { read_vouched(manifest, folder_.config(), 100); }), kNone);
  EXPECT_NE(message_of<Error>([&] { read_vouched(manifest, folder_.words(), 100); }).find("words.txt: damaged"),
            std::string::npos);
  EXPECT_EQ(message_of<Error>([&] { manifest.check_missing(folder_.joining()); }), kNone);
  EXPECT_EQ(message_of<Error>([&] { manifest.check_missing(folder_.words()); }),
            folder_.words() + ": missing (" + folder_.manifest() + ")");
  EXPECT_NE(message_of<Error>([&] { check_and_settle(folder_); }).find("and 2 more files"), std::string::npos);
}

TEST_F(ManifestTest, IsItselfDamaged) {
  const std::string good = list();
  for (const std::string& bad :
       {good.substr(0, good.size() - 1), good.substr(1), good + "x\n", good + std::string(64, '0') + "  ../x\n",
        good + std::string(64, '0') + "  /etc/passwd\n", good + std::string(64, 'g') + "  x\n"}) {
    write_file(folder_.manifest(), bad);
    EXPECT_NE(message_of<Error>([&] { Manifest{folder_}; }).find("the list is damaged"), std::string::npos) << bad;
  }
}

// The three moments between the steps of a change.
TEST_F(ManifestTest, AgreesWithAFileThatIsReplacedWhereverTheProcessIsKilled) {
  const auto kill = [](const std::string&) { throw Killed(); };
  const FilePlace whole = vouched(folder_, folder_.words());
  FilePlace place = whole;

  place.before = kill;
  killed(place, "new words");
  EXPECT_EQ(read_file(folder_.words()), "words");
  EXPECT_EQ(faults(), Faults{});

  place.before = [&](const std::string& sum) {
    whole.before(sum);
    throw Killed();
  };
  killed(place, "new words");
  EXPECT_EQ(read_file(folder_.words()), "words");
  EXPECT_EQ(faults(), Faults{});

  place.before = whole.before;
  place.after = kill;
  killed(place, "newer words");
  EXPECT_EQ(read_file(folder_.words()), "newer words");
  EXPECT_EQ(faults(), Faults{});

  check_and_settle(folder_);
  EXPECT_EQ(read_file(folder_.words()), "newer words");
  EXPECT_TRUE(is_as_sha256sum_says());
  write_file(folder_.words(), "words");
  EXPECT_EQ(faults().size(), 1u) << "what it was before is no longer right";
}

TEST_F(ManifestTest, AgreesWithANewFileWhereverTheProcessIsKilled) {
  const auto kill = [](const std::string&) { throw Killed(); };
  FilePlace place = vouched(folder_, folder_.metrics());
  const FilePlace whole = place;
  place.before = [&](const std::string& sum) {
    whole.before(sum);
    throw Killed();
  };
  killed(place, "{}");
  EXPECT_EQ(faults(), Faults{});
  EXPECT_FALSE(folder_.finished());
  check_and_settle(folder_);
  EXPECT_EQ(list().find("metrics.json"), std::string::npos);

  place.before = whole.before;
  place.after = kill;
  killed(place, "{}");
  EXPECT_EQ(faults(), Faults{});
  EXPECT_TRUE(folder_.finished());
  check_and_settle(folder_);
  EXPECT_TRUE(is_as_sha256sum_says());
}

// Removing a file lists it as missing too before it goes.
TEST_F(ManifestTest, AgreesWithAFileThatIsHalfRemoved) {
  Manifest manifest(folder_);
  manifest.allow(folder_.words(), std::string(64, '0'));
  manifest.save();
  EXPECT_EQ(faults(), Faults{});
  fs::remove(folder_.words());
  EXPECT_EQ(faults(), Faults{});
  check_and_settle(folder_);
  EXPECT_EQ(list().find("words.txt"), std::string::npos);
}

TEST_F(ManifestTest, WhatIsLeftOfARemovedModelIsNone) {
  put(folder_.metrics(), "{}");
  put(folder_.state(), "state");
  EXPECT_TRUE(folder_.finished());
  EXPECT_TRUE(folder_.has_checkpoint());
  write_file(folder_.manifest(), "");  // how begin_anew begins
  EXPECT_FALSE(folder_.finished());
  EXPECT_FALSE(folder_.has_checkpoint());
  EXPECT_TRUE(folder_.holds_model());
  const Manifest manifest(folder_);
  EXPECT_NE(message_of<Error>([&] { read_vouched(manifest, folder_.config(), 100); }).find("not in the list"),
            std::string::npos);
}

TEST_F(ManifestTest, AFileThatIsTakenOverIsCheckedAndListed) {
  fs::create_directories(temp_.path("other"));
  const ModelFolder other(temp_.path("other"));
  begin_anew(other);
  take_over(folder_, folder_.words(), other, other.words());
  EXPECT_EQ(read_file(other.words()), "words");
  EXPECT_EQ(read_file(other.manifest()), sha256_of("words") + "  words.txt\n");
  write_file(folder_.config(), "damaged");
  EXPECT_NE(message_of<Error>([&] { take_over(folder_, folder_.config(), other, other.config()); }).find("damaged"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(other.config()));
}

TEST_F(ManifestTest, WithoutOneEverythingIsRead) {
  fs::remove(folder_.manifest());
  EXPECT_FALSE(folder_.vouched_for());
  put(folder_.words(), "anything");
  EXPECT_FALSE(folder_.vouched_for()) << "nobody has compared the other files";
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(read_vouched(Manifest(folder_), folder_.words(), 100).view(), "anything");
  remove_vouched(folder_, folder_.words());
  EXPECT_FALSE(fs::exists(folder_.words()));
  check_and_settle(folder_);
}

}  // namespace
}  // namespace otseq2set::testing
