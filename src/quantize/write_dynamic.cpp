#include "write.hpp"

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
class dynamic_writer {
    const source_model& m_;
    const quantize_options& o_;
    std::shared_ptr<ModelProto> to_ = loading::copy_of(*m_.message());
    graph_editor edit_{*to_};
    struct codes {
        std::string codes, scale, zero;  // zero: empty of weights
    };
    std::map<std::string, codes> inputs_, weights_;  // weights: by name, and ' where it is transposed

    const codes& encode(const std::string& x) {
        const auto at = inputs_.find(x);
        if (at != inputs_.end()) return at->second;
        codes c{edit_.fresh(x + "_quantized"), edit_.fresh(x + "_scale"), edit_.fresh(x + "_zero_point")};
        NodeProto& n = edit_.add("DynamicQuantizeLinear", {x}, c.codes);
        n.add_output(c.scale);
        n.add_output(c.zero);
        return inputs_.emplace(x, std::move(c)).first->second;
    }
    const codes& encode_weights(const std::string& name, bool transpose) {
        codes& c = weights_[name + (transpose ? "'" : "")];
        if (!c.codes.empty()) return c;
        const tensor w = *m_.constant(name);
        const channel_weights rounded = round_channels(transpose ? transposed(w) : w, o_.per_channel ? 1 : -1);
        c.codes = edit_.add_constant(name + "_quantized", rounded.codes);
        const shape dims = o_.per_channel ? shape{std::int64_t(rounded.scales.size())} : shape{};
        c.scale = edit_.add_constant(name + "_scale", tensor(dims, rounded.scales));
        edit_.replaced(name);
        return c;
    }
    void write(const NodeProto& n, bool transpose) {
        const codes x = encode(n.input(0)), w = encode_weights(n.input(1), transpose);
        const std::string y = n.output(0), sums = edit_.fresh(y + "_sums"), numbers = edit_.fresh(y + "_numbers"),
                          scale = edit_.fresh(y + "_scale");
        const bool bias = n.op_type() == "Gemm" && n.input_size() > 2 && !n.input(2).empty();
        const std::string product = bias ? edit_.fresh(y + "_product") : y;
        edit_.add("MatMulInteger", {x.codes, w.codes, x.zero}, sums);
        set_integer(edit_.add("Cast", {sums}, numbers), "to", ::onnx::TensorProto::FLOAT);
        edit_.add("Mul", {x.scale, w.scale}, scale);
        edit_.add("Mul", {numbers, scale}, product);
        if (bias) edit_.add("Add", {product, n.input(2)}, y);
    }

  public:
    dynamic_writer(const source_model& m, const quantize_options& o) : m_(m), o_(o) {}
    written run(std::span<const candidate* const> list) {
        auto next = list.begin();
        for (int k = 0; k < m_.graph().node_size(); ++k) {
            const NodeProto& n = m_.graph().node(k);
            if (next == list.end() || (*next)->node != k)
                edit_.add(n);
            else {
                write(n, n.op_type() == "Gemm" && integer_of(n, "transB", 0));
                ++next;
            }
        }
        edit_.finish();
        return {to_, std::int64_t(list.size())};
    }
};
}  // namespace

written write_dynamic(const source_model& m, std::span<const candidate* const> list, const quantize_options& o) {
    return dynamic_writer(m, o).run(list);
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
