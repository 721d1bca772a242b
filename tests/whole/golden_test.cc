// The golden files: logits, losses, reordered targets and every gradient, in float32 and float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>

#include "otseq2set/loss/assignment.h"
#include "otseq2set/loss/ipot.h"
#include "otseq2set/loss/sequence_loss.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/model/light_conv.h"
#include "otseq2set/training/training_step.h"
#include "support/torch_engine.h"
#include "support/torch_golden.h"
#include "support/torch_rounding.h"

namespace otseq2set::testing {
namespace {

class Golden : public ::testing::TestWithParam<torch::Dtype> {};
INSTANTIATE_TEST_SUITE_P(Types, Golden, ::testing::Values(torch::kFloat32, torch::kFloat64), [](const auto& info) {
  return std::string(info.param == torch::kFloat32 ? "float32" : "float64");
});

// float64 is exact but for its own rounding, which a transport plan amplifies.
constexpr double kExact = 1e-9, kExactWithPlan = 1e-6;

// Of float64. plan: a transport plan enters the losses and gradients; it never enters the rest.
Bounds exact_bounds(const Computed& expected, bool plan) {
  const double tolerance = plan ? kExactWithPlan : kExact;
  const double least_scale = 1e-3 * largest_absolute(expected.gradients);
  Bounds bounds;
  for (const auto& [name, value] : expected.values) {
    const bool of_plan = name == "transport_loss" || name == "loss_value";
    bounds.values[name] = (of_plan ? tolerance : kExact) * largest_absolute(value);
  }
  for (const auto& [name, gradient] : expected.gradients)
    bounds.gradients[name] = tolerance * std::max(largest_absolute(gradient), least_scale);
  return bounds;
}

// The outcome of a file's computation, from the model that was made of it.
using Computation = std::function<Computed(GoldenModel& model)>;

Bounds bounds_of(const json& file, torch::Dtype dtype, const Computed& expected, bool plan,
                 const Computation& computation) {
  if (dtype == torch::kFloat64) return exact_bounds(expected, plan);
  GoldenModel plain(file, dtype);
  return rounding_bounds(expected, plain.longest_sum(), [&](int run) {
    plain.disturb(run);
    return computation(plain);
  });
}

torch::Tensor scalar(double value) { return torch::tensor(value, torch::kFloat64); }

NamedTensors by_name(GoldenModel& model, const std::vector<torch::Tensor>& gradients) {
  NamedTensors named;
  const auto parameters = model.network()->named_parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    named[parameters[i].key()] = gradients[i].defined() ? gradients[i] : torch::zeros_like(parameters[i].value());
  }
  return named;
}

NamedTensors gradients_of(GoldenModel& model, const torch::Tensor& loss) {
  return by_name(model, torch::autograd::grad({loss}, model.network()->parameters(), {}, {}, false,
                                              /*allow_unused=*/true));
}

// The step as training does it, in place of autograd; its logits are not to be seen. documents:
// [documents][words], longest first.
Computed training_step(GoldenModel& model, const std::vector<std::vector<int32_t>>& documents,
                       const LabelSets& labels) {
  TrainingBatch batch;
  for (const auto& document : documents) batch.words.emplace_back(document.data(), document.size());
  batch.labels = labels;
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.network()->parameters())
    gradients.push_back(torch::empty_like(parameter.detach()));
  const StepLoss loss = compute_gradients(model.network(), batch, model.config(), gradients).loss;
  Computed outcome{{{"loss_value", scalar(loss.total)}}, by_name(model, gradients)};
  if (!variant_of(model.config()).sequence) {
    outcome.values["matching_loss"] = scalar(loss.matching);
    outcome.values["transport_loss"] = scalar(loss.transport);
  }
  return outcome;
}

std::vector<std::vector<int32_t>> rows_of(const torch::Tensor& source) {
  std::vector<std::vector<int32_t>> rows;
  for (int64_t i = 0; i < source.size(0); ++i) {
    const torch::Tensor row = source[i].to(torch::kInt32).contiguous();
    rows.emplace_back(row.data_ptr<int32_t>(), row.data_ptr<int32_t>() + row.numel());
  }
  return rows;
}

// Documents of equal length.
Batch batch_of(const torch::Tensor& source) {
  return {source, torch::full({source.size(0)}, source.size(1), torch::kInt64)};
}

SetLoss loss_of(GoldenModel& model, const torch::Tensor& logits) {
  const LabelSets labels = model.label_sets();
  return set_loss(logits, model.network()->label_vectors(), labels,
                  set_loss_counts(labels, model.steps(), model.config().loss), model.config().loss,
                  variant_of(model.config()).transport);
}

// What the engine that predicts makes of the same file, held against the same bounds. It has float32 alone and no
// gradients.
void expect_engine_within(GoldenModel& model, const std::vector<std::vector<int32_t>>& documents,
                          const torch::Tensor& forced, Computed expected, const Bounds& bounds,
                          const std::function<NamedTensors(const EngineSteps&)>& values) {
  std::vector<Span<const int32_t>> words;
  for (const auto& document : documents) words.emplace_back(document.data(), document.size());
  const int64_t steps = forced.defined() ? forced.size(1) : model.steps();
  expected.gradients.clear();
  expect_within({values(engine_steps(model.network(), model.config(), words, steps, forced)), {}}, expected, bounds);
}

// Every file found is run; a file of our own that got lost must not go unnoticed.
TEST(GoldenFiles, NoneIsMissing) {
  if (std::getenv("OTSEQ2SET_GOLDEN_DIR") != nullptr) return;  // another folder may hold other files
  const std::map<std::string, size_t> counts = {{"set_step", 5},   {"sequence_step", 3}, {"decode", 2}, {"ragged", 1},
                                                {"light_conv", 1}, {"assignment", 1},    {"ipot", 1}};
  for (const auto& [kind, count] : counts) EXPECT_EQ(golden_files(kind).size(), count) << kind;
}

TEST_P(Golden, SetStep) {
  for (const json& file : golden_files("set_step")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, GetParam());
    const torch::Tensor source = tensor_of(file.at("source"));
    const Computed expected{{{"logits", model.own_logits(tensor_of(file.at("logits")))},
                             {"fed_back", model.own_ids(tensor_of(file.at("fed_back")))},
                             {"reordered_targets", model.own_ids(tensor_of(file.at("reordered_targets")))},
                             {"matching_loss", scalar(file.at("matching_loss"))},
                             {"transport_loss", scalar(file.at("transport_loss"))},
                             {"loss_value", scalar(file.at("loss_value"))}},
                            model.own_parameters(file.at("gradients"))};
    const auto with_autograd = [&](GoldenModel& own) -> Computed {
      const Decoded decoded = own.network()->decode(batch_of(source), own.steps(), Dropout());
      const SetLoss loss = loss_of(own, decoded.logits);
      return {{{"logits", decoded.logits},
               {"fed_back", decoded.labels},
               {"reordered_targets", loss.targets},
               {"matching_loss", scalar(loss.matching)},
               {"transport_loss", scalar(loss.transport)},
               {"loss_value", loss.total}},
              gradients_of(own, loss.total)};
    };
    const bool plan = variant_of(model.config()).transport;
    const Bounds bounds = bounds_of(file, GetParam(), expected, plan, with_autograd);
    expect_within(with_autograd(model), expected, bounds);
    expect_within(training_step(model, rows_of(source), model.label_sets()), expected, bounds);
    if (GetParam() == torch::kFloat32) {
      expect_engine_within(model, rows_of(source), {}, expected, bounds, [](const EngineSteps& engine) {
        return NamedTensors{{"logits", engine.logits}, {"fed_back", engine.labels}};
      });
    }
  }
}

// Seq2Seq, with and without LightConv, and SGM, with teacher forcing.
TEST_P(Golden, SequenceStep) {
  for (const json& file : golden_files("sequence_step")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, GetParam());
    const torch::Tensor source = tensor_of(file.at("source"));
    const LabelSets labels = model.label_sets();
    const SequenceTargets targets = sequence_targets(labels);
    // Behind a sequence's end the file may feed back something else; the loss does not look there.
    const torch::Tensor behind = (targets.asked == 1).unsqueeze(2);
    const torch::Tensor logits = model.own_logits(tensor_of(file.at("logits")));
    ASSERT_EQ(logits.sizes().slice(0, 2), targets.asked.sizes());
    const Computed expected{{{"logits", logits.masked_fill(behind, 0)}, {"loss_value", scalar(file.at("loss_value"))}},
                            model.own_parameters(file.at("gradients"))};
    const auto with_autograd = [&](GoldenModel& own) -> Computed {
      const Decoded decoded = own.network()->decode_forced(batch_of(source), targets.read, Dropout());
      const torch::Tensor loss = sequence_loss(decoded.logits, targets, targets.count);
      return {{{"logits", decoded.logits.masked_fill(behind, 0)}, {"loss_value", loss}}, gradients_of(own, loss)};
    };
    const Bounds bounds = bounds_of(file, GetParam(), expected, /*plan=*/false, with_autograd);
    expect_within(with_autograd(model), expected, bounds);
    expect_within(training_step(model, rows_of(source), labels), expected, bounds);
    if (GetParam() == torch::kFloat32) {
      expect_engine_within(model, rows_of(source), targets.read, expected, bounds, [&](const EngineSteps& engine) {
        return NamedTensors{{"logits", engine.logits.masked_fill(behind, 0)}};
      });
    }
  }
}

// The file's documents in the order in which the longest comes first.
std::vector<size_t> longest_first(const std::vector<int64_t>& lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

// Documents of unequal lengths, each computed alone in the file; here one padded, masked batch, longest
// first.
TEST_P(Golden, Ragged) {
  for (const json& file : golden_files("ragged")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, GetParam());
    const std::vector<size_t> order = longest_first(file.at("lengths").get<std::vector<int64_t>>());
    std::vector<std::vector<int32_t>> words;
    std::vector<Span<const int32_t>> documents;
    LabelSets labels;
    for (size_t row : order) {
      words.push_back(file.at("sources")[row].at("data").get<std::vector<int32_t>>());
      labels.push_back(model.label_sets()[row]);
    }
    for (const auto& document : words) documents.emplace_back(document.data(), document.size());
    const Batch batch = make_batch(documents, model.least_words(), torch::kCPU);

    Computed expected{{{"loss_value", scalar(file.at("loss_value"))}}, model.own_parameters(file.at("gradients"))};
    const auto add_document = [](Computed& outcome, size_t row, const torch::Tensor& logits) {
      const std::string of_document = " of document " + std::to_string(row);
      outcome.values["logits" + of_document] = logits;
      outcome.values["labels" + of_document] = logits.argmax(1);
    };
    for (size_t row = 0; row < order.size(); ++row)
      add_document(expected, row, model.own_logits(tensor_of(file.at("logits")[row])));
    const auto with_autograd = [&](GoldenModel& own) {
      const Decoded decoded = own.network()->decode(batch, own.steps(), Dropout());
      std::vector<torch::Tensor> in_file_order(order.size());
      for (size_t row = 0; row < order.size(); ++row) in_file_order[order[row]] = decoded.logits[row];
      const SetLoss loss = loss_of(own, torch::stack(in_file_order));
      Computed outcome{{{"loss_value", loss.total}}, gradients_of(own, loss.total)};
      for (size_t row = 0; row < order.size(); ++row) add_document(outcome, row, in_file_order[row]);
      return outcome;
    };
    const Bounds bounds = bounds_of(file, GetParam(), expected, /*plan=*/true, with_autograd);
    expect_within(with_autograd(model), expected, bounds);
    Computed step = training_step(model, words, labels);
    step.values = {{"loss_value", step.values.at("loss_value")}};  // the file has no other
    expect_within(step, expected, bounds);
    if (GetParam() == torch::kFloat32) {
      expect_engine_within(model, words, {}, expected, bounds, [&](const EngineSteps& engine) {
        Computed outcome;
        for (size_t row = 0; row < order.size(); ++row)
          add_document(outcome, order[row], engine.logits[static_cast<int64_t>(row)]);
        return outcome.values;
      });
    }
  }
}

TEST_P(Golden, Decode) {
  torch::NoGradGuard no_gradient;
  for (const json& file : golden_files("decode")) {
    SCOPED_TRACE(file.at("name").get<std::string>());
    GoldenModel model(file, GetParam());
    const torch::Tensor source = tensor_of(file.at("source"));
    // A label that SGM must not choose again has a huge logit below zero, beside which all others are
    // nothing.
    const auto outcome = [](const torch::Tensor& logits, const torch::Tensor& labels) -> Computed {
      const torch::Tensor masked = logits < -1e6;
      return {{{"logits", logits.masked_fill(masked, 0)}, {"masked", masked.to(torch::kInt64)}, {"labels", labels}},
              {}};
    };
    const Computed expected =
        outcome(model.own_logits(tensor_of(file.at("logits"))), model.own_ids(tensor_of(file.at("labels"))));
    const auto decode = [&](GoldenModel& own) {
      const Decoded decoded = own.network()->decode(batch_of(source), own.steps(), Dropout());
      return outcome(decoded.logits, decoded.labels);
    };
    const Bounds bounds = bounds_of(file, GetParam(), expected, /*plan=*/false, decode);
    expect_within(decode(model), expected, bounds);
    if (GetParam() == torch::kFloat32) {
      expect_engine_within(model, rows_of(source), {}, expected, bounds,
                           [&](const EngineSteps& engine) { return outcome(engine.logits, engine.labels).values; });
    }
  }
}

// A case's layer. Channels come first in the file.
Computed light_conv_outcome(const json& test, torch::Dtype dtype, int run) {
  const auto read = [&](const char* name) { return disturbed(tensor_of(test.at(name)), run).to(dtype); };
  const torch::Tensor input = read("input").requires_grad_();
  LightConvLayer layer(test.at("heads").get<int64_t>(), test.at("kernel").get<int64_t>(),
                       test.at("stride").get<int64_t>());
  layer->to(dtype);
  torch::Tensor weight = layer->parameters()[0];
  weight.set_data(read("weight"));
  const torch::Tensor lengths = torch::full({input.size(0)}, input.size(2), torch::kInt64);
  const torch::Tensor output = layer(input.transpose(1, 2), lengths).transpose(1, 2);
  output.backward(read("output_gradient"));
  return {{{"output", output.detach()}}, {{"weight_gradient", weight.grad()}, {"input_gradient", input.grad()}}};
}

TEST_P(Golden, LightConv) {
  for (const json& file : golden_files("light_conv")) {
    for (const json& test : file.at("cases")) {
      SCOPED_TRACE(::testing::Message() << "kernel " << test.at("kernel") << ", " << test.at("heads")
                                        << " heads, stride " << test.at("stride"));
      const Computed expected{{{"output", tensor_of(test.at("output"))}},
                              {{"weight_gradient", tensor_of(test.at("weight_gradient"))},
                               {"input_gradient", tensor_of(test.at("input_gradient"))}}};
      const Bounds bounds = GetParam() == torch::kFloat64
                                ? exact_bounds(expected, /*plan=*/false)
                                : rounding_bounds(expected, tensor_of(test.at("input")).numel(),
                                                  [&](int run) { return light_conv_outcome(test, GetParam(), run); });
      expect_within(light_conv_outcome(test, GetParam(), 0), expected, bounds);
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
