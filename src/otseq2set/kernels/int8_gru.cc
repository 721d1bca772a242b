#include "otseq2set/kernels/int8_gru.h"

#include <algorithm>
#include <utility>

#include "otseq2set/kernels/int8_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/int8_gru.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/int8_product-inl.h"
#include "otseq2set/kernels/steady_math-inl.h"

#ifndef OTSEQ2SET_KERNELS_INT8_GRU_CC_
#define OTSEQ2SET_KERNELS_INT8_GRU_CC_
namespace otseq2set::inline kernels {

constexpr int64_t kBiasUnits = 16;  // a whole number of vectors of every instruction set

constexpr int64_t padded_units(int64_t hidden) { return (hidden + kBiasUnits - 1) / kBiasUnits * kBiasUnits; }

struct Int8Walk {
  const GruDocuments& documents;
  Direction direction;
  int64_t hidden, input;
  const Int8Panels &input_weight, &recurrent_weight;
  const float* biases;  // [4, padded_units]
  const Int8Rows& words;
  float* states;
};

}  // namespace otseq2set::inline kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

Int8Panels pack_gates(int64_t hidden, int64_t width, const WeightMatrix<float>& weight) {
  const auto column = [&](int64_t c, float& scale) -> const int8_t* {
    const int64_t gate = c % kInt8Columns / kInt8Lanes, unit = c / kInt8Columns * kInt8Lanes + c % kInt8Lanes;
    if (unit >= hidden) return nullptr;
    scale = weight.scales[gate * hidden + unit];
    return weight.bytes + (gate * hidden + unit) * width;
  };
  return pack_int8(width, (hidden + kInt8Lanes - 1) / kInt8Lanes, column);
}

namespace {

class Walker {
 public:
  explicit Walker(const Int8Walk& walk)
      : walk_(walk),
        units_(padded_units(walk.hidden)),
        stride_(groups_of(walk.hidden) * kGroup),
        states_(Int8Panels::zeros<float>(walk.documents.count() * units_)),
        steps_(Int8Panels::zeros<Int8In>(walk.documents.count() * stride_)),
        scales_(walk.documents.count()),
        from_words_(
            Int8Panels::zeros<int32_t>(kAhead * walk.documents.count() * walk.input_weight.panels * kInt8Columns)) {
    std::fill_n(steps_.get(), walk.documents.count() * stride_, static_cast<Int8In>(kOffset));
  }

  void run() {
    const int64_t longest = walk_.documents.longest();
    for (int64_t done = 0; done < longest; done += kAhead) {
      const int64_t count = std::min(kAhead, longest - done);
      const bool forward = walk_.direction == Direction::kForward;
      read_words(forward ? done : longest - done - count, count);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t t = forward ? done + i : longest - 1 - done - i;
        step(t, walk_.documents.count_at(t));
      }
    }
  }

 private:
  // Words whose products are computed together. At each word alone, the weights, which may be larger than a cache, would
  // be read for a few rows.
  static constexpr int64_t kAhead = 8;

  // The products of the words from t on, into from_words_: first those of some panels for all rows, block by block of
  // rows, as run_int8 leaves them.
  void read_words(int64_t t, int64_t count) {
    const GruDocuments& documents = walk_.documents;
    first_word_ = documents.starts[t];
    word_count_ = documents.starts[t + count] - first_word_;
    const int64_t panels = walk_.input_weight.panels, groups = groups_of(walk_.input), stride = groups * kGroup;
    const auto* words = reinterpret_cast<const Int8In*>(walk_.words.steps.get()) + first_word_ * stride;
    for (int64_t panel = 0; panel < panels; panel += kInt8TilePanels) {
      for (int64_t row = 0; row < word_count_; row += kInt8TileRows) {
        run_int8({groups, words + row * stride, stride, walk_.input_weight.bytes.get() + panel * groups * kStepBytes,
                  word_tile(row, panel)},
                 std::min(kInt8TileRows, word_count_ - row), std::min(kInt8TilePanels, panels - panel));
      }
    }
  }

  // Where read_words left the sums of a word, numbered from the first, and a panel.
  HWY_INLINE int32_t* word_tile(int64_t row, int64_t panel) {
    const int64_t group = panel / kInt8TilePanels * kInt8TilePanels, block = row / kInt8TileRows * kInt8TileRows;
    const int64_t panels = std::min(kInt8TilePanels, walk_.input_weight.panels - group);
    const int64_t rows = std::min(kInt8TileRows, word_count_ - block);
    const int64_t tiles = group * word_count_ + block * panels + (panel - group) * rows + row - block;
    return from_words_.get() + tiles * kInt8Columns;
  }

  void step(int64_t t, int64_t active) {
    const int64_t panels = walk_.recurrent_weight.panels, groups = groups_of(walk_.hidden);
    for (int64_t first = 0; first < active; first += kInt8TileRows) {
      const int64_t rows = std::min(kInt8TileRows, active - first);
      for (int64_t panel = 0; panel < panels; panel += kInt8TilePanels) {
        const int64_t count = std::min(kInt8TilePanels, panels - panel);
        run_int8({groups, steps_.get() + first * stride_, stride_,
                  walk_.recurrent_weight.bytes.get() + panel * groups * kStepBytes, from_states_},
                 rows, count);
        for (int64_t i = 0; i < count * rows; ++i) {
          cell(t, first + i % rows, panel + i / rows, from_states_ + i * kInt8Columns);
        }
      }
    }
    for (int64_t document = 0; document < active; ++document) {
      scales_[document] =
          quantise_row(walk_.hidden, states_.get() + document * units_, steps_.get() + document * stride_);
    }
  }

  HWY_INLINE auto bias(int64_t gate, int64_t unit) {
    return hn::Load(hn::ScalableTag<float>(), walk_.biases + gate * units_ + unit);
  }

  // The units of a panel in one document.
  HWY_INLINE void cell(int64_t t, int64_t document, int64_t panel, const int32_t* state_sums) {
    const hn::ScalableTag<float> d;
    const int64_t unit = panel * kInt8Lanes, word = walk_.documents.row(document, t);
    const int32_t* word_sums = word_tile(word - first_word_, panel);
    const auto from_word = [&](int64_t gate) HWY_ATTR {
      return scaled_sums(word_sums + gate * kInt8Lanes, walk_.input_weight, panel * kInt8Columns + gate * kInt8Lanes,
                         walk_.words.scales[word]);
    };
    const auto from_state = [&](int64_t gate) HWY_ATTR {
      return scaled_sums(state_sums + gate * kInt8Lanes, walk_.recurrent_weight,
                         panel * kInt8Columns + gate * kInt8Lanes, scales_[document]);
    };
    const auto r = SteadyMath::sigmoid(d, hn::Add(hn::Add(from_word(0), from_state(0)), bias(0, unit)));
    const auto z = SteadyMath::sigmoid(d, hn::Add(hn::Add(from_word(1), from_state(1)), bias(1, unit)));
    const auto h_n = hn::Add(from_state(2), bias(3, unit));
    const auto n = SteadyMath::tanh(d, SteadyMath::mul_add(r, h_n, hn::Add(from_word(2), bias(2, unit))));
    float* state = states_.get() + document * units_ + unit;
    const auto after = SteadyMath::mul_add(z, hn::Sub(hn::Load(d, state), n), n);
    hn::Store(after, d, state);
    const int64_t half = walk_.direction == Direction::kForward ? 0 : walk_.hidden;
    float* out = walk_.states + (document * walk_.documents.words + t) * 2 * walk_.hidden + half + unit;
    if (HWY_LIKELY(unit + kInt8Lanes <= walk_.hidden)) {
      hn::StoreU(after, d, out);
    } else {
      std::copy_n(state, walk_.hidden - unit, out);
    }
  }

  Int8Walk walk_;
  int64_t units_, stride_;
  Int8Panels::Array<float> states_;          // [documents, units_], zero until a document begins
  Int8Panels::Array<Int8In> steps_;          // the same as the product takes it, [documents, stride_]
  std::vector<float> scales_;                // of the steps
  int64_t first_word_ = 0, word_count_ = 0;  // whose sums are in
  Int8Panels::Array<int32_t> from_words_;    // see word_tile
  HWY_ALIGN int32_t from_states_[kInt8TilePanels * kInt8TileRows * kInt8Columns];
};

}  // namespace

void walk_any(const Int8Walk& walk) { Walker(walk).run(); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(pack_gates);
HWY_EXPORT(walk_any);

Int8Gru::Int8Gru(int64_t hidden, int64_t input, const WeightMatrix<float>& weight_ih,
                 const WeightMatrix<float>& weight_hh, const float* bias_ih, const float* bias_hh)
    : hidden_(hidden),
      input_(input),
      input_weight_(HWY_DYNAMIC_DISPATCH(pack_gates)(hidden, input, weight_ih)),
      recurrent_weight_(HWY_DYNAMIC_DISPATCH(pack_gates)(hidden, hidden, weight_hh)),
      biases_(Int8Panels::zeros<float>(4 * padded_units(hidden))) {
  const int64_t units = padded_units(hidden);
  for (int64_t j = 0; j < hidden; ++j) {
    biases_[j] = bias_ih[j] + bias_hh[j];
    biases_[units + j] = bias_ih[hidden + j] + bias_hh[hidden + j];
    biases_[2 * units + j] = bias_ih[2 * hidden + j];
    biases_[3 * units + j] = bias_hh[2 * hidden + j];
  }
}

void Int8Gru::walk(const GruDocuments& documents, Direction direction, const Int8Rows& words, float* states) const {
  HWY_DYNAMIC_DISPATCH(walk_any)
  ({documents, direction, hidden_, input_, input_weight_, recurrent_weight_, biases_.get(), words, states});
}

}  // namespace otseq2set::inline kernels
#endif
