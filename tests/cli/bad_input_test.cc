// Wrong input of every kind: one clear line, the right exit code, and nothing half-written.
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

// Training that must fail before anything is written.
struct BadTraining {
  std::string name;
  int code;
  Arguments more;                  // arguments; {} stands for the workspace's folder
  std::vector<std::string> parts;  // of the error line, likewise
  std::string data = "";           // instead of the corpus, when not empty
};
void PrintTo(const BadTraining& test, std::ostream* out) { *out << test.name; }

std::string in_folder(std::string text, const Workspace& space) {
  const size_t at = text.find("{}");
  return at == std::string::npos ? text : text.replace(at, 2, space.path(""));
}

class TrainRefuses : public ::testing::TestWithParam<BadTraining> {};

const char kGood[] = R"({"id":"a","text":"topic1x0 topic1x1","labels":["label_1"]})"
                     "\n";

INSTANTIATE_TEST_SUITE_P(
    Input, TrainRefuses,
    ::testing::Values(
        BadTraining{"MissingFile", 1, {"--data", "{}none.jsonl"}, {"{}none.jsonl", "No such file"}},
        BadTraining{"AFolderAsFile", 1, {"--data", "{}"}, {"Is a directory"}},
        BadTraining{"EmptyFile", 1, {"--data", "{}empty"}, {"{}empty", "no documents"}},
        BadTraining{"BlankLinesOnly", 1, {}, {"data.jsonl", "no documents"}, "\n\n  \n"},
        BadTraining{"NotJson", 1, {}, {"data.jsonl:2:", "not JSON"}, std::string(kGood) + "{\"id\":\n" + kGood},
        BadTraining{"NotAnObject", 1, {}, {"data.jsonl:1:", "object"}, "[1,2]\n"},
        BadTraining{"NoText", 1, {}, {"data.jsonl:3:", "no text"}, std::string(kGood) + kGood + "{\"labels\":[]}\n"},
        BadTraining{"BlankText", 1, {}, {"data.jsonl:1:", "no text"}, "{\"text\":\" \\n \",\"labels\":[]}\n"},
        BadTraining{"TextIsNoString", 1, {}, {"data.jsonl:1:", "no text"}, "{\"text\":5,\"labels\":[]}\n"},
        BadTraining{"NoLabels", 1, {}, {"data.jsonl:2:", "\"labels\""}, std::string(kGood) + "{\"text\":\"a\"}\n"},
        BadTraining{"LabelIsNoString", 1, {}, {"data.jsonl:1:", "\"labels\""}, "{\"text\":\"a\",\"labels\":[7]}\n"},
        BadTraining{"NoLabelAnywhere", 1, {}, {"data.jsonl", "label"}, "{\"text\":\"a\",\"labels\":[]}\n"},
        BadTraining{"AListOfDocuments",
                    1,
                    {},
                    {"data.jsonl:1:", "one object per line", "a list", "jq -c '.[]'"},
                    "[{\"text\":\"a\",\"labels\":[\"x\"]},\n{\"text\":\"b\",\"labels\":[\"x\"]}]\n"},
        BadTraining{"ADocumentOverSeveralLines",
                    1,
                    {},
                    {"data.jsonl:1:", "one object per line", "several lines"},
                    "{\n  \"text\": \"a\",\n  \"labels\": [\"x\"]\n}\n"},
        BadTraining{"LabelInsteadOfLabels",
                    1,
                    {},
                    {"data.jsonl:1:", "should \"label\" be \"labels\"?"},
                    "{\"text\":\"a\",\"label\":[\"x\"]}\n"},
        BadTraining{"ColumnsWithOtherNames",
                    1,
                    {},
                    {"data.jsonl:1:", "subject_uris", "this one has text,labels"},
                    "text,labels\n\"a b\",x\n"},
        BadTraining{"SemicolonsBetweenColumns",
                    1,
                    {},
                    {"data.jsonl:1:", "commas", "text;subject_uris"},
                    "text;subject_uris\na b;x\n"},
        BadTraining{"AVocabularyAsData",
                    1,
                    {},
                    {"data.jsonl:1:", "vocabulary", "--label-names"},
                    "http://a/1\tFish\nhttp://a/2\tTrade policy\nhttp://a/3\tFood\n"},
        BadTraining{"AFastTextModelAsVectors", 1, {"--vectors", "{}binary"}, {"{}binary", "fastText", ".vec"}},
        BadTraining{"MissingValidFile", 1, {"--valid", "{}none.jsonl"}, {"{}none.jsonl", "No such file"}},
        BadTraining{"BadValidFile", 1, {"--valid", "{}words"}, {"{}words:1:", "not JSON"}},
        BadTraining{"PairOfUnequalLength", 1, {"--data", "{}words", "--labels", "{}numbers"}, {"3 lines", "has 2"}},
        BadTraining{"LabelNumberTooLarge",
                    1,
                    {"--data", "{}numbers", "--labels", "{}numbers", "--label-names", "{}words"},
                    {"{}numbers:2:", "{}words"}},
        BadTraining{"LabelNamesThatHaveNoLabel",
                    1,
                    {"--label-names", "{}words"},
                    {"{}words:1:", "a label, a tab and its name"}},
        BadTraining{"MissingVectors", 1, {"--vectors", "{}none.txt"}, {"{}none.txt", "No such file"}},
        BadTraining{"VectorsOfAnotherWidth", 1, {"--vectors", "{}vectors"}, {"{}vectors:2:", "9 numbers", "is 8"}},
        BadTraining{"VectorsEmpty", 1, {"--vectors", "{}empty"}, {"{}empty", "no word vectors"}},
        BadTraining{"VectorNotANumber", 1, {"--vectors", "{}infinite"}, {"{}infinite:1:", "inf"}},
        BadTraining{"VectorsForOtherLabelWidth",
                    2,
                    {"--vectors", "{}vectors", "--set", "model.label_embedding=9"},
                    {"model.label_embedding (9)", "model.word_embedding (8)"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Configuration, TrainRefuses,
    ::testing::Values(
        BadTraining{"UnknownKey", 2, {"--set", "model.hiden=3"}, {"model.hiden", "model.hidden"}},
        BadTraining{"OutOfRange", 2, {"--set", "model.dropout=1.5"}, {"model.dropout", "1.5", "0.95"}},
        BadTraining{"Negative", 2, {"--set", "training.epochs=-1"}, {"training.epochs", "-1", "integer from 1"}},
        BadTraining{"NotANumber", 2, {"--set", "training.batch=many"}, {"training.batch", "many", "integer"}},
        BadTraining{"NoValue", 2, {"--set", "training.batch"}, {"training.batch", "key=value"}},
        BadTraining{"UnknownChoice", 2, {"--set", "loss.scheme=some"}, {"loss.scheme", "some", "first_n"}},
        BadTraining{"UnknownVariant", 2, {"--variant", "best"}, {"variant", "best", "otseq2set", "bm_lc"}},
        BadTraining{"UnknownPreset", 2, {"--preset", "eurlex"}, {"eurlex", "eurlex_4k", "cpu_small"}},
        BadTraining{"SeedTooSmall", 2, {"--seed", "-3"}, {"seed", "-3"}},
        BadTraining{"MissingConfig", 1, {"--config", "{}none.json"}, {"{}none.json", "No such file"}},
        BadTraining{"ConfigNotJson", 2, {"--config", "{}words"}, {"{}words", "not JSON"}},
        BadTraining{"ConfigUnknownKey", 2, {"--config", "{}config"}, {"{}config", "model.layers"}},
        BadTraining{"WindowTooWide", 2, {"--set", "model.max_words=3"}, {"model.max_words is 3", "4 words"}},
        BadTraining{"TooManyHeads", 2, {"--set", "model.light_conv.heads=25"}, {"heads is 25", "24 channels"}},
        BadTraining{"UnknownOption", 2, {"--epoch", "3"}, {"no option --epoch ", "--epochs?"}},
        BadTraining{"ThreadsNegative", 2, {"--threads", "-1"}, {"--threads"}},
        BadTraining{"CheckpointMinutesNegative", 2, {"--checkpoint-minutes", "-1"}, {"--checkpoint-minutes"}}),
    [](const auto& info) { return info.param.name; });

// About 60000 * 60000 numbers a matrix: more than any machine that runs this test has.
INSTANTIATE_TEST_SUITE_P(Memory, TrainRefuses,
                         ::testing::Values(BadTraining{
                             "TooLarge",
                             1,
                             {"--set", "model.hidden=60000", "--set", "model.encoder_layers=16"},
                             {"will not fit into memory", "available", "model.hidden"}}),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainRefuses, WithOneLineAndNothingWritten) {
  const BadTraining& test = GetParam();
  const Workspace space(12);
  space.write("empty", "");
  space.write("words", "one\ntwo\nthree\n");
  space.write("numbers", "1\n3\n");
  space.write("vectors", "topic1x0 1 2 3 4 5 6 7 8\ntopic1x1 1 2 3 4 5 6 7 8 9\n");
  space.write("infinite", "topic1x0 1 2 3 4 5 6 7 inf\n");
  space.write("binary", "\xba\x16\x4f\x2f and more");
  space.write("config", R"({"model":{"layers":3}})");
  if (!test.data.empty()) space.write("data.jsonl", test.data);
  Arguments more;
  for (const std::string& argument : test.more) more.push_back(in_folder(argument, space));
  std::vector<std::string> parts;
  for (const std::string& part : test.parts) parts.push_back(in_folder(part, space));

  // --data of the case takes the place of the workspace's.
  Arguments arguments = {"train", "--model", space.path("model")};
  if (more.empty() || more[0] != "--data") arguments = arguments + Arguments{"--data", space.data()};
  const auto start = std::chrono::steady_clock::now();
  expect_failure(run_program(arguments + small_model() + more), test.code, parts);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_FALSE(fs::exists(space.path("model"))) << "something was written";
  expect_no_temporary_files(space.path(""));
}

TEST(Usage, IsExplained) {
  expect_failure(run_program({}), kWrongUsage, {"subcommand"});
  expect_failure(
      run_program({"learn"}), kWrongUsage,
      {"'learn'", "train, reproduce, search, eval, tune, quantize, predict, explain, info, convert, check, serve"});
  expect_failure(run_program({"train", "--model", "somewhere"}), kWrongUsage, {"--data"});
  expect_failure(run_program({"train", "--data", "something"}), kWrongUsage, {"--model"});
  expect_failure(run_program({"predct"}), kWrongUsage, {"did you mean predict?"});
  expect_failure(run_program({"train", "--date", "something", "--model", "somewhere"}), kWrongUsage,
                 {"train has no option --date", "did you mean --data?", "otseq2set train --help"});
  expect_failure(run_program({"eval", "--treads=3"}), kWrongUsage, {"eval has no option --treads ", "--threads?"});
  expect_failure(run_program({"predict", "--model", "m", "--data", "d", "--top-k", "0"}), kWrongUsage,
                 {"--top-k", "0", "range", "otseq2set predict --help"});
  expect_failure(run_program({"train", "--data", "x", "--model", "m", "--epochs", "0"}), kWrongUsage,
                 {"--epochs: training.epochs is 0", "an integer from 1"});
  expect_failure(run_program({"train", "--data", "x", "--model", "m", "--learning-rate", "-1"}), kWrongUsage,
                 {"--learning-rate"});
  const Outcome help = expect_success({"--help"});
  for (const char* command : {"train", "eval", "predict", "info", "convert"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << help.out;
  }
  EXPECT_NE(expect_success({"train", "--help"}).out.find("--checkpoint-minutes"), std::string::npos);
  EXPECT_FALSE(expect_success({"--version"}).out.empty());
}

// Man pages and completion are made of them.
TEST(Usage, OptionsAreListedByTheNamesThatPeopleType) {
  const std::regex name("-[a-z]|--[a-z]+(-[a-z]+)*");
  for (const Arguments& program : {Arguments{"--option-list"}, Arguments{"train", "--help"}}) {
    const std::string out = expect_success(program).out;
    EXPECT_EQ(out.find("{false}"), std::string::npos) << out;
  }
  const Json list = Json::parse(expect_success({"--option-list"}).out);
  for (const Json& command : list.at("commands")) {
    for (const Json& option : command.at("options")) {
      std::istringstream names(option.at("names").get<std::string>());
      for (std::string one; std::getline(names, one, ',');) {
        EXPECT_TRUE(std::regex_match(one, name)) << command.at("name") << ": " << one;
      }
    }
  }
}

TEST(WrongUsage, OfPredictEvalAndInfo) {
  for (const Arguments& arguments : std::vector<Arguments>{{"predict"},
                                                           {"eval", "--model", "somewhere"},
                                                           {"predict", "--model", "somewhere", "--top-k", "0"},
                                                           {"predict", "--model", "somewhere", "--top-k", "some"},
                                                           {"predict", "--model", "somewhere", "--threshold", "1.5"},
                                                           {"info", "--preset", "none"},
                                                           {"info", "--set", "model.max_words=40"},
                                                           {"info", "--set", "model.hidden=0"}}) {
    SCOPED_TRACE(arguments.back());
    expect_failure(run_program(arguments), kWrongUsage, {});
  }
}

// A folder that cannot be made or written.
TEST(Environment, NoWayToWriteTheModel) {
  const Workspace space(12);
  const std::string below_a_file = space.write("file", "") + "/model";
  const Arguments rest = Arguments{"train", "--data", space.data()} + small_model();
  expect_failure(run_program(rest + Arguments{"--model", below_a_file}), kFailure, {below_a_file, "directory"});
  expect_failure(run_program(rest + Arguments{"--model", space.path("file")}), kFailure, {space.path("file")});
  EXPECT_EQ(contents(space.path("file")), "");
}

// Root may write everywhere, so it becomes nobody for this one.
TEST(Environment, NoWritePermission) {
  const std::string as_user =
      geteuid() != 0 ? "exec \"$@\"" : "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"";
  if (run_in_shell(as_user, {"--version"}).code != 0) GTEST_SKIP() << "cannot run the program as another user";
  const Workspace space(12);
  fs::create_directories(space.path("closed"));
  fs::permissions(space.path("closed"),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  for (const std::string folder : {"closed", "closed/model"}) {
    expect_failure(run_in_shell(as_user, space.train_arguments(folder)), kFailure,
                   {space.path(folder), "Permission denied"});
    EXPECT_TRUE(files_in(space.path(folder)).empty());
  }
  // A folder that may not even be looked into.
  fs::permissions(space.path("closed"), fs::perms::none);
  expect_failure(run_in_shell(as_user, space.train_arguments("closed/model")), kFailure,
                 {"cannot create folder " + space.path("closed/model"), "Permission denied"});
  expect_failure(run_in_shell(as_user, {"info", "--model", space.path("closed/model")}), kFailure,
                 {space.path("closed/model") + ": no such model folder"});
  fs::permissions(space.path("closed"), fs::perms::owner_all);
  const std::string secret = space.write("secret.jsonl", kGood);
  fs::permissions(secret, fs::perms::none);
  const Arguments arguments = {"convert", "--data", secret, "--to", "jsonl"};
  expect_failure(run_in_shell(as_user, arguments), kFailure, {secret, "Permission denied"});
}

// A limit on the size of files acts as a disk that fills up: some files fit, the checkpoint does not.
TEST(Environment, FullDisk) {
  const Workspace space(24);
  space.train("whole");
  for (const std::string kilobytes : {"0", "1", "16", "48"}) {
    SCOPED_TRACE(kilobytes);
    const std::string model = space.path("model " + kilobytes);
    // Standard error is a file too, so it goes around the limit through a pipe.
    const std::string limited = "(trap '' XFSZ; ulimit -f " + kilobytes + "; exec \"$@\")";
    const Outcome outcome = run_in_shell(limited + " 2>&1 >/dev/null | cat >&2; exit ${PIPESTATUS[0]}",
                                         space.train_arguments("model " + kilobytes));
    expect_failure(outcome, kFailure, {"cannot write " + model, "File too large"});
    expect_no_temporary_files(model);
    for (const std::string& file : files_in(model)) {
      EXPECT_TRUE(!contents(model + "/" + file).empty() || file == "SHA256SUMS") << file;
    }
    // With room again, the run can be taken up.
    space.train("model " + kilobytes, {"--resume"});
    expect_same_weights(space.path("whole"), model);
  }
}

// ENOSPC itself, from the device that is always full.
TEST(Environment, NoSpaceLeft) {
  const Workspace space(24);
  expect_failure(run_program({"convert", "--data", space.data(), "--to", "fasttext", "--out", "/dev/full"}), kFailure,
                 {"cannot write /dev/full: No space left on device"});
}

// The documents come from a pipe that nobody writes to: who looked at them first would wait for ever.
TEST(Environment, IsCheckedBeforeTheDocumentsAreRead) {
  const Workspace space(12);
  space.write("vectors", "word 1 2 3\n");
  space.write("file", "");
  const std::string waiting = "mkfifo " + space.path("pipe") + " 2>/dev/null; exec timeout 30 \"$@\"";
  const auto expect_refused = [&](const Arguments& more, const std::vector<std::string>& parts) {
    const Arguments arguments = Arguments{"train", "--data", space.path("pipe")} + small_model() + more;
    expect_failure(run_in_shell(waiting, arguments), kFailure, parts);
  };
  const Arguments model = {"--model", space.path("model")};
  expect_refused({"--model", space.path("file/model")}, {"cannot create folder", "file/model: Not a directory"});
  expect_refused({"--model", space.path("file")}, {"cannot write into folder", "file: Not a directory"});
  expect_refused(model + Arguments{"--vectors", space.path("none")}, {"none: No such file"});
  expect_refused(model + Arguments{"--vectors", space.path("vectors")},
                 {"vectors:1: vectors of 3 numbers, but model.word_embedding is 8"});
  const Arguments large = {"--set", "model.hidden=60000", "--set", "model.encoder_layers=16"};
  expect_refused(model + large, {"training will not fit into memory"});
  expect_refused(model + large + Arguments{"--no-memory-check"},
                 {"the model and its checkpoint will not fit on the disk: about", "needed", "free in " + model[1]});
  EXPECT_FALSE(fs::exists(model[1]));
}

// Everything that reads a model, on folders with one thing wrong.
class DamagedModel : public ::testing::Test {
 protected:
  void SetUp() override {
    space_.train("model", {"--set", "training.epochs=1"});
    model_ = space_.path("model");
    fs::remove(model_ + "/SHA256SUMS");  // which would tell of all of this first
  }

  // Both commands that load weights fail alike, with these parts in the line.
  void expect_refused(const std::vector<std::string>& parts) {
    expect_failure(run_program({"predict", "--model", model_, "--data", space_.data()}), kFailure, parts);
    const std::string metrics = space_.path("metrics.json");
    expect_failure(run_program({"eval", "--model", model_, "--data", space_.data(), "--metrics-file", metrics}),
                   kFailure, parts);
    EXPECT_FALSE(fs::exists(metrics));
  }
  void change_config(const std::function<void(Json&)>& change) {
    Json config = Json::parse(contents(model_ + "/config.json"));
    change(config);
    space_.write("model/config.json", config.dump());
  }

  const Workspace space_{16};
  std::string model_;
};

TEST_F(DamagedModel, FromANewerVersion) {
  change_config([](Json& config) {
    config["format"] = 3;
    config["config"]["model"]["unheard_of"] = true;
  });
  expect_refused({model_ + "/config.json", "format 3", "newer"});
  expect_failure(run_program({"info", "--model", model_}), kFailure, {"format 3", "newer"});
  expect_failure(run_program(space_.train_arguments("model", {"--resume"})), kFailure, {"format 3", "newer"});
}

TEST_F(DamagedModel, TruncatedOrMissingWeights) {
  const std::string weights = contents(model_ + "/weights.safetensors");
  for (const size_t size : {size_t{0}, size_t{5}, size_t{100}, weights.size() / 2, weights.size() - 1}) {
    SCOPED_TRACE(size);
    space_.write("model/weights.safetensors", weights.substr(0, size));
    expect_failure(run_program({"predict", "--model", model_, "--data", space_.data()}), kFailure,
                   {model_ + "/weights.safetensors"});
  }
  fs::remove(model_ + "/weights.safetensors");
  expect_refused({model_ + "/weights.safetensors", "No such file"});
}

// Bytes that became ones, as a flash disk returns them, are not a number: nobody shall see them as a score.
TEST_F(DamagedModel, WeightsThatAreNotFinite) {
  std::string weights = contents(model_ + "/weights.safetensors");
  weights.replace(weights.size() - 400, 400, std::string(400, '\xff'));
  space_.write("model/weights.safetensors", weights);
  expect_refused({model_ + "/weights.safetensors: ", "contains values that are not finite"});
}

TEST_F(DamagedModel, ConfigurationThatDoesNotFit) {
  change_config([](Json& config) { config["config"]["model"]["hidden"] = 13; });
  expect_refused({"weights.safetensors"});
  change_config([](Json& config) { config["config"]["model"]["hidden"] = -1; });
  expect_refused({"config.json", "model.hidden", "-1"});
  space_.write("model/config.json", "{");
  expect_refused({"config.json"});
  space_.write("model/config.json", "{}");
  expect_refused({"config.json", "format"});
}

TEST_F(DamagedModel, LabelsThatDoNotFit) {
  space_.write("model/labels.jsonl", "{\"label\":\"one\",\"count\":1}\n");
  expect_refused({"labels.jsonl", "1 labels"});
  fs::remove(model_ + "/labels.jsonl");
  expect_refused({"labels.jsonl", "No such file"});
}

TEST_F(DamagedModel, IsNotThere) {
  model_ = space_.path("none");
  expect_refused({model_, "no such model folder"});
  expect_failure(run_program({"info", "--model", model_}), kFailure, {model_});
}

TEST_F(DamagedModel, DataThatCannotBeRead) {
  expect_failure(run_program({"predict", "--model", model_, "--data", space_.path("none")}), kFailure,
                 {space_.path("none"), "No such file"});
  expect_failure(run_program({"eval", "--model", model_, "--data", space_.path("none")}), kFailure,
                 {space_.path("none"), "No such file"});
  const std::string broken = space_.write("broken.jsonl", std::string(kGood) + "{\n");
  expect_failure(run_program({"eval", "--model", model_, "--data", broken}), kFailure, {broken + ":2:", "not JSON"});
  const std::string empty = space_.write("empty.jsonl", "");
  expect_failure(run_program({"eval", "--model", model_, "--data", empty}), kFailure, {empty, "no documents"});
}

TEST_F(DamagedModel, OutputThatCannotBeWritten) {
  const std::string to_full = "exec \"$@\" >/dev/full";
  const Arguments model = {"--model", model_};
  const Arguments data = {"--data", space_.data()};
  expect_failure(run_in_shell(to_full, Arguments{"predict"} + model + data), kFailure, {"standard output", "No space"});
  expect_failure(run_in_shell(to_full, Arguments{"eval"} + model + data), kFailure, {"standard output", "No space"});
  expect_failure(run_in_shell(to_full, Arguments{"info"} + model), kFailure, {"standard output", "No space"});
  const std::string below_a_file = space_.data() + "/metrics.json";
  expect_failure(run_program(Arguments{"eval", "--metrics-file", below_a_file} + model + data), kFailure,
                 {"cannot write " + below_a_file});
  expect_failure(run_program(Arguments{"eval", "--per-label-file", below_a_file} + model + data), kFailure,
                 {"cannot write " + below_a_file});
}

// A word with numbers near the largest float makes the activations of one document infinite. Its batch is
// named, and what was trained before stays.
TEST(NotFinite, NamesTheDocumentsAndKeepsTheCheckpoint) {
  const Workspace space(48);
  space.write("data.jsonl",
              contents(space.data()) + R"({"id":"poisoned","text":"topic1x0 poison","labels":["label_1"]})" + "\n");
  std::string vectors = "poison";
  for (int i = 0; i < 8; ++i) vectors += i % 2 == 0 ? " 3.3e38" : " -3.3e38";
  const Arguments arguments = space.train_arguments(
      "model", {"--vectors", space.write("vectors.txt", vectors + "\n"), "--set", "training.batch=4",
                "--checkpoint-minutes", "0", "--set", "training.valid_fraction=0"});
  const Outcome outcome = run_program(arguments);
  expect_failure(outcome, kFailure, {"not finite", "epoch 1", "poisoned", "the last checkpoint is kept"});
  expect_no_temporary_files(space.path("model"));
  const std::string state = contents(space.path("model") + "/training_state.safetensors");

  // The checkpoint is loadable, and the run comes to the same batch again.
  const Outcome again = run_program(arguments + Arguments{"--resume"});
  expect_failure(again, kFailure, {"not finite", "poisoned"});
  EXPECT_NE(again.err.find("continuing in epoch 1"), std::string::npos) << again.err;
  EXPECT_EQ(outcome.last_error_line(), again.last_error_line());
  EXPECT_EQ(contents(space.path("model") + "/training_state.safetensors"), state);
}

// The same where only the transport term overflows, in the very first batch.
TEST(NotFinite, InTheTransportTerm) {
  const Workspace space(12);
  std::string vectors = "label";
  for (int i = 0; i < 8; ++i) vectors += " 1e38";
  const std::string file = space.write("vectors.txt", vectors + "\n");
  expect_failure(run_program(space.train_arguments("model", {"--vectors", file, "--set", "model.dropout=0"})), kFailure,
                 {"not finite", "epoch 1, batch 1", "d1", "no checkpoint was made"});
  expect_no_temporary_files(space.path("model"));
}

}  // namespace
}  // namespace otseq2set::testing
