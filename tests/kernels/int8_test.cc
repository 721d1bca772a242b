// Products of bytes against exact integer arithmetic, on every instruction set that the machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "otseq2set/kernels/int8_targets.h"
// First, or the instruction sets would be those of the other kernels.
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/int8_gru.h"
#include "otseq2set/kernels/int8_linear.h"
#include "otseq2set/kernels/packed_linear.h"
#include "support/highway_targets.h"

namespace otseq2set::testing {
namespace {

std::vector<float> random_values(int64_t count, const char* name, double size = 1) {
  RandomStream stream(7, name);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.uniform(-size, size));
  return values;
}

// A matrix as a quantised model stores it.
struct Bytes {
  Bytes(int64_t rows, int64_t width, const std::vector<float>& values)
      : rows(rows), width(width), bytes(rows * width), scales(rows) {
    quantise_matrix(rows, width, values.data(), bytes.data(), scales.data());
  }
  WeightMatrix<float> matrix() const { return {bytes.data(), scales.data()}; }

  int64_t rows, width;
  std::vector<int8_t> bytes;
  std::vector<float> scales;
};

// A row in the steps that quantised_rows promises.
struct Steps {
  Steps(const float* values, int64_t width) : steps(width) {
    float largest = 0;
    for (int64_t k = 0; k < width; ++k) largest = std::max(largest, std::abs(values[k]));
    if (largest <= 1e-30F) return;
    const float factor = 127 / largest;
    scale = largest / 127;
    for (int64_t k = 0; k < width; ++k) steps[k] = static_cast<int64_t>(std::nearbyint(values[k] * factor));
  }
  float scale = 0;
  std::vector<int64_t> steps;
};

// What the layer must give, to the bit.
float expected_output(const Steps& row, const Bytes& weight, int64_t output, float bias) {
  int64_t sum = 0;
  for (int64_t k = 0; k < weight.width; ++k) sum += row.steps[k] * weight.bytes[output * weight.width + k];
  const float factor = row.scale * weight.scales[output], product = static_cast<float>(sum) * factor;
  return product + bias;
}

void expect_layer(int64_t outputs, int64_t inputs, int64_t rows, const std::vector<float>& values,
                  const std::vector<float>& in) {
  const Bytes weight(outputs, inputs, values);
  const std::vector<float> bias = random_values(outputs, "bias");
  const PackedLinear<float> layer(outputs, inputs, weight.matrix(), bias.data());
  const int64_t stride = outputs + 3;
  std::vector<float> out(rows * stride, 1e9F);
  layer.forward(rows, in.data(), inputs, out.data(), stride);
  for (int64_t row = 0; row < rows; ++row) {
    const Steps steps(in.data() + row * inputs, inputs);
    for (int64_t output = 0; output < outputs; ++output) {
      ASSERT_EQ(out[row * stride + output], expected_output(steps, weight, output, bias[output]))
          << outputs << " x " << inputs << ", row " << row << " of " << rows << ", output " << output;
    }
    for (int64_t gap = outputs; gap < stride; ++gap) ASSERT_EQ(out[row * stride + gap], 1e9F) << "written behind a row";
  }
}

TEST(Int8Product, IsTheIntegerProductForEveryShapeAndInstructionSet) {
  for_each_target([] {
    for (int64_t outputs : {1, 5, 23, 48, 97, 250}) {
      for (int64_t inputs : {1, 2, 3, 4, 7, 64, 133}) {
        for (int64_t rows : {1, 2, 3, 4, 5, 8, 9, 19}) {
          expect_layer(outputs, inputs, rows, random_values(outputs * inputs, "weight"),
                       random_values(rows * inputs, "in", 3));
        }
      }
    }
  });
}

TEST(Int8Product, LargestValuesDoNotOverflow) {
  for_each_target([] {
    const int64_t inputs = 4097;
    for (const float sign : {1.0F, -1.0F}) {
      expect_layer(3, inputs, 5, std::vector<float>(3 * inputs, sign), std::vector<float>(5 * inputs, 2.0F));
    }
  });
}

TEST(Int8Product, RowsOfZerosAndOfNextToNothing) {
  for_each_target([] {
    expect_layer(5, 40, 2, random_values(200, "weight"), std::vector<float>(80));
    expect_layer(5, 40, 2, random_values(200, "weight"), std::vector<float>(80, 1e-38F));
    expect_layer(5, 40, 1, std::vector<float>(200), random_values(40, "in"));
  });
}

TEST(Int8Product, IsNearTheProductOfTheNumbersThemselves) {
  const int64_t outputs = 64, inputs = 512;
  const std::vector<float> values = random_values(outputs * inputs, "weight"), in = random_values(inputs, "in");
  const Bytes weight(outputs, inputs, values);
  const std::vector<float> bias(outputs);
  std::vector<float> out(outputs);
  PackedLinear<float>(outputs, inputs, weight.matrix(), bias.data()).forward(1, in.data(), inputs, out.data(), outputs);
  for (int64_t output = 0; output < outputs; ++output) {
    double exact = 0;
    for (int64_t k = 0; k < inputs; ++k) exact += static_cast<double>(in[k]) * values[output * inputs + k];
    // Each of the factors is off by half a step of 1/127 at most: inputs * 2 * (1 / 254), if all errors had one sign.
    EXPECT_NEAR(out[output], exact, static_cast<double>(inputs) / 127 * 1.01);
    // They have not: the sum of as many errors, each uniform of this size, six times its deviation.
    EXPECT_NEAR(out[output], exact, 6 * std::sqrt(2.0 / 3 / 12 * static_cast<double>(inputs)) / 127);
  }
}

TEST(Int8Product, PiecesAndThreadsChangeNoBit) {
  const int64_t outputs = 300, inputs = 40, rows = 11;
  const Bytes weight(outputs, inputs, random_values(outputs * inputs, "weight"));
  const std::vector<float> bias = random_values(outputs, "bias"), in = random_values(rows * inputs, "in");
  const PackedLinear<float> layer(outputs, inputs, weight.matrix(), bias.data());
  const auto forward = [&](int threads) {
    set_threads(threads);
    std::vector<float> out(rows * outputs);
    layer.forward(rows, in.data(), inputs, out.data(), outputs);
    set_threads(0);
    return out;
  };
  const std::vector<float> one = forward(1);
  EXPECT_EQ(forward(3), one);
  std::vector<float> pieces(rows * outputs);
  for (int64_t row = 0; row < rows; ++row) {
    const auto piece = [&](int64_t begin, int64_t end) {
      layer.forward_piece(begin, end, 1, in.data() + row * inputs, inputs, pieces.data() + row * outputs, outputs);
    };
    piece(2 * PackedLinear<float>::kPiece, outputs);
    piece(0, 2 * PackedLinear<float>::kPiece);
  }
  EXPECT_EQ(pieces, one);
}

TEST(Int8Rows, OfATableAreItsRows) {
  for_each_target([] {
    const int64_t width = 37, outputs = 20;
    const Bytes table(6, width, random_values(6 * width, "table"));
    const Bytes weight(outputs, width, random_values(outputs * width, "weight"));
    const std::vector<float> bias(outputs);
    const std::vector<int32_t> numbers = {5, 0, 0, 3};
    const Int8Rows rows = table_rows(table.bytes.data(), table.scales.data(), width, numbers);
    std::vector<float> out(numbers.size() * outputs);
    Int8Linear(outputs, width, weight.matrix(), bias.data()).forward_piece(0, outputs, rows, out.data(), outputs);
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (int64_t output = 0; output < outputs; ++output) {
        int64_t sum = 0;
        for (int64_t k = 0; k < width; ++k) {
          sum += int64_t{table.bytes[numbers[i] * width + k]} * weight.bytes[output * width + k];
        }
        ASSERT_EQ(out[i * outputs + output],
                  static_cast<float>(sum) * (table.scales[numbers[i]] * weight.scales[output]));
      }
    }
  });
}

TEST(QuantiseMatrix, KeepsEveryValueToHalfAStep) {
  const int64_t rows = 9, width = 50;
  std::vector<float> values = random_values(rows * width, "values", 5);
  std::fill_n(values.begin() + 3 * width, width, 0.0F);
  const Bytes bytes(rows, width, values);
  for (int64_t i = 0; i < rows * width; ++i) {
    const float scale = bytes.scales[i / width];
    EXPECT_LE(std::abs(static_cast<double>(scale) * bytes.bytes[i] - values[i]), 0.5000001 * scale) << i;
    EXPECT_GE(bytes.bytes[i], -127);
  }
  EXPECT_EQ(bytes.scales[3], 0);
}

// A layer, and documents of these lengths with random words.
struct GruCase {
  GruCase(int64_t hidden, int64_t input, const std::vector<int64_t>& lengths)
      : hidden(hidden),
        input(input),
        documents(gru_documents(lengths, lengths.front() + 1)),
        weight_ih(3 * hidden, input, random_values(3 * hidden * input, "weight_ih", 0.5)),
        weight_hh(3 * hidden, hidden, random_values(3 * hidden * hidden, "weight_hh", 0.5)),
        bias_ih(random_values(3 * hidden, "bias_ih")),
        bias_hh(random_values(3 * hidden, "bias_hh")),
        words(random_values(documents.rows() * input, "words")) {}

  std::vector<float> walk(Direction direction) const {
    const Int8Gru gru(hidden, input, weight_ih.matrix(), weight_hh.matrix(), bias_ih.data(), bias_hh.data());
    std::vector<float> states(documents.count() * documents.words * 2 * hidden, 5.0F);
    gru.walk(documents, direction, quantised_rows(documents.rows(), input, words.data(), input), states.data());
    return states;
  }

  // W x, or W h, of all three gates, to the bit.
  static std::vector<float> products(const Bytes& weight, const float* values) {
    const Steps row(values, weight.width);
    std::vector<float> result(weight.rows);
    for (int64_t i = 0; i < weight.rows; ++i) result[i] = expected_output(row, weight, i, 0);
    return result;
  }

  // The same in double, but for the products.
  std::vector<double> expected(Direction direction) const {
    std::vector<double> states(documents.count() * documents.words * 2 * hidden, 5.0);
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (int64_t document = 0; document < documents.count(); ++document) {
      std::vector<float> h(hidden);
      const int64_t length = documents.lengths[document];
      for (int64_t i = 0; i < length; ++i) {
        const int64_t t = direction == Direction::kForward ? i : length - 1 - i;
        const auto x = products(weight_ih, words.data() + documents.row(document, t) * input);
        const auto own = products(weight_hh, h.data());
        for (int64_t j = 0; j < hidden; ++j) {
          const auto sum = [&](int64_t gate) {
            const int64_t row = gate * hidden + j;
            return static_cast<double>(x[row]) + own[row] + bias_ih[row] + bias_hh[row];
          };
          const int64_t n_row = 2 * hidden + j;
          const double r = sigmoid(sum(0)), z = sigmoid(sum(1));
          const double n = std::tanh(x[n_row] + bias_ih[n_row] + r * (own[n_row] + bias_hh[n_row]));
          h[j] = static_cast<float>((1 - z) * n + z * h[j]);
          const int64_t half = direction == Direction::kForward ? 0 : hidden;
          states[(document * documents.words + t) * 2 * hidden + half + j] = h[j];
        }
      }
    }
    return states;
  }

  int64_t hidden, input;
  GruDocuments documents;
  Bytes weight_ih, weight_hh;
  std::vector<float> bias_ih, bias_hh, words;
};

TEST(Int8Gru, IsTheRecurrence) {
  for_each_target([] {
    for (const int64_t hidden : {1, 5, 16, 24, 50}) {
      const GruCase gru(hidden, 11, {4, 4, 3, 3, 3, 2, 1, 1, 1, 1});
      for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
        const std::vector<float> states = gru.walk(direction);
        const std::vector<double> expected = gru.expected(direction);
        // The functions are exact to 2e-6. A state that falls on the other side of half a step because of that is off by
        // a step of 1/127 in the next products, of weights below 0.5: few are, in four words.
        int64_t off = 0;
        for (size_t i = 0; i < states.size(); ++i) {
          ASSERT_NEAR(states[i], expected[i], 0.02) << hidden << ", value " << i;
          off += std::abs(states[i] - expected[i]) > 2e-5 ? 1 : 0;
        }
        EXPECT_LE(off, static_cast<int64_t>(states.size()) / 20 + 1) << hidden;
      }
    }
  });
}

TEST(Int8Gru, HasTheSameBitsOnEveryInstructionSet) {
  const GruCase gru(70, 100, {9, 7, 7, 5, 5, 5, 2, 1, 1});
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    const std::vector<float> best = gru.walk(direction);
    for_each_target([&] { EXPECT_EQ(gru.walk(direction), best); });
  }
}

TEST(Int8Gru, ADocumentDoesNotKnowItsNeighbours) {
  const GruCase gru(40, 30, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6});
  const std::vector<float> together = gru.walk(Direction::kReverse);
  GruCase alone = gru;
  alone.documents = gru_documents({6}, 7);
  for (int64_t document : {0, 7, 9}) {
    for (int64_t t = 0; t < 6; ++t) {
      std::copy_n(gru.words.begin() + gru.documents.row(document, t) * 30, 30, alone.words.begin() + t * 30);
    }
    const std::vector<float> states = alone.walk(Direction::kReverse);
    EXPECT_TRUE(std::equal(states.begin(), states.end(), together.begin() + document * 7 * 2 * 40)) << document;
  }
}

}  // namespace
}  // namespace otseq2set::testing
