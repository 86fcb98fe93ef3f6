// libFuzzer: a first byte, which selects operator and attribute, and the text of that attribute: equations, patterns,
// names of modes. The node is loaded, planned and run on ones.
#include "../trial.hpp"
#include <onnx/onnx_pb.h>

namespace {
struct place {
    const char *op, *domain, *attribute;
    int type;                          // of the inputs, as TensorProto has it
    std::vector<std::vector<int>> in;  // their dimensions
    int outputs = 1;
};
const std::vector<place>& places() {
    using onnx::TensorProto;
    constexpr int f = TensorProto::FLOAT, s = TensorProto::STRING;
    static const std::vector<place> list{
        {"Einsum", "", "equation", f, {{2, 3}, {3, 4}}},
        {"Einsum", "", "equation", f, {{2, 3, 3}}},
        {"Einsum", "", "equation", f, {{2}, {2, 2}, {2}}},
        {"StringSplit", "", "delimiter", s, {{2}}, 2},
        {"StringNormalizer", "", "locale", s, {{2}}},
        {"StringNormalizer", "", "case_change_action", s, {{2}}},
        {"RegexFullMatch", "", "pattern", s, {{2}}},
        {"Tokenizer", "com.microsoft", "tokenexp", s, {{2}}},
        {"Conv", "", "auto_pad", f, {{1, 1, 5, 5}, {1, 1, 3, 3}}},
        {"Pad", "", "mode", f, {{2, 3}}},
        {"ScatterElements", "", "reduction", f, {{2, 3}}},
        {"Gelu", "", "approximate", f, {{4}}},
        {"GridSample", "", "padding_mode", f, {{1, 1, 3, 3}, {1, 2, 2, 2}}},
        {"DepthToSpace", "", "mode", f, {{1, 4, 2, 2}}},
        {"LSTM", "", "direction", f, {{2, 1, 3}, {1, 8, 3}, {1, 8, 2}}, 3},
        {"Scaler", "ai.onnx.ml", "offset", f, {{1, 2}}},
        {"Normalizer", "ai.onnx.ml", "norm", f, {{1, 2}}},
        {"CastMap", "ai.onnx.ml", "cast_to", f, {{2}}},
    };
    return list;
}
onnx::ModelProto model_of(const place& p, std::string_view text) {
    onnx::ModelProto m;
    m.set_ir_version(10);
    for (const auto& [domain, version] :
         {std::pair{"", 21}, std::pair{"ai.onnx.ml", 4}, std::pair{"com.microsoft", 1}}) {
        auto* const imported = m.add_opset_import();
        imported->set_domain(domain);
        imported->set_version(version);
    }
    auto& g = *m.mutable_graph();
    g.set_name("text");
    auto& n = *g.add_node();
    n.set_op_type(p.op);
    n.set_domain(p.domain);
    for (std::size_t k = 0; k < p.in.size(); ++k) {
        auto& input = *g.add_input();
        input.set_name("x" + std::to_string(k));
        n.add_input(input.name());
        auto& type = *input.mutable_type()->mutable_tensor_type();
        type.set_elem_type(p.type);
        for (const int size : p.in[k]) type.mutable_shape()->add_dim()->set_dim_value(size);
    }
    for (int k = 0; k < p.outputs; ++k) {
        n.add_output("y" + std::to_string(k));
        g.add_output()->set_name(n.output(k));
    }
    auto& a = *n.add_attribute();
    a.set_name(p.attribute);
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(std::string(text));
    return m;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || size > 200) return 0;
    const place& p = places()[data[0] % places().size()];
    const std::string bytes = model_of(p, {reinterpret_cast<const char*>(data) + 1, size - 1}).SerializeAsString();
    inlay::model_options o;
    o.limits.run_bytes = o.limits.copied_bytes = 64 << 20;
    inlay::testing::trial(std::as_bytes(std::span(bytes)), o, std::chrono::milliseconds(300));
    return 0;
}
