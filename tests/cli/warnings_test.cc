// What data looks like that is read but hardly meant: training and prediction say so, or refuse it.
#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

void expect_told(const Outcome& outcome, const std::string& line) {
  EXPECT_NE(("\n" + outcome.err).find("\n" + line + "\n"), std::string::npos) << outcome.err;
}
void expect_not_told(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.err.find(part), std::string::npos) << outcome.err;
}

Arguments train(const Workspace& space, const std::string& data, const Arguments& more = {}) {
  return Arguments{"train", "--data", data, "--model", space.path("model"), "--overwrite"} + small_model() +
         Arguments{"--epochs", "1", "--set", "training.valid_fraction=0"} + more;
}

// Two texts over and over, each with its label.
std::string annif_tsv(const std::string& first, const std::string& second, const std::string& label = "fish") {
  std::string lines;
  for (int i = 0; i < 6; ++i) lines += first + "\t<" + label + ">\n" + second + "\t<trade>\n";
  return lines;
}

TEST(TrainTells, HowTheFilesAreRead) {
  const Workspace space(0);
  const std::string data = space.write("data.tsv", annif_tsv("cod and herring", "quotas"));
  const std::string valid = space.write("valid.jsonl", R"({"id":"v","text":"herring","labels":["sea"]})");
  const std::string names = space.write("names.tsv", "fish\tFish and ships\n");
  const Outcome outcome = expect_success(train(space, data, {"--valid", valid, "--label-names", names}));
  expect_told(outcome, data + ": annif-tsv; first document: id 1, 3 words: \"cod and herring\", labels Fish and ships");
  expect_told(outcome, valid + ": jsonl; first document: id v, 1 words: \"herring\", labels sea");
}

TEST(LabelNames, OfHalfTheLabelsOrMoreAreEnough) {
  const Workspace space(0);
  const std::string data = space.write("data.tsv", annif_tsv("cod", "quotas"));
  const std::string half = space.write("half.tsv", "fish\tFish\n");
  expect_not_told(expect_success(train(space, data, {"--label-names", half})), "has no name");
}

TEST(LabelNames, OfFewLabelsOrNone) {
  const Workspace space(0);
  const std::string data = space.write("data.tsv", annif_tsv("cod", "quotas", "fish> <food> <sea"));
  const std::string few = space.write("few.tsv", "fish\tFish\nship\tShip\n");
  expect_told(expect_success(train(space, data, {"--label-names", few})),
              "warning: " + few + " names only 1 of the 4 labels of " + data + "; 'food', for example, has no name");
  const std::string none = space.write("none.tsv", "ship\tShip\n");
  expect_failure(run_program(train(space, data, {"--label-names", none})), kFailure,
                 {none + " names none of the 4 labels of " + data, "the same vocabulary?"});
}

TEST(TrainTells, OfTextsThatAreHardlyTexts) {
  const Workspace space(0);
  std::string ids;
  for (int i = 0; i < 120; ++i) ids += "fish\tdoc-" + std::to_string(i % 3) + "\n";
  const std::string data = space.write("data.tsv", ids);
  expect_told(expect_success(train(space, data)),
              "warning: the texts have hardly any words: 4 different ones, 2.0 per document; is this the text?");
}

// JSON is refused; every other format is read, and the broken bytes are told of.
TEST(NotUtf8, IsToldInEveryFormat) {
  const Workspace space(0);
  const std::string told = "; broken bytes separate words, and ids and labels are read as Latin-1";
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"annif-tsv", "cod\t<fish>\nh\xe9ring\t<fish>\n"},
      {"fasttext", "__label__fish cod\n__label__fish h\xe9ring\n"},
      {"libmultilabel", "fish\tcod\np\xeache\therring\n"},
      {"annif-csv", "text,subject_uris\nh\xe9ring,<fish>\n"}};
  for (const auto& [format, content] : lines) {
    SCOPED_TRACE(format);
    const std::string data = space.write("data", content);
    const std::string warning = "warning: 1 documents are not UTF-8, the first at " + data + ":2" + told;
    expect_told(expect_success(train(space, data, {"--format", format})), warning);
    expect_told(expect_success({"eval", "--model", space.path("model"), "--data", data, "--format", format}), warning);
    if (format == "libmultilabel") continue;  // to predict, labels are not read
    for (const char* command : {"predict", "explain"}) {
      expect_told(expect_success({command, "--model", space.path("model"), "--data", data, "--format", format}),
                  warning);
    }
  }
  const std::string json = space.write("data.jsonl", "{\"text\":\"h\xe9ring\",\"labels\":[\"fish\"]}\n");
  expect_failure(run_program(train(space, json)), kFailure, {json + ":1: ", "UTF-8"});
}

std::string cut_warning(const std::string& file) {
  return "warning: " + file +
         ":2: the last line has no line end; if the file was cut short, this document is not whole";
}

// A cut JSON line is not JSON. In the other formats half a line is a line.
TEST(CutFiles, AreToldInEveryFormatThatDoesNotShowIt) {
  const Workspace space(0);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"annif-tsv", "cod\t<fish>\nherring\t<fish> <foo"},
      {"annif-csv", "subject_uris,text\n<fish>,herring and c"},
      {"fasttext", "__label__fish cod\n__label__fish herring and c"},
      {"libmultilabel", "fish\tcod\nfish\therring and c"},
      {"pecos", "0\tcod\n0\therring and c"}};
  const std::string names = space.write("names", "fish\n");
  for (const auto& [format, cut] : files) {
    SCOPED_TRACE(format);
    const std::string data = space.write("data", cut);
    Arguments reading = {"--data", data, "--format", format};
    if (format == "pecos") reading = reading + Arguments{"--label-names", names};
    const std::string warning = cut_warning(data);
    const Arguments converting = Arguments{"convert", "--to", "jsonl"} + reading;
    const Outcome converted = expect_success(converting);
    expect_told(converted, warning);
    const Outcome checked = expect_success(Arguments{"check"} + reading);
    EXPECT_NE(checked.out.find("files that end without a line end"), std::string::npos) << checked.out;
    space.write("data", cut + "\n");
    const Outcome whole = expect_success(converting);
    expect_not_told(whole, "line end");
    EXPECT_EQ(whole.out, converted.out);
  }
}

TEST(CutFiles, OfTextsOrOfLabels) {
  const Workspace space(0);
  const auto convert = [&](const std::string& texts, const std::string& labels) {
    return expect_success(
        {"convert", "--to", "jsonl", "--data", space.write("texts", texts), "--labels", space.write("labels", labels)});
  };
  const std::string warning = cut_warning(space.path("texts"));
  expect_told(convert("cod\nherr", "fish\nfish\n"), warning);
  expect_told(convert("cod\nherring\n", "fish\nfi"), warning);
  expect_not_told(convert("cod\nherring\n", "fish\nfish\n"), "line end");
}

TEST(CutFiles, AreToldByAllWhoRead) {
  const Workspace space(40);
  space.train("model");
  const std::string data = space.write("cut", "__label__label_1 topic1x0\n__label__label_1 topic1x0 top");
  for (const char* command : {"predict", "explain", "eval", "tune"}) {
    expect_told(expect_success({command, "--model", space.path("model"), "--data", data}), cut_warning(data));
  }
  const std::string json = R"({"text":"topic1x0","labels":["label_1"]})";
  expect_not_told(expect_success({"predict", "--model", space.path("model")}, json), "line end");
}

TEST(UnknownWords, AreToldIfTheyAreMostWords) {
  const Workspace space(40);
  space.train("model");
  const auto predict = [&](const std::string& command, const std::string& text) {
    return expect_success({command, "--model", space.path("model")}, Json{{"text", text}}.dump() + "\n");
  };
  for (const char* command : {"predict", "explain"}) {
    expect_told(predict(command, "topic1x0 le hareng et la morue"),
                "warning: the model does not know 5 of the 6 words (83.3 %); are the texts of another language or kind "
                "than the training documents?");
    expect_not_told(predict(command, "topic1x0 hareng"), "does not know");
  }
}

}  // namespace
}  // namespace otseq2set::testing
