// Within a node: reference kernels whose work is more than one pass over their tensors end when the run is to end.
#include "../models.hpp"
#include "engine/run_node.hpp"
#include "trial.hpp"

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Reference kernels that take long look at the stop flag and the deadline", "[hostile]") {
    const std::string text =
        GENERATE(as<std::string>{}, "(float[256,256] a, float[256,256] b) => (float[?,?] y) { y = MatMul(a, b) }",
                 "(int64[1000,16,16] a, int64[16,16] b) => (int64[?,?,?] y) { y = MatMul(a, b) }",
                 "(uint8[256,256] a, int8[256,256] b) => (int32[?,?] y) { y = MatMulInteger(a, b) }",
                 "(float[256,256] a, float[256,256] b) => (float[?,?] y) { y = Gemm<transB = 1>(a, b) }",
                 "(float[1,8,64,64] x, float[8,8,5,5] w) => (float[?,?,?,?] y) { y = Conv(x, w) }",
                 "(float[1,8,64,64] x, float[8,8,5,5] w) => (float[?,?,?,?] y) { y = ConvTranspose(x, w) }",
                 "(float[1,4,64,64] x) => (float[?,?,?,?] y) { y = MaxPool<kernel_shape = [33, 33]>(x) }",
                 "(float[1,4,64,64] x) => (float[?,?,?,?] y) { y = AveragePool<kernel_shape = [33, 33]>(x) }",
                 "(float[1,1000,4] x) => (float[?,?,?] y) { y = LRN<size = 1001>(x) }",
                 "(float[64,64] x) => (float[?,?] y) { s = Constant<value = int64[2] {512, 512}>() y = Resize<mode = "
                 "\"cubic\">(x, \"\", \"\", s) }",
                 "(float[400,1,8] x, float[1,128,8] w, float[1,128,32] r) => (float[?,?,?,?] y) { y = LSTM<hidden_size "
                 "= 32>(x, w, r) }",
                 "(float[400,1,8] x, float[1,96,8] w, float[1,96,32] r) => (float[?,?,?,?] y) { y = GRU<hidden_size = "
                 "32>(x, w, r) }");
    INFO(text);
    const model m = model_of("g " + text);
    const graph_view g = m.view();
    REQUIRE(g.nodes.size() == 1);
    std::vector<any_value> values;
    for (int id : g.list(g.nodes[0].inputs)) {
        if (id < 0) {
            values.emplace_back();
            continue;
        }
        const value& v = g.values[std::size_t(id)];
        values.push_back(v.is_constant() ? m.graph().constants.at(std::size_t(v.constant)).get()
                                         : zeros_for({"", v.type, v.dims}));
    }
    const auto run = [&](const context& base) {
        std::vector<const any_value*> in;
        for (std::size_t k = 0; k < values.size(); ++k)
            in.push_back(values[k].as_tensor() && *values[k].as_tensor() ? &values[k] : nullptr);
        live_graph live(g);
        std::vector<any_value> results(std::size_t(g.nodes[0].outputs.count));
        const candidate plain{&reference_kernels()};
        return raised([&] {
                   run_node(std::span(&plain, 1), live, g.nodes[0], in, results, {isa::baseline, base});
               })
            .code;
    };
    const std::atomic<bool> stop = true;
    CHECK(run({}) == error_code::unsupported_model);  // nothing was raised
    CHECK(run({.stop = &stop}) == error_code::stopped);
    CHECK(run({.deadline = std::chrono::steady_clock::now()}) == error_code::deadline_passed);
}
