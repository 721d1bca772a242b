#include "otseq2set/autograd/linear_with_result.h"

namespace otseq2set::inline autograd {

namespace {

using torch::Tensor;

class LinearWithResult : public torch::autograd::Function<LinearWithResult> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& in, const Tensor& weight,
                        const Tensor&, const Tensor& result) {
    context->save_for_backward({in, weight});
    return result.detach();  // an input must not be returned as the output
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outputs) {
    const auto saved = context->get_saved_variables();
    const Tensor &in = saved[0], &weight = saved[1];
    const Tensor gradient = outputs[0].reshape({-1, weight.size(0)});
    const Tensor rows = in.reshape({-1, weight.size(1)});
    return {torch::mm(gradient, weight).view(in.sizes()), torch::mm(gradient.t(), rows), gradient.sum(0), Tensor()};
  }
};

}  // namespace

Tensor linear_with_result(const Tensor& in, const Tensor& weight, const Tensor& bias, const Tensor& result) {
  return LinearWithResult::apply(in, weight, bias, result);
}

}  // namespace otseq2set::inline autograd
