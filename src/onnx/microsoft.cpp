// Operators of com.microsoft that are ONNX's own with one step more, or under another name: each becomes a function
// over ONNX's operators, which is inlined like any other, so that passes, engines and plans see those. The table at the
// end has one line per operator.
#include "proto.hpp"
#include <array>
#include <onnx/defs/parser.h>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using constant_map = std::unordered_map<std::string_view, const TensorProto*>;  // null: a name that stands for several

constexpr int oldest_opset = 7;     // as in ONNX Runtime: earlier versions do not broadcast
constexpr int newest_written = 21;  // imported by a model without ai.onnx

void note_constants(const ::onnx::GraphProto& g, constant_map& constants, bool inside = false) {
    const auto note = [&](std::string_view name, const TensorProto* t) {
        if (const auto [it, isnew] = constants.emplace(name, t); !isnew) it->second = nullptr;
    };
    for (auto& t : g.initializer()) note(t.name(), &t);
    for (auto& v : g.input())
        if (inside)
            note(v.name(), nullptr);
        else
            // An initializer of that name is a default, which is treated as a constant.
            constants.emplace(v.name(), nullptr);
    for (auto& n : g.node()) {
        const TensorProto* constant = nullptr;
        for (auto& a : n.attribute()) {
            if (a.has_g()) note_constants(a.g(), constants, true);
            if (n.domain().empty() && n.op_type() == "Constant" && a.name() == "value" && a.has_t()) constant = &a.t();
        }
        for (auto& y : n.output()) note(y, constant);
    }
}

// A node that is to be replaced, and the function that is written for it.
class call {
    const NodeProto& n_;
    const constant_map& constants_;
    FunctionProto& f_;

    AttributeProto& add_default(std::string name, AttributeProto::AttributeType type) {
        AttributeProto& a = *f_.add_attribute_proto();
        a.set_name(std::move(name));
        a.set_type(type);
        return a;
    }

  public:
    const int opset;  // of ai.onnx

    call(const NodeProto& n, const constant_map& c, FunctionProto& f, int o) : n_(n), constants_(c), f_(f), opset(o) {}
    [[noreturn]] void refuse(const std::string& reason) const {
        loading::refuse(error_code::unsupported_model, text_of(n_) + " of the domain com.microsoft " + reason);
    }
    void needs(int least, const std::string& feature) const {
        if (opset < least)
            refuse("has " + feature + ": that takes opset " + std::to_string(least) + ", and the model imports opset " +
                   std::to_string(opset));
    }
    bool has(int k) const { return k < n_.input_size() && !n_.input(k).empty(); }
    const AttributeProto* find(std::string_view name, AttributeProto::AttributeType type) const {
        for (auto& a : n_.attribute()) {
            if (a.name() != name) continue;
            if (a.type() != type)
                refuse("has its attribute `" + std::string(name) + "` as " +
                       AttributeProto::AttributeType_Name(a.type()) + ", not as " +
                       AttributeProto::AttributeType_Name(type));
            return &a;
        }
        return nullptr;
    }
    int64_t integer(std::string_view name, int64_t otherwise) const {
        const AttributeProto* a = find(name, AttributeProto::INT);
        return a ? a->i() : otherwise;
    }
    std::string text(std::string_view name, std::string otherwise) const {
        const AttributeProto* a = find(name, AttributeProto::STRING);
        return a ? a->s() : otherwise;
    }
    // The integers of an input that is a constant of this model; null: it is none, or a large one.
    std::optional<std::vector<int64_t>> integers(int k) const {
        const auto it = has(k) ? constants_.find(n_.input(k)) : constants_.end();
        if (it == constants_.end() || !it->second || it->second->data_location() == TensorProto::EXTERNAL) return {};
        const tensor t = to_tensor(*it->second, {});
        std::vector<int64_t> values;
        if (t.type() == element::i64)
            values.assign(t.as<int64_t>().begin(), t.as<int64_t>().end());
        else if (t.type() == element::i32)
            values.assign(t.as<std::int32_t>().begin(), t.as<std::int32_t>().end());
        else
            return {};
        return values;
    }
    std::optional<float> real(int k) const {
        const auto it = has(k) ? constants_.find(n_.input(k)) : constants_.end();
        if (it == constants_.end() || !it->second || it->second->data_location() == TensorProto::EXTERNAL) return {};
        const tensor t = to_tensor(*it->second, {});
        if (t.type() != element::f32 || t.elements() != 1) return {};
        return t.as<float>()[0];
    }

    std::optional<int> rank(int k) const {  // of an input that is a constant of this model
        const auto it = has(k) ? constants_.find(n_.input(k)) : constants_.end();
        if (it == constants_.end() || !it->second) return {};
        return it->second->dims_size();
    }

    // What attributes of the function's nodes may refer to besides the call's own: `alpha : float = @0_alpha`.
    void define(std::string name, float x) { add_default(std::move(name), AttributeProto::FLOAT).set_f(x); }
    void define(std::string name, std::span<const int64_t> list) {
        AttributeProto& a = add_default(std::move(name), AttributeProto::INTS);
        for (int64_t i : list) a.add_ints(i);
    }
    TensorProto& define_scalar(std::string name, float x) {  // `Constant <value : tensor = @name> ()`
        TensorProto& t = *add_default(std::move(name), AttributeProto::TENSOR).mutable_t();
        t.set_data_type(TensorProto::FLOAT);
        t.add_float_data(x);
        return t;
    }
    void define_list(std::string name, float x) { define_scalar(std::move(name), x).add_dims(1); }  // of one number
};

// An activation that FusedConv and FusedGemm may end with: y = Name(x). Its parameters are attributes of ONNX's
// operator, by name; of all others, none.
struct activation {
    std::string_view name;
    std::array<const char*, 2> parameters{};
    bool of_conv = false, of_gemm = false;
    int count() const { return parameters[1] ? 2 : parameters[0] ? 1 : 0; }
};
constexpr std::array<activation, 13> activations{{{"Celu", {"alpha"}, false, true},
                                                  {"Clip", {"min", "max"}, true, false},
                                                  {"Elu", {"alpha"}, false, true},
                                                  {"HardSigmoid", {"alpha", "beta"}, true, true},
                                                  {"HardSwish", {}, true, false},
                                                  {"LeakyRelu", {"alpha"}, true, true},
                                                  {"Relu", {}, true, true},
                                                  {"Selu", {"alpha", "gamma"}, false, true},
                                                  {"Sigmoid", {}, true, true},
                                                  {"Softplus", {}, false, true},
                                                  {"Softsign", {}, false, true},
                                                  {"Tanh", {}, true, true},
                                                  {"ThresholdedRelu", {"alpha"}, false, true}}};
const activation& find_activation(const call& c, const std::string& name, bool activation::*belongs) {
    for (const activation& a : activations)
        if (a.name == name && a.*belongs) return a;
    c.refuse("has the activation `" + one_line(name) + "`, which it does not know");
}
// ` y = LeakyRelu <alpha : float = @fused_alpha> (x)`, where the parameters are defined as fused_<name>.
std::string apply_activation(const activation& a, const std::string& x, const std::string& y, int opset) {
    const std::string name(a.name);
    if (name == "Clip" && opset >= 11)
        return " low = Constant <value : tensor = @fused_low> () high = Constant <value : tensor = @fused_high> () "
               "lowest = CastLike (low, " +
               x + ") highest = CastLike (high, " + x + ") " + y + " = Clip (" + x + ", lowest, highest)";
    std::string attributes;
    for (int k = 0; k < a.count(); ++k)
        attributes += (k ? ", " : "") + std::string(a.parameters[std::size_t(k)]) + " : float = @fused_" +
                      a.parameters[std::size_t(k)];
    return " " + y + " = " + name + (attributes.empty() ? "" : " <" + attributes + ">") + " (" + x + ")";
}

constexpr const char* window_attributes =
    "auto_pad : string = @auto_pad, dilations : ints = @dilations, group : int = @group, "
    "kernel_shape : ints = @kernel_shape, strides : ints = @strides";

// The nodes after the convolution whose result is `c`: Z is added, and the activation applied.
std::string finish_conv(call& c, const std::string& y) {
    const std::string sum = c.has(3) ? " s = Add (c, Z)" : "", x = c.has(3) ? "s" : "c";
    const std::string name = c.text("activation", "");
    const AttributeProto* p = c.find("activation_params", AttributeProto::FLOATS);
    const int param_count = p ? p->floats_size() : 0;
    if (name.empty() && !c.find("activation", AttributeProto::STRING)) return sum + " " + y + " = Identity (" + x + ")";
    const activation& a = find_activation(c, name, &activation::of_conv);
    if (param_count != a.count() && a.count())
        c.refuse("has " + std::to_string(param_count) + " activation_params; " + name + " takes " +
                 std::to_string(a.count()));
    for (int k = 0; k < a.count(); ++k) c.define("fused_" + std::string(a.parameters[std::size_t(k)]), p->floats(k));
    if (name == "Clip") {
        c.define_scalar("fused_low", p->floats(0));
        c.define_scalar("fused_high", p->floats(1));
    }
    return sum + apply_activation(a, x, y, c.opset);
}
std::string fused_conv_text(call& c) {
    return "f (X, W, B, Z) => (Y) { c = Conv <pads : ints = @pads, " + std::string(window_attributes) + "> (X, W, B)" +
           finish_conv(c, "Y") + " }";
}
// Channels last outside, and ONNX's order inside: the planner finds out that nothing has to be moved. w: the input with
// the weights.
struct channel_moves {
    std::vector<int64_t> to_front, to_end;
    channel_moves(const call& c, int w) {
        int axes = c.rank(w).value_or(4) - 2;
        if (const auto* k = c.find("kernel_shape", AttributeProto::INTS)) axes = k->ints_size();
        if (axes < 1 || axes > max_rank - 2) c.refuse("has a window of " + std::to_string(axes) + " axes");
        to_front = {0, axes + 1};
        to_end = {0};
        for (int i = 1; i <= axes; ++i) to_front.push_back(i), to_end.push_back(i + 1);
        to_end.push_back(1);
    }
    static std::string move(const std::string& x, const std::string& y, std::span<const int64_t> perm) {
        return " " + y + " = Transpose <perm = [" + list_text(perm) + "]> (" + x + ")";
    }
};
std::string nhwc_fused_conv_text(call& c) {
    const channel_moves moves(c, 1);
    return "f (X, W, B, Z) => (Y) {" + moves.move("X", "x", moves.to_front) + " n = Conv <pads : ints = @pads, " +
           std::string(window_attributes) + "> (x, W, B)" + moves.move("n", "c", moves.to_end) + finish_conv(c, "Y") +
           " }";
}
std::string qlinear_conv_text(call& c) {
    c.needs(10, "8-bit integers");
    const std::string conv = " = QLinearConv <pads : ints = @pads, " + std::string(window_attributes) + "> (",
                      rest = ", x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, B)";
    const std::string head = "f (x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, B) => (y) {";
    if (c.integer("channels_last", 0) == 0) return head + " y" + conv + "x" + rest + " }";
    const channel_moves moves(c, 3);
    return head + moves.move("x", "first", moves.to_front) + " n" + conv + "first" + rest +
           moves.move("n", "y", moves.to_end) + " }";
}
std::string fused_gemm_text(call& c) {
    const std::string name = c.text("activation", "");
    if (name.empty()) c.refuse("has no activation");
    const activation& a = find_activation(c, name, &activation::of_gemm);
    for (int k = 0; k < a.count(); ++k) {
        const std::string parameter = a.parameters[std::size_t(k)];
        const AttributeProto* attribute = c.find("activation_" + parameter, AttributeProto::FLOAT);
        if (!attribute) c.refuse("lacks the attribute `activation_" + parameter + "` of " + name);
        c.define("fused_" + parameter, attribute->f());
    }
    if (!c.has(2) && c.opset < 11)
        c.refuse("lacks the input C, which Gemm of opset " + std::to_string(c.opset) + " needs");
    return "f (A, B, C) => (Y) { g = Gemm <alpha : float = @alpha, beta : float = @beta, transA : int = @transA, "
           "transB : int = @transB> (A, B, C)" +
           apply_activation(a, "g", "Y", c.opset) + " }";
}

// Known pads become the attribute; else the whole result is computed, and cut by Pad with their negatives.
std::string conv_transpose_text(call& c) {
    const std::string attributes = std::string(window_attributes) + ", output_padding : ints = @output_padding";
    if (!c.has(2)) c.refuse("lacks the input Pads");
    if (c.text("auto_pad", "NOTSET") != "NOTSET")  // which goes before Pads
        return "f (X, W, Pads, B) => (Y) { Y = ConvTranspose <" + attributes + "> (X, W, B) }";
    if (const auto pads = c.integers(2)) {
        for (int64_t p : *pads)
            if (p < 0) c.refuse("has the negative pad " + std::to_string(p));
        c.define("known_pads", *pads);
        return "f (X, W, Pads, B) => (Y) { Y = ConvTranspose <pads : ints = @known_pads, " + attributes +
               "> (X, W, B) }";
    }
    c.needs(11, "Pads that are no constant");
    return "f (X, W, Pads, B) => (Y) { whole = ConvTranspose <" + attributes + R"(> (X, W, B)
        ends = Constant <value_ints : ints = [2, -1]> ()
        zeros = Constant <value_ints : ints = [0, 0, 0, 0]> ()
        others = Reshape (zeros, ends)
        flat = Constant <value_ints : ints = [-1]> ()
        pairs = Reshape (Pads, ends)
        all = Concat <axis = 1> (others, pairs)
        cut = Neg (all)
        list = Reshape (cut, flat)
        Y = Pad (whole, list) })";
}

std::string bias_dropout_text(call& c) {
    c.needs(12, "its inputs ratio and training_mode");
    return std::string("f (data, bias, residual, ratio, training_mode) => (output, mask) { sum = Add (data, bias) ") +
           (c.has(2) ? "kept" : "output") + ", mask = Dropout <seed : int = @seed> (sum, ratio, training_mode)" +
           (c.has(2) ? " output = Add (kept, residual)" : "") + " }";
}
std::string gated_add_text(call& c) {
    if (c.has(3)) c.refuse("has the input gate_weight, which ONNX Runtime has on GPUs alone");
    return "f (X, Y, gate) => (output) { scaled = Mul (Y, gate) output = Add (X, scaled) }";
}
std::string expand_dims_text(call& c) {
    const auto axis = c.integers(1);
    if (axis && axis->size() != 1) c.refuse("has " + std::to_string(axis->size()) + " axes");
    if (c.opset < 13) {
        if (!axis) c.needs(13, "an axis that is no constant");
        c.define("known_axes", *axis);
        return "f (X, axis) => (Y) { Y = Unsqueeze <axes : ints = @known_axes> (X) }";
    }
    return R"(f (X, axis) => (Y) {
        one = Constant <value_ints : ints = [1]> ()
        wide = Cast <to = 7> (axis)
        list = Reshape (wide, one)
        Y = Unsqueeze (X, list) })";
}
std::string gather_nd_text(call&) {
    return "f (data, indices) => (output) { wide = Cast <to = 7> (indices) output = GatherND (data, wide) }";
}
// In float32, with the channels first: each group is one channel of InstanceNormalization. `x` is the input.
std::string group_norm_of(call& c, const std::string& x) {
    const int64_t groups = c.integer("groups", 0), activation = c.integer("activation", -1);
    if (groups < 1) c.refuse("lacks a positive attribute `groups`");
    if (activation != 0 && activation != 1) c.refuse("lacks the attribute `activation`, or has another than 0 and 1");
    c.define_list("ones", 1);
    c.define_list("zeros", 0);
    const bool channels_last = c.integer("channels_last", 1) != 0;
    const std::string count = std::to_string(groups);
    return (channels_last ? " first = Transpose <perm = [0, 3, 1, 2]> (" + x + ")" : " first = Identity (" + x + ")") +
           " wide = Cast <to = 1> (first) dims = Shape (wide) rows_dims = Constant <value_ints : ints = [0, " + count +
           ", -1]> () rows = Reshape (wide, rows_dims) number = Constant <value_ints : ints = [" + count + R"(]> ()
        one = ConstantOfShape <value : tensor = @ones> (number)
        zero = ConstantOfShape <value : tensor = @zeros> (number)
        normal_rows = InstanceNormalization <epsilon : float = @epsilon> (rows, one, zero)
        normal = Reshape (normal_rows, dims)
        channels = Constant <value_ints : ints = [-1, 1, 1]> ()
        gamma_wide = Cast <to = 1> (gamma)
        beta_wide = Cast <to = 1> (beta)
        scale = Reshape (gamma_wide, channels)
        shift = Reshape (beta_wide, channels)
        scaled = Mul (normal, scale)
        shifted = Add (scaled, shift))" +
           (activation ? " gate = Sigmoid (shifted) active = Mul (shifted, gate)" : " active = Identity (shifted)") +
           " narrow = CastLike (active, X)" +
           (channels_last ? " Y = Transpose <perm = [0, 2, 3, 1]> (narrow)" : " Y = Identity (narrow)");
}
std::string group_norm_text(call& c) {
    c.needs(9, "groups");
    return "f (X, gamma, beta) => (Y) {" + group_norm_of(c, "X") + " }";
}
// A skip of two axes is one number per channel, and gets the missing axes.
std::string skip_group_norm_text(call& c) {
    c.needs(10, "a skip");
    if (c.integer("channels_last", 1) == 0) c.refuse("has channels_last 0, for which its skip is not defined");
    return std::string(R"(f (X, gamma, beta, skip, bias) => (Y, S) {
        skip_dims = Shape (skip)
        start = Constant <value_ints : ints = [0]> ()
        second = Constant <value_ints : ints = [1]> ()
        before_last = Constant <value_ints : ints = [-1]> ()
        two = Constant <value_ints : ints = [2]> ()
        end = Constant <value_ints : ints = [9]> ()
        twice = Constant <value_ints : ints = [1, 1]> ()
        batch = Slice (skip_dims, start, second)
        inner = Slice (skip_dims, second, before_last)
        inner_or_one = Concat <axis = 0> (inner, twice)
        place = Slice (inner_or_one, start, two)
        depth = Slice (skip_dims, before_last, end)
        full_dims = Concat <axis = 0> (batch, place, depth)
        full_skip = Reshape (skip, full_dims))") +
           (c.has(4) ? " sum = Add (X, full_skip) S = Add (sum, bias)" : " S = Add (X, full_skip)") +
           group_norm_of(c, "S") + " }";
}
std::string pad_text(call& c) {
    if (c.opset >= 11)
        return std::string(R"(f (data, pads, value) => (output) {
            flat = Constant <value_ints : ints = [-1]> ()
            list = Reshape (pads, flat))") +
               (c.has(2) ? " single = Constant <value_ints : ints = []> () filler = Reshape (value, single)" : "") +
               " output = Pad <mode : string = @mode> (data, list" + (c.has(2) ? ", filler" : "") + ") }";
    const auto pads = c.integers(1);
    const auto value = c.has(2) ? c.real(2) : 0.f;
    if (!pads || !value) c.needs(11, "pads that are no constants");
    c.define("known_pads", *pads);
    c.define("known_value", *value);
    return "f (data, pads, value) => (output) { output = Pad <mode : string = @mode, pads : ints = @known_pads, "
           "value : float = @known_value> (data) }";
}
std::string range_text(call& c) {  // which accepts lists of one number too
    const std::string delta = c.has(2) ? " c = Reshape (delta, single)"
                                       : " one = Constant <value : tensor = @one> () c = CastLike (one, start)";
    if (!c.has(2)) c.define_scalar("one", 1);
    return "f (start, limit, delta) => (Y) { single = Constant <value_ints : ints = []> () a = Reshape (start, single) "
           "b = Reshape (limit, single)" +
           delta + " Y = Range (a, b, c) }";
}
std::string sample_text(call&) { return "f (X) => (Y) { Y = Identity (X) }"; }
// Each step is rounded to the type of X, the first one from float32.
std::string scaled_silu_text(call& c) {
    const AttributeProto* alpha = c.find("alpha", AttributeProto::FLOAT);
    c.define_scalar("alpha_of_x", alpha ? alpha->f() : 1);
    return std::string("f (X, scale) => (Y) { wide = Cast <to = 1> (X) by = ") +
           (c.has(1) ? "Cast <to = 1> (scale)" : "Constant <value : tensor = @alpha_of_x> ()") +
           " product = Mul (wide, by) z = CastLike (product, X) gate = Sigmoid (z) Y = Mul (z, gate) }";
}
// A is dense by now: the loader makes sparse constants dense.
std::string sparse_matmul_text(call& c) {
    const auto operand = [&](const std::string& x, const char* transposed) {
        return c.integer(transposed, 0) ? " " + x + "t = Transpose <perm = [1, 0]> (" + x + ")"
                                        : " " + x + "t = Identity (" + x + ")";
    };
    const AttributeProto* alpha = c.find("alpha", AttributeProto::FLOAT);
    c.define_scalar("alpha_of_product", alpha ? alpha->f() : 1);
    return "f (A, B) => (Y) {" + operand("A", "transA") + operand("B", "transB") +
           (alpha && alpha->f() != 1 ? " product = MatMul (At, Bt) factor = Constant <value : tensor = "
                                       "@alpha_of_product> () by = CastLike (factor, B) Y = Mul (product, by) }"
                                     : " Y = MatMul (At, Bt) }");
}
std::string trilu_text(call&) { return "f (X, k) => (Y) { Y = Trilu <upper : int = @upper> (X, k) }"; }
std::string unique_text(call&) {
    return "f (x) => (y, idx, counts) { y, first, idx, counts = Unique <sorted = 0> (x) }";
}

struct rewriting {
    std::string_view name;
    int least, most;  // inputs
    int outputs;
    std::string_view attributes;  // with a space around each
    std::string (*text)(call&);   // of the function
};
constexpr std::string_view of_fused_conv =
    " activation activation_params auto_pad dilations group kernel_shape pads strides ";
constexpr rewriting rewritings[] = {
    {"BiasDropout", 2, 5, 2, " seed ", bias_dropout_text},
    {"ConvTransposeWithDynamicPads", 2, 4, 1, " auto_pad dilations group kernel_shape output_padding strides ",
     conv_transpose_text},
    {"ExpandDims", 2, 2, 1, "", expand_dims_text},
    {"FusedConv", 2, 4, 1, of_fused_conv, fused_conv_text},
    {"FusedGemm", 2, 3, 1, " activation activation_alpha activation_beta activation_gamma alpha beta transA transB ",
     fused_gemm_text},
    {"GatedAdd", 3, 4, 1, "", gated_add_text},
    {"GatherND", 2, 2, 1, "", gather_nd_text},
    {"GroupNorm", 3, 3, 1, " activation channels_last epsilon groups ", group_norm_text},
    {"NhwcFusedConv", 2, 4, 1, of_fused_conv, nhwc_fused_conv_text},
    {"Pad", 2, 3, 1, " mode ", pad_text},
    {"QLinearConv", 8, 9, 1, " auto_pad channels_last dilations group kernel_shape pads strides ", qlinear_conv_text},
    {"Range", 2, 3, 1, "", range_text},
    {"SampleOp", 1, 1, 1, "", sample_text},
    {"ScaledSiLU", 1, 2, 1, " alpha ", scaled_silu_text},
    {"SkipGroupNorm", 4, 5, 2, " activation channels_last epsilon groups ", skip_group_norm_text},
    {"SparseToDenseMatMul", 2, 2, 1, " alpha transA transB ", sparse_matmul_text},
    {"Trilu", 1, 2, 1, " upper ", trilu_text},
    {"Unique", 1, 1, 3, "", unique_text},
};

const rewriting* rewriting_of(const NodeProto& n) {
    if (n.domain() != "com.microsoft") return nullptr;
    const auto* r = std::ranges::find(rewritings, std::string_view(n.op_type()), &rewriting::name);
    return r == std::end(rewritings) ? nullptr : r;
}
bool any_rewritten(const ::onnx::GraphProto& g) {
    return std::ranges::any_of(g.node(), [](const NodeProto& n) {
        return rewriting_of(n) || std::ranges::any_of(n.attribute(), [](const AttributeProto& a) {
                   return a.has_g() && any_rewritten(a.g());
               });
    });
}

void check_call(const call& c, const rewriting& r, const NodeProto& n) {
    const auto count = [&](int size, int most, const char* kind) {
        if (size > most)
            c.refuse("has " + std::to_string(size) + " " + kind + ", of which there are at most " +
                     std::to_string(most));
    };
    count(n.input_size(), r.most, "inputs");
    count(n.output_size(), r.outputs, "outputs");
    for (int k = 0; k < r.least; ++k)
        if (!c.has(k)) c.refuse("lacks its input " + std::to_string(k));
    for (auto& a : n.attribute())
        if (a.name().empty() || a.name().find(' ') != a.name().npos ||
            r.attributes.find(" " + a.name() + " ") == r.attributes.npos)
            c.refuse("has the attribute `" + one_line(a.name()) + "`, which the operator has not");
    if (c.opset < oldest_opset)
        c.refuse("is run in models of opset " + std::to_string(oldest_opset) + " and later; this one imports opset " +
                 std::to_string(c.opset));
}
}  // namespace

// Lists of numbers become tensors, which Constant has in every version. The text form has no tensor with a shape: the
// parser leaks where an allocation fails within it.
static void make_tensors(FunctionProto& f) {
    for (NodeProto& n : *f.mutable_node())
        for (AttributeProto& a : *n.mutable_attribute()) {
            const bool integers = a.name() == "value_ints";
            if (!integers && a.name() != "value_floats") continue;
            TensorProto& t = *a.mutable_t();
            t.set_data_type(integers ? TensorProto::INT64 : TensorProto::FLOAT);
            t.add_dims(integers ? a.ints_size() : a.floats_size());
            *t.mutable_int64_data() = a.ints();
            *t.mutable_float_data() = a.floats();
            a.clear_ints();
            a.clear_floats();
            a.set_name("value");
            a.set_type(AttributeProto::TENSOR);
        }
}
std::shared_ptr<FunctionProto> function_of_text(const std::string& text, const NodeProto& n) {
    auto f = new_message<FunctionProto>();
    if (const auto status = ::onnx::OnnxParser::Parse(*f, text.c_str()); !status.IsOK())
        refuse(error_code::invalid_model, text_of(n) + ": " + one_line(status.ErrorMessage()));
    make_tensors(*f);
    return f;
}

void rewrite_microsoft(::onnx::ModelProto& m, std::map<std::string, int>& opsets, const limits& l) {
    const auto imported = opsets.find("");
    const int opset = imported == opsets.end() ? newest_written : imported->second;
    if (!any_rewritten(m.graph())) return;
    constant_map constants;
    note_constants(m.graph(), constants);
    std::shared_ptr<FunctionProto> f;  // of the current node: its own nodes are not rewritten
    const auto find = [&](const NodeProto& n) -> const FunctionProto* {
        const rewriting* r = rewriting_of(n);
        if (!r) return nullptr;
        const auto defaults = new_message<FunctionProto>();  // of its attributes
        call c(n, constants, *defaults, opset);
        check_call(c, *r, n);
        const std::string text = r->text(c);
        f = function_of_text(text, n);
        *f->mutable_attribute_proto() = defaults->attribute_proto();
        f->set_name(n.op_type());
        return f.get();
    };
    inline_calls(*m.mutable_graph(), l, find);
    if (imported != opsets.end()) return;
    opsets.emplace("", opset);
    m.add_opset_import()->set_version(opset);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
