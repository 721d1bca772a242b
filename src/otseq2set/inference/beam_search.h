// Beam search for one document: of all sequences of up to model.steps labels with their end mark, a likely one, found
// by keeping the `beam` likeliest beginnings at every step. A beam of 1 decodes greedily. For the sequence models.
//
// The probability of a hypothesis only falls as it grows, so the search ends as soon as one with its end mark is
// likelier than all that still run.
#pragma once

#include <cstdint>

#include "otseq2set/inference/engine.h"

namespace otseq2set::inline inference {

// Adds the steps of what is found to `decoded`. document: an index into those that were encoded together; kept: how
// many of the largest logits a DecodedBest gets of each step.
void search_beam(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document, const Config& config,
                 int64_t beam, size_t kept, DecodedDocument& decoded);
void search_beam(const PackedDecoder& decoder, const EncodedDocuments& encoded, int64_t document, const Config& config,
                 int64_t beam, size_t kept, DecodedBest& decoded);

}  // namespace otseq2set::inline inference
