// Arithmetic::kSteady: the same bits on every instruction set, and near what kFused gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "otseq2set/core/random.h"
#include "otseq2set/kernels/attention_step.h"
#include "otseq2set/kernels/gru_cell.h"
#include "otseq2set/kernels/light_conv_arrays.h"
#include "otseq2set/kernels/row_math.h"
#include "support/highway_targets.h"

namespace otseq2set::testing {
namespace {

using Values = std::vector<float>;

Values random_values(int64_t count, const char* name, double size = 1) {
  RandomStream stream(3, name);
  Values values(count);
  for (float& value : values) value = static_cast<float>(stream.uniform(-size, size));
  return values;
}

// compute(arithmetic) must give the same bits on every instruction set, and nearly what the other way gives.
void expect_steady(const std::function<Values(Arithmetic)>& compute, double tolerance) {
  const Values steady = compute(Arithmetic::kSteady);
  for_each_target([&] {
    EXPECT_EQ(compute(Arithmetic::kSteady), steady);
    const Values fused = compute(Arithmetic::kFused);
    ASSERT_EQ(fused.size(), steady.size());
    for (size_t i = 0; i < fused.size(); ++i) ASSERT_NEAR(steady[i], fused[i], tolerance) << i;
  });
}

constexpr double kFunctionError = 2e-6;  // of tanh and sigmoid

TEST(Steady, Tanh) {
  Values values;
  for (int i = -100000; i <= 100000; ++i) values.push_back(static_cast<float>(i) * 1e-4F);
  values.insert(values.end(), {0.0F, -0.0F, 1e-30F, 50.0F, -1e30F});
  const auto compute = [&](Arithmetic arithmetic) {
    Values result = values;
    row_tanh(result.data(), static_cast<int64_t>(result.size()), arithmetic);
    return result;
  };
  expect_steady(compute, kFunctionError);
  for (const float value : compute(Arithmetic::kSteady)) ASSERT_LT(std::abs(value), 1);
}

TEST(Steady, GruCell) {
  for (const int64_t hidden : {1, 37, 64}) {
    const int64_t rows = 3;
    const Values x = random_values(rows * 3 * hidden, "x", 4), h = random_values(rows * 3 * hidden, "h", 4);
    const Values before = random_values(rows * hidden, "before");
    expect_steady(
        [&](Arithmetic arithmetic) {
          Values gates(rows * 4 * hidden), next(rows * hidden);
          gru_cell(GruCell<float>{rows, hidden, x.data(), h.data(), before.data(), gates.data(), next.data(), hidden},
                   arithmetic);
          return next;
        },
        // next = (1 - z) n + z before: an error of z counts twice at most, that of r four times, as |h_n| < 4
        8 * kFunctionError);
  }
}

TEST(Steady, Attention) {
  for (const int64_t hidden : {1, 15, 16, 45, 128}) {
    const int64_t positions = 11, width = 2 * hidden;
    const Values keys = random_values(positions * hidden, "keys"), states = random_values(positions * width, "states");
    const Values query = random_values(hidden, "query"), v = random_values(hidden, "v");
    expect_steady(
        [&](Arithmetic arithmetic) {
          Values result(positions + width);
          attend(AttentionStep<float>{{keys.data(), states.data(), positions, hidden, width},
                                      query.data(),
                                      v.data(),
                                      result.data(),
                                      result.data() + positions},
                 arithmetic);
          return result;
        },
        // of an energy: one error for each v below 1; a softmax changes by as much relatively, twice
        2 * static_cast<double>(hidden) * kFunctionError + 1e-6);
  }
}

TEST(Steady, AttentionToStatesOfTwoBytes) {
  const int64_t hidden = 20, positions = 11, width = 2 * hidden;
  const Values keys = random_values(positions * hidden, "keys"), states = random_values(positions * width, "states");
  const Values query = random_values(hidden, "query"), v = random_values(hidden, "v");
  const auto contexts = [&](const int16_t* fixed) {
    Values weights(positions), context(width);
    attend(AttentionStep<float>{{keys.data(), states.data(), positions, hidden, width, fixed},
                                query.data(),
                                v.data(),
                                weights.data(),
                                context.data()},
           Arithmetic::kSteady);
    return context;
  };
  const auto with_fixed = [&] {
    std::vector<int16_t> fixed(states.size());
    row_to_fixed(states.data(), static_cast<int64_t>(states.size()), kFixedOne, fixed.data());
    return contexts(fixed.data());
  };
  const Values best = with_fixed();
  for_each_target([&] {
    EXPECT_EQ(with_fixed(), best);
    const Values exact = contexts(nullptr);
    // A mean of states, each off by half a unit at most, and the rounding of sums of eleven.
    for (int64_t i = 0; i < width; ++i) ASSERT_NEAR(best[i], exact[i], 0.5 / kFixedOne + 2e-6) << i;
  });
}

TEST(Steady, RowPeakAndScores) {
  for (const int64_t count : {1, 15, 16, 17, 480, 1001}) {
    const Values row = random_values(count, "row", 20);
    expect_steady(
        [&](Arithmetic arithmetic) {
          const RowPeak<float> peak = row_peak(row.data(), count, arithmetic);
          return Values{peak.largest, static_cast<float>(peak.place), std::log(peak.sum)};
        },
        2e-6);
    const RowPeak<float> peak = row_peak(row.data(), count);
    expect_steady(
        [&](Arithmetic arithmetic) {
          Values scores(count, 0.25F), shares = row;
          row_add_scores(scores.data(), row.data(), count, peak.largest + std::log(peak.sum), arithmetic);
          row_exp(shares.data(), count, peak.largest, std::log(peak.sum), arithmetic);
          scores.insert(scores.end(), shares.begin(), shares.end());
          return scores;
        },
        2e-6);
  }
}

TEST(Steady, NotANumberStaysSo) {
  const Values row = {1, std::nanf(""), 2};
  EXPECT_TRUE(std::isnan(row_peak(row.data(), 3, Arithmetic::kSteady).sum));
}

TEST(Steady, LightConv) {
  const std::vector<int64_t> lengths = {40, 23};
  const LightConvShape shape{2, 40, 50, 50, 7, 2, lengths.data()};
  const Values x = random_values(2 * 40 * 50, "x"), kernels = random_values(50 * 7, "kernels");
  expect_steady(
      [&](Arithmetic arithmetic) {
        Values y(2 * shape.positions() * 50);
        light_conv_forward(LightConvArrays<float>{shape, x.data(), kernels.data(), y.data()}, arithmetic);
        return y;
      },
      7 * 2 * 6e-8 * 7);
}

}  // namespace
}  // namespace otseq2set::testing
