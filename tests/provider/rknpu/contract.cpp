// The capability table of RKNN compared with the provider's rules.
#include "../contracts.hpp"
#include <inlay/provider/rknpu.hpp>
#include <provider/rknpu/contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of RKNN takes the nodes that the provider takes, and has its options", "[rknpu]") {
    check_contract(rknpu_contract, rknpu{});
}
TEST_CASE("Quantized nodes, with biases of int32, are RKNN's by its table and by its provider", "[rknpu]") {
    const model m = model_of(
        "g (float[1,1,2,2] x) => (float[1,1,2,2] y) <float s = {0.5}, int8 z = {0}, int8[1,1,1,1] w = {2}, "
        "int32[1] b = {3}, int32 n = {0}> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) "
        "f = DequantizeLinear (w, s, z) a = DequantizeLinear (b, s, n) c = Conv (d, f, a) r = Relu (c) "
        "p = QuantizeLinear (r, s, z) y = DequantizeLinear (p, s, z) }",
        {.optimize = false});
    const auto real = nodes_on(session{m, quiet(), rknpu{}, cpu{.threads = 1}}.plan(), rknpu::name);
    CHECK(real.size() == 8);
    CHECK(nodes_on(contract_plan(rknpu_contract, m, {}), rknpu::name) == real);
}
