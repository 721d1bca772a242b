// The numbers of the paper's tables, to be shown beside one's own.
//
// Cao and Zhang, "OTSeq2Set: An Optimal Transport Enhanced Sequence-to-Set Model for Extreme Multi-label Text
// Classification", EMNLP 2022. They were measured on other data, with larger models and on other machines.
#pragma once

#include <vector>

namespace otseq2set::inline report {

constexpr int kPaperDatasets = 4;
extern const char* const kPaperDatasetNames[kPaperDatasets];

struct PaperMicro {
  const char* method;  // BM and OTSeq2Set: with the scheme that did better on the dataset
  struct {
    double p, r, f1;
  } on[kPaperDatasets];
};

struct PaperAverages {
  const char* method;
  struct {
    double macro_f1, weighted_f1, example_f1;
  } on[kPaperDatasets];
};

struct PaperImprovement {
  const char* method;
  double on[kPaperDatasets];  // percent, over the best of Seq2Seq, MLC2Seq and SGM
};

struct PaperScheme {
  double all, first_n;  // micro-F1 of BM
};

struct PaperCost {
  const char* method;
  struct {
    double hours, million_parameters;
  } on[kPaperDatasets];
};

const std::vector<PaperMicro>& paper_micro();
const std::vector<PaperImprovement>& paper_improvements();
const std::vector<PaperScheme>& paper_schemes();  // one a dataset
const std::vector<PaperAverages>& paper_averages();
const std::vector<PaperCost>& paper_costs();

}  // namespace otseq2set::inline report
