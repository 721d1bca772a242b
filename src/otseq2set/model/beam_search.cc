// Decoder::decode_beam. Rows are the hypotheses of one document; at each step every one of them is continued
// by every label, and the likeliest go on. The probability of a hypothesis only falls as it grows, so the
// search ends as soon as one with its end mark is likelier than all that still run.
#include <algorithm>
#include <limits>

#include "otseq2set/model/decoder.h"
#include "otseq2set/model/ids.h"
#include "otseq2set/model/masked_decoding.h"

namespace otseq2set {

namespace {

struct Hypothesis {
  double log_probability = 0;
  std::vector<int64_t> labels;  // one a step
  std::vector<int64_t> rows;    // of the step's logits that gave the label
};

Memory repeated(const Memory& memory, int64_t rows) {
  return {memory.states.expand({rows, -1, -1}), memory.keys.expand({rows, -1, -1}),
          memory.lengths.expand({rows}), memory.outside.expand({rows, -1})};
}

DecoderInput repeated(const DecoderInput& document, int64_t rows) {
  DecoderInput input{document.first, repeated(document.words, rows), {}};
  if (document.phrases) input.phrases = repeated(*document.phrases, rows);
  return input;
}

bool likelier(const Hypothesis& a, const Hypothesis& b) { return a.log_probability > b.log_probability; }

// The hypotheses continued by a label each, the likeliest first. log_probabilities: [hypotheses, label ids].
std::vector<Hypothesis> continued(const std::vector<Hypothesis>& running,
                                  const torch::Tensor& log_probabilities, int64_t most) {
  const int64_t label_ids = log_probabilities.size(1);
  std::vector<Hypothesis> all;
  for (size_t row = 0; row < running.size(); ++row) {
    const auto [values, ids] =
        log_probabilities[static_cast<int64_t>(row)].topk(std::min(most, label_ids), 0, true, true);
    for (int64_t i = 0; i < ids.size(0); ++i) {
      Hypothesis next = running[row];
      next.log_probability += values[i].item<double>();
      next.labels.push_back(ids[i].item<int64_t>());
      next.rows.push_back(static_cast<int64_t>(row));
      all.push_back(std::move(next));
    }
  }
  std::stable_sort(all.begin(), all.end(), likelier);
  return all;
}

// What the hypotheses decoded, step by step; a row each.
struct Trace {
  std::vector<torch::Tensor> logits;   // [hypotheses, label ids]
  std::vector<torch::Tensor> weights;  // attention over the words [hypotheses, words]
};

// The steps of one hypothesis as a batch of one document;
// its last step stands for those that it did not make.
Decoded along(const Hypothesis& hypothesis, const Trace& trace, int64_t steps) {
  std::vector<torch::Tensor> logits, weights;
  std::vector<int64_t> labels;
  for (int64_t t = 0; t < steps; ++t) {
    const size_t made = std::min<size_t>(t, hypothesis.labels.size() - 1);
    logits.push_back(trace.logits[made][hypothesis.rows[made]]);
    weights.push_back(trace.weights[made][hypothesis.rows[made]]);
    labels.push_back(hypothesis.labels[made]);
  }
  const torch::Tensor all = torch::stack(logits).unsqueeze(0);  // [1, steps, label ids]
  return {all, all.logsumexp(2), torch::tensor(labels, torch::kInt64).to(all.device()).unsqueeze(0),
          torch::stack(weights).unsqueeze(0)};
}

}  // namespace

Decoded DecoderImpl::decode_beam(const DecoderInput& document, int64_t steps, int64_t beam) {
  const auto options = document.first.options();
  const int64_t label_ids = embedding_->weight.size(0);
  const auto ids_of = [&](const std::vector<Hypothesis>& hypotheses, std::vector<int64_t> Hypothesis::*list) {
    std::vector<int64_t> ids;
    for (const Hypothesis& hypothesis : hypotheses) ids.push_back((hypothesis.*list).back());
    return torch::tensor(ids, torch::kInt64).to(options.device());
  };
  std::vector<Hypothesis> running(1);
  Hypothesis ended;  // the likeliest with an end mark
  ended.log_probability = -std::numeric_limits<double>::infinity();
  Read read{torch::full({1}, kStartLabel, options.dtype(torch::kInt64)),
            torch::zeros({1, label_ids}, options)};
  torch::Tensor state = document.first;
  ProducedLabels produced(1, label_ids, options);
  Trace trace;
  for (int64_t t = 0; t < steps && likelier(running[0], ended); ++t) {
    const Step now =
        step(read, state, repeated(document, static_cast<int64_t>(running.size())), Dropout(), t);
    torch::Tensor now_logits = logits(now.features);
    if (gate_label_) now_logits = produced.mask(now_logits);
    trace.logits.push_back(now_logits);
    trace.weights.push_back(now.word_weights);
    const torch::Tensor log_probabilities = now_logits.to(torch::kCPU, torch::kFloat64).log_softmax(1);
    std::vector<Hypothesis> next;
    int64_t rank = 0;
    // Twice the beam, because a hypothesis may end by one label: enough are left that go on.
    for (Hypothesis& hypothesis : continued(running, log_probabilities, 2 * beam)) {
      const bool ends = hypothesis.labels.back() == kEndLabel;
      if (ends && rank < beam && likelier(hypothesis, ended)) {
        ended = std::move(hypothesis);
      } else if (!ends && static_cast<int64_t>(next.size()) < beam) {
        next.push_back(std::move(hypothesis));
      }
      ++rank;
    }
    running = std::move(next);
    const torch::Tensor parents = ids_of(running, &Hypothesis::rows);
    read = {ids_of(running, &Hypothesis::labels), now_logits.index_select(0, parents)};
    state = now.state.index_select(0, parents);
    produced.select(parents);
    produced.add(read.labels);
  }
  return along(likelier(running[0], ended) ? running[0] : ended, trace, steps);
}

}  // namespace otseq2set
