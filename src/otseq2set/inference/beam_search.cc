#include "otseq2set/inference/beam_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
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

// What a step left of its rows.
struct StepTrace {
  std::vector<std::vector<float>> logits;  // [rows][label ids]
  std::vector<RowSoftmax> rows;
};

// The ids with the largest logits, largest first, the first of equals.
std::vector<int64_t> best_ids(const std::vector<float>& logits, int64_t most) {
  std::vector<int64_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + std::min(most, static_cast<int64_t>(ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(),
                    [&](int64_t a, int64_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  ids.erase(end, ids.end());
  return ids;
}

// The hypotheses continued by a label each, the likeliest first.
std::vector<Hypothesis> continued(const std::vector<Hypothesis>& running, const StepTrace& step, int64_t most) {
  std::vector<Hypothesis> all;
  for (size_t row = 0; row < running.size(); ++row) {
    const RowSoftmax& softmax = step.rows[row];
    for (const int64_t id : best_ids(step.logits[row], most)) {
      Hypothesis next = running[row];
      next.log_probability += step.logits[row][id] - softmax.largest - softmax.excess;
      next.labels.push_back(id);
      next.rows.push_back(static_cast<int64_t>(row));
      all.push_back(std::move(next));
    }
  }
  std::stable_sort(all.begin(), all.end(), likelier);
  return all;
}

}  // namespace

DecodedDocument search_beam(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document,
                            const Config& config, int64_t beam, bool with_attention) {
  const StepDocument<float> own = encoded.document(document);
  DecodingRun run(decoder, std::vector<StepDocument<float>>(beam, own), static_cast<int64_t>(encoded.memories.size()),
                  config.model.steps);
  std::vector<Hypothesis> running(1);
  Hypothesis ended;  // the likeliest with an end mark
  ended.log_probability = -std::numeric_limits<double>::infinity();
  std::vector<int64_t> read(beam, kStartLabel);  // rows behind the running hypotheses are of no account
  std::vector<StepTrace> trace;
  for (int64_t t = 0; t < config.model.steps && likelier(running[0], ended); ++t) {
    run.step(read);
    trace.push_back({{}, run.rows()});
    for (size_t row = 0; row < running.size(); ++row) {
      trace.back().logits.emplace_back(run.logits(static_cast<int64_t>(row)),
                                       run.logits(static_cast<int64_t>(row)) + decoder.label_ids());
    }
    std::vector<Hypothesis> next;
    int64_t rank = 0;
    // Twice the beam, because a hypothesis may end by one label: enough are left that go on.
    for (Hypothesis& hypothesis : continued(running, trace.back(), 2 * beam)) {
      const bool ends = hypothesis.labels.back() == kEndLabel;
      if (ends && rank < beam && likelier(hypothesis, ended)) {
        ended = std::move(hypothesis);
      } else if (!ends && static_cast<int64_t>(next.size()) < beam) {
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
    run.select(parents);
  }
  const Hypothesis& best = likelier(running[0], ended) ? running[0] : ended;
  DecodedDocument decoded(variant_of(config), decoder.label_ids() - kFirstLabel, with_attention);
  const auto words = static_cast<size_t>(own.memories[0].positions);
  for (size_t t = 0; t < best.labels.size(); ++t) {
    const int64_t row = best.rows[t];
    decoded.add(trace[t].logits[row].data(), trace[t].rows[row], best.labels[t],
                {run.attention(static_cast<int64_t>(t), row), words});
  }
  return decoded;
}

}  // namespace otseq2set::inline inference
