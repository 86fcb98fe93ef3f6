// A program for Windows: whether DirectML itself takes what the provider writes. Nodes, made by hand, one of each kind,
// go through the provider's own code: their operators are made, their graphs compiled, initialized and made ready to
// run. A line each: "taken", or "made" and why the graph is not compiled here, or why an operator is refused.
#include <inlay/sdk/graph_data.hpp>
#include <cstdio>
#include <provider/dml/rules.hpp>
#include <provider/dml/writer.hpp>

namespace {
using namespace inlay;
using namespace inlay::dml_graphs;
using list = std::vector<std::int64_t>;

dml_graph graph_of(const region& r, const dml_device& d) {
    dml_writer w(d, r, purpose::use);
    lowering::writer_sink<dml_writer, dml_rules> sink(w);
    const lowering::byte_graph bytes(r.graph, r.constants);
    lowering::lower_region(r, {r.graph, bytes}, {&dml_rules, dml_level_text(d.level()), dml_rules.images}, sink);
    return w.finish().graph;
}

class maker {
    graph_data g_;
    element type_;
    std::vector<std::vector<char>> memory_;

    int constant(element type, const shape& dims, std::vector<char> bytes) {
        const int id = g_.add_value("c", type, dims);
        g_.values[std::size_t(id)].constant = int(memory_.size());
        memory_.push_back(std::move(bytes));
        return id;
    }

  public:
    explicit maker(element type) : type_(type) {}
    int x(const shape& dims) { return x(dims, type_); }
    int x(const shape& dims, element type) {
        g_.inputs.push_back(g_.add_value("x", type, dims));
        return g_.inputs.back();
    }
    int w(const shape& dims) { return w(dims, type_); }
    int w(const shape& dims, element type) {  // all elements are 0.5, or 1
        const DML_SCALAR_UNION scalar = is_integer(type) ? scalar_of(type, std::int64_t(1)) : scalar_of(type, .5);
        const auto size = std::size_t(bytes_of(type, 1));
        std::vector<char> bytes;
        for (std::int64_t k = 0; k < dims.elements(); ++k) bytes.insert(bytes.end(), scalar.Bytes, scalar.Bytes + size);
        return constant(type, dims, std::move(bytes));
    }
    int integers(const list& numbers) {
        const int id = constant(element::i64, {std::int64_t(numbers.size())}, {});
        value& v = g_.values[std::size_t(id)];
        v.kind = contents::integers;
        v.list = {int(g_.integers.size()), int(numbers.size())};
        g_.integers.insert(g_.integers.end(), numbers.begin(), numbers.end());
        return id;
    }
    int reals(const std::vector<double>& numbers) {
        const int id = constant(element::f32, {std::int64_t(numbers.size())}, {});
        value& v = g_.values[std::size_t(id)];
        v.kind = contents::reals;
        v.list = {int(g_.reals.size()), int(numbers.size())};
        g_.reals.insert(g_.reals.end(), numbers.begin(), numbers.end());
        return id;
    }
    attribute with(std::string_view name, std::int64_t v) { return g_.make(name, v); }
    attribute with(std::string_view name, double v) { return g_.make(name, v); }
    attribute with(std::string_view name, std::string_view v) { return g_.make(name, v); }
    attribute with(std::string_view name, const list& v) { return g_.make(name, std::span<const std::int64_t>(v)); }
    int node(std::string_view op, const std::vector<int>& in, const shape& y, const std::vector<attribute>& a = {},
             int version = 17, element type = element::undefined) {
        const int out = g_.add_value("y", type == element::undefined ? type_ : type, y);
        g_.add_node("", op, version, op, a, in, std::array{out});
        return out;
    }
    void check(std::string_view name, std::vector<int> outputs, dml_device& d);
};
int refused_count = 0, compiled_count = 0, node_count = 0;
void maker::check(std::string_view name, std::vector<int> outputs, dml_device& d) {
    ++node_count;
    const graph_view g = g_.view();
    std::vector<int> nodes;
    for (int i = 0; i < int(g.nodes.size()); ++i) nodes.push_back(i);
    const constants_of elements(g, [&](int k) { return memory_[std::size_t(k)].data(); });
    const region r{g, nodes, g_.inputs, outputs, &elements};
    std::string answer = "taken";
    try {
        const dml_graph written = graph_of(r, d);
        try {
            const dml_program p(d, written);
            const dml_run ready(p);
            ++compiled_count;
        } catch (const std::exception& e) {
            answer = std::string("made; ") + e.what();
        }
    } catch (const refused_node& no) {
        ++refused_count;
        answer = no.reason;
    }
    std::printf("%-28.*s %s %s\n", int(name.size()), name.data(), std::string(name_of(type_)).c_str(), answer.c_str());
    std::fflush(stdout);
}
struct checker {
    element type;
    dml_device& d;
    template <class F> void one(std::string_view name, F f) const {
        maker m(type);
        const int y = f(m);
        m.check(name, {y}, d);
    }
};
void check_functions(const checker& c) {
    for (const char* op :
         {"Abs",  "Acos",     "Acosh",      "Asin", "Asinh", "Atan",  "Atanh",           "Ceil",      "Celu",
          "Cos",  "Cosh",     "Elu",        "Erf",  "Exp",   "Floor", "HardSigmoid",     "HardSwish", "LeakyRelu",
          "Log",  "Neg",      "Reciprocal", "Relu", "Round", "Selu",  "Sigmoid",         "Sign",      "Sin",
          "Sinh", "Softplus", "Softsign",   "Sqrt", "Tan",   "Tanh",  "ThresholdedRelu", "Clip"})
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 4})}, {2, 3, 4}); });
    c.one("Gelu", [](maker& m) { return m.node("Gelu", {m.x({2, 3, 4})}, {2, 3, 4}, {}, 20); });
    c.one("a scalar", [](maker& m) { return m.node("Abs", {m.x({})}, {}); });
    c.one("8 dimensions", [](maker& m) {
        return m.node("Exp", {m.x({1, 2, 1, 2, 1, 2, 1, 3})}, {1, 2, 1, 2, 1, 2, 1, 3});
    });
    for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Pow"}) {
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 4}), m.w({3, 1})}, {2, 3, 4}); });
        c.one(std::string(op) + " of inputs", [&](maker& m) {
            return m.node(op, {m.x({2, 1, 4}), m.x({3, 1})}, {2, 3, 4});
        });
    }
    c.one("PRelu", [](maker& m) { return m.node("PRelu", {m.x({1, 3, 2, 2}), m.w({3, 1, 1})}, {1, 3, 2, 2}); });
}
void check_products(const checker& c) {
    c.one("Conv", [](maker& m) {
        return m.node("Conv", {m.x({1, 3, 8, 8}), m.w({4, 3, 3, 3}), m.w({4})}, {1, 4, 4, 4},
                      {m.with("pads", list{1, 1, 1, 1}), m.with("strides", list{2, 2})});
    });
    c.one("Conv, weights of the run", [](maker& m) {
        return m.node("Conv", {m.x({1, 3, 8, 8}), m.x({4, 3, 3, 3})}, {1, 4, 6, 6});
    });
    c.one("Conv, depthwise", [](maker& m) {
        return m.node("Conv", {m.x({1, 4, 8, 8}), m.w({4, 1, 3, 3})}, {1, 4, 4, 4},
                      {m.with("group", std::int64_t(4)), m.with("dilations", list{2, 2})});
    });
    c.one("Conv over 1 axis", [](maker& m) { return m.node("Conv", {m.x({1, 2, 5}), m.w({2, 2, 3})}, {1, 2, 3}); });
    c.one("Conv over 3 axes", [](maker& m) {
        return m.node("Conv", {m.x({1, 1, 3, 4, 4}), m.w({2, 1, 2, 2, 2}), m.w({2})}, {1, 2, 2, 3, 3});
    });
    c.one("ConvTranspose", [](maker& m) {
        return m.node(
            "ConvTranspose", {m.x({1, 2, 3, 3}), m.w({2, 1, 3, 3}), m.w({2})}, {1, 2, 8, 8},
            {m.with("strides", list{2, 2}), m.with("output_padding", list{1, 1}), m.with("group", std::int64_t(2))});
    });
    c.one("Gemm", [](maker& m) {
        return m.node("Gemm", {m.x({3, 4}), m.w({5, 4}), m.w({5})}, {3, 5}, {m.with("transB", std::int64_t(1))});
    });
    c.one("Gemm, A by column", [](maker& m) {
        return m.node("Gemm", {m.x({4, 3}), m.w({4, 5}), m.w({3, 1})}, {3, 5}, {m.with("transA", std::int64_t(1))});
    });
    c.one("MatMul", [](maker& m) { return m.node("MatMul", {m.x({2, 3, 4}), m.w({4, 5})}, {2, 3, 5}); });
    c.one("MatMul in batches", [](maker& m) {
        return m.node("MatMul", {m.x({2, 1, 3, 4}), m.x({5, 4, 2})}, {2, 5, 3, 2});
    });
}
void check_windows(const checker& c) {
    c.one("MaxPool", [](maker& m) {
        return m.node(
            "MaxPool", {m.x({1, 2, 7, 8})}, {1, 2, 4, 4},
            {m.with("kernel_shape", list{3, 3}), m.with("strides", list{2, 2}), m.with("pads", list{1, 1, 1, 1})});
    });
    c.one("MaxPool, dilated", [](maker& m) {
        return m.node("MaxPool", {m.x({1, 1, 6, 6})}, {1, 1, 2, 2},
                      {m.with("kernel_shape", list{3, 3}), m.with("dilations", list{2, 2})});
    });
    c.one("MaxPool over 1 axis", [](maker& m) {
        return m.node("MaxPool", {m.x({1, 2, 6})}, {1, 2, 5}, {m.with("kernel_shape", list{2})});
    });
    c.one("AveragePool", [](maker& m) {
        return m.node("AveragePool", {m.x({1, 2, 7, 8})}, {1, 2, 7, 8},
                      {m.with("kernel_shape", list{3, 3}), m.with("pads", list{1, 1, 1, 1}),
                       m.with("count_include_pad", std::int64_t(1))});
    });
    c.one("AveragePool over 3 axes", [](maker& m) {
        return m.node("AveragePool", {m.x({1, 1, 3, 3, 3})}, {1, 1, 2, 2, 2}, {m.with("kernel_shape", list{2, 2, 2})});
    });
    for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"})
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 5, 4})}, {2, 3, 1, 1}); });
    for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                           "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"})
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 4}), m.integers({1})}, {2, 1, 4}, {}, 18); });
    for (const char* op : {"ArgMax", "ArgMin"})
        c.one(op, [&](maker& m) {
            return m.node(op, {m.x({2, 5, 3})}, {2, 1, 3}, {m.with("axis", std::int64_t(1))}, 13, element::i64);
        });
}
void check_normalizations(const checker& c) {
    for (const char* op : {"Softmax", "LogSoftmax"}) {
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 4})}, {2, 3, 4}, {m.with("axis", std::int64_t(1))}); });
        c.one(std::string(op) + " 11", [&](maker& m) { return m.node(op, {m.x({2, 3, 4})}, {2, 3, 4}, {}, 11); });
    }
    c.one("BatchNormalization", [](maker& m) {
        return m.node("BatchNormalization", {m.x({2, 3, 4}), m.w({3}), m.w({3}), m.w({3}), m.w({3})}, {2, 3, 4});
    });
    c.one("InstanceNormalization", [](maker& m) {
        return m.node("InstanceNormalization", {m.x({2, 3, 4, 2}), m.w({3}), m.w({3})}, {2, 3, 4, 2});
    });
    c.one("LayerNormalization", [](maker& m) {
        return m.node("LayerNormalization", {m.x({2, 3, 4}), m.w({4}), m.w({4})}, {2, 3, 4});
    });
    c.one("LayerNormalization, no B", [](maker& m) {
        return m.node("LayerNormalization", {m.x({2, 3, 4}), m.w({3, 4})}, {2, 3, 4},
                      {m.with("axis", std::int64_t(1))});
    });
    c.one("LRN", [](maker& m) {
        return m.node("LRN", {m.x({1, 6, 3, 2})}, {1, 6, 3, 2}, {m.with("size", std::int64_t(3))});
    });
}
void check_movement(const checker& c) {
    c.one("Transpose", [](maker& m) {
        return m.node("Transpose", {m.x({2, 3, 2, 2, 3})}, {2, 2, 3, 3, 2}, {m.with("perm", list{3, 0, 4, 1, 2})});
    });
    c.one("Concat", [](maker& m) {
        const int x = m.x({2, 3});
        return m.node("Concat", {x, m.w({2, 1}), x}, {2, 7}, {m.with("axis", std::int64_t(1))});
    });
    c.one("Expand", [](maker& m) { return m.node("Expand", {m.x({2, 1}), m.integers({3, 1, 4})}, {3, 2, 4}); });
    c.one("Tile", [](maker& m) { return m.node("Tile", {m.x({2, 3}), m.integers({2, 3})}, {4, 9}); });
    c.one("Slice", [](maker& m) {
        return m.node("Slice",
                      {m.x({5, 6}), m.integers({1, 1}), m.integers({4, 6}), m.integers({0, 1}), m.integers({1, 2})},
                      {3, 3});
    });
    c.one("Slice backwards", [](maker& m) {
        return m.node(
            "Slice", {m.x({4, 5}), m.integers({3, 4}), m.integers({0, -100}), m.integers({0, 1}), m.integers({-2, -2})},
            {2, 3});
    });
    for (const char* mode : {"constant", "edge", "reflect"})
        c.one(std::string("Pad ") + mode, [&](maker& m) {
            return m.node("Pad", {m.x({3, 4}), m.integers({2, 1, 0, 2})}, {5, 7},
                          {m.with("mode", std::string_view(mode))});
        });
    c.one("Gather", [](maker& m) { return m.node("Gather", {m.x({4, 3}), m.integers({0, -1, 2})}, {3, 3}); });
}
void check_resizing(const checker& c) {
    for (const char* mode : {"DCR", "CRD"})
        c.one(std::string("DepthToSpace ") + mode, [&](maker& m) {
            return m.node("DepthToSpace", {m.x({1, 8, 2, 3})}, {1, 2, 4, 6},
                          {m.with("blocksize", std::int64_t(2)), m.with("mode", std::string_view(mode))});
        });
    c.one("SpaceToDepth", [](maker& m) {
        return m.node("SpaceToDepth", {m.x({1, 2, 4, 6})}, {1, 8, 2, 3}, {m.with("blocksize", std::int64_t(2))});
    });
    for (const char* mode : {"nearest", "linear"})
        for (const char* transformation : {"half_pixel", "asymmetric", "align_corners"})
            c.one(std::string("Resize ") + mode + " " + transformation, [&](maker& m) {
                return m.node("Resize", {m.x({1, 2, 3, 4}), -1, m.reals({1, 1, 2, 2})}, {1, 2, 6, 8},
                              {m.with("mode", std::string_view(mode)),
                               m.with("coordinate_transformation_mode", std::string_view(transformation))});
            });
    if (c.d.has(DML_TENSOR_DATA_TYPE_FLOAT16))
        c.one("Cast", [&](maker& m) {
            const element target = c.type == element::f32 ? element::f16 : element::f32;
            return m.node("Cast", {m.x({2, 3})}, {2, 3}, {}, 13, target);
        });
}
void check_graphs(const checker& c) {
    maker split(c.type);
    const int part = split.node("Relu", {split.x({2, 6})}, {2, 6});
    const int whole = split.node("Reshape", {part, split.integers({3, 4})}, {3, 4});
    split.check("two results, one reshaped", {part, whole}, c.d);
    maker network(c.type);
    int y = network.node("Conv", {network.x({1, 3, 8, 8}), network.w({4, 3, 3, 3}), network.w({4})}, {1, 4, 6, 6});
    y = network.node("Relu", {y}, {1, 4, 6, 6});
    y = network.node("GlobalAveragePool", {y}, {1, 4, 1, 1});
    y = network.node("Flatten", {y}, {1, 4});
    y = network.node("Gemm", {y, network.w({4, 2}), network.w({2})}, {1, 2});
    network.check("a network", {network.node("Softmax", {y}, {1, 2})}, c.d);
}
// Nodes of other types than float32 and fp16.
void check_integers(const checker& c) {
    for (const char* op : {"Add", "Sub", "Max", "Min"})
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3, 4}), m.w({3, 1})}, {2, 3, 4}); });
    for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
        c.one(op, [&](maker& m) {
            return m.node(op, {m.x({2, 3, 4}), m.w({3, 1})}, {2, 3, 4}, {}, 17, element::boolean);
        });
    c.one("Where", [](maker& m) {
        return m.node("Where", {m.x({2, 1, 4}, element::boolean), m.x({2, 3, 4}), m.w({3, 1})}, {2, 3, 4});
    });
    c.one("Cast to bool", [](maker& m) { return m.node("Cast", {m.x({2, 3})}, {2, 3}, {}, 13, element::boolean); });
    if (c.type != element::u64) c.one("Clip", [](maker& m) { return m.node("Clip", {m.x({2, 3})}, {2, 3}); });
    c.one("ReduceMax", [](maker& m) { return m.node("ReduceMax", {m.x({2, 3}), m.integers({1})}, {2, 1}, {}, 18); });
    c.one("ArgMax", [](maker& m) { return m.node("ArgMax", {m.x({2, 3})}, {1, 3}, {}, 13, element::i64); });
    c.one("TopK", [](maker& m) { return m.node("TopK", {m.x({2, 5}), m.integers({2})}, {2, 2}); });
    c.one("Transpose", [](maker& m) { return m.node("Transpose", {m.x({2, 3})}, {3, 2}); });
    c.one("Pad", [](maker& m) { return m.node("Pad", {m.x({3, 4}), m.integers({2, 1, 0, 2})}, {5, 7}); });
    for (const element type : {element::i32, element::i64}) {
        const std::string by = " by " + std::string(name_of(type));
        c.one("Gather" + by, [&](maker& m) { return m.node("Gather", {m.x({4, 3}), m.x({2, 2}, type)}, {2, 2, 3}); });
        c.one("GatherElements" + by, [&](maker& m) {
            return m.node("GatherElements", {m.x({4, 3}), m.x({2, 2}, type)}, {2, 2});
        });
        c.one("ScatterElements" + by, [&](maker& m) {
            return m.node("ScatterElements", {m.x({4, 3}), m.x({2, 3}, type), m.x({2, 3})}, {4, 3});
        });
    }
    c.one("GatherND", [](maker& m) {
        return m.node("GatherND", {m.x({2, 4, 3}), m.x({2, 5, 1}, element::i64)}, {2, 5, 3},
                      {m.with("batch_dims", std::int64_t(1))});
    });
    c.one("ScatterND", [](maker& m) {
        return m.node("ScatterND", {m.x({4, 3}), m.x({5, 1}, element::i64), m.x({5, 3})}, {4, 3});
    });
    c.one("OneHot", [](maker& m) {
        return m.node("OneHot", {m.x({2, 3}, element::i64), m.integers({4}), m.x({2})}, {2, 3, 4});
    });
}
void check_codes(const checker& c) {
    const element f = element::f32;
    c.one("QuantizeLinear", [&](maker& m) {
        return m.node("QuantizeLinear", {m.x({2, 3}, f), m.w({3}, f), m.w({3})}, {2, 3}, {}, 13);
    });
    c.one("DequantizeLinear", [&](maker& m) {
        return m.node("DequantizeLinear", {m.x({2, 3}), m.w({}, f)}, {2, 3}, {}, 13, f);
    });
    for (const element w : {element::u8, element::i8}) {
        c.one("QLinearConv", [&](maker& m) {
            return m.node("QLinearConv",
                          {m.x({1, 2, 5, 5}), m.w({}, f), m.w({}), m.w({4, 2, 3, 3}, w), m.w({4}, f), m.w({4}, w),
                           m.w({}, f), m.w({}), m.w({4}, element::i32)},
                          {1, 4, 3, 3});
        });
        c.one("ConvInteger", [&](maker& m) {
            return m.node("ConvInteger", {m.x({1, 2, 5, 5}), m.w({4, 2, 3, 3}, w), m.w({}), m.w({4}, w)}, {1, 4, 3, 3},
                          {}, 10, element::i32);
        });
        c.one("QLinearMatMul", [&](maker& m) {
            return m.node(
                "QLinearMatMul",
                {m.x({2, 3}), m.w({}, f), m.w({}), m.w({3, 4}, w), m.w({4}, f), m.w({4}, w), m.w({}, f), m.w({})},
                {2, 4});
        });
        c.one("MatMulInteger", [&](maker& m) {
            return m.node("MatMulInteger", {m.x({5, 1, 2, 3}), m.x({2, 3, 4}, w), m.w({}), m.w({}, w)}, {5, 2, 2, 4},
                          {}, 10, element::i32);
        });
    }
}
void check_sequences(const checker& c) {
    for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (const auto& [op, gates] : {std::pair{"RNN", 1}, std::pair{"GRU", 3}, std::pair{"LSTM", 4}})
            c.one(std::string(op) + " " + direction, [&](maker& m) {
                const std::int64_t n = direction == std::string("bidirectional") ? 2 : 1;
                return m.node(op,
                              {m.x({5, 2, 3}), m.w({n, gates * 4, 3}), m.w({n, gates * 4, 4}), m.w({n, gates * 8}), -1,
                               m.x({n, 2, 4})},
                              {5, n, 2, 4}, {m.with("direction", std::string_view(direction))}, 14);
            });
    c.one("CumSum", [](maker& m) { return m.node("CumSum", {m.x({2, 5}), m.integers({1})}, {2, 5}); });
    c.one("DynamicQuantizeLinear", [](maker& m) {
        return m.node("DynamicQuantizeLinear", {m.x({2, 3})}, {2, 3}, {}, 13, element::u8);
    });
    for (const char* op : {"IsNaN", "IsInf"})
        c.one(op, [&](maker& m) { return m.node(op, {m.x({2, 3})}, {2, 3}, {}, 17, element::boolean); });
    c.one("And", [](maker& m) {
        const int x = m.x({2, 3}, element::boolean);
        return m.node("And", {x, m.node("Not", {x}, {2, 3}, {}, 1, element::boolean)}, {2, 3}, {}, 7, element::boolean);
    });
}
}  // namespace

int main() try {
    if (!directx_libraries().problem.empty()) {
        std::printf("DirectML cannot be used: %s\n", directx_libraries().problem.c_str());
        return 2;
    }
    const auto adapters = dml_adapters(DXCoreAdapterPreference::Hardware, true, true);
    if (adapters.empty()) return 2;
    dml_device d(adapters[0], true);
    std::printf("%s, feature level %s\n", d.name().c_str(), dml_level_text(d.level()).c_str());
    for (const element type : {element::f32, element::f16}) {
        if (type == element::f16 && !d.has(DML_TENSOR_DATA_TYPE_FLOAT16)) {
            std::printf("no float16 here\n");
            break;
        }
        const checker c{type, d};
        for (auto f : {check_functions, check_products, check_windows, check_normalizations, check_movement,
                       check_resizing, check_graphs})
            f(c);
        if (type == element::f32) check_sequences(c);
    }
    for (const element type : {element::i8, element::u8, element::i32, element::u32, element::i64, element::u64})
        check_integers({type, d});
    for (const element type : {element::i8, element::u8}) check_codes({type, d});
    std::printf("%d nodes, %d refused, %d compiled\n", node_count, refused_count, compiled_count);
    return refused_count != 0;
} catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 2;
}
