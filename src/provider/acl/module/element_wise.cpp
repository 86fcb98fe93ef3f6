// Activations, and operators of two operands and more.
#include "writer.hpp"
#include <arm_compute/runtime/NEON/functions/NEActivationLayer.h>
#include <arm_compute/runtime/NEON/functions/NEArithmeticAddition.h>
#include <arm_compute/runtime/NEON/functions/NEArithmeticSubtraction.h>
#include <arm_compute/runtime/NEON/functions/NEElementwiseOperations.h>
#include <arm_compute/runtime/NEON/functions/NEPixelWiseMultiplication.h>

namespace inlay {
inline namespace v1 {
using activation_of = arm::ActivationLayerInfo::ActivationFunction;
namespace {
stream activated(const node_writer& a, const stream& x, activation_of f, float alpha = 0, float beta = 0) {
    return a.through<arm::NEActivationLayer>(x, x.info, arm::ActivationLayerInfo(f, alpha, beta));
}
template <activation_of F> void write_activation(const node_writer& a) { a.put(activated(a, a.input(0), F)); }
void write_tanh(const node_writer& a) { a.put(activated(a, a.input(0), activation_of::TANH, 1, 1)); }
void write_leaky_relu(const node_writer& a) {
    a.put(activated(a, a.input(0), activation_of::LEAKY_RELU, a.real("alpha", 0.01)));
}
void write_elu(const node_writer& a) { a.put(activated(a, a.input(0), activation_of::ELU, a.real("alpha", 1))); }
void write_hard_sigmoid(const node_writer& a) {
    const stream line = activated(a, a.input(0), activation_of::LINEAR, a.real("alpha", 0.2), a.real("beta", 0.5));
    a.put(activated(a, line, activation_of::LU_BOUNDED_RELU, 1, 0));
}
void write_clip(const node_writer& a) {
    const auto [low, high] = a.bounds_of_clip();
    a.put(activated(a, a.input(0), activation_of::LU_BOUNDED_RELU, high, low));
}

// Operands from the left; each may have a shape of its own that broadcasts.
template <class Function, class... Settings> void fold(const node_writer& a, const Settings&... settings) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    stream all = a.input(0);
    shape dims = a.n.input(0).dims;
    for (int k = 1; k < a.n.input_count(); ++k) {
        shape common;
        if (!broadcast(dims, a.n.input(k).dims, common)) refuse("its operands do not broadcast");
        dims = common;
        const stream next = a.input(k), y = a.to.tensor(info_of(dims));
        a.to.call<Function>(all, next, y, settings...);
        all = y;
    }
    a.put(all);
}
void write_add(const node_writer& a) { fold<arm::NEArithmeticAddition>(a, arm::ConvertPolicy::SATURATE); }
void write_sub(const node_writer& a) { fold<arm::NEArithmeticSubtraction>(a, arm::ConvertPolicy::SATURATE); }
void write_mul(const node_writer& a) {
    fold<arm::NEPixelWiseMultiplication>(a, 1.f, arm::ConvertPolicy::SATURATE, arm::RoundingPolicy::TO_ZERO);
}
template <class Function> void write_fold(const node_writer& a) { fold<Function>(a); }
}  // namespace

writer_function find_element_wise(std::string_view op) {
    static constexpr named_writer all[] = {{"Relu", write_activation<activation_of::RELU>},
                                           {"Sigmoid", write_activation<activation_of::LOGISTIC>},
                                           {"HardSwish", write_activation<activation_of::HARD_SWISH>},
                                           {"Abs", write_activation<activation_of::ABS>},
                                           {"Tanh", write_tanh},
                                           {"LeakyRelu", write_leaky_relu},
                                           {"Elu", write_elu},
                                           {"HardSigmoid", write_hard_sigmoid},
                                           {"Clip", write_clip},
                                           {"Add", write_add},
                                           {"Sum", write_add},
                                           {"Sub", write_sub},
                                           {"Mul", write_mul},
                                           {"Div", write_fold<arm::NEElementwiseDivision>},
                                           {"Max", write_fold<arm::NEElementwiseMax>},
                                           {"Min", write_fold<arm::NEElementwiseMin>}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
