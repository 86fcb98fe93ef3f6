// Functions of one operand, and operators of two and more.
#include "writer.hpp"
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace {
void put_one(const node_writer& a, const std::string& type, xir_attributes all = {}) {
    const stream x = a.input(0);
    a.put(a.to.made(type, std::move(all), {{"input", {x.op}}}, x.info));
}
void write_relu(const node_writer& a) { put_one(a, "relu"); }
void write_sigmoid(const node_writer& a) { put_one(a, "sigmoid"); }
void write_tanh(const node_writer& a) { put_one(a, "tanh"); }
void write_exp(const node_writer& a) { put_one(a, "exp"); }
void write_neg(const node_writer& a) { put_one(a, "neg"); }
void write_hard_swish(const node_writer& a) { put_one(a, "hard-swish"); }
void write_leaky_relu(const node_writer& a) {
    constexpr float of_dpu = 26.f / 256;
    const float alpha = a.real("alpha", 0.01);
    a.refuse_on_dpu(alpha != of_dpu, "its slope is " + std::to_string(alpha) + ", and a DPU's is 26/256");
    xir_attributes all;
    all.set("alpha", alpha);
    put_one(a, "leaky-relu", std::move(all));
}
void write_elu(const node_writer& a) {
    xir_attributes all;
    all.set("alpha", a.real("alpha", 1));
    put_one(a, "elu", std::move(all));
}
void write_hard_sigmoid(const node_writer& a) {
    const float alpha = a.real("alpha", 0.2), beta = a.real("beta", 0.5);
    if (std::abs(alpha - 1.f / 6) > 1e-6f || beta != 0.5f)
        refuse("it is " + std::to_string(alpha) + " x + " + std::to_string(beta) + ", and XIR's x / 6 + 0.5");
    put_one(a, "hard-sigmoid");
}
stream bounded(const node_writer& a, const stream& x, const std::string& type, float bound) {
    const stream b = a.to.numbers(padded_to({1}, x.info.dims.rank), {bound});
    return a.to.made(type, {}, {{"input", {x.op, b.op}}}, x.info);
}
void write_clip(const node_writer& a) {
    constexpr float all = std::numeric_limits<float>::max();
    const auto [low, high] = a.bounds_of_clip();
    if (low == 0 && high == 6) return put_one(a, "relu6");
    if (low == 0 && high == all) return put_one(a, "relu");
    a.refuse_on_dpu(true,
                    "its bounds are " + std::to_string(low) + " and " + std::to_string(high) + ", and a DPU's 0 and 6");
    stream x = a.input(0);
    if (low != -all) x = bounded(a, x, "max", low);
    if (high != all) x = bounded(a, x, "min", high);
    a.put(x);
}
// Operands from the left; each may have a shape of its own that broadcasts.
void put_fold(const node_writer& a, const std::string& type) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const int rank = a.n.output(0).dims.rank;
    bool last = false;
    for (int k = 0; k < a.n.input_count(); ++k) last |= rank == 4 && a.to.is_channels_last(a.n.input_id(k));
    stream all = a.to.operand(a.n.input_id(0), rank, last);
    for (int k = 1; k < a.n.input_count(); ++k) {
        const stream next = a.to.operand(a.n.input_id(k), rank, last);
        shape common;
        if (!broadcast(all.info.dims, next.info.dims, common)) refuse("its operands do not broadcast");
        a.refuse_on_dpu(all.info.dims != next.info.dims, "it broadcasts, and a DPU takes operands of one shape");
        all = a.to.made(type, {}, {{"input", {all.op, next.op}}}, {common, last});
    }
    a.put(all);
}
void write_add(const node_writer& a) { put_fold(a, "add"); }
void write_sub(const node_writer& a) { put_fold(a, "sub"); }
void write_mul(const node_writer& a) { put_fold(a, "mul"); }
void write_div(const node_writer& a) { put_fold(a, "div"); }
void write_max(const node_writer& a) { put_fold(a, "max"); }
void write_min(const node_writer& a) { put_fold(a, "min"); }
}  // namespace

writer_function find_element_wise(std::string_view op) {
    static constexpr named_writer all[] = {{"Relu", write_relu},
                                           {"Sigmoid", write_sigmoid},
                                           {"Tanh", write_tanh},
                                           {"Exp", write_exp},
                                           {"Neg", write_neg},
                                           {"HardSwish", write_hard_swish},
                                           {"LeakyRelu", write_leaky_relu},
                                           {"Elu", write_elu},
                                           {"HardSigmoid", write_hard_sigmoid},
                                           {"Clip", write_clip},
                                           {"Add", write_add},
                                           {"Sum", write_add},
                                           {"Sub", write_sub},
                                           {"Mul", write_mul},
                                           {"Div", write_div},
                                           {"Max", write_max},
                                           {"Min", write_min}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
