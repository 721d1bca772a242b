// What a training step reports.
#pragma once

namespace otseq2set::inline training {

// The loss of a batch, or a sum or mean of several.
struct StepLoss {
  double total = 0, matching = 0, transport = 0;  // the sequence losses have the first only

  void add(const StepLoss& other) {
    total += other.total;
    matching += other.matching;
    transport += other.transport;
  }
};

// Seconds spent in the parts of a step, forward and backward together.
struct StepTimes {
  double encoder = 0;    // up to U h, LightConv included
  double decoder = 0;    // steps and output layer
  double loss = 0;       // softmax, matching, transport
  double optimiser = 0;  // clipping and Adam

  void add(const StepTimes& other) {
    encoder += other.encoder;
    decoder += other.decoder;
    loss += other.loss;
    optimiser += other.optimiser;
  }
};

struct StepResult {
  StepLoss loss;
  StepTimes times;
};

}  // namespace otseq2set::inline training
