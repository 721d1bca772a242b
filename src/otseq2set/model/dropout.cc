#include "otseq2set/model/dropout.h"

#include <cmath>
#include <string>

#include "otseq2set/core/random.h"

namespace otseq2set::inline model {

namespace {

// One random word decides four values by 16 bits each.
void fill_mask(RandomStream& random, uint64_t dropped_below, float kept, float* mask, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const uint64_t bits = random.next();
    for (int part = 0; part < 4; ++part) {
      mask[i + part] = ((bits >> (16 * part)) & 0xffff) < dropped_below ? 0.0F : kept;
    }
  }
  for (uint64_t bits = random.next(); i < count; ++i, bits >>= 16) {
    mask[i] = (bits & 0xffff) < dropped_below ? 0.0F : kept;
  }
}

// The mask is as large as x and made again for the backward rather than kept.
class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const Dropout& dropout, const std::string& site, uint64_t index) {
    context->saved_data["again"] = c10::IValue::make_capsule(c10::make_intrusive<Again>(dropout, site, index));
    return x * dropout.mask(x.sizes(), x.options(), site, index);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outputs) {
    const auto again = c10::static_intrusive_pointer_cast<Again>(context->saved_data["again"].toCapsule());
    const torch::Tensor& gradient = outputs[0];
    const torch::Tensor mask = again->dropout.mask(gradient.sizes(), gradient.options(), again->site, again->index);
    return {gradient * mask, torch::Tensor(), torch::Tensor(), torch::Tensor()};
  }

 private:
  struct Again : torch::CustomClassHolder {
    Again(const Dropout& dropout, std::string site, uint64_t index)
        : dropout(dropout), site(std::move(site)), index(index) {}
    Dropout dropout;
    std::string site;
    uint64_t index;
  };
};

}  // namespace

torch::Tensor Dropout::operator()(const torch::Tensor& x, std::string_view site, uint64_t index) const {
  if (!active()) return x;
  return DropoutFunction::apply(x, *this, std::string(site), index);
}

torch::Tensor Dropout::mask(torch::IntArrayRef shape, const torch::TensorOptions& options, std::string_view site,
                            uint64_t index) const {
  torch::Tensor mask = torch::empty(shape, torch::kFloat32);
  const int64_t rows = mask.size(0);
  const int64_t width = rows > 0 ? mask.numel() / rows : 0;
  const auto dropped_below = static_cast<uint64_t>(std::lround(rate_ * 65536));
  const auto kept = static_cast<float>(1 / (1 - rate_));
  for (int64_t row = 0; row < rows; ++row) {
    RandomStream random(seed_, site, {step_, static_cast<uint64_t>(first_row_ + row), index});
    fill_mask(random, dropped_below, kept, mask.data_ptr<float>() + row * width, width);
  }
  return mask.to(options.requires_grad(false));
}

}  // namespace otseq2set::inline model
