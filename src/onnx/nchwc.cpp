// Operators of com.microsoft.nchwc, which ONNX Runtime leaves in files that it optimised for a machine: those of ONNX
// over channels in blocks of 8 or 16. Here the values between them have ONNX's layout, with the channels padded to
// whole blocks, and weights are put back into ONNX's order.
#include "assume.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr std::string_view blocked_domain = "com.microsoft.nchwc";
constexpr int oldest_blocked_opset = 11;  // from which on Pad and Slice read what they do from inputs

const AttributeProto* find_attribute(const NodeProto& n, std::string_view name) {
    const auto it = std::ranges::find_if(n.attribute(), [&](const AttributeProto& a) { return a.name() == name; });
    return it == n.attribute().end() ? nullptr : &*it;
}
int64_t integer_of(const NodeProto& n, std::string_view name, int64_t otherwise) {
    const AttributeProto* a = find_attribute(n, name);
    return a ? a->i() : otherwise;
}
[[noreturn]] void refuse_blocked(const NodeProto& n, const std::string& reason) {
    refuse(error_code::unsupported_model, text_of(n) + " of the domain com.microsoft.nchwc " + reason);
}

// The blocked nodes of a model. No file states the block size: the padded weights show it.
class blocked_graph {
    std::unordered_map<std::string_view, const TensorProto*> constants_;  // which stay while nodes are replaced
    std::unordered_map<std::string_view, int64_t> channels_;              // of a convolution's result
    std::string first_;                                                   // a node of the domain
    int64_t block_ = 0;                                                   // 0: no node shows it

    void note(int64_t block, const NodeProto& n) {
        if (block_ && block != block_) refuse_blocked(n, "has blocks of another size than other nodes");
        block_ = block;
    }
    void look_at(const GraphProto& g) {
        for (const TensorProto& t : g.initializer()) constants_.emplace(t.name(), &t);
        for (const NodeProto& n : g.node()) {
            for (const AttributeProto& a : n.attribute())
                if (a.has_g()) look_at(a.g());
            if (n.domain() != blocked_domain) continue;
            if (first_.empty()) first_ = text_of(n);
            if (n.op_type() == "Conv") {
                const int64_t rows = weights(n).dims(0);
                if (rows < 1 || rows % 8 != 0) refuse_blocked(n, "has weights that are in no blocks of 8 or 16");
                for (const std::string& y : n.output()) channels_[y] = rows;
                if (rows % 16 != 0) note(8, n);
            } else if (n.op_type() == "ReorderOutput" && n.input_size() > 0) {
                const auto it = channels_.find(n.input(0));
                if (it != channels_.end() && it->second - integer_of(n, "channels", 0) >= 8) note(16, n);
            }
        }
    }

  public:
    explicit blocked_graph(const GraphProto& g) { look_at(g); }
    bool empty() const { return first_.empty(); }
    int64_t block() const { return block_ ? block_ : 16; }
    void add_to(assumptions& a) const {
        if (!block_)
            a.add("is of the domain `com.microsoft.nchwc`, and nothing says how many channels a block has",
                  "blocks of 16 are meant, as ONNX Runtime makes them on processors with AVX-512", first_);
    }
    const TensorProto& weights(const NodeProto& n) const {
        const auto it = n.input_size() > 1 ? constants_.find(n.input(1)) : constants_.end();
        if (it == constants_.end() || it->second->dims_size() != 4)
            refuse_blocked(n, "has weights that are no constant of four axes");
        return *it->second;
    }
};

std::string constant(const std::string& name, std::span<const int64_t> list) {
    return " " + name + " = Constant <value_ints : ints = [" + list_text(list) + "]> ()";
}
// Weights are stored by blocks of outputs, the outputs of a block innermost; by blocks of inputs too, unless there are
// fewer inputs than a block has, which is how images and filters of single channels are stored.
std::string conv_text(const NodeProto& n, const blocked_graph& g) {
    const TensorProto& w = g.weights(n);
    const int64_t rows = w.dims(0), depth = w.dims(1), block = g.block();
    const bool by_inputs = depth >= block;
    if (rows % block != 0 || (by_inputs && depth % block != 0))
        refuse_blocked(n, "has weights that are in no blocks of " + std::to_string(block));
    std::vector<int64_t> dims{rows / block, depth, w.dims(2), w.dims(3), block};
    if (by_inputs) dims = {rows / block, depth / block, w.dims(2), w.dims(3), block, block};
    const int64_t plain[] = {rows, depth, w.dims(2), w.dims(3)};
    return "f (X, W, B, Sum) => (Y) {" + constant("blocked_dims", dims) + constant("plain_dims", plain) +
           " blocked = Reshape (W, blocked_dims) turned = Transpose <perm = [" +
           (by_inputs ? "0, 5, 1, 4, 2, 3" : "0, 4, 1, 2, 3") +
           "]> (blocked) plain = Reshape (turned, plain_dims) Y = com.microsoft.FusedConv <activation : string = "
           "@activation, activation_params : floats = @activation_params, auto_pad : string = @auto_pad, dilations : "
           "ints = @dilations, group : int = @group, kernel_shape : ints = @kernel_shape, pads : ints = @pads, strides "
           ": ints = @strides> (X, plain, B, Sum) }";
}
// Padded to whole blocks with channels of zeros.
std::string reorder_input_text(const NodeProto& n, const blocked_graph& g) {
    const bool channels_last = integer_of(n, "channels_last", 0) != 0;
    const int64_t zeros[] = {0, 0, 0, 0, 0}, ends[] = {0, 0}, first[] = {1}, second[] = {2}, block[] = {g.block()};
    return std::string("f (X) => (Y) {") +
           (channels_last ? " x = Transpose <perm = [0, 3, 1, 2]> (X)" : " x = Identity (X)") +
           constant("zeros", zeros) + constant("ends", ends) + constant("first", first) + constant("second", second) +
           constant("block", block) +
           " dims = Shape (x) channels = Slice (dims, first, second) negative = Neg (channels) missing = Mod "
           "(negative, "
           "block) pads = Concat <axis = 0> (zeros, missing, ends) Y = Pad (x, pads) }";
}
std::string reorder_output_text(const NodeProto& n) {
    const int64_t start[] = {0}, axis[] = {1}, channels[] = {integer_of(n, "channels", 0)};
    if (channels[0] < 1) refuse_blocked(n, "lacks a positive attribute `channels`");
    const bool channels_last = integer_of(n, "channels_last", 0) != 0;
    return "f (X) => (Y) {" + constant("start", start) + constant("axis", axis) + constant("channels", channels) +
           " y = Slice (X, start, channels, axis)" +
           (channels_last ? " Y = Transpose <perm = [0, 2, 3, 1]> (y) }" : " Y = Identity (y) }");
}
std::string upsample_text(const NodeProto& n) {
    const AttributeProto* scales = find_attribute(n, "scales");
    if (!scales || scales->ints_size() != 4) refuse_blocked(n, "lacks the attribute `scales` with four numbers");
    const std::vector<int64_t> list(scales->ints().begin(), scales->ints().end());
    return "f (X) => (Y) {" + constant("integers", list) +
           " scales = Cast <to = 1> (integers) none = Constant <value_floats : floats = []> () Y = Resize "
           "<coordinate_transformation_mode : string = @coordinate_transformation_mode, mode : string = @mode, "
           "nearest_mode = \"floor\"> (X, none, scales) }";
}
std::string text_of_blocked(const NodeProto& n, const blocked_graph& g) {
    const std::string& op = n.op_type();
    const std::string window =
        "auto_pad : string = @auto_pad, ceil_mode : int = @ceil_mode, dilations : ints = "
        "@dilations, kernel_shape : ints = @kernel_shape, pads : ints = @pads, strides : ints = "
        "@strides";
    if (op == "Conv") return conv_text(n, g);
    if (op == "ReorderInput") return reorder_input_text(n, g);
    if (op == "ReorderOutput") return reorder_output_text(n);
    if (op == "Upsample") return upsample_text(n);
    if (op == "MaxPool") return "f (X) => (Y) { Y = MaxPool <" + window + "> (X) }";
    if (op == "AveragePool")
        return "f (X) => (Y) { Y = AveragePool <count_include_pad : int = @count_include_pad, " + window + "> (X) }";
    if (op == "GlobalMaxPool" || op == "GlobalAveragePool") return "f (X) => (Y) { Y = " + op + " (X) }";
    refuse_blocked(n, "is not known");
}
}  // namespace

void rewrite_nchwc(::onnx::ModelProto& m, const limits& l, assumptions& a) {
    const blocked_graph g(m.graph());
    if (g.empty()) return;
    g.add_to(a);
    for (const auto& s : m.opset_import())
        if (s.domain().empty() && s.version() < oldest_blocked_opset)
            refuse(error_code::unsupported_model,
                   "operators of the domain com.microsoft.nchwc are run in models of opset " +
                       std::to_string(oldest_blocked_opset) + " and later; this one imports opset " +
                       std::to_string(s.version()));
    std::shared_ptr<FunctionProto> f;  // of the current node
    inline_calls(*m.mutable_graph(), l, [&](const NodeProto& n) -> const FunctionProto* {
        if (n.domain() != blocked_domain) return nullptr;
        f = function_of_text(text_of_blocked(n, g), n);
        f->set_name(n.op_type());
        return f.get();
    });
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
