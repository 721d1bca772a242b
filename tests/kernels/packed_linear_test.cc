#include "otseq2set/kernels/packed_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "support/highway_targets.h"

namespace otseq2set::testing {
namespace {

constexpr int64_t kGap = 5;  // between the rows

// A layer with random values, and rows for it that stand apart in memory.
template <typename T>
struct Layer {
  Layer(int64_t outputs, int64_t inputs, int64_t rows)
      : outputs(outputs),
        inputs(inputs),
        rows(rows),
        weight(random(outputs * inputs, "weight")),
        bias(random(outputs, "bias")),
        in(random(rows * (inputs + kGap), "in")) {}

  static std::vector<T> random(int64_t count, const char* name) {
    RandomStream stream(1, name);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(stream.uniform(-0.5, 0.5));
    return values;
  }

  PackedLinear<T> packed() const { return {outputs, inputs, weight.data(), bias.data()}; }

  // [rows, outputs] with gaps that hold NaN; row_count rows at a time.
  std::vector<T> forward(int64_t row_count) const {
    const PackedLinear<T> layer = packed();
    std::vector<T> out(rows * (outputs + kGap), std::numeric_limits<T>::quiet_NaN());
    for (int64_t row = 0; row < rows; row += row_count) {
      layer.forward(std::min(row_count, rows - row), in.data() + row * (inputs + kGap), inputs + kGap,
                    out.data() + row * (outputs + kGap), outputs + kGap);
    }
    return out;
  }

  int64_t outputs, inputs, rows;
  std::vector<T> weight, bias, in;
};

template <typename T>
void expect_products(int64_t outputs, int64_t inputs, int64_t rows) {
  const Layer<T> layer(outputs, inputs, rows);
  const std::vector<T> out = layer.forward(rows);
  const double tolerance = static_cast<double>(inputs) * std::numeric_limits<T>::epsilon();
  for (int64_t row = 0; row < rows; ++row) {
    const T* in = layer.in.data() + row * (inputs + kGap);
    for (int64_t o = 0; o < outputs + kGap; ++o) {
      const T value = out[row * (outputs + kGap) + o];
      if (o >= outputs) {
        ASSERT_TRUE(std::isnan(value)) << "written behind the end of row " << row;
        continue;
      }
      long double expected = layer.bias[o];
      for (int64_t k = 0; k < inputs; ++k) expected += static_cast<long double>(in[k]) * layer.weight[o * inputs + k];
      ASSERT_NEAR(value, static_cast<double>(expected), tolerance)
          << outputs << " x " << inputs << ", row " << row << " of " << rows << ", output " << o;
    }
  }
}

template <typename T>
class PackedLinearTest : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(0); }
};
using Types = ::testing::Types<float, double>;
struct TypeNames {
  template <typename T>
  static std::string GetName(int) {
    return sizeof(T) == sizeof(float) ? "float32" : "float64";
  }
};
TYPED_TEST_SUITE(PackedLinearTest, Types, TypeNames);

TYPED_TEST(PackedLinearTest, IsTheProductForEveryShapeAndInstructionSet) {
  for_each_target([] {
    for (int64_t outputs : {1, 5, 23, 24, 25, 96, 97, 250}) {
      for (int64_t inputs : {1, 7, 65}) {
        for (int64_t rows : {1, 2, 3, 4, 5, 9}) expect_products<TypeParam>(outputs, inputs, rows);
      }
    }
  });
}

TYPED_TEST(PackedLinearTest, ARowDoesNotKnowItsNeighbours) {
  const Layer<TypeParam> layer(211, 133, 11);
  const std::vector<TypeParam> together = layer.forward(11);
  for (int64_t row_count : {1, 2, 3, 4, 6}) {
    const std::vector<TypeParam> parts = layer.forward(row_count);
    for (size_t i = 0; i < together.size(); ++i) {
      if (std::isnan(together[i])) continue;
      ASSERT_EQ(parts[i], together[i]) << row_count << " rows at a time, value " << i;
    }
  }
}

TYPED_TEST(PackedLinearTest, PiecesAndThreadsChangeNoBit) {
  const Layer<TypeParam> layer(300, 40, 6);
  const PackedLinear<TypeParam> packed = layer.packed();
  set_threads(1);
  const std::vector<TypeParam> one = layer.forward(6);
  set_threads(3);
  const std::vector<TypeParam> three = layer.forward(6);
  std::vector<TypeParam> pieces(one.size());
  const int64_t half = 2 * PackedLinear<TypeParam>::kPiece, stride = layer.outputs + kGap;
  packed.forward_piece(half, 300, 6, layer.in.data(), layer.inputs + kGap, pieces.data(), stride);
  packed.forward_piece(0, half, 6, layer.in.data(), layer.inputs + kGap, pieces.data(), stride);
  for (size_t i = 0; i < one.size(); ++i) {
    if (std::isnan(one[i])) continue;
    ASSERT_EQ(three[i], one[i]) << i;
    ASSERT_EQ(pieces[i], one[i]) << i;
  }
}

}  // namespace
}  // namespace otseq2set::testing
