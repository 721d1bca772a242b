#include "otseq2set/search/page.h"

#include <gtest/gtest.h>

namespace otseq2set::testing {
namespace {

RungResult rung(const std::string& trial, int64_t number, std::optional<double> value,
                const Json& settings = Json::object()) {
  RungResult result;
  result.trial = trial;
  result.rung = number;
  result.settings = settings;
  result.value = value;
  result.epochs = number == 0 ? 1 : 3;
  result.all_epochs = 3;
  result.seconds = 60;
  return result;
}

SearchFindings findings() {
  SearchFindings found;
  found.base = {{"model", {{"hidden", 128}}}, {"loss", {{"scheme", "all"}}}};
  found.results = {rung("linear-0", 0, 0.55),
                   rung("network-0", 0, 0.58),
                   rung("network-0", 1, 0.61),
                   rung("network-1", 0, 0.6, {{"model.hidden", 256}}),
                   rung("network-1", 1, 0.63, {{"model.hidden", 256}}),
                   rung("network-2", 0, std::nullopt, {{"loss.scheme", "<b>"}})};
  found.results.back().failure = "the loss is not finite";
  for (size_t i = 0; i < found.results.size(); ++i) found.results[i].at = 60.0 * static_cast<double>(i + 1);
  found.metric = "macro-F1";
  found.command = "otseq2set search --data train.jsonl --hours 1";
  found.data = "train.jsonl";
  found.seconds = 3600;
  found.documents = 900;
  found.valid_documents = 100;
  return found;
}

void expect_in(const std::string& part, const std::string& page) {
  EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(SearchPage, SaysWhatIsBestAndHowToTrainItAgain) {
  SearchFindings found = findings();
  found.winner = "network-1";
  found.winner_command = "otseq2set train --set model.hidden=256";
  found.refitted = true;
  found.ended_at = 3500;
  const std::string page = make_search_page(found).html;
  expect_in("network-1 is the best: macro-F1 63.00 % on 100 validation documents", page);
  expect_in("the configuration as given has 61.00 %", page);
  expect_in("trained again on all 1,000 documents", page);
  expect_in("model.hidden=256</span>", page);
  expect_in("the loss is not finite", page);
  expect_in("loss.scheme=&lt;b&gt;", page);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST(SearchPage, WhileTheSearchRunsItShowsTheBestSoFar) {
  const std::string page = make_search_page(findings()).html;
  expect_in("network-1 is so far the best", page);
  expect_in("running, of", page);
  EXPECT_EQ(page.find("To train the same model again"), std::string::npos);
  SearchFindings nothing = findings();
  nothing.results.clear();
  expect_in("No candidate has been measured yet", make_search_page(nothing).html);
}

TEST(SearchPage, WithoutGnuplotTheNumbersStandInPlaceOfTheFigures) {
  const SearchPage page = make_search_page(findings(), "no-such-gnuplot");
  ASSERT_EQ(page.warnings.size(), 1u);
  EXPECT_EQ(page.html.find("<svg"), std::string::npos);
  expect_in("The points.", page.html);
}

TEST(SearchPage, WhenNothingDoesBetterItSaysSo) {
  SearchFindings found = findings();
  found.results[4].value = 0.6;
  expect_in("nothing else that was tried did better", make_search_page(found).html);
}

}  // namespace
}  // namespace otseq2set::testing
