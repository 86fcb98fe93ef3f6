// Changes one field of a model: bytes changed at random seldom get past the parser.
#pragma once
#include <onnx/onnx_pb.h>
#include <random>

namespace inlay::testing {
using random_bits = std::mt19937;

inline std::int64_t odd_number(random_bits& r) {
    static constexpr std::int64_t list[] = {0,
                                            1,
                                            2,
                                            3,
                                            4,
                                            7,
                                            8,
                                            9,
                                            16,
                                            31,
                                            64,
                                            100,
                                            255,
                                            4096,
                                            65536,
                                            1 << 20,
                                            1 << 24,
                                            std::int64_t(1) << 30,
                                            INT32_MAX,
                                            std::int64_t(1) << 32,
                                            std::int64_t(1) << 36,
                                            std::int64_t(1) << 40,
                                            std::int64_t(1) << 62,
                                            INT64_MAX,
                                            -1,
                                            -2,
                                            -3,
                                            -4,
                                            -9,
                                            -100,
                                            INT32_MIN,
                                            INT64_MIN,
                                            INT64_MIN + 1};
    return r() % 4 ? list[r() % std::size(list)] : std::int64_t(r() % 10);
}
inline void change(onnx::TensorProto& t, random_bits& r) {
    switch (r() % 6) {
        case 0:
            if (t.dims_size()) {
                t.set_dims(int(r() % unsigned(t.dims_size())), odd_number(r));
                break;
            }
            [[fallthrough]];
        case 1: t.add_dims(odd_number(r)); break;
        case 2: t.set_data_type(int(r() % 24)); break;
        case 3:
            if (!t.raw_data().empty())
                t.mutable_raw_data()->resize(r() % (t.raw_data().size() + 1));
            else
                t.set_raw_data(std::string(r() % 16, '\1'));
            break;
        default:  // one element, of 4 or 8 bytes
            if (t.data_type() == onnx::TensorProto::INT64 && t.raw_data().size() >= 8) {
                const std::int64_t x = odd_number(r);
                t.mutable_raw_data()->replace(r() % (t.raw_data().size() / 8) * 8, 8, reinterpret_cast<const char*>(&x),
                                              8);
            } else if (t.int64_data_size())
                t.set_int64_data(int(r() % unsigned(t.int64_data_size())), odd_number(r));
            else if (t.raw_data().size() >= 4) {
                static constexpr float list[] = {0,
                                                 -0.f,
                                                 1e30f,
                                                 -1e30f,
                                                 3e38f,
                                                 1e-40f,
                                                 0.5f,
                                                 -1,
                                                 __builtin_inff(),
                                                 -__builtin_inff(),
                                                 __builtin_nanf("")};
                t.mutable_raw_data()->replace(r() % (t.raw_data().size() / 4) * 4, 4,
                                              reinterpret_cast<const char*>(&list[r() % std::size(list)]), 4);
            }
    }
}
inline void change(onnx::ValueInfoProto& v, random_bits& r) {
    auto& t = *v.mutable_type()->mutable_tensor_type();
    if (r() % 4 == 0) {
        t.set_elem_type(int(r() % 24));
        return;
    }
    auto& s = *t.mutable_shape();
    switch (r() % 4) {
        case 0: s.add_dim()->set_dim_value(odd_number(r)); break;
        case 1:
            if (s.dim_size()) s.mutable_dim()->RemoveLast();
            break;
        default:
            if (s.dim_size()) {
                auto& d = *s.mutable_dim(int(r() % unsigned(s.dim_size())));
                if (r() % 3)
                    d.set_dim_value(odd_number(r));
                else
                    d.set_dim_param("n");
            }
    }
}
inline void change_graph(onnx::GraphProto& g, random_bits& r, int depth = 0);
inline void change(onnx::AttributeProto& a, random_bits& r, int depth) {
    if (a.has_g() && depth < 4 && r() % 8) {
        change_graph(*a.mutable_g(), r, depth + 1);
        return;
    }
    if (a.has_t() && r() % 8) {
        change(*a.mutable_t(), r);
        return;
    }
    switch (r() % 8) {
        case 0: a.set_type(onnx::AttributeProto::AttributeType(r() % 15)); break;
        case 1: a.add_ints(odd_number(r)); break;
        case 2:
            if (a.ints_size()) a.mutable_ints()->RemoveLast();
            break;
        case 3: {
            static const char* const texts[] = {"",      "SAME_UPPER", "SAME_LOWER", "VALID",         "linear",
                                                "cubic", "nearest",    "reflect",    "bidirectional", "x"};
            a.set_s(texts[r() % std::size(texts)]);
            break;
        }
        case 4: a.set_f(r() % 2 ? __builtin_nanf("") : -1e30f); break;
        default:
            if (a.ints_size())
                a.set_ints(int(r() % unsigned(a.ints_size())), odd_number(r));
            else
                a.set_i(odd_number(r));
    }
}
inline std::string some_name(const onnx::GraphProto& g, random_bits& r) {
    if (g.node_size() && r() % 2) {
        const auto& n = g.node(int(r() % unsigned(g.node_size())));
        if (n.output_size()) return n.output(int(r() % unsigned(n.output_size())));
    }
    if (g.initializer_size() && r() % 2) return g.initializer(int(r() % unsigned(g.initializer_size()))).name();
    if (g.input_size()) return g.input(int(r() % unsigned(g.input_size()))).name();
    return "";
}
inline constexpr const char* operator_names[] = {"Relu",
                                                 "Conv",
                                                 "MaxPool",
                                                 "AveragePool",
                                                 "GlobalAveragePool",
                                                 "Reshape",
                                                 "Transpose",
                                                 "Concat",
                                                 "Split",
                                                 "Slice",
                                                 "Gather",
                                                 "Expand",
                                                 "Pad",
                                                 "Tile",
                                                 "Range",
                                                 "Resize",
                                                 "Upsample",
                                                 "ConstantOfShape",
                                                 "Squeeze",
                                                 "Unsqueeze",
                                                 "Flatten",
                                                 "Shape",
                                                 "Cast",
                                                 "Where",
                                                 "Add",
                                                 "Div",
                                                 "Mod",
                                                 "Pow",
                                                 "MatMul",
                                                 "Gemm",
                                                 "Softmax",
                                                 "LayerNormalization",
                                                 "BatchNormalization",
                                                 "ReduceSum",
                                                 "ReduceMean",
                                                 "LSTM",
                                                 "GRU",
                                                 "NonMaxSuppression",
                                                 "LRN",
                                                 "Clip",
                                                 "Identity",
                                                 "If",
                                                 "Loop",
                                                 "Scan",
                                                 "CumSum",
                                                 "TopK",
                                                 "Sum",
                                                 "Max"};
inline constexpr const char* mutated_names[] = {"axis",
                                                "axes",
                                                "perm",
                                                "pads",
                                                "strides",
                                                "dilations",
                                                "group",
                                                "kernel_shape",
                                                "auto_pad",
                                                "mode",
                                                "to",
                                                "keepdims",
                                                "ceil_mode",
                                                "num_outputs",
                                                "alpha",
                                                "epsilon",
                                                "hidden_size",
                                                "direction",
                                                "size",
                                                "transA",
                                                "allowzero",
                                                "split",
                                                "starts",
                                                "ends",
                                                "shape",
                                                "scales",
                                                "batch_dims",
                                                "stash_type",
                                                "num_scan_inputs",
                                                "scan_input_axes",
                                                "exclusive",
                                                "largest",
                                                "coordinate_transformation_mode",
                                                "nearest_mode",
                                                "storage_order"};
inline void change(onnx::NodeProto& n, const onnx::GraphProto& g, random_bits& r, int depth) {
    switch (r() % 7) {
        case 0: n.set_op_type(operator_names[r() % std::size(operator_names)]); break;
        case 1:
            if (n.input_size()) {
                n.set_input(int(r() % unsigned(n.input_size())), some_name(g, r));
                break;
            }
            [[fallthrough]];
        case 2: n.add_input(some_name(g, r)); break;
        case 3:
            if (n.input_size() && r() % 2)
                n.mutable_input()->RemoveLast();
            else if (n.output_size() > 1)
                n.mutable_output()->RemoveLast();
            break;
        default: {
            if (n.attribute_size() && r() % 3) {
                change(*n.mutable_attribute(int(r() % unsigned(n.attribute_size()))), r, depth);
                break;
            }
            auto& a = *n.add_attribute();
            a.set_name(mutated_names[r() % std::size(mutated_names)]);
            if (r() % 2) {
                a.set_type(onnx::AttributeProto::INT);
                a.set_i(odd_number(r));
            } else {
                a.set_type(onnx::AttributeProto::INTS);
                for (unsigned k = r() % 6; k; --k) a.add_ints(odd_number(r));
            }
        }
    }
}
inline void change_graph(onnx::GraphProto& g, random_bits& r, int depth) {
    switch (r() % 10) {
        case 0:
            if (g.initializer_size()) {
                change(*g.mutable_initializer(int(r() % unsigned(g.initializer_size()))), r);
                return;
            }
            break;
        case 1:
            if (g.input_size()) {
                change(*g.mutable_input(int(r() % unsigned(g.input_size()))), r);
                return;
            }
            break;
        case 2:
            if (g.node_size() > 1) {
                g.mutable_node()->SwapElements(int(r() % unsigned(g.node_size())), int(r() % unsigned(g.node_size())));
                return;
            }
            break;
        case 3:
            if (g.node_size()) {
                const auto copy = g.node(int(r() % unsigned(g.node_size())));
                auto& n = *g.add_node();
                n = copy;
                for (auto& y : *n.mutable_output()) y += "'";
                return;
            }
            break;
        case 4:
            if (g.output_size()) {
                g.mutable_output(int(r() % unsigned(g.output_size())))->set_name(some_name(g, r));
                return;
            }
            break;
        default: break;
    }
    if (g.node_size()) change(*g.mutable_node(int(r() % unsigned(g.node_size()))), g, r, depth);
}
inline void mutate(onnx::ModelProto& m, random_bits& r) {
    if (r() % 32 == 0) {
        auto* o = m.opset_import_size() ? m.mutable_opset_import(0) : m.add_opset_import();
        o->set_version(1 + r() % 24);
        return;
    }
    change_graph(*m.mutable_graph(), r);
}
}  // namespace inlay::testing
