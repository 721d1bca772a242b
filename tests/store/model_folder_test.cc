#include "otseq2set/store/model_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

ModelDescription description() {
  ModelDescription description;
  description.words = Vocabulary::from_counts({{"red", 5}, {"blue", 4}}, 100, 1);
  description.labels = LabelVocabulary::from_counts({{"a b", 5}, {"\"quoted\"", 4}, {"ünïcode", 4}});
  description.config.variant = "bm_lc";
  description.config.model.steps = 3;
  description.config.model.labels = 3;
  description.config.training.learning_rate = 0.1 + 0.2;
  description.data = {123, 45, "0123-4567"};
  return description;
}

class ModelFolderTest : public ::testing::Test {
 protected:
  std::string load_error() const {
    return message_of<Error>([&] { load_description(folder_); });
  }
  void change_config(const std::function<void(Json&)>& change) const {
    Json json = Json::parse(read_file(folder_.config()));
    change(json);
    write_file(folder_.config(), json.dump());
  }
  TempFolder temp_;
  const ModelFolder folder_{temp_.path("")};
};

TEST_F(ModelFolderTest, RoundTrip) {
  EXPECT_FALSE(folder_.holds_model());
  save_description(folder_, description());
  EXPECT_TRUE(folder_.holds_model());
  const ModelDescription back = load_description(folder_);
  EXPECT_TRUE(differences(description().config, back.config).empty());
  EXPECT_EQ(back.data.documents, 123u);
  EXPECT_EQ(back.data.valid_documents, 45u);
  EXPECT_EQ(back.data.fingerprint, "0123-4567");
  EXPECT_EQ(back.words.id("blue"), description().words.id("blue"));
  ASSERT_EQ(back.labels.size(), 3u);
  for (int32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.labels.name(i), description().labels.name(i));
    EXPECT_EQ(back.labels.count(i), description().labels.count(i));
  }
}

TEST_F(ModelFolderTest, LinksToDevicesAreRefused) {
  save_description(folder_, description());
  fs::remove(folder_.words());
  fs::create_symlink("/dev/zero", folder_.words());
  EXPECT_NE(load_error().find("not a regular file"), std::string::npos) << load_error();
}

// A sparse file of 3 GB takes no room on the disk.
TEST_F(ModelFolderTest, FilesLargerThanTheConfigurationImpliesAreNotRead) {
  for (const std::string& file : {folder_.config(), folder_.words(), folder_.labels(), folder_.set_rule()}) {
    save_description(folder_, description());
    save_set_rule(folder_, {});
    fs::resize_file(file, uint64_t{3} << 30);
    const std::string message = message_of<Error>([&] {
      load_description(folder_);
      load_set_rule(folder_);
    });
    EXPECT_EQ(message.find("cannot read " + file + ": 3221225472 bytes, but at most"), 0u) << message;
    fs::remove(file);
  }
}

TEST_F(ModelFolderTest, RemoveLeavesOtherFilesAlone) {
  save_description(folder_, description());
  for (const std::string& file :
       {folder_.weights(), folder_.last(), folder_.metrics(), folder_.log(), folder_.state()}) {
    write_file(file, "x");
  }
  temp_.write("notes.txt", "mine");
  EXPECT_TRUE(folder_.finished());
  folder_.remove_model();
  EXPECT_FALSE(folder_.holds_model());
  EXPECT_FALSE(folder_.finished());
  EXPECT_EQ(std::distance(fs::directory_iterator(temp_.path("")), fs::directory_iterator()), 1);
  folder_.remove_model();  // nothing there: nothing to do
}

TEST_F(ModelFolderTest, NewerAndUnknownFormats) {
  save_description(folder_, description());
  change_config([](Json& json) { json["format"] = kFolderFormat + 1; });
  const std::string newer = load_error();
  EXPECT_NE(newer.find("format " + std::to_string(kFolderFormat + 1)), std::string::npos) << newer;
  EXPECT_NE(newer.find("newer"), std::string::npos) << newer;
  // A newer program may write other things into the other members.
  change_config([](Json& json) { json["program"] = Json::array({1, 2}); });
  EXPECT_NE(load_error().find("newer"), std::string::npos) << load_error();
  change_config([](Json& json) { json.erase("format"); });
  EXPECT_NE(load_error().find("no format"), std::string::npos) << load_error();
  change_config([](Json& json) { json["format"] = "1"; });
  EXPECT_NE(load_error().find("no format"), std::string::npos) << load_error();
}

TEST_F(ModelFolderTest, DamageIsAnErrorNotAUsageError) {
  save_description(folder_, description());
  const std::string good = read_file(folder_.config());
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> changes = {
      {"model.hidden", [](Json& json) { json["config"]["model"]["hidden"] = 0; }},
      {"model.none", [](Json& json) { json["config"]["model"]["none"] = 1; }},
      {"config", [](Json& json) { json.erase("config"); }},
      {"data", [](Json& json) { json.erase("data"); }},
      {"documents", [](Json& json) { json["data"]["documents"] = "many"; }},
      {"documents", [](Json& json) { json["data"]["documents"] = -1; }},
      {"documents", [](Json& json) { json["data"]["documents"] = 1e300; }},
      {"model.labels", [](Json& json) { json["config"]["model"]["labels"] = 4; }},
      {"model.steps", [](Json& json) { json["config"]["model"]["steps"] = 0; }},
      {"3 labels need at most", [](Json& json) { json["config"]["model"]["steps"] = 65536; }},
      {"model.max_words", [](Json& json) { json["config"]["model"]["max_words"] = 2; }},
  };
  for (const auto& [part, change] : changes) {
    write_file(folder_.config(), good);
    change_config(change);
    EXPECT_NE(load_error().find(part), std::string::npos) << part << ": " << load_error();
    EXPECT_THROW(
        try { load_description(folder_); } catch (const UsageError&) { FAIL() << "the command line is not at fault"; },
        Error);
  }
  for (const char* text : {"", "{", "[]", "null"}) {
    write_file(folder_.config(), text);
    EXPECT_NE(load_error().find(folder_.config()), std::string::npos) << text << ": " << load_error();
  }
}

TEST_F(ModelFolderTest, MissingFilesAreNamed) {
  for (const std::string& file : {folder_.config(), folder_.words(), folder_.labels()}) {
    save_description(folder_, description());
    fs::remove(file);
    EXPECT_NE(load_error().find(file), std::string::npos) << load_error();
  }
  const std::string none = temp_.path("none");
  const std::string message = message_of<Error>([&] { load_description(ModelFolder(none)); });
  EXPECT_NE(message.find(none), std::string::npos) << message;
}

}  // namespace
}  // namespace otseq2set::testing
