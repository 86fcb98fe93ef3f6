// The table at the end has one line per operator. Sums and constants have the type of the values: `zero` in a text
// has the type of x0.
#include "gradient_rules.hpp"
#include <algorithm>
#include <array>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace gradients {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using ::onnx::TensorShapeProto;
using site = differentiated_node;

[[noreturn]] void refuse(const site& s, const std::string& reason) {
    loading::refuse(error_code::unsupported_model, "Gradient differentiates " + text_of(s.node) + ", " + reason);
}
void needs(const site& s, int least, const std::string& feature) {
    if (s.opset < least)
        refuse(s, feature + ": that takes opset " + std::to_string(least) + ", and the model imports opset " +
                      std::to_string(s.opset));
}
bool has(const site& s, int k) { return k < s.node.input_size() && !s.node.input(k).empty(); }
bool wants(const site& s, int k) { return s.active_inputs >> k & 1; }
const AttributeProto* find(const site& s, std::string_view name) {
    const auto it = std::ranges::find(s.node.attribute(), name, &AttributeProto::name);
    return it == s.node.attribute().end() ? nullptr : &*it;
}
int64_t integer(const site& s, std::string_view name, int64_t otherwise) {
    const AttributeProto* a = find(s, name);
    return a ? a->i() : otherwise;
}
const TensorShapeProto* shape_of(const site& s, const std::string& value) {
    const auto* type = s.type_of(value);
    return type && type->tensor_type().has_shape() ? &type->tensor_type().shape() : nullptr;
}
int rank_of(const site& s, int k) {
    const TensorShapeProto* dims = shape_of(s, s.node.input(k));
    if (!dims) refuse(s, "the number of whose axes is not known: `" + one_line(s.node.input(k)) + "`");
    return dims->dim_size();
}

std::string integers_text(const std::string& name, std::span<const int64_t> list) {
    return " " + name + " = Constant <value_ints : ints = [" + list_text(list) + "]> ()";
}
std::string number_text(const std::string& name, const std::string& number) {  // in the type of x0
    return " " + name + "_number = Constant <value = double {" + number + "}> () " + name + " = CastLike (" + name +
           "_number, x0)";
}
// An attribute of the node, in the type of x0.
std::string attribute_text(const site& s, const std::string& name, const std::string& otherwise) {
    if (!find(s, name)) return number_text(name, otherwise);
    return " " + name + "_number = Constant <value_float : float = @" + name + "> () " + name + " = CastLike (" + name +
           "_number, x0)";
}
// y = Op (x), where axes were an attribute until opset 12.
std::string with_axes(const site& s, const std::string& op, const std::string& x, std::span<const int64_t> axes,
                      const std::string& y, const std::string& more = "") {
    if (s.opset >= 13)
        return integers_text(y + "_axes", axes) + " " + y + " = " + op + (more.empty() ? "" : " <" + more + ">") +
               " (" + x + ", " + y + "_axes)";
    return " " + y + " = " + op + " <axes = [" + list_text(axes) + "]" + (more.empty() ? "" : ", " + more) + "> (" + x +
           ")";
}
std::string reshaped(const site& s, const std::string& x, const std::string& like, const std::string& y) {
    return " " + y + "_dims = Shape (" + like + ") " + y + " = Reshape " + (s.opset >= 14 ? "<allowzero = 1> (" : "(") +
           x + ", " + y + "_dims)";
}

// The axes along which a value of shape `to` is repeated to fill one of shape `from`; nothing: this depends on unknown
// sizes.
std::optional<std::vector<int64_t>> repeated_axes(const TensorShapeProto* from, const TensorShapeProto* to) {
    if (!from || !to || from->dim_size() < to->dim_size()) return {};
    std::vector<int64_t> axes;
    for (int i = 0, more = from->dim_size() - to->dim_size(); i < from->dim_size(); ++i) {
        if (i < more) {
            axes.push_back(i);
            continue;
        }
        const auto &outer = from->dim(i), &inner = to->dim(i - more);
        const bool has_size = inner.has_dim_value() && inner.dim_value() >= 0,
                   same = !inner.dim_param().empty() && inner.dim_param() == outer.dim_param();
        if (!has_size && !same) return {};
        if (has_size && inner.dim_value() == 1 && !(outer.has_dim_value() && outer.dim_value() == 1)) axes.push_back(i);
    }
    return axes;
}
// d<k>, the sum of `r`, which has the shape `from`, over the axes along which input k repeats.
std::string summed(const site& s, const std::string& r, const TensorShapeProto* from, int k) {
    if (!wants(s, k)) return "";
    const std::string x = "x" + std::to_string(k), d = "d" + std::to_string(k), sum = d + "_sum";
    if (const auto axes = repeated_axes(from, shape_of(s, s.node.input(k)))) {
        if (axes->empty()) return " " + d + " = Identity (" + r + ")";
        return with_axes(s, "ReduceSum", r, *axes, sum, "keepdims = 0") + reshaped(s, sum, x, d);
    }
    needs(s, 13, "whose inputs repeat along axes that only a run shows");
    const auto name = [&](const char* part) { return d + "_" + part; };
    const auto line = [&](const char* part, const std::string& expression) {
        return " " + name(part) + " = " + expression;
    };
    return line("outer", "Shape (" + r + ")") + line("inner", "Shape (" + x + ")") +
           line("outer_rank", "Shape (" + name("outer") + ")") + line("inner_rank", "Shape (" + name("inner") + ")") +
           line("more", "Sub (" + name("outer_rank") + ", " + name("inner_rank") + ")") +
           line("ones", "ConstantOfShape <value_ints : ints = [1]> (" + name("more") + ")") +
           line("full", "Concat <axis = 0> (" + name("ones") + ", " + name("inner") + ")") +
           line("one", "Constant <value = int64 {1}> ()") +
           line("repeats", "Equal (" + name("full") + ", " + name("one") + ")") +
           line("places", "NonZero (" + name("repeats") + ")") + integers_text(name("flat"), std::array{int64_t(-1)}) +
           line("axes", "Reshape (" + name("places") + ", " + name("flat") + ")") +
           line("sum", "ReduceSum <keepdims = 0, noop_with_empty_axes = 1> (" + r + ", " + name("axes") + ")") +
           reshaped(s, sum, x, d);
}
// r0 and r1 are the derivatives in the shape of the result.
std::string broadcast(const site& s, const std::string& text) {
    const TensorShapeProto* from = shape_of(s, s.node.output(0));
    return text + summed(s, "r0", from, 0) + summed(s, "r1", from, 1);
}

std::string add_text(const site& s) { return broadcast(s, "r0 = Identity (g) r1 = Identity (g)"); }
std::string sub_text(const site& s) { return broadcast(s, "r0 = Identity (g) r1 = Neg (g)"); }
std::string mul_text(const site& s) { return broadcast(s, "r0 = Mul (g, x1) r1 = Mul (g, x0)"); }
std::string div_text(const site& s) { return broadcast(s, "r0 = Div (g, x1) part = Mul (r0, y) r1 = Neg (part)"); }
std::string expand_text(const site& s) { return broadcast(s, "r0 = Identity (g)"); }
std::string sum_text(const site& s) {
    std::string text;
    for (int k = 0; k < s.node.input_size(); ++k) text += summed(s, "g", shape_of(s, s.node.output(0)), k);
    return text;
}
std::string where_text(const site& s) {
    const TensorShapeProto* from = shape_of(s, s.node.output(0));
    return "zero_number = Constant <value = double {0}> () zero = CastLike (zero_number, y) "
           "r1 = Where (x0, g, zero) r2 = Where (x0, zero, g)" +
           summed(s, "r1", from, 1) + summed(s, "r2", from, 2);
}
std::string pow_text(const site& s) {
    if (wants(s, 1)) refuse(s, "by its exponent: only constant exponents are supported");
    return broadcast(s, number_text("zero", "0") + number_text("one", "1") +
                            " e = CastLike (x1, x0) less = Sub (e, one) power = Pow (x0, less) scaled = Mul (e, power) "
                            "none = Equal (e, zero) slope = Where (none, zero, scaled) r0 = Mul (g, slope)");
}
std::string relu_text(const site&) {
    return number_text("zero", "0") + " positive = Greater (x0, zero) d0 = Where (positive, g, zero)";
}
std::string leaky_relu_text(const site& s) {
    return number_text("zero", "0") + attribute_text(s, "alpha", "0.01") +
           " small = Mul (g, alpha) positive = Greater (x0, zero) d0 = Where (positive, g, small)";
}
std::string erf_text(const site&) {
    return number_text("factor", "1.1283791670955126") +  // 2 / sqrt(pi)
           " square = Mul (x0, x0) less = Neg (square) bell = Exp (less) slope = Mul (bell, factor) d0 = Mul (g, "
           "slope)";
}
std::string reshape_text(const site& s) { return reshaped(s, "g", "x0", "d0"); }
std::string transpose_text(const site& s) {
    const AttributeProto* perm = find(s, "perm");
    if (!perm) return "d0 = Transpose (g)";
    std::vector<int64_t> back(std::size_t(perm->ints_size()), -1);
    for (int i = 0; i < perm->ints_size(); ++i) {
        if (perm->ints(i) < 0 || perm->ints(i) >= perm->ints_size() || back[std::size_t(perm->ints(i))] >= 0)
            refuse(s, "whose perm is no order of axes");
        back[std::size_t(perm->ints(i))] = i;
    }
    return "d0 = Transpose <perm = [" + list_text(back) + "]> (g)";
}

// `sum`, of x along the axes that the Softmax treats as one: in older opsets all from `axis` on.
std::string softmax_sum(const site& s, const std::string& x) {
    const int64_t axis = integer(s, "axis", s.opset >= 13 ? -1 : 1);
    std::vector<int64_t> axes{axis};
    if (s.opset < 13) {
        const int rank = rank_of(s, 0);
        axes.clear();
        for (int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
        if (axes.empty() || axes[0] < 0) refuse(s, "whose axis is out of range");
    }
    return with_axes(s, "ReduceSum", x, axes, "sum", "keepdims = 1");
}
std::string softmax_text(const site& s) {
    return "part = Mul (g, y)" + softmax_sum(s, "part") + " rest = Sub (g, sum) d0 = Mul (rest, y)";
}
std::string log_softmax_text(const site& s) {
    return softmax_sum(s, "g") + " share = Exp (y) part = Mul (share, sum) d0 = Sub (g, part)";
}

// `d0`, of the values `x`, each of which belongs to all elements that were reduced to it.
std::string spread(const site& s, const std::string& x) {
    const AttributeProto* axes = find(s, "axes");
    if (!axes && !has(s, 1) && integer(s, "noop_with_empty_axes", 0) != 0) return " d0 = Identity (" + x + ")";
    std::string input = x, text;
    if ((axes || has(s, 1)) && integer(s, "keepdims", 1) == 0) {
        input = "kept";
        text = axes
                   ? with_axes(s, "Unsqueeze", x, std::vector<int64_t>(axes->ints().begin(), axes->ints().end()), input)
                   : " kept = Unsqueeze (" + x + ", x1)";
    }
    return text + " dims = Shape (x0) d0 = Expand (" + input + ", dims)";
}
std::string reduce_sum_text(const site& s) { return spread(s, "g"); }
std::string reduce_mean_text(const site& s) {
    return "all = Size (x0) means = Size (y) one = Constant <value = int64 {1}> () some = Max (means, one) "
           "each = Div (all, some) count = CastLike (each, g) share = Div (g, count)" +
           spread(s, "share");
}

std::string transposed(int rank, const std::string& x, const std::string& y) {  // its matrices
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i) perm.push_back(i);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return " " + y + " = Transpose <perm = [" + list_text(perm) + "]> (" + x + ")";
}
// A vector on the left is a matrix of one row, on the right of one column, and the result lacks that axis.
std::string matmul_text(const site& s) {
    const int left = rank_of(s, 0), right = rank_of(s, 1);
    if (left < 1 || right < 1) refuse(s, "whose inputs must have axes");
    std::string text, a = "x0", b = "x1", g = "g";
    std::vector<int64_t> lost;
    if (left == 1) {
        text += with_axes(s, "Unsqueeze", "x0", std::array{int64_t(0)}, a = "row");
        lost.push_back(-2);
    }
    if (right == 1) {
        text += with_axes(s, "Unsqueeze", "x1", std::array{int64_t(1)}, b = "column");
        lost.push_back(-1);
    }
    if (!lost.empty()) text += with_axes(s, "Unsqueeze", "g", lost, g = "whole");
    text += transposed(std::max(right, 2), b, "bt") + transposed(std::max(left, 2), a, "at") + " r0 = MatMul (" + g +
            ", bt) " + (right == 1 ? "columns" : "r1") + " = MatMul (at, " + g + ")";
    if (right == 1) text += with_axes(s, "Squeeze", "columns", std::array{int64_t(-1)}, "r1");

    const TensorShapeProto* y = shape_of(s, s.node.output(0));
    const auto made0 = new_message<TensorShapeProto>(), made1 = new_message<TensorShapeProto>();
    TensorShapeProto &of_r0 = *made0, &of_r1 = *made1;
    for (int i = 0; y && i < y->dim_size() - (left > 1) - (right > 1); ++i)
        *of_r0.add_dim() = *of_r1.add_dim() = y->dim(i);
    const auto add_last = [](TensorShapeProto& to, const TensorShapeProto& x, int count) {
        for (int i = x.dim_size() - count; i < x.dim_size(); ++i) *to.add_dim() = x.dim(i);
    };
    if (left == 1) of_r0.add_dim()->set_dim_value(1);
    add_last(of_r0, *shape_of(s, s.node.input(0)), std::min(left, 2));
    add_last(of_r1, *shape_of(s, s.node.input(1)), std::min(right, 2));
    return text + summed(s, "r0", y ? &of_r0 : nullptr, 0) + summed(s, "r1", y ? &of_r1 : nullptr, 1);
}
std::string gemm_text(const site& s) {
    const bool across = integer(s, "transA", 0) != 0, down = integer(s, "transB", 0) != 0;
    const auto product = [](const char* name, const char* a, bool a_turned, const char* b, bool b_turned) {
        return std::string(" ") + name + " = Gemm <alpha : float = @alpha, transA = " + std::to_string(a_turned) +
               ", transB = " + std::to_string(b_turned) + "> (" + a + ", " + b + ")";
    };
    std::string text = across ? product("d0", "x1", down, "g", true) : product("d0", "g", false, "x1", !down);
    text += down ? product("d1", "g", true, "x0", across) : product("d1", "x0", !across, "g", false);
    if (!wants(s, 2)) return text;
    return text + attribute_text(s, "beta", "1") + " r2 = Mul (g, beta)" +
           summed(s, "r2", shape_of(s, s.node.output(0)), 2);
}

constexpr unsigned all_inputs = ~0u;
constexpr gradient_rule rules[] = {
    {"Abs", 1, "sign = Sign (x0) d0 = Mul (g, sign)"},
    {"Add", 3, "", add_text},
    {"Cast", 1, "d0 = CastLike (g, x0)"},
    {"CastLike", 1, "d0 = CastLike (g, x0)"},
    {"Cos", 1, "sine = Sin (x0) part = Mul (g, sine) d0 = Neg (part)"},
    {"Div", 3, "", div_text},
    {"Erf", 1, "", erf_text},
    {"Exp", 1, "d0 = Mul (g, y)"},
    {"Expand", 1, "", expand_text},
    {"Flatten", 1, "", reshape_text},
    {"Gemm", 7, "", gemm_text},
    {"Identity", 1, "d0 = Identity (g)"},
    {"LeakyRelu", 1, "", leaky_relu_text},
    {"Log", 1, "d0 = Div (g, x0)"},
    {"LogSoftmax", 1, "", log_softmax_text},
    {"MatMul", 3, "", matmul_text},
    {"Mul", 3, "", mul_text},
    {"Neg", 1, "d0 = Neg (g)"},
    {"Pow", 3, "", pow_text},
    {"Reciprocal", 1, "square = Mul (y, y) part = Mul (g, square) d0 = Neg (part)"},
    {"ReduceMean", 1, "", reduce_mean_text},
    {"ReduceSum", 1, "", reduce_sum_text},
    {"Relu", 1, "", relu_text},
    {"Reshape", 1, "", reshape_text},
    {"Sigmoid", 1, "part = Mul (g, y) less = Mul (part, y) d0 = Sub (part, less)"},
    {"Sign", 0, ""},
    {"Sin", 1, "cosine = Cos (x0) d0 = Mul (g, cosine)"},
    {"Softmax", 1, "", softmax_text},
    {"Softplus", 1, "slope = Sigmoid (x0) d0 = Mul (g, slope)"},
    {"Sqrt", 1, "twice = Add (y, y) d0 = Div (g, twice)"},
    {"Squeeze", 1, "", reshape_text},
    {"Sub", 3, "", sub_text},
    {"Sum", all_inputs, "", sum_text},
    {"Tanh", 1, "square = Mul (y, y) less = Mul (g, square) d0 = Sub (g, less)"},
    {"Transpose", 1, "", transpose_text},
    {"Unsqueeze", 1, "", reshape_text},
    {"Where", 6, "", where_text},
};

// Removes nodes that contribute to no required output.
void prune(FunctionProto& f) {
    std::set<std::string> reads(f.output().begin(), f.output().end());
    int begin = f.node_size();
    for (int i = f.node_size() - 1; i >= 0; --i) {
        const NodeProto& n = f.node(i);
        if (std::ranges::none_of(n.output(), [&](const std::string& y) { return reads.contains(y); })) continue;
        reads.insert(n.input().begin(), n.input().end());
        f.mutable_node()->SwapElements(--begin, i);
    }
    f.mutable_node()->DeleteSubrange(0, begin);
}
}  // namespace

const gradient_rule* find_gradient_rule(const NodeProto& n) {
    if (!n.domain().empty() || n.output_size() != 1) return nullptr;
    const auto* r = std::ranges::find(rules, std::string_view(n.op_type()), &gradient_rule::op);
    return r == std::end(rules) ? nullptr : r;
}
std::shared_ptr<FunctionProto> gradient_function(const gradient_rule& r, const site& s) {
    std::string inputs, outputs;
    for (int k = 0; k < s.node.input_size(); ++k) {
        inputs += "x" + std::to_string(k) + ", ";
        if (wants(s, k)) outputs += (outputs.empty() ? "d" : ", d") + std::to_string(k);
    }
    const std::string text =
        "f (" + inputs + "y, g) => (" + outputs + ") { " + (r.make ? r.make(s) : std::string(r.text)) + " }";
    auto f = function_of_text(text, s.node);
    f->set_name("the derivative of " + s.node.op_type());
    prune(*f);
    return f;
}
std::string list_of_gradient_rules() {
    std::string text;
    for (const gradient_rule& r : rules) text += (text.empty() ? "" : ", ") + std::string(r.op);
    return text;
}
}  // namespace gradients
}  // namespace loading
}  // namespace v1
}  // namespace inlay
