#include "otseq2set/reading/label_list.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

using Strings = std::vector<std::string>;

TEST(LabelList, RemoveDuplicatesKeepsTheFirst) {
  for (const size_t more : {0, 30}) {  // by comparing, and by a table
    Document document;
    document.labels = {"b", "a", "b", "c", "a"};
    document.label_names = {"", "A", "B", "", "other"};
    Strings labels = {"b", "a", "c"}, names = {"B", "A", ""};
    for (size_t i = 0; i < more; ++i) {
      for (Strings* list : {&document.labels, &labels}) list->push_back(std::to_string(i));
      for (Strings* list : {&document.label_names, &names}) list->push_back("n" + std::to_string(i));
    }
    remove_duplicates(document);
    EXPECT_EQ(document.labels, labels);
    EXPECT_EQ(document.label_names, names);
  }
}

TEST(LabelList, NamesAreParallelToLabels) {
  Document document;
  EXPECT_EQ(add_label(document, "a"), "");
  EXPECT_EQ(document.label_names, Strings{});
  EXPECT_EQ(add_label(document, "b", "B"), "");
  EXPECT_EQ(add_label(document, "c"), "");
  EXPECT_EQ(document.labels, (Strings{"a", "b", "c"}));
  EXPECT_EQ(document.label_names, (Strings{"", "B", ""}));
}

TEST(LabelList, Brackets) {
  EXPECT_EQ(without_brackets("<a>"), "a");
  EXPECT_EQ(without_brackets("<<a>>"), "<a>");
  for (const char* text : {"a", "<a", "a>", "<", ">", ""}) EXPECT_EQ(without_brackets(text), text);
  EXPECT_EQ(without_brackets("<>"), "");
}

}  // namespace
}  // namespace otseq2set
