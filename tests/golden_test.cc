// The golden files: logits, losses, reordered targets and every gradient, in float32 and float64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "otseq2set/loss/assignment.h"
#include "otseq2set/loss/ipot.h"
#include "otseq2set/loss/sequence_loss.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/model/light_conv.h"
#include "otseq2set/training/training_step.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

// The tolerance travels with the data type; plan_* where a transport plan enters.
struct Tolerance {
  torch::Dtype dtype;
  double value, gradient;
  double plan_value, plan_gradient;
};
const Tolerance kFloat32{torch::kFloat32, 1e-5, 1e-4, 1e-5, 1e-4};
const Tolerance kFloat64{torch::kFloat64, 1e-9, 1e-9, 1e-6, 1e-6};

class Golden : public ::testing::TestWithParam<Tolerance> {};
INSTANTIATE_TEST_SUITE_P(Types, Golden, ::testing::Values(kFloat32, kFloat64), [](const auto& info) {
  return std::string(info.param.dtype == torch::kFloat32 ? "float32" : "float64");
});

void expect_gradients(GoldenModel& model, const std::vector<torch::Tensor>& gradients, const json& file,
                      double tolerance) {
  const auto expected = model.own_parameters(file.at("gradients"));
  double largest = 0;
  for (const auto& [name, gradient] : expected)
    largest = std::max(largest, gradient.abs().max().item<double>());
  const auto parameters = model.network()->named_parameters();
  ASSERT_EQ(expected.size(), parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const torch::Tensor gradient =
        gradients[i].defined() ? gradients[i] : torch::zeros_like(parameters[i].value());
    EXPECT_LE(relative_difference(gradient, expected.at(parameters[i].key()), 1e-3 * largest), tolerance)
        << parameters[i].key();
  }
}

std::vector<torch::Tensor> gradients_of(GoldenModel& model, const torch::Tensor& loss) {
  return torch::autograd::grad({loss}, model.network()->parameters(), {}, {}, false,
                               /*allow_unused=*/true);
}

// The step as training does it, in place of autograd. documents: [documents][words], longest first.
struct Step {
  StepLoss loss;
  std::vector<torch::Tensor> gradients;
};
Step training_step(GoldenModel& model, const std::vector<std::vector<int32_t>>& documents,
                   const LabelSets& labels) {
  TrainingBatch batch;
  for (const auto& document : documents) batch.words.emplace_back(document.data(), document.size());
  batch.labels = labels;
  Step step;
  for (const torch::Tensor& parameter : model.network()->parameters()) {
    step.gradients.push_back(torch::empty_like(parameter.detach()));
  }
  step.loss = compute_gradients(model.network(), batch, model.config(), step.gradients).loss;
  return step;
}

std::vector<std::vector<int32_t>> rows_of(const torch::Tensor& source) {
  std::vector<std::vector<int32_t>> rows;
  for (int64_t i = 0; i < source.size(0); ++i) {
    const torch::Tensor row = source[i].to(torch::kInt32).contiguous();
    rows.emplace_back(row.data_ptr<int32_t>(), row.data_ptr<int32_t>() + row.numel());
  }
  return rows;
}

SetLoss loss_of(GoldenModel& model, const torch::Tensor& logits) {
  const LabelSets labels = model.label_sets();
  return set_loss(logits, model.network()->label_vectors(), labels,
                  set_loss_counts(labels, model.steps(), model.config().loss), model.config().loss,
                  variant_of(model.config()).transport);
}

void expect_near_relative(double actual, double expected, double tolerance, const char* what) {
  EXPECT_LE(std::abs(actual - expected), tolerance * std::max(1e-3, std::abs(expected))) << what;
}

// Every file found is run; a file of our own that got lost must not go unnoticed.
TEST(GoldenFiles, NoneIsMissing) {
  if (std::getenv("OTSEQ2SET_GOLDEN_DIR") != nullptr) return;  // another folder may hold other files
  const std::map<std::string, size_t> counts = {{"set_step", 5}, {"sequence_step", 3}, {"decode", 2},
                                                {"ragged", 1},   {"light_conv", 1},    {"assignment", 1},
                                                {"ipot", 1}};
  for (const auto& [kind, count] : counts) EXPECT_EQ(golden_files(kind).size(), count) << kind;
}

TEST_P(Golden, SetStep) {
  const Tolerance tolerance = GetParam();
  for (const json& file : golden_files("set_step")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, tolerance.dtype);
    const torch::Tensor source = tensor_of(file.at("source"));
    const Batch batch{source, torch::full({source.size(0)}, source.size(1), torch::kInt64)};
    const Decoded decoded = model.network()->decode(batch, model.steps(), Dropout());
    EXPECT_LE(relative_difference(decoded.logits, model.own_logits(tensor_of(file.at("logits")))),
              tolerance.value);
    EXPECT_TRUE(torch::equal(decoded.labels, model.own_ids(tensor_of(file.at("fed_back")))));

    const SetLoss loss = loss_of(model, decoded.logits);
    const bool transport = variant_of(model.config()).transport;
    const double plan = transport ? tolerance.plan_value : tolerance.value;
    EXPECT_TRUE(torch::equal(loss.targets, model.own_ids(tensor_of(file.at("reordered_targets")))));
    expect_near_relative(loss.matching, file.at("matching_loss"), tolerance.value, "matching_loss");
    expect_near_relative(loss.transport, file.at("transport_loss"), plan, "transport_loss");
    expect_near_relative(loss.total.item<double>(), file.at("loss_value"), plan, "loss_value");
    const double gradient = transport ? tolerance.plan_gradient : tolerance.gradient;
    expect_gradients(model, gradients_of(model, loss.total), file, gradient);

    const Step step = training_step(model, rows_of(source), model.label_sets());
    expect_near_relative(step.loss.matching, file.at("matching_loss"), tolerance.value, "matching_loss");
    expect_near_relative(step.loss.transport, file.at("transport_loss"), plan, "transport_loss");
    expect_near_relative(step.loss.total, file.at("loss_value"), plan, "loss_value");
    expect_gradients(model, step.gradients, file, gradient);
  }
}

// Seq2Seq, with and without LightConv, and SGM, with teacher forcing.
TEST_P(Golden, SequenceStep) {
  const Tolerance tolerance = GetParam();
  for (const json& file : golden_files("sequence_step")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, tolerance.dtype);
    const torch::Tensor source = tensor_of(file.at("source"));
    const Batch batch{source, torch::full({source.size(0)}, source.size(1), torch::kInt64)};
    const LabelSets labels = model.label_sets();
    const SequenceTargets targets = sequence_targets(labels);
    const Decoded decoded = model.network()->decode_forced(batch, targets.read, Dropout());
    const torch::Tensor expected = model.own_logits(tensor_of(file.at("logits")));
    ASSERT_EQ(decoded.logits.sizes(), expected.sizes());
    // Behind a sequence's end the file may feed back something else; the loss does not look there.
    const torch::Tensor counts = (targets.asked != 1).unsqueeze(2);
    EXPECT_LE(relative_difference(decoded.logits.masked_fill(~counts, 0), expected.masked_fill(~counts, 0)),
              tolerance.value);
    const torch::Tensor loss = sequence_loss(decoded.logits, targets, targets.count);
    expect_near_relative(loss.item<double>(), file.at("loss_value"), tolerance.value, "loss_value");
    expect_gradients(model, gradients_of(model, loss), file, tolerance.gradient);

    const Step step = training_step(model, rows_of(source), labels);
    expect_near_relative(step.loss.total, file.at("loss_value"), tolerance.value, "loss_value");
    expect_gradients(model, step.gradients, file, tolerance.gradient);
  }
}

// Documents of unequal lengths, each computed alone in the file;
// here one padded, masked batch, longest first.
TEST_P(Golden, Ragged) {
  const Tolerance tolerance = GetParam();
  for (const json& file : golden_files("ragged")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, tolerance.dtype);
    const auto lengths = file.at("lengths").get<std::vector<int64_t>>();
    std::vector<size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });

    std::vector<std::vector<int32_t>> words;
    std::vector<Span<const int32_t>> documents;
    for (size_t row : order) words.push_back(file.at("sources")[row].at("data").get<std::vector<int32_t>>());
    for (const auto& document : words) documents.emplace_back(document.data(), document.size());
    const Batch batch = make_batch(documents, model.least_words(), torch::kCPU);
    const Decoded decoded = model.network()->decode(batch, model.steps(), Dropout());

    std::vector<torch::Tensor> in_file_order(order.size());
    for (size_t row = 0; row < order.size(); ++row) in_file_order[order[row]] = decoded.logits[row];
    for (size_t row = 0; row < order.size(); ++row) {
      const torch::Tensor expected = model.own_logits(tensor_of(file.at("logits")[row]));
      EXPECT_LE(relative_difference(in_file_order[row], expected), tolerance.value) << "document " << row;
    }
    const SetLoss loss = loss_of(model, torch::stack(in_file_order));
    expect_near_relative(loss.total.item<double>(), file.at("loss_value"), tolerance.plan_value,
                         "loss_value");
    expect_gradients(model, gradients_of(model, loss.total), file, tolerance.plan_gradient);

    LabelSets labels;
    for (size_t row : order) labels.push_back(model.label_sets()[row]);
    const Step step = training_step(model, words, labels);
    expect_near_relative(step.loss.total, file.at("loss_value"), tolerance.plan_value, "loss_value");
    expect_gradients(model, step.gradients, file, tolerance.plan_gradient);
  }
}

TEST_P(Golden, Decode) {
  const Tolerance tolerance = GetParam();
  for (const json& file : golden_files("decode")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    torch::NoGradGuard no_gradient;
    GoldenModel model(file, tolerance.dtype);
    const torch::Tensor source = tensor_of(file.at("source"));
    const Batch batch{source, torch::full({source.size(0)}, source.size(1), torch::kInt64)};
    const Decoded decoded = model.network()->decode(batch, model.steps(), Dropout());
    EXPECT_LE(relative_difference(decoded.logits, model.own_logits(tensor_of(file.at("logits")))),
              tolerance.value);
    EXPECT_TRUE(torch::equal(decoded.labels, model.own_ids(tensor_of(file.at("labels")))));
  }
}

TEST_P(Golden, LightConv) {
  const Tolerance tolerance = GetParam();
  for (const json& file : golden_files("light_conv")) {
    for (const json& test : file.at("cases")) {
      const torch::Tensor input = tensor_of(test.at("input")).to(tolerance.dtype).requires_grad_();
      LightConvLayer layer(test.at("heads").get<int64_t>(), test.at("kernel").get<int64_t>(),
                           test.at("stride").get<int64_t>());
      layer->to(tolerance.dtype);
      torch::Tensor weight = layer->parameters()[0];
      weight.set_data(tensor_of(test.at("weight")).to(tolerance.dtype));
      const torch::Tensor lengths = torch::full({input.size(0)}, input.size(2), torch::kInt64);
      // Channels come first in the file.
      const torch::Tensor output = layer(input.transpose(1, 2), lengths).transpose(1, 2);
      EXPECT_LE(relative_difference(output, tensor_of(test.at("output"))), tolerance.value);
      output.backward(tensor_of(test.at("output_gradient")).to(tolerance.dtype));
      EXPECT_LE(relative_difference(weight.grad(), tensor_of(test.at("weight_gradient"))),
                tolerance.gradient);
      EXPECT_LE(relative_difference(input.grad(), tensor_of(test.at("input_gradient"))), tolerance.gradient);
    }
  }
}

TEST(GoldenAlgorithms, Assignment) {
  for (const json& file : golden_files("assignment")) {
    for (const json& test : file.at("cases")) {
      const int rows = test.at("rows"), cols = test.at("cols");
      const auto score = test.at("score").get<std::vector<double>>();
      const std::vector<int> column_of = assign(score.data(), rows, cols);
      double total = 0;
      int pairs = 0;
      std::vector<bool> used(cols);
      for (int row = 0; row < rows; ++row) {
        if (column_of[row] < 0) continue;
        EXPECT_FALSE(used[column_of[row]]);
        used[column_of[row]] = true;
        total += score[row * cols + column_of[row]];
        ++pairs;
      }
      EXPECT_EQ(pairs, std::min(rows, cols));
      EXPECT_NEAR(total, test.at("best_total"), 1e-9);
    }
  }
}

TEST(GoldenAlgorithms, Ipot) {
  for (const json& file : golden_files("ipot")) {
    for (const json& test : file.at("cases")) {
      const auto cost = test.at("cost").get<std::vector<double>>();
      const auto expected = test.at("plan").get<std::vector<double>>();
      const std::vector<double> plan = transport_plan(cost.data(), test.at("rows"), test.at("cols"));
      ASSERT_EQ(plan.size(), expected.size());
      const double largest = *std::max_element(expected.begin(), expected.end());
      double distance = 0;
      for (size_t i = 0; i < plan.size(); ++i) {
        EXPECT_NEAR(plan[i], expected[i], 1e-9 * largest);
        distance += plan[i] * cost[i];
      }
      EXPECT_NEAR(distance, test.at("distance"), 1e-9);
    }
  }
}

}  // namespace
}  // namespace otseq2set::testing
