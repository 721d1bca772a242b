#include "otseq2set/inference/beam_search.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline inference {

namespace {

struct Hypothesis {
  double log_probability = 0;
  std::vector<int64_t> labels;  // one a step
  std::vector<int64_t> rows;    // of the step's logits that gave the label
};

bool likelier(const Hypothesis& a, const Hypothesis& b) { return a.log_probability > b.log_probability; }

// The search, and what it leaves of each step.
class BeamSearch {
 public:
  BeamSearch(const PackedDecoder& decoder, const StepDocument<float>& document, int64_t memories, int64_t steps,
             int64_t beam, size_t kept)
      : beam_(beam),
        steps_(steps),
        run_(decoder, std::vector<StepDocument<float>>(beam, document), memories, steps,
             {/*all=*/false, std::max(kept, static_cast<size_t>(2 * beam))}) {}

  Hypothesis find();

  const DecodingRun& run() const { return run_; }
  const RowSoftmax& row(int64_t t, int64_t row) const { return rows_[t][row]; }
  const std::vector<ScoredLabel>& largest(int64_t t, int64_t row) const { return largest_[t][row]; }

 private:
  std::vector<Hypothesis> continued(const std::vector<Hypothesis>& running) const;

  int64_t beam_, steps_;
  DecodingRun run_;
  std::vector<std::vector<RowSoftmax>> rows_;                   // [steps][rows]
  std::vector<std::vector<std::vector<ScoredLabel>>> largest_;  // [steps][rows]
};

// The hypotheses continued by a label each, the likeliest first. Twice the beam from each, because a hypothesis may end
// by one label: enough are left that go on.
std::vector<Hypothesis> BeamSearch::continued(const std::vector<Hypothesis>& running) const {
  std::vector<Hypothesis> all;
  for (size_t row = 0; row < running.size(); ++row) {
    const RowSoftmax& softmax = rows_.back()[row];
    const std::vector<ScoredLabel>& largest = largest_.back()[row];
    for (size_t i = 0; i < std::min(largest.size(), static_cast<size_t>(2 * beam_)); ++i) {
      Hypothesis next = running[row];
      next.log_probability += largest[i].score - softmax.largest - softmax.excess;
      next.labels.push_back(largest[i].label);
      next.rows.push_back(static_cast<int64_t>(row));
      all.push_back(std::move(next));
    }
  }
  std::stable_sort(all.begin(), all.end(), likelier);
  return all;
}

Hypothesis BeamSearch::find() {
  std::vector<Hypothesis> running(1);
  Hypothesis ended;  // the likeliest with an end mark
  ended.log_probability = -std::numeric_limits<double>::infinity();
  std::vector<int64_t> read(beam_, kStartLabel);  // rows behind the running hypotheses are of no account
  for (int64_t t = 0; t < steps_ && likelier(running[0], ended); ++t) {
    run_.step(read);
    rows_.push_back(run_.rows());
    largest_.emplace_back();
    for (int64_t row = 0; row < beam_; ++row) largest_.back().push_back(run_.largest(row));
    std::vector<Hypothesis> next;
    int64_t rank = 0;
    for (Hypothesis& hypothesis : continued(running)) {
      const bool ends = hypothesis.labels.back() == kEndLabel;
      if (ends && rank < beam_ && likelier(hypothesis, ended)) {
        ended = std::move(hypothesis);
      } else if (!ends && static_cast<int64_t>(next.size()) < beam_) {
        next.push_back(std::move(hypothesis));
      }
      ++rank;
    }
    running = std::move(next);
    std::vector<int64_t> parents;
    for (size_t row = 0; row < running.size(); ++row) {
      parents.push_back(running[row].rows.back());
      read[row] = running[row].labels.back();
    }
    run_.select(parents);
  }
  return likelier(running[0], ended) ? running[0] : ended;
}

// Searches, and calls add(search, hypothesis, t, attention) for each step of what was found.
template <class Add>
void search_and_add(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document,
                    const Config& config, int64_t beam, size_t kept, const Add& add) {
  const StepDocument<float> own = encoded.document(document);
  BeamSearch search(decoder, own, static_cast<int64_t>(encoded.memories.size()), config.model.steps, beam, kept);
  const Hypothesis found = search.find();
  const auto words = static_cast<size_t>(own.memories[0].positions);
  for (int64_t t = 0; t < static_cast<int64_t>(found.labels.size()); ++t) {
    add(search, found, t, Span<const float>(search.run().attention(t, found.rows[t]), words));
  }
}

}  // namespace

void search_beam(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document, const Config& config,
                 int64_t beam, size_t kept, DecodedDocument& decoded) {
  search_and_add(decoder, encoded, document, config, beam, kept,
                 [&](const BeamSearch& search, const Hypothesis& found, int64_t t, Span<const float> attention) {
                   const int64_t row = found.rows[t];
                   const Span<const int64_t> path(found.labels.data(), static_cast<size_t>(t));
                   decoded.add(search.run().logits_again(t, row, path).data(), search.row(t, row), found.labels[t],
                               attention);
                 });
}

void search_beam(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document, const Config& config,
                 int64_t beam, size_t kept, DecodedBest& decoded) {
  search_and_add(decoder, encoded, document, config, beam, kept,
                 [&](const BeamSearch& search, const Hypothesis& found, int64_t t, Span<const float> attention) {
                   const int64_t row = found.rows[t];
                   decoded.add(search.run().output_in(t, row), search.row(t, row), search.largest(t, row),
                               found.labels[t], attention);
                 });
}

}  // namespace otseq2set::inline inference
