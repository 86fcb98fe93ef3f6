// Which nodes the provider takes.
#include "program.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>
#include <map>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using check = std::string (*)(const node_view&);
constexpr auto known_types = {element::f32, element::i32, element::i64, element::boolean};

std::string describe(element e) { return std::string(name_of(e)); }
std::string any_type(const node_view&) { return {}; }
std::string floats_only(const node_view& n) {
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k) && n.input(k).type != element::f32)
            return "input " + std::to_string(k) + " is of type " + describe(n.input(k).type) +
                   "; it is lowered for float";
    return {};
}
std::string numbers_only(const node_view& n) {
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k) && n.input(k).type == element::boolean) return "it is not lowered for bool";
    if (n.version() < 7 && n.has("broadcast")) return "it broadcasts as before version 7";
    return n.input_count() == 2 || n.input_count() == 1
               ? std::string()
               : "it has " + std::to_string(n.input_count()) + " operands; 2 are lowered";
}
std::string float_pair(const node_view& n) {
    const std::string why = floats_only(n);
    return why.empty() ? numbers_only(n) : why;
}
std::string rank_of_images(const node_view& n) {
    const int rank = n.input(0).dims.rank;
    return rank == 4 ? std::string() : "its input has " + std::to_string(rank) + " dimensions; 4 are lowered";
}
std::string conv(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    if (std::string why = rank_of_images(n); !why.empty()) return why;
    return n.is_constant(1) ? "" : "its weights are not constant";
}
std::string matmul(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    for (int k : {0, 1})
        if (n.input(k).dims.rank < 2) return "input " + std::to_string(k) + " is no matrix";
    return {};
}
std::string pool(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    if (std::string why = rank_of_images(n); !why.empty()) return why;
    if (n.has_output(1)) return "its indices are asked for; only values are lowered";
    if (n.record.op.starts_with("Global")) return {};
    pool_windows w;
    if (const verdict v = w.read(n); !v) return std::string(v.reason);
    if (n.record.op == "AveragePool")
        for (const window_axis& a : w.axes) {
            if (a.dilation != 1) return "its windows have dilations";
            if ((a.out - 1) * a.stride + a.kernel > a.in + a.before + a.after)
                return "ceil_mode has a window reach over the padding";
        }
    return {};
}
std::string softmax(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    const shape& x = n.input(0).dims;
    const int axis = normal_axis(n.integer("axis", n.version() < 13 ? 1 : -1), x.rank);
    return axis == x.rank - 1 ? "" : "axis " + std::to_string(axis) + " is not the last one";
}
std::string layer_norm(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    if (n.has_output(1) || n.has_output(2)) return "its mean or deviation is asked for; only Y is lowered";
    return {};
}
std::string reduce(const node_view& n) {
    if (n.input(0).type != element::f32) return "it reduces " + describe(n.input(0).type) + "; it is lowered for float";
    reduced_axes axes;
    if (!axes.read(n) || !axes.known) return "its axes are not constant";
    return {};
}
std::string slice(const node_view& n) {
    op::slice::cut c;
    return op::slice::read(n, c) && c.known ? "" : "its starts, ends, axes or steps are not constant";
}
std::string split(const node_view& n) {
    const std::int64_t whole = n.input(0).dims[op::split::axis(n)];
    for (int k = 0; k < n.output_count(); ++k)
        if (!op::split::length(n, whole, k)) return "its lengths are not constant";
    return {};
}
std::string clip(const node_view& n) {
    if (std::string why = floats_only(n); !why.empty()) return why;
    for (int k : {1, 2})
        if (n.has_input(k) && !n.input_reals(k)) return "its bounds are not constant";
    return {};
}
std::string gather(const node_view& n) {
    const element e = n.input_type(1);
    return e == element::i32 || e == element::i64 ? "" : "its indices are of type " + describe(e);
}
std::string gelu(const node_view& n) { return floats_only(n); }

const std::map<std::string_view, check>& checks() {
    static const std::map<std::string_view, check> all = {{"Conv", conv},
                                                          {"MatMul", matmul},
                                                          {"Gemm", floats_only},
                                                          {"MaxPool", pool},
                                                          {"AveragePool", pool},
                                                          {"GlobalAveragePool", pool},
                                                          {"GlobalMaxPool", pool},
                                                          {"Softmax", softmax},
                                                          {"LayerNormalization", layer_norm},
                                                          {"ReduceMean", reduce},
                                                          {"ReduceSum", reduce},
                                                          {"ReduceMax", reduce},
                                                          {"ReduceMin", reduce},
                                                          {"Relu", floats_only},
                                                          {"LeakyRelu", floats_only},
                                                          {"PRelu", floats_only},
                                                          {"Sigmoid", floats_only},
                                                          {"HardSigmoid", floats_only},
                                                          {"HardSwish", floats_only},
                                                          {"Tanh", floats_only},
                                                          {"Erf", floats_only},
                                                          {"Gelu", gelu},
                                                          {"Exp", floats_only},
                                                          {"Log", floats_only},
                                                          {"Sqrt", floats_only},
                                                          {"Reciprocal", floats_only},
                                                          {"Neg", numbers_only},
                                                          {"Clip", clip},
                                                          {"Add", numbers_only},
                                                          {"Sub", numbers_only},
                                                          {"Mul", numbers_only},
                                                          {"Div", float_pair},
                                                          {"Pow", float_pair},
                                                          {"Max", numbers_only},
                                                          {"Min", numbers_only},
                                                          {"Sum", numbers_only},
                                                          {"Equal", any_type},
                                                          {"Greater", numbers_only},
                                                          {"Less", numbers_only},
                                                          {"GreaterOrEqual", numbers_only},
                                                          {"LessOrEqual", numbers_only},
                                                          {"And", any_type},
                                                          {"Or", any_type},
                                                          {"Not", any_type},
                                                          {"Where", any_type},
                                                          {"Cast", any_type},
                                                          {"Expand", any_type},
                                                          {"Identity", any_type},
                                                          {"Reshape", any_type},
                                                          {"Flatten", any_type},
                                                          {"Squeeze", any_type},
                                                          {"Unsqueeze", any_type},
                                                          {"Transpose", any_type},
                                                          {"Concat", any_type},
                                                          {"Slice", slice},
                                                          {"Split", split},
                                                          {"Gather", gather}};
    return all;
}
std::string refusal_of_value(const value& v, const std::string& which) {
    if (std::ranges::find(known_types, v.type) == known_types.end())
        return which + " is of type " + describe(v.type) + "; float, int32, int64 and bool are lowered";
    if (v.dims.elements() == 0) return which + " has no elements";
    constexpr std::int64_t most = std::int64_t(1) << 30;  // indices are of 32 bits
    return v.dims.elements() > most ? which + " has more than 2^30 elements" : std::string();
}
}  // namespace

std::string why_not(const node_view& n) {
    const std::string op(n.record.op);
    if (!n.record.domain.empty()) return "it lowers no operators of the domain " + std::string(n.record.domain);
    const auto found = checks().find(n.record.op);
    if (found == checks().end()) return "it does not lower " + op;
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k))
            if (std::string why = refusal_of_value(n.input(k), "input " + std::to_string(k)); !why.empty()) return why;
    for (int k = 0; k < n.output_count(); ++k)
        if (n.has_output(k))
            if (std::string why = refusal_of_value(n.output(k), "output " + std::to_string(k)); !why.empty())
                return why;
    return found->second(n);
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
