#include "otseq2set/kernels/gru_walk.h"

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/gru_walk.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "otseq2set/kernels/panel_product-inl.h"
#include "otseq2set/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// `count` values, fewer than a vector has at the end of a row: what lies behind belongs to others.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_part(D d, const T* from, int64_t count) {
  if (HWY_LIKELY(count >= kLanes<T>)) return hn::LoadU(d, from);
  HWY_ALIGN T values[kLanes<T>] = {};
  std::copy_n(from, count, values);
  return hn::Load(d, values);
}

template <class D, class T>
HWY_INLINE void store_part(D d, hn::Vec<D> vector, T* to, int64_t count) {
  if (HWY_LIKELY(count >= kLanes<T>)) {
    hn::StoreU(vector, d, to);
  } else {
    HWY_ALIGN T values[kLanes<T>];
    hn::Store(vector, d, values);
    std::copy_n(values, count, to);
  }
}

template <typename T>
constexpr int64_t kLine = 64 / sizeof(T);  // of a cache

// Zeroed memory for `rows` rows of at least `columns` values. Rows start a little more than a power of two
// apart, or they would all fall onto the same few places of the cache.
template <typename T>
class Scratch {
 public:
  Scratch(int64_t rows, int64_t columns)
      : stride_((columns + kLine<T> - 1) / kLine<T> * kLine<T> + kLine<T>),
        data_(hwy::AllocateAligned<T>(rows * stride_)) {
    std::fill_n(data_.get(), rows * stride_, T{0});
  }
  T* row(int64_t index) { return data_.get() + index * stride_; }
  int64_t stride() const { return stride_; }

 private:
  int64_t stride_;
  hwy::AlignedFreeUniquePtr<T[]> data_;
};

// Calls body(t, documents that have a word t) in one order or the other.
template <typename Body>
HWY_INLINE void for_each_position(const GruDocuments& documents, bool ascending, const Body& body) {
  for (int64_t i = 0; i < documents.longest(); ++i) {
    const int64_t t = ascending ? i : documents.longest() - 1 - i;
    body(t, documents.count_at(t));
  }
}

// Where a walk finds word t of a document in the padded states, or in their gradients, at its own half.
template <class AnyWalk, typename T>
HWY_INLINE T* state_at(const AnyWalk& walk, T* states, int64_t document, int64_t t) {
  const int64_t hidden = walk.weights.hidden, half = walk.direction == Direction::kForward ? 0 : hidden;
  return states + (document * walk.documents.words + t) * 2 * hidden + half;
}

template <class AnyWalk>
HWY_INLINE auto gates_at(const AnyWalk& walk, int64_t document, int64_t t) {
  return walk.gates + walk.documents.row(document, t) * 4 * walk.weights.hidden;
}

template <typename T>
int64_t unit_panels(int64_t hidden) {
  return (hidden + kLanes<T> - 1) / kLanes<T>;
}

// A panel's three vectors are the r, z and n of the same units.
template <typename T>
Panels<T> pack_gates(int64_t hidden, const T* weight) {
  return pack_columns<T>(hidden, unit_panels<T>(hidden), [&](int64_t column) {
    const int64_t panel = column / kPanelColumns<T>, gate = column % kPanelColumns<T> / kLanes<T>;
    const int64_t unit = panel * kLanes<T> + column % kLanes<T>;
    return unit < hidden ? weight + (gate * hidden + unit) * hidden : nullptr;
  });
}

template <typename T>
class Forward {
 public:
  explicit Forward(const GruWalk<T>& walk)
      : walk_(walk),
        hidden_(walk.weights.hidden),
        panels_(unit_panels<T>(hidden_)),
        biases_(4, hidden_),
        before_(walk.documents.count(), hidden_),
        after_(walk.documents.count(), hidden_) {
    add_biases(walk.weights.bias_ih, walk.weights.bias_hh);
  }

  void run() {
    for_each_position(walk_.documents, walk_.direction == Direction::kForward, [&](int64_t t, int64_t active) HWY_ATTR {
      const auto use = [&](const PanelBlock<T>& block) HWY_ATTR { cells(block, t); };
      panel_product(active, hidden_, panels_, before_.row(0), before_.stride(), walk_.packed, use);
      std::swap(before_, after_);
    });
  }

 private:
  void add_biases(const T* input, const T* recurrent) {
    for (int64_t j = 0; j < hidden_; ++j) {
      biases_.row(0)[j] = input[j] + recurrent[j];
      biases_.row(1)[j] = input[hidden_ + j] + recurrent[hidden_ + j];
      biases_.row(2)[j] = input[2 * hidden_ + j];
      biases_.row(3)[j] = recurrent[2 * hidden_ + j];
    }
  }

  // In two rounds, so that many sigmoids and then many tanhs are under way at the same time.
  HWY_INLINE void cells(const PanelBlock<T>& block, int64_t t) {
    fetch_ahead(block, t);
    for_each_vector(block, [&](int64_t document, int64_t unit, const T* products)
                               HWY_ATTR { reset_and_update(document, t, unit, products); });
    for_each_vector(block, [&](int64_t document, int64_t unit, const T* products)
                               HWY_ATTR { next_state(document, t, unit, products); });
  }

  // Calls body(document, unit, products), with products [3][lanes]
  // the W h of r, z and n of the units from `unit` on.
  template <class Body>
  HWY_INLINE void for_each_vector(const PanelBlock<T>& block, const Body& body) {
    const T* products = block.values;
    for (int64_t panel = 0; panel < block.panels; ++panel) {
      for (int64_t row = 0; row < block.rows; ++row, products += kPanelColumns<T>) {
        body(block.first_row + row, (block.first_panel + panel) * kLanes<T>, products);
      }
    }
  }

  // Asks for the gates of the units that come next, while their products are computed: they are too far apart
  // for the processor to guess.
  HWY_INLINE void fetch_ahead(const PanelBlock<T>& block, int64_t t) {
    const int64_t begin = (block.first_panel + block.panels) * kLanes<T>;
    const int64_t end = std::min(hidden_, begin + kTilePanels * kLanes<T>);
    for (int64_t document = block.first_row; document < block.first_row + block.rows; ++document) {
      const T* gates = gates_at(walk_, document, t);
      const T* states = state_at(walk_, walk_.states, document, t);
      for (int64_t unit = begin; unit < end; unit += kLine<T>) {
        for (int64_t gate = 0; gate < 4; ++gate) __builtin_prefetch(gates + gate * hidden_ + unit, 1);
        __builtin_prefetch(states + unit, 1);
      }
    }
  }

  // The x of a gate plus its bias.
  HWY_INLINE auto from_input(const T* gates, int64_t gate, int64_t unit) {
    const hn::ScalableTag<T> d;
    return hn::Add(load_part(d, gates + gate * hidden_, hidden_ - unit), hn::Load(d, biases_.row(gate) + unit));
  }

  HWY_INLINE void reset_and_update(int64_t document, int64_t t, int64_t unit, const T* products) {
    const hn::ScalableTag<T> d;
    T* gates = gates_at(walk_, document, t) + unit;
    for (int64_t gate = 0; gate < 2; ++gate) {
      const auto sum = hn::Add(from_input(gates, gate, unit), hn::Load(d, products + gate * kLanes<T>));
      store_part(d, vector_sigmoid(d, sum), gates + gate * hidden_, hidden_ - unit);
    }
  }

  HWY_INLINE void next_state(int64_t document, int64_t t, int64_t unit, const T* products) {
    const hn::ScalableTag<T> d;
    const int64_t count = hidden_ - unit;
    T* gates = gates_at(walk_, document, t) + unit;
    const auto r = load_part(d, gates, count), z = load_part(d, gates + hidden_, count);
    const auto h_n = hn::Add(hn::Load(d, products + 2 * kLanes<T>), hn::Load(d, biases_.row(3) + unit));
    const auto n = vector_tanh(d, hn::MulAdd(r, h_n, from_input(gates, 2, unit)));
    const auto after = hn::MulAdd(z, hn::Sub(hn::Load(d, before_.row(document) + unit), n), n);

    store_part(d, n, gates + 2 * hidden_, count);
    store_part(d, h_n, gates + 3 * hidden_, count);
    store_part(d, after, state_at(walk_, walk_.states, document, t) + unit, count);
    hn::Store(after, d, after_.row(document) + unit);
  }

  GruWalk<T> walk_;
  int64_t hidden_;
  int64_t panels_;
  Scratch<T> biases_;          // r and z of both sides together, n of the input, n of the state
  Scratch<T> before_, after_;  // [documents, hidden], zero until a document begins
};

template <typename T>
class Backward {
 public:
  explicit Backward(const GruWalkBack<T>& walk)
      : walk_(walk),
        hidden_(walk.weights.hidden),
        panels_(panels_of<T>(hidden_)),
        packed_(pack_panels(3 * hidden_, hidden_, walk.weights.weight_hh)),
        nothing_(1, hidden_),
        sums_(4, hidden_),
        recurrent_(walk.documents.count(), 3 * hidden_),
        carry_(walk.documents.count(), panels_ * kPanelColumns<T>) {}

  void run() {
    for_each_position(walk_.documents, walk_.direction == Direction::kReverse, [&](int64_t t, int64_t active) HWY_ATTR {
      for (int64_t document = 0; document < active; ++document) gate_gradients(document, t);
      panel_product(active, 3 * hidden_, panels_, recurrent_.row(0), recurrent_.stride(), packed_.get(),
                    add_to_carry());
    });
    for (int64_t gate = 0; gate < 4; ++gate) std::copy_n(sums_.row(gate), hidden_, walk_.gate_sums + gate * hidden_);
  }

 private:
  // The state that word t started from.
  const T* state_before(int64_t document, int64_t t) {
    const bool forward = walk_.direction == Direction::kForward;
    const int64_t start = forward ? 0 : walk_.documents.lengths[document] - 1;
    if (t == start) return nothing_.row(0);
    return state_at(walk_, walk_.states, document, forward ? t - 1 : t + 1);
  }

  // From the gradient of the state at word t to those of its gates, and of the state before as far as it does
  // not go through the gates.
  void gate_gradients(int64_t document, int64_t t) {
    const T* before = state_before(document, t);
    const T* gradient = state_at(walk_, walk_.gradients, document, t);
    T* gates = gates_at(walk_, document, t);
    for (int64_t unit = 0; unit < hidden_; unit += kLanes<T>) {
      cell(unit, before + unit, gradient + unit, gates + unit, recurrent_.row(document) + unit,
           carry_.row(document) + unit);
    }
  }

  HWY_INLINE void cell(int64_t unit, const T* before, const T* gradient, T* gates, T* recurrent, T* carry) {
    const hn::ScalableTag<T> d;
    const int64_t count = hidden_ - unit;
    const auto one = hn::Set(d, T{1});
    const auto r = load_part(d, gates, count), z = load_part(d, gates + hidden_, count);
    const auto n = load_part(d, gates + 2 * hidden_, count), h_n = load_part(d, gates + 3 * hidden_, count);
    const auto dh = hn::Add(load_part(d, gradient, count), hn::Load(d, carry));

    const auto not_z = hn::Sub(one, z);
    const auto dn = hn::Mul(hn::Mul(dh, not_z), hn::NegMulAdd(n, n, one));
    const auto dz = hn::Mul(hn::Mul(dh, hn::Sub(load_part(d, before, count), n)), hn::Mul(z, not_z));
    const auto dr = hn::Mul(hn::Mul(dn, h_n), hn::Mul(r, hn::Sub(one, r)));
    const auto dh_n = hn::Mul(dn, r);

    const auto keep = [&](auto value, int64_t gate) HWY_ATTR {
      store_part(d, value, gates + gate * hidden_, count);
      T* sum = sums_.row(gate) + unit;
      hn::Store(hn::Add(hn::Load(d, sum), value), d, sum);
    };
    keep(dr, 0);
    keep(dz, 1);
    keep(dn, 2);
    keep(dh_n, 3);
    store_part(d, dr, recurrent, count);
    store_part(d, dz, recurrent + hidden_, count);
    store_part(d, dh_n, recurrent + 2 * hidden_, count);
    hn::Store(hn::Mul(dh, z), d, carry);
  }

  auto add_to_carry() {
    return [this](const PanelBlock<T>& block) HWY_ATTR {
      const hn::ScalableTag<T> d;
      const T* values = block.values;
      for (int64_t panel = 0; panel < block.panels; ++panel) {
        for (int64_t row = 0; row < block.rows; ++row) {
          T* carry = carry_.row(block.first_row + row) + (block.first_panel + panel) * kPanelColumns<T>;
          for (int64_t i = 0; i < kPanelColumns<T>; i += kLanes<T>, values += kLanes<T>) {
            hn::Store(hn::Add(hn::Load(d, carry + i), hn::Load(d, values)), d, carry + i);
          }
        }
      }
    };
  }

  GruWalkBack<T> walk_;
  int64_t hidden_;
  int64_t panels_;
  Panels<T> packed_;
  Scratch<T> nothing_;    // the state before the first word
  Scratch<T> sums_;       // [4, hidden]
  Scratch<T> recurrent_;  // [documents, 3 hidden], the gradients of W h at this word
  Scratch<T> carry_;      // [documents, hidden], the gradient of the state that comes from the word after
};

}  // namespace

Panels<float> pack_float(int64_t hidden, const float* weight) { return pack_gates(hidden, weight); }
Panels<double> pack_double(int64_t hidden, const double* weight) { return pack_gates(hidden, weight); }
void forward_float(const GruWalk<float>& walk) { Forward<float>(walk).run(); }
void forward_double(const GruWalk<double>& walk) { Forward<double>(walk).run(); }
void backward_float(const GruWalkBack<float>& walk) { Backward<float>(walk).run(); }
void backward_double(const GruWalkBack<double>& walk) { Backward<double>(walk).run(); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(pack_float);
HWY_EXPORT(pack_double);
HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

GruDocuments gru_documents(std::vector<int64_t> lengths, int64_t words) {
  GruDocuments documents{std::move(lengths), {0}, words};
  int64_t longest = words;
  for (const int64_t length : documents.lengths) {
    if (length < 1 || length > longest) throw std::invalid_argument("lengths of documents must descend to 1");
    longest = length;
  }
  for (int64_t t = 0, count = documents.count(); count > 0 && t < documents.longest(); ++t) {
    while (documents.lengths[count - 1] <= t) --count;
    documents.starts.push_back(documents.starts.back() + count);
  }
  return documents;
}

PackedRecurrent<float> pack_recurrent(int64_t hidden, const float* weight_hh) {
  return HWY_DYNAMIC_DISPATCH(pack_float)(hidden, weight_hh);
}
PackedRecurrent<double> pack_recurrent(int64_t hidden, const double* weight_hh) {
  return HWY_DYNAMIC_DISPATCH(pack_double)(hidden, weight_hh);
}
void gru_walk(const GruWalk<float>& walk) { HWY_DYNAMIC_DISPATCH(forward_float)(walk); }
void gru_walk(const GruWalk<double>& walk) { HWY_DYNAMIC_DISPATCH(forward_double)(walk); }
void gru_walk_back(const GruWalkBack<float>& walk) { HWY_DYNAMIC_DISPATCH(backward_float)(walk); }
void gru_walk_back(const GruWalkBack<double>& walk) { HWY_DYNAMIC_DISPATCH(backward_double)(walk); }

}  // namespace otseq2set::inline kernels
#endif
