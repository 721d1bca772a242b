// convert: from every format to every other, what is told, and what is refused.
#include <filesystem>

#include "cli/workspace.h"
#include "support/packing.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

const char kJsonl[] =
    "{\"id\":\"d1\",\"text\":\"Fishing \\\"quotas\\\", 日本\",\"labels\":[\"fish\",\"trade_policy\"]}\n"
    "{\"id\":\"d2\",\"text\":\"no labels\",\"labels\":[]}\n"
    "{\"id\":\"d3\",\"text\":\"more\",\"labels\":[\"trade_policy\"]}\n";

class Convert : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return space_.path(name); }
  Outcome convert(const Arguments& arguments, const std::string& input = "") const {
    return expect_success(Arguments{"convert"} + arguments, input);
  }
  const Workspace space_{0};
  const std::string data_ = space_.write("in.jsonl", kJsonl);
};

TEST_F(Convert, TellsOfTextThatIsNotUtf8) {
  const std::string latin1 = space_.write("latin1.tsv", "caf\xe9 au lait\t<drinks>\ntea\t<drinks>\n");
  const Outcome outcome = convert({"--data", latin1, "--to", "jsonl"});
  EXPECT_NE(outcome.err.find("warning: 1 documents are not UTF-8, the first at " + latin1 + ":1"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(convert({"--data", data_, "--to", "annif-tsv"}).err.find("UTF-8"), std::string::npos);
}

TEST_F(Convert, ThereAndBack) {
  struct Way {
    Arguments to, from;
    bool ids;
  };
  const std::string out = path("out"), labels = path("labels"), names = path("names");
  const std::vector<Way> ways = {{{"jsonl"}, {}, true},
                                 {{"annif-jsonl"}, {}, true},
                                 {{"annif-tsv"}, {}, false},
                                 {{"annif-csv"}, {}, true},
                                 {{"fasttext"}, {}, false},
                                 {{"libmultilabel"}, {}, true},
                                 {{"pecos", "--out-label-names", names}, {"--label-names", names}, false},
                                 {{"attentionxml", "--out-labels", labels}, {"--labels", labels}, false},
                                 {{"attentionxml", "--out-labels", labels, "--out-label-names", names},
                                  {"--labels", labels, "--label-names", names},
                                  false}};
  std::string without_ids(kJsonl);
  for (const char* id : {"\"id\":\"d1\",", "\"id\":\"d2\",", "\"id\":\"d3\","}) {
    without_ids.erase(without_ids.find(id), std::string(id).size());
  }
  for (const Way& way : ways) {
    SCOPED_TRACE(way.to[0]);
    const Outcome there = convert(Arguments{"--data", data_, "--out", out, "--to"} + way.to);
    EXPECT_EQ(there.err.find("ids of 3 documents are not kept") == std::string::npos, way.ids) << there.err;
    EXPECT_NE(there.err.find("3 documents in "), std::string::npos) << there.err;
    EXPECT_EQ(there.out, "");
    const Outcome back = convert(Arguments{"--data", out, "--to", "jsonl"} + way.from);
    EXPECT_EQ(back.out, way.ids ? kJsonl : without_ids);
  }
  expect_no_temporary_files(path(""));
}

TEST_F(Convert, StandardInputPackedOrNot) {
  const std::string fasttext = "__label__a some text\n__label__b more\n";
  const std::string expected = "{\"text\":\"some text\",\"labels\":[\"a\"]}\n{\"text\":\"more\",\"labels\":[\"b\"]}\n";
  for (const std::string& input : {fasttext, gzip(fasttext), zstd(fasttext), xz(fasttext)}) {
    EXPECT_EQ(convert({"--data", "-", "--to", "jsonl"}, input).out, expected);
  }
}

TEST_F(Convert, DisplayNamesThroughAFileOfNames) {
  const std::string annif = "{\"text\":\"t\",\"subjects\":[{\"uri\":\"http://a/1\",\"label\":\"Fish\"}]}\n";
  const Outcome lost = convert({"--data", "-", "--to", "annif-tsv"}, annif);
  EXPECT_EQ(lost.out, "t\t<http://a/1>\n");
  EXPECT_NE(lost.err.find("display names of 1 labels are not kept"), std::string::npos) << lost.err;
  const Outcome kept =
      convert({"--data", "-", "--to", "annif-tsv", "--out", path("a.tsv"), "--out-label-names", path("v.tsv")}, annif);
  EXPECT_EQ(kept.err.find("not kept"), std::string::npos) << kept.err;
  EXPECT_EQ(contents(path("v.tsv")), "<http://a/1>\tFish\n");
  EXPECT_EQ(convert({"--data", path("a.tsv"), "--label-names", path("v.tsv"), "--to", "annif-jsonl"}).out, annif);
}

TEST_F(Convert, AnErrorLeavesTheOldFile) {
  const std::string out = space_.write("out", "old");
  const Arguments to_fasttext = {"convert", "--out", out, "--to", "fasttext", "--data"};
  const std::string same =
      space_.write("same.jsonl", "{\"text\":\"a\",\"labels\":[\"a b\"]}\n{\"text\":\"a\",\"labels\":[\"a_b\"]}\n");
  expect_failure(run_program(to_fasttext + Arguments{same}), 1, {"'a b' and 'a_b'", "'a_b'"});
  const std::string broken = space_.write("broken.jsonl", std::string(kJsonl) + "{\n");
  expect_failure(run_program(to_fasttext + Arguments{broken}), 1, {broken + ":4: not JSON"});
  const std::string cut = space_.write("cut.gz", gzip(kJsonl).substr(0, 40));
  expect_failure(run_program(to_fasttext + Arguments{cut}), 1, {cut + ": the gzip data ends too early"});
  const std::string bag = space_.write("bag.txt", "2 10 3\n1,2 3:0.5 4:1\n0 1:1\n");
  expect_failure(run_program(to_fasttext + Arguments{bag}), 1, {bag + ":1: this is a bag of words"});
  expect_failure(run_program(to_fasttext + Arguments{space_.write("empty", "")}), 1, {"empty: no documents"});
  EXPECT_EQ(contents(out), "old");
  expect_no_temporary_files(path(""));
}

TEST_F(Convert, WrongUsage) {
  const Arguments base = {"convert", "--data", data_};
  expect_failure(run_program(base), 2, {"--to"});
  expect_failure(run_program(base + Arguments{"--to", "xml"}), 2, {"unknown format 'xml'", "annif-tsv"});
  expect_failure(run_program(base + Arguments{"--to", "pecos"}), 2, {"--out-label-names"});
  const std::string before = contents(data_);
  expect_failure(run_program(base + Arguments{"--to", "fasttext", "--out", data_}), 2, {data_, "would be overwritten"});
  EXPECT_EQ(contents(data_), before);
  expect_failure(run_program(base + Arguments{"--to", "attentionxml"}), 2, {"--out-labels"});
  expect_failure(run_program(base + Arguments{"--to", "jsonl", "--format", "pecos"}), 2, {"--label-names"});
  expect_failure(run_in_shell("exec \"$@\" >/dev/full", base + Arguments{"--to", "jsonl"}), 1,
                 {"cannot write standard output", "No space"});
}

// A model trained from another format is the same model.
TEST_F(Convert, TrainingFromAnyFormatIsTheSame) {
  const Workspace space(24);
  const std::string pecos = space.path("data.txt.gz"), names = space.path("names");
  const Arguments options = Arguments{"--set", "training.epochs=1"};
  expect_success(
      {"convert", "--data", space.data(), "--to", "pecos", "--out", space.path("plain"), "--out-label-names", names});
  space.write("data.txt.gz", gzip(contents(space.path("plain"))));
  // Without the ids, which this format does not hold.
  expect_success({"convert", "--data", pecos, "--label-names", names, "--to", "jsonl", "--out", space.data()});
  space.train("from_jsonl", options);
  expect_success(Arguments{"train", "--data", pecos, "--label-names", names, "--model", space.path("from_pecos")} +
                 small_model() + options);
  expect_same_weights(space.path("from_jsonl"), space.path("from_pecos"));
  EXPECT_EQ(contents(space.path("from_jsonl/labels.jsonl")), contents(space.path("from_pecos/labels.jsonl")));
}

}  // namespace
}  // namespace otseq2set::testing
