#include "write.hpp"

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
class weights_writer {
    const source_model& m_;
    const quantize_options& o_;
    std::shared_ptr<ModelProto> to_ = loading::copy_of(*m_.message());
    graph_editor edit_{*to_};

    void write_product(const NodeProto& n, const blocked_weights& b) {
        const std::string name = n.input(1), codes = edit_.add_constant(name + "_quantized", codes_of_rows(b)),
                          scale = edit_.add_constant(name + "_scale", scales_of_rows(b)),
                          decoded = edit_.fresh(name + "_dequantized");
        NodeProto& decode = edit_.add("DequantizeLinear", {codes, scale}, decoded);
        set_integer(decode, "axis", b.blocks == 1 ? 1 : 0);
        if (b.blocks > 1) set_integer(decode, "block_size", b.block);
        NodeProto& product = edit_.add(n);
        product.set_input(1, decoded);
        for (auto& a : *product.mutable_attribute())
            if (a.name() == "transB") a.set_i(0);  // rows now are rows of the matmul's input
    }
    void write_nbits(const NodeProto& n, const blocked_weights& b) {
        const std::string codes = edit_.add_constant(n.input(1) + "_quantized", packed_codes(b)),
                          scale = edit_.add_constant(n.input(1) + "_scale", packed_scales(b));
        const auto message = loading::new_message<NodeProto>();
        NodeProto& product = *message;
        product.set_name(n.name());
        product.set_op_type("MatMulNBits");
        product.set_domain("com.microsoft");
        for (const std::string& x : {n.input(0), codes, scale}) product.add_input(x);
        const bool bias = n.op_type() == "Gemm" && n.input_size() > 2 && !n.input(2).empty();
        product.add_output(bias ? edit_.fresh(n.output(0) + "_product") : n.output(0));
        set_integer(product, "K", b.k);
        set_integer(product, "N", b.n);
        set_integer(product, "bits", b.bits);
        set_integer(product, "block_size", b.block);
        edit_.add(product);
        if (bias) edit_.add("Add", {product.output(0), n.input(2)}, n.output(0));
    }

  public:
    weights_writer(const source_model& m, const quantize_options& o) : m_(m), o_(o) {
        if (o.matmul_nbits)
            edit_.import_domain("com.microsoft", 1);
        else if (o.bits == 4)
            edit_.require_ir_version(10);  // which has int4
    }
    written run(std::span<const candidate* const> list, const rounded& matrices) {
        auto next = list.begin();
        for (int k = 0; k < m_.graph().node_size(); ++k) {
            const NodeProto& n = m_.graph().node(k);
            if (next == list.end() || (*next)->node != k) {
                edit_.add(n);
                continue;
            }
            ++next;
            if (o_.matmul_nbits)
                write_nbits(n, matrices.at(k));
            else
                write_product(n, matrices.at(k));
            edit_.replaced(n.input(1));
        }
        edit_.finish();
        return {to_, std::int64_t(list.size())};
    }
};
}  // namespace

written write_weights(const source_model& m, std::span<const candidate* const> list, const rounded& matrices,
                      const quantize_options& o) {
    return weights_writer(m, o).run(list, matrices);
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
