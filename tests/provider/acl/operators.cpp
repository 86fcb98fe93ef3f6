// Each operator on the Arm Compute Library, compared with the reference kernels.
#include "../graph_cases.hpp"
#include <inlay/provider/acl.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("ACL supports convolutions, and their results are those of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::convolutions);
}
TEST_CASE("ACL supports matmuls by constants, with the results of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::products);
}
TEST_CASE("ACL supports pools, with the results of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::pools);
}
TEST_CASE("ACL supports element-wise operators, with the results of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::element_wise);
}
TEST_CASE("ACL supports normalization and movement, with the results of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::layers_and_movement);
}
TEST_CASE("ACL supports rarer operators as its functions report, with the results of the reference kernels", "[acl]") {
    check_graphs(acl{}, graph_cases::rarer,
                 {{"ConvTranspose", "NEDeconvolutionLayer"},
                  {"Floor", "ACL has no operation for Floor here"},
                  {"Transpose", "5 dimensions, and ACL's operation has it for 0 to 4"}});
}
TEST_CASE("Large numbers, infinities and NaN are on ACL as in the reference kernels", "[acl]") {
    check_extremes(acl{});
}

namespace {
// A node with one input, after another.
class node_checks {
    operator_check<acl> check_{acl{}, {}};

  public:
    template <class F> void add(std::string_view op, const shape& dims, F node) {
        INFO(op << " of " << to_string(dims));
        graph_maker g;
        const int x = g.input(dims);
        check_.add(g.done({node(g, x)}), op, dims);
    }
};
}  // namespace

TEST_CASE("ACL reduces any axes of up to four, and normalizes over them", "[acl]") {
    node_checks checks;
    for (const char* op : {"ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2"})
        for (const std::vector<std::int64_t>& axes :
             std::vector<std::vector<std::int64_t>>{{0, 3}, {1, 2}, {3}, {0, 1, 2, 3}})
            checks.add(op, {2, 3, 2, 7},
                       [&](graph_maker& g, int x) { return g.node(op, {x}, {g.list("axes", axes)}); });
    checks.add("ReduceSum", {7, 9}, [](graph_maker& g, int x) {
        return g.node("ReduceSum", {x, g.integers({1})}, {g.with("keepdims", std::int64_t(0))});
    });
    checks.add("ReduceMean", {3, 3, 1, 7},
               [](graph_maker& g, int x) { return g.node("ReduceMean", {x}, {g.list("axes", {2})}); });
    checks.add("LayerNormalization", {2, 3, 8}, [](graph_maker& g, int x) {
        return g.node("LayerNormalization", {x, g.numbers({3, 8})}, {g.with("axis", std::int64_t(1))}, 17);
    });
    checks.add("InstanceNormalization", {2, 4, 7}, [](graph_maker& g, int x) {
        return g.node("InstanceNormalization", {x, g.numbers({4}), g.numbers({4})});
    });
    for (const std::int64_t axis : {0, 1, 2, 3})
        for (const char* op : {"Softmax", "LogSoftmax"})
            checks.add(op, {2, 3, 4, 5},
                       [&](graph_maker& g, int x) { return g.node(op, {x}, {g.with("axis", axis)}); });
    for (const shape& x : {shape{5, 3}, shape{2, 3, 2, 3, 4}})
        checks.add("BatchNormalization", x, [](graph_maker& g, int node) {
            return g.node("BatchNormalization", {node, g.floats({3}, {1, 2, 3}), g.floats({3}, {.5f, 0, 1}),
                                                 g.floats({3}, {0, 1, 2}), g.floats({3}, {1, 2, .5f})});
        });
}
TEST_CASE("ACL's means count padding that their last windows pass as ONNX's do", "[acl]") {
    node_checks checks;
    for (const std::vector<std::int64_t>& pads : std::vector<std::vector<std::int64_t>>{{0, 0, 0, 0}, {1, 1, 1, 0}})
        for (const std::int64_t counted : {0, 1})
            checks.add("AveragePool", {2, 2, 8, 7}, [&](graph_maker& g, int x) {
                return g.node("AveragePool", {x},
                              {g.list("kernel_shape", {3, 3}), g.list("strides", {2, 2}), g.list("pads", pads),
                               g.with("ceil_mode", std::int64_t(1)), g.with("count_include_pad", counted)});
            });
}
TEST_CASE("ACL takes groups, batches of transposed convolutions and matrices that are no constants", "[acl]") {
    node_checks checks;
    checks.add("Conv", {2, 6, 6, 5}, [](graph_maker& g, int x) {
        return g.node("Conv", {x, g.weights({9, 2, 3, 3}), g.numbers({9})},
                      {g.with("group", std::int64_t(3)), g.list("pads", {1, 1, 1, 1})});
    });
    for (const std::vector<std::int64_t>& pads :
         std::vector<std::vector<std::int64_t>>{{1, 1, 1, 1}, {1, 0, 0, 2}, {0, 1, 1, 0}})
        for (const std::vector<std::int64_t>& strides : std::vector<std::vector<std::int64_t>>{{2, 2}, {2, 1}})
            checks.add("ConvTranspose", {3, 2, 5, 4}, [&](graph_maker& g, int x) {
                return g.node("ConvTranspose", {x, g.weights({2, 3, 4, 4}), g.numbers({3})},
                              {g.list("strides", strides), g.list("pads", pads)});
            });
    checks.add("Gemm", {3, 4}, [](graph_maker& g, int x) {
        return g.node("Gemm", {x, g.numbers({3, 2}), g.numbers({4, 2})},
                      {g.with("transA", std::int64_t(1)), g.with("alpha", .5)});
    });
    for (const shape& dims : {shape{3, 3}, shape{2, 5, 5}, shape{2, 3, 17, 17}, shape{2, 3, 1, 1}, shape{1, 1, 40, 40}})
        checks.add("MatMul", dims, [](graph_maker& g, int x) { return g.node("MatMul", {x, g.node("Relu", {x})}); });
    checks.add("MatMul", {2, 3, 1, 4}, [](graph_maker& g, int x) {
        return g.node("MatMul", {x, g.node("Reshape", {x, g.integers({2, 3, 4, 1})})});
    });
    checks.add("MatMul", {2, 3, 4}, [](graph_maker& g, int x) { return g.node("MatMul", {x, g.numbers({2, 4, 3})}); });
}
TEST_CASE("ACL moves elements of batches, and of tensors of up to six axes where no axis matters", "[acl]") {
    node_checks checks;
    for (const std::vector<std::int64_t>& axes :
         std::vector<std::vector<std::int64_t>>{{0, 2, 1, 3}, {0, 1, 3, 2}, {3, 1, 0, 2}})
        for (const std::int64_t batch : {1, 2})
            checks.add("Transpose", {batch, 5, 4, 3},
                       [&](graph_maker& g, int x) { return g.node("Transpose", {x}, {g.list("perm", axes)}); });
    checks.add("Transpose", {3, 4}, [](graph_maker& g, int x) { return g.node("Transpose", {x}); });
    checks.add("Slice", {4, 3, 5, 6}, [](graph_maker& g, int x) {
        return g.node("Slice", {x, g.integers({1, 1}), g.integers({3, 4}), g.integers({0, 2}), g.integers({2, 2})});
    });
    checks.add("Pad", {1, 2, 3, 3}, [](graph_maker& g, int x) {
        return g.node("Pad", {x, g.integers({1, 0, 0, 1, 0, 1, 2, 0})});
    });
    for (const std::int64_t axis : {0, 2})
        checks.add("Gather", {3, 2, 3, 4}, [&](graph_maker& g, int x) {
            return g.node("Gather", {x, g.integers({2, 0})}, {g.with("axis", axis)});
        });
    checks.add("DepthToSpace", {2, 8, 2, 3}, [](graph_maker& g, int x) {
        return g.node("DepthToSpace", {x}, {g.with("blocksize", std::int64_t(2))});
    });
    checks.add("Resize", {2, 2, 3, 4}, [](graph_maker& g, int x) {
        return g.node("Resize", {x, -1, -1, g.integers({2, 2, 5, 9})}, {g.with("mode", std::string_view("linear"))});
    });
    checks.add("ArgMax", {2, 3, 4, 5}, [](graph_maker& g, int x) {
        return g.node("ArgMax", {x}, {g.with("axis", std::int64_t(2))}, 13, element::i64);
    });
    checks.add("Add", {1, 3, 1, 2, 2}, [](graph_maker& g, int x) {
        return g.node("Add", {x, g.numbers({2, 1, 2, 1, 2})});
    });
    for (const char* op : {"Relu", "Round", "Sqrt"})
        checks.add(op, {2, 1, 3, 1, 2, 2}, [&](graph_maker& g, int x) { return g.node(op, {g.node("Abs", {x})}); });
    checks.add("LRN", {1, 2, 3, 2}, [](graph_maker& g, int x) {
        return g.node("LRN", {x}, {g.with("size", std::int64_t(9)), g.with("alpha", .3)});
    });
}
TEST_CASE("A matrix that is no constant is packed again in each run of ACL", "[acl]") {
    const model m = model_of({2, 40, 40}, [](graph_maker& g, int x) {
        return g.node("MatMul", {x, g.node("Relu", {x})});
    });
    const inlay::session s{m, quiet(), acl{}, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    for (const float first : {-2.f, 0.f, 1.f}) {
        const std::vector<feed> in{{"x", ramp({2, 40, 40}, first)}};
        check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    }
    CHECK(s.plan().count(acl::name) == 2);
}
