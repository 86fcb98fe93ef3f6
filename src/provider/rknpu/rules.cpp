// Written of what rknn-toolkit2 2.5.0 answered, operator by operator, and of what its simulator computed.
#include "contract/operator_list.hpp"
#include "rules.hpp"
#include <algorithm>
#include <array>
#include <lowering/node_values.hpp>

namespace inlay {
inline namespace v1 {
namespace {
struct rule {
    std::string_view operators;  // with a blank between two
    int least_rank = 1, most_rank = 5;
    std::array<int, 4> constants{};  // inputs that are constants, where they are there; 0: no more
};
constexpr rule rules[]{
    {"Conv ConvTranspose", 4, 4, {1, 2}},
    {"Gemm", 2, 2, {1, 2}},
    {"MatMul", 2, 4},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", 4, 4},
    {"BatchNormalization", 2, 4, {1, 2, 3, 4}},
    {"InstanceNormalization", 3, 4, {1, 2}},
    {"LayerNormalization", 1, 4, {1, 2}},
    {"Abs Exp Erf Floor Neg Relu LeakyRelu Sigmoid Tanh Elu HardSigmoid HardSwish Sqrt Identity Dropout"},
    {"PRelu", 2, 4, {1}},
    {"Clip", 1, 5, {1, 2}},
    {"Add Sub Mul Div Max Min Sum"},
    {"Softmax LogSoftmax", 1, 4},
    {"ReduceMean ReduceSum ReduceMax ReduceMin", 1, 4, {1}},
    {"Concat Flatten Transpose"},
    {"Reshape Squeeze Unsqueeze Split Gather Pad", 1, 5, {1, 2, 3}},
    {"Slice", 1, 5, {1, 2, 3, 4}},
    {"DepthToSpace SpaceToDepth", 4, 4},
    {"Resize", 4, 4, {1, 2, 3}},
    {"QuantizeLinear DequantizeLinear", 0, 5, {1, 2}},
};
const rule* rule_of(std::string_view op) {
    const auto entry = std::ranges::find_if(rules, [&](const rule& r) { return names_operator(r.operators, op); });
    return entry == std::end(rules) ? nullptr : &*entry;
}
bool is_code(element e) { return e == element::i8 || e == element::u8; }

std::string type_refusal(const node_view& n) {
    return refusal_of_values(n, [&](const value& v) -> std::string {
        if (has_no_elements(v)) return "RKNN gets no tensors without elements, such as " + to_string(v.dims);
        if (v.is_constant()) return {};
        const bool codes = n.record.op == "QuantizeLinear" || n.record.op == "DequantizeLinear";
        if (v.type != element::f32 && !(codes && is_code(v.type)))
            return "RKNN is given floats, not " + std::string(name_of(v.type));
        return v.dims.rank == 0 ? "RKNN has no tensors without dimensions" : "";
    });
}
std::string rank_refusal(const rule& r, const node_view& n) {
    const int rank = n.input(0).dims.rank;
    if (rank >= r.least_rank && rank <= r.most_rank) return {};
    return std::to_string(rank) + " dimensions; RKNN has it of " + std::to_string(r.least_rank) +
           (r.least_rank == r.most_rank ? "" : " to " + std::to_string(r.most_rank));
}
std::string constant_refusal(const rule& r, const node_view& n) {
    for (const int k : r.constants)
        if (k > 0 && n.has_input(k) && !n.is_constant(k))
            return "input " + std::to_string(k) + " is no constant, and RKNN requires one";
    return {};
}
bool pads(const node_view& n) {
    return !n.text("auto_pad", "NOTSET").starts_with("NOTSET") ||
           std::ranges::any_of(n.integers("pads"), [](std::int64_t p) { return p != 0; });
}
std::string resize_refusal(const node_view& n) {
    if (n.text("mode", "nearest") == "cubic") return "RKNN has no cubic interpolation";
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    return x[0] == y[0] && x[1] == y[1] ? "" : "RKNN resizes the last two of four dimensions only";
}
// What the toolkit fails at, or its simulator computes otherwise than ONNX does.
std::string known_fault(const node_view& n) {
    const std::string_view op = n.record.op;
    if (op == "AveragePool" && n.integer("count_include_pad", 0) != 0 && pads(n))
        return "RKNN leaves the padding out of the average";
    if (op == "Resize") return resize_refusal(n);
    if (n.integer("block_size", 0) != 0 || n.integer("output_dtype", 0) != 0)  // of QuantizeLinear and its inverse
        return "RKNN has no blocks of scales, and no output_dtype";
    if (op == "Softmax" || op == "LogSoftmax") {  // before version 13, others' dimensions are one
        const int rank = n.input(0).dims.rank;
        const std::int64_t axis = n.integer("axis", n.record.version < 13 ? 1 : -1);
        if ((axis < 0 ? axis + rank : axis) != rank - 1) return "RKNN is given it along the last axis only";
    }
    for (int k = 1; k < n.output_count(); ++k)
        if (n.has_output(k) && op != "Split") return "RKNN has its first output only";
    return {};
}
}  // namespace

std::string rknpu_refusal(const node_view& n) {
    if (!n.record.domain.empty() && n.record.domain != "ai.onnx") return "RKNN is given operators of ONNX alone";
    const rule* const r = rule_of(n.record.op);
    if (!r) return "RKNN is not given " + std::string(n.record.op);
    if (std::string reason = type_refusal(n); !reason.empty()) return reason;
    if (std::string reason = rank_refusal(*r, n); !reason.empty()) return reason;
    if (std::string reason = constant_refusal(*r, n); !reason.empty()) return reason;
    return known_fault(n);
}
std::string rknpu_refusal_of_ends(const region& r) {
    if (r.inputs.empty()) return "these nodes read nothing that changes, and RKNN's models do";
    for (const auto ids : {r.inputs, r.outputs})
        for (const int id : ids)
            if (const element e = r.graph.values[std::size_t(id)].type; e != element::f32)
                return "RKNN's models read and give floats, and here is " + std::string(name_of(e));
    return {};
}
}  // namespace v1
}  // namespace inlay
