// The numbers of the paper's tables, to be shown beside one's own.
//
// Cao and Zhang, "OTSeq2Set: An Optimal Transport Enhanced Sequence-to-Set Model for Extreme Multi-label Text
// Classification", EMNLP 2022. They were measured on other data, with larger models and on other machines.
#pragma once

#include <vector>

namespace otseq2set::inline report {

constexpr int kPaperDatasets = 4;
extern const char* const kPaperDatasetNames[kPaperDatasets];

// A method's numbers, dataset by dataset, as many for each as the table has columns.
struct PaperRow {
  const char* method;  // BM and OTSeq2Set: with the scheme that did better on the dataset
  std::vector<double> on;
};

struct PaperScheme {
  double all, first_n;  // micro-F1 of BM
};

extern const std::vector<PaperRow> kPaperMicro;         // precision, recall, F1
extern const std::vector<PaperRow> kPaperImprovements;  // percent, over the best of Seq2Seq, MLC2Seq and SGM
extern const std::vector<PaperScheme> kPaperSchemes;    // one a dataset
extern const std::vector<PaperRow> kPaperAverages;      // F1: macro, weighted, example-based
extern const std::vector<PaperRow> kPaperCosts;         // hours of training, millions of parameters

}  // namespace otseq2set::inline report
