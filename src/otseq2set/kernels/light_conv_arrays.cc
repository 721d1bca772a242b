#include "otseq2set/kernels/light_conv_arrays.h"

#include <algorithm>
#include <utility>

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/light_conv_arrays.cc"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/steady_math-inl.h"
#include "otseq2set/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {
namespace {

// Sums held in registers at a time. Loops over positions or taps run in whole tiles; what lies beyond the end
// is computed from whatever the rows hold there, and dropped.
constexpr int64_t kTile = 8;
using Tile = std::make_index_sequence<kTile>;
constexpr int64_t kPositions = 64;  // worked on at a time, whole tiles

// Channels of a block; a row of it is four cache lines.
template <typename T>
constexpr int64_t kBlock = 256 / sizeof(T);

constexpr int64_t whole_tiles(int64_t count) { return (count + kTile - 1) / kTile * kTile; }

// Contiguous rows of one block of channels: [count, kBlock], zero at first.
template <typename T>
class Rows {
 public:
  explicit Rows(int64_t count) : data_(hwy::AllocateAligned<T>(count * kBlock<T>)) {
    std::fill_n(data_.get(), count * kBlock<T>, T(0));
  }
  T* operator[](int64_t row) { return data_.get() + row * kBlock<T>; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
};

// Where a block of channels lies in a tensor [..., rows, channels].
template <typename T>
struct Strip {
  T* first;
  int64_t channels;  // from row to row
  int64_t width;     // channels in this block, at most kBlock
  T* operator[](int64_t row) const { return first + row * channels; }
};

template <typename T>
void copy_in(const Strip<const T>& from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) std::copy_n(from[i], from.width, to + i * kBlock<T>);
}

template <typename T>
void copy_out(const T* from, int64_t count, const Strip<T>& to) {
  for (int64_t i = 0; i < count; ++i) std::copy_n(from + i * kBlock<T>, to.width, to[i]);
}

// Not a number stays so, as in ATen: Max gives its second argument then.
template <typename T>
void relu_out(const T* from, int64_t count, const Strip<T>& to) {
  for (int64_t i = 0; i < count; ++i) {
    for_each_vector<T>(to.width, [&](auto d, int64_t c) HWY_ATTR {
      hn::StoreU(hn::Max(hn::Zero(d), hn::LoadU(d, from + i * kBlock<T> + c)), d, to[i] + c);
    });
  }
}

// The gradient in front of the ReLU, rows first .. first + count - 1; zero where there is no position.
template <typename T>
void gate_in(const Strip<const T>& y, const Strip<const T>& y_gradient, int64_t positions, int64_t first, int64_t count,
             T* to) {
  for (int64_t i = first; i < first + count; ++i, to += kBlock<T>) {
    if (i < 0 || i >= positions) {
      std::fill_n(to, kBlock<T>, T(0));
      continue;
    }
    for_each_vector<T>(y.width, [&](auto d, int64_t c) HWY_ATTR {
      const auto off = hn::Le(hn::LoadU(d, y[i] + c), hn::Zero(d));
      hn::StoreU(hn::IfThenZeroElse(off, hn::LoadU(d, y_gradient[i] + c)), d, to + c);
    });
  }
}

// out[n * out_step] = sum_t taps[t * tap_step] * in[n * in_step + t * in_tap_step],  n < count, t < tap_count
//
// Indices and steps count rows of a block.
template <typename T>
struct Convolution {
  const T* in;
  int64_t in_step, in_tap_step;
  const T* taps;
  int64_t tap_step, tap_count;
  T* out;
  int64_t out_step, count;
};

template <class Math, typename T, typename D, size_t... kN>
HWY_INLINE void convolve_tile(D d, const Convolution<T>& s, const T* in, const T* taps, T* out,
                              std::index_sequence<kN...>) {
  const int64_t in_step = s.in_step * kBlock<T>, out_step = s.out_step * kBlock<T>;
  hn::Vec<D> sums[] = {(static_cast<void>(kN), hn::Zero(d))...};
  for (int64_t t = 0; t < s.tap_count; ++t) {
    const auto tap = hn::Load(d, taps + t * s.tap_step * kBlock<T>);
    const T* row = in + t * s.in_tap_step * kBlock<T>;
    ((sums[kN] = Math::mul_add(tap, hn::Load(d, row + kN * in_step), sums[kN])), ...);
  }
  (hn::Store(sums[kN], d, out + kN * out_step), ...);
}

template <class Math, typename T>
void convolve(const Convolution<T>& s, int64_t width) {
  const hn::CappedTag<T, kBlock<T>> d;
  for (int64_t c = 0; c < width; c += hn::Lanes(d)) {
    for (int64_t n = 0; n < s.count; n += kTile) {
      const int64_t in = n * s.in_step * kBlock<T> + c, out = n * s.out_step * kBlock<T> + c;
      convolve_tile<Math>(d, s, s.in + in, s.taps + c, s.out + out, Tile());
    }
  }
}

// sums[t] += sum_i g[i] * x[i * stride + t],  i < count, over a tile of t
template <typename T, typename D, size_t... kT>
HWY_INLINE void correlate_tile(D d, const T* g, const T* x, int64_t stride, int64_t count, T* sums,
                               std::index_sequence<kT...>) {
  hn::Vec<D> own[] = {(static_cast<void>(kT), hn::Zero(d))...};
  for (int64_t i = 0; i < count; ++i) {
    const auto gradient = hn::Load(d, g + i * kBlock<T>);
    const T* row = x + i * stride * kBlock<T>;
    ((own[kT] = hn::MulAdd(gradient, hn::Load(d, row + kT * kBlock<T>), own[kT])), ...);
  }
  (hn::Store(hn::Add(hn::Load(d, sums + kT * kBlock<T>), own[kT]), d, sums + kT * kBlock<T>), ...);
}

template <typename T>
void correlate(const T* g, const T* x, int64_t stride, int64_t count, T* sums, int64_t kernel, int64_t width) {
  const hn::CappedTag<T, kBlock<T>> d;
  for (int64_t c = 0; c < width; c += hn::Lanes(d)) {
    for (int64_t t = 0; t < kernel; t += kTile) {
      correlate_tile(d, g + c, x + t * kBlock<T> + c, stride, count, sums + t * kBlock<T> + c, Tile());
    }
  }
}

template <typename T>
int64_t blocks(const LightConvShape& shape) {
  return (shape.channels + kBlock<T> - 1) / kBlock<T>;
}

template <typename T>
Strip<T> strip(const LightConvShape& shape, T* rows, int64_t row, int64_t block) {
  const int64_t channel = block * kBlock<T>;
  return {rows + row * shape.channels + channel, shape.channels, std::min(kBlock<T>, shape.channels - channel)};
}

// Each channel's kernel, a tap a row: [blocks, whole tiles of taps, kBlock].
template <typename T>
Rows<T> taps_of_channels(const LightConvShape& shape, const T* kernels) {
  Rows<T> taps(blocks<T>(shape) * whole_tiles(shape.kernel));
  for (int64_t c = 0; c < shape.channels; ++c) {
    const T* kernel = kernels + c % shape.heads * shape.kernel;
    T* column = taps[c / kBlock<T> * whole_tiles(shape.kernel)] + c % kBlock<T>;
    for (int64_t t = 0; t < shape.kernel; ++t) column[t * kBlock<T>] = kernel[t];
  }
  return taps;
}

// The other way round: sums over the channels that share a kernel.
template <typename T>
void add_up_heads(const LightConvShape& shape, Rows<T>& taps, T* kernels) {
  std::fill_n(kernels, shape.heads * shape.kernel, T(0));
  for (int64_t c = 0; c < shape.channels; ++c) {
    T* kernel = kernels + c % shape.heads * shape.kernel;
    const T* column = taps[c / kBlock<T> * whole_tiles(shape.kernel)] + c % kBlock<T>;
    for (int64_t t = 0; t < shape.kernel; ++t) kernel[t] += column[t * kBlock<T>];
  }
}

template <class Math, typename T>
void light_conv_forward_any(const LightConvArrays<T>& arrays) {
  const auto [shape, x, kernels, y] = arrays;
  const auto [batch, words, channels, heads, kernel, stride, lengths] = shape;
  Rows<T> taps = taps_of_channels(shape, kernels);
  Rows<T> in((kPositions - 1) * stride + kernel), out(kPositions);
  for (int64_t document = 0; document < batch; ++document) {
    const int64_t positions = shape.positions_in(lengths[document]), y_row = document * shape.positions();
    for (int64_t first = 0; first < positions; first += kPositions) {
      const int64_t count = std::min(kPositions, positions - first);
      for (int64_t block = 0; block < blocks<T>(shape); ++block) {
        const auto from = strip(shape, x, document * words + first * stride, block);
        copy_in(from, (count - 1) * stride + kernel, in[0]);
        convolve<Math, T>({in[0], stride, 1, taps[block * whole_tiles(kernel)], 1, kernel, out[0], 1, count},
                          from.width);
        relu_out(out[0], count, strip(shape, y, y_row + first, block));
      }
    }
    std::fill_n(y + (y_row + positions) * channels, (shape.positions() - positions) * channels, T(0));
  }
}

template <typename T>
class Backward {
 public:
  explicit Backward(const LightConvBack<T>& arrays)
      : arrays_(arrays),
        shape_(arrays.shape),
        reach_((shape_.kernel - 1) / shape_.stride),
        taps_(taps_of_channels(shape_, arrays.kernels)),
        tap_sums_(blocks<T>(shape_) * whole_tiles(shape_.kernel)),
        g_(reach_ + kPositions),
        words_((kPositions - 1) * shape_.stride + whole_tiles(shape_.kernel)),
        word_gradients_(kPositions * shape_.stride) {}

  void run() {
    for (int64_t document = 0; document < shape_.batch; ++document) {
      const int64_t positions = shape_.positions_in(shape_.lengths[document]);
      const int64_t words = positions == 0 ? 0 : (positions - 1) * shape_.stride + shape_.kernel;  // looked at
      for (int64_t first = 0; first * shape_.stride < words; first += kPositions) {
        for (int64_t block = 0; block < blocks<T>(shape_); ++block) {
          part(document, positions, words, first, block);
        }
      }
      if (arrays_.x_gradient) {
        std::fill_n(arrays_.x_gradient + (document * shape_.words + words) * shape_.channels,
                    (shape_.words - words) * shape_.channels, T(0));
      }
    }
    if (arrays_.kernel_gradients) add_up_heads(shape_, tap_sums_, arrays_.kernel_gradients);
  }

 private:
  // Positions first .. first + kPositions - 1 and the words from first * stride up to the next part's.
  void part(int64_t document, int64_t positions, int64_t words, int64_t first, int64_t block) {
    const int64_t stride = shape_.stride, row = document * shape_.positions();
    const int64_t word = document * shape_.words + first * stride, taps = block * whole_tiles(shape_.kernel);
    gate_in(strip(shape_, arrays_.y, row, block), strip(shape_, arrays_.y_gradient, row, block), positions,
            first - reach_, reach_ + kPositions, g_[0]);
    const int64_t count = std::min(kPositions, positions - first);
    if (arrays_.kernel_gradients && count > 0) {
      const auto from = strip(shape_, arrays_.x, word, block);
      copy_in(from, (count - 1) * stride + shape_.kernel, words_[0]);
      correlate<T>(g_[reach_], words_[0], stride, count, tap_sums_[taps], shape_.kernel, from.width);
    }
    if (arrays_.x_gradient) {
      const auto to = strip(shape_, arrays_.x_gradient, word, block);
      const int64_t rows = std::min(kPositions * stride, words - first * stride);
      for (int64_t phase = 0; phase < stride; ++phase) {
        word_gradients(phase, (rows + stride - 1) / stride, taps, to.width);
      }
      copy_out(word_gradients_[0], rows, to);
    }
  }

  // Words n * stride + phase, which only taps phase, phase + stride, ... meet, if there are such:
  //   dx[n * stride + phase] = sum_m tap[phase + m * stride] * g[n - m]
  void word_gradients(int64_t phase, int64_t count, int64_t taps, int64_t width) {
    const int64_t stride = shape_.stride, first_tap = std::min(phase, shape_.kernel);
    const int64_t tap_count = (shape_.kernel - first_tap + stride - 1) / stride;
    const T* phase_taps = taps_[taps + first_tap];
    convolve<FusedMath, T>({g_[reach_], 1, -1, phase_taps, stride, tap_count, word_gradients_[phase], stride, count},
                           width);
  }

  const LightConvBack<T>& arrays_;
  const LightConvShape& shape_;
  int64_t reach_;  // positions before n whose window meets word n * stride
  Rows<T> taps_, tap_sums_;
  Rows<T> g_, words_, word_gradients_;
};

}  // namespace

// HWY_EXPORT takes plain functions.
void forward_float(const LightConvArrays<float>& arrays) { light_conv_forward_any<FusedMath>(arrays); }
void forward_steady(const LightConvArrays<float>& arrays) { light_conv_forward_any<SteadyMath>(arrays); }
void forward_double(const LightConvArrays<double>& arrays) { light_conv_forward_any<FusedMath>(arrays); }
void backward_float(const LightConvBack<float>& arrays) { Backward<float>(arrays).run(); }
void backward_double(const LightConvBack<double>& arrays) { Backward<double>(arrays).run(); }

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_steady);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

void light_conv_forward(const LightConvArrays<float>& arrays, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(forward_steady)(arrays)
                                    : HWY_DYNAMIC_DISPATCH(forward_float)(arrays);
}
void light_conv_forward(const LightConvArrays<double>& arrays, Arithmetic) {
  HWY_DYNAMIC_DISPATCH(forward_double)(arrays);
}
void light_conv_backward(const LightConvBack<float>& arrays) { HWY_DYNAMIC_DISPATCH(backward_float)(arrays); }
void light_conv_backward(const LightConvBack<double>& arrays) { HWY_DYNAMIC_DISPATCH(backward_double)(arrays); }

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
