#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Conv and what follows are offered as one node", "[passes]") {
    const auto offered = [](const std::string& rest, const std::string& inputs = "") {
        const model m = after(conv_then(rest, inputs), {"fuse_conv_activation"});
        CHECK(m.view().nodes.size() >= 2);  // nothing is replaced
        return offers(m);
    };
    CHECK(offered("y = Relu(a)") == "FusedConv(0 1)=Relu");
    CHECK(offered("y = Sigmoid(a)") == "FusedConv(0 1)=Sigmoid");
    CHECK(offered("y = HardSwish(a)") == "FusedConv(0 1)=HardSwish");
    CHECK(offered("s = Sigmoid(a) y = Mul(a, s)") == "FusedConv(0 1 2)=Silu");
    CHECK(offered("s = Sigmoid(a) y = Mul(s, a)") == "FusedConv(0 1 2)=Silu");
    CHECK(offered("s = HardSigmoid<alpha = 0.16666667, beta = 0.5>(a) y = Mul(s, a)") == "FusedConv(0 1 2)=HardSwish");
    CHECK(offered("s = HardSigmoid(a) y = Mul(s, a)") == "");
    CHECK(offered("s = Sigmoid(a) t = Mul(a, s) y = Add(t, s)") == "");
    CHECK(offered("s = Relu(a) y = Add(a, s)") == "");
    CHECK(offered("y = Softmax(a)") == "");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[N,3,3,3] z") == "FusedConv(0 1 2)=Relu FusedConv(0 1)=");
    CHECK(offered("c = Add(z, a) y = Relu(c)", ", float[N,3,3,3] z") == "FusedConv(0 1 2)=Relu FusedConv(0 1)=");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[M,3,3,3] z") == "");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[3,1,1] z") == "");
    CHECK(offered("c = Add(a, a) y = Relu(c)") == "");
    CHECK(offered("c = Add(a, z) d = Relu(c) y = Sub(c, d)", ", float[N,3,3,3] z") == "FusedConv(0 1)=");
}

TEST_CASE("A fused node says all that its sources say", "[passes]") {
    auto p = conv_then("c = Clip(a, low, high) y = Neg(c)");
    constant(p, "low", {}, {-1});
    constant(p, "high", {}, {6});
    const model m = after(p, {"fuse_conv_activation"});
    const graph_view& g = m.view();
    REQUIRE(g.fused.size() == 1);
    const node_view f{g, g.fused[0]};
    CHECK(f.record.domain == "inlay");
    CHECK(f.version() == 1);
    CHECK(f.record.name == "Conv_0+Clip_1");
    CHECK(f.input_count() == 4);
    CHECK(f.input(0).name == "x");
    CHECK(f.input(1).name == "w");
    CHECK(f.input(2).name == "b");
    CHECK(!f.has_input(3));
    CHECK(f.output(0).name == "c");
    CHECK(f.integers("kernel_shape").size() == 2);
    CHECK(f.text("activation", "") == "Clip");
    REQUIRE(f.reals("activation_params").size() == 2);
    CHECK(f.reals("activation_params")[0] == -1);
    CHECK(f.reals("activation_params")[1] == 6);
}

TEST_CASE("Two Convs may both offer to take the sum", "[passes]") {
    auto p = graph_of(
        "(float[N,2,5,5] x) => (float[?,?,?,?] y) { a = Conv(x, w) b = Conv(x, v) c = Add(a, b) y = Relu(c) }");
    constant(p, "w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    constant(p, "v", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    const model m = after(p, {"fuse_conv_activation"});
    CHECK(offers(m) == "FusedConv(1 2 3)=Relu FusedConv(0 2 3)=Relu FusedConv(1 2)= FusedConv(0 2)=");
    CHECK(node_view{m.view(), m.view().fused[0]}.input(3).name == "a");
}

TEST_CASE("Gemm and an activation are offered as one node", "[passes]") {
    auto p = graph_of("(float[N,2] x) => (float[N,3] y) { a = Gemm<transB = 1>(x, w) b = Relu(a) y = Gemm(b, v) }");
    constant(p, "w", {3, 2}, {1, 2, 3, 4, 5, 6});
    constant(p, "v", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const model m = after(p, {"fuse_gemm_activation"});
    REQUIRE(offers(m) == "FusedGemm(0 1)=Relu");
    CHECK(node_view{m.view(), m.view().fused[0]}.integer("transB", 0) == 1);
    CHECK(node_view{m.view(), m.view().fused[0]}.has_input(2) == false);
}
