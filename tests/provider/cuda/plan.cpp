// What the planner makes of CUDA and the CPU: owners, layouts, copies, memory. No device is used.
#include "../../models.hpp"
#include "engine/erased_providers.hpp"
#include <inlay/plan/plan.hpp>
#include <inlay/provider/cuda.hpp>
#include <random>
#include <set>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string numbers(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::string s;
    for (int i = 0; i < count; ++i) s += (i ? ", " : "") + std::to_string((int(random() % 17) - 8) / 8.);
    return s;
}
struct planned {
    inlay::model source;
    std::vector<provider_handle> handles{make_handle(cuda{}), make_handle(cpu{})};
    fallback policy;
    erased_providers list{handles, policy, {}};
    plan p;
    explicit planned(const std::string& text) : source(model_of(text)), p(make_plan(source.view(), list, 1)) {}
    const graph_view& view() const { return source.view(); }
    std::string owner(std::string_view op) const {
        for (std::size_t i = 0; i < view().nodes.size(); ++i)
            if (view().nodes[i].op == op)
                return p.assigned.owners[i] < 0 ? "nobody"
                                                : std::string(handles[std::size_t(p.assigned.owners[i])].name);
        return "no such node";
    }
    std::string_view reason(std::string_view op) const {  // CUDA's
        for (std::size_t i = 0; i < view().nodes.size(); ++i)
            if (view().nodes[i].op == op) return p.assigned.verdicts[i * 2].reason;
        return {};
    }
};
const std::string convolutions = "net (float[1,3,16,16] x) => (float[1,8] y) <float[8,3,3,3] w = {" + numbers(216, 1) +
                                 "}, float[8] b = {" + numbers(8, 2) + "}, float[8,8,1,1] v = {" + numbers(64, 3) +
                                 "}, float[8,512] m = {" + numbers(4096, 4) + "}, float[8] c = {" + numbers(8, 5) +
                                 "}> {"
                                 " p = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) q = Relu(p) r = Conv(q, v) "
                                 "s = Add(r, q) t = Relu(s) f = Flatten(t) y = Gemm<transB = 1>(f, m, c) }";
// The same kinds of nodes in 16 bits, with casts at both ends; the constants' casts are folded.
std::string halved(element to) {
    const auto cast = [&](const std::string& name) {
        return " " + name + " = Cast<to = " + std::to_string(int(to)) + ">(" + name + "0)";
    };
    std::string casts;
    for (const char* name : {"x", "w", "b", "v", "m", "c", "g"}) casts += cast(name);
    return "<ir_version: 10, opset_import: [\"\" : 22]> net (float[1,3,16,16] x0) => (float[1,8] y) <float[8,3,3,3] w0 "
           "= {" +
           numbers(216, 1) + "}, float[8] b0 = {" + numbers(8, 2) + "}, float[8,8,1,1] v0 = {" + numbers(64, 3) +
           "}, float[128,8] m0 = {" + numbers(1024, 4) + "}, float[8] c0 = {" + numbers(8, 5) +
           "}, float[8] g0 = {1, 2, 3, 4, 5, 6, 7, 8}> {" + casts +
           " p = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) n = BatchNormalization(p, g, b, b, g) q = "
           "Relu(n) r = Conv(q, v) s = Add(r, q) t = Relu(s)"
           " a = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(t) f = Flatten(a) d = MatMul(f, m) e = Add(d, c) h = "
           "Softmax(e) y = Cast<to = 1>(h) }";
}
}  // namespace

TEST_CASE("A network in 16 bits runs on CUDA whole, and its nodes are fused as those of floats are", "[cuda]") {
    for (const element type : {element::f16, element::bf16}) {
        CAPTURE(name_of(type));
        const planned net(halved(type));
        for (std::size_t i = 0; i < net.view().nodes.size(); ++i) {
            CAPTURE(net.view().nodes[i].op);
            CHECK(net.p.assigned.owners[i] == 0);
        }
        CHECK(net.p.transfers == 2);
        std::set<std::string_view> fused;
        for (const step& s : net.p.steps)
            if (s.unit >= int(net.view().nodes.size())) fused.insert(net.view().unit(s.unit).op);
        CHECK(fused == std::set<std::string_view>{"FusedConv", "FusedMatMul"});
    }
}
TEST_CASE("A network of convolutions runs on CUDA whole, with one copy in and one out", "[cuda]") {
    const planned net(convolutions);
    for (int o : net.p.assigned.owners) CHECK(o == 0);
    CHECK(net.p.transfers == 2);
    for (const step& s : net.p.steps)
        if (s.unit == step_kind::conversion) CHECK(s.provider == 0);  // layouts change on the device
    CHECK(net.p.conversions == 2);  // channels last for the convolutions, plain for Flatten
    CHECK(net.p.arena_bytes.size() == 2);
    CHECK(net.p.arena_bytes[1] >= net.p.scratch_at[1]);
}
TEST_CASE("Convolutions take the bias, the residual and the activation that follow", "[cuda]") {
    const planned net(convolutions);
    int fused = 0;
    for (const step& s : net.p.steps)
        if (s.unit >= int(net.view().nodes.size()) && net.view().unit(s.unit).op == "FusedConv") {
            ++fused;
            CHECK(s.provider == 0);
            CHECK(net.p.layouts[std::size_t(s.inputs.first)] == layout::channels_last);
            CHECK(net.p.layouts[std::size_t(s.outputs.first)] == layout::channels_last);
        }
    CHECK(fused == 2);
}
TEST_CASE("A node that CUDA refuses costs one copy each way, and gives its reason", "[cuda]") {
    const planned net(
        "island (float[1,2,5,5] x, float[2,2,3,3] w) => (float[1,2,3,3] y) { a = Relu(x) b = Conv(a, w) y = Relu(b) }");
    CHECK(net.owner("Relu") == cuda::name);
    CHECK(net.owner("Conv") == cpu::name);
    CHECK(net.p.transfers == 4);  // x in, a out, b in, y out; w stays
}
TEST_CASE("MatMul runs on CUDA, with bias and residual in one node", "[cuda]") {
    const planned net("products (float[2,3,4] a, float[2,4,5] b, float[2,3,5] z) => (float[2,3,5] y) <float[5] c = {" +
                      numbers(5, 1) + "}> { p = MatMul(a, b) q = Add(p, c) y = Add(q, z) }");
    for (int o : net.p.assigned.owners) CHECK(o == 0);
    CHECK(net.p.transfers == 4);
}
TEST_CASE("Convolutions that CUDA cannot prepare go to the CPU with the reason", "[cuda]") {
    const planned net("varying (float[1,2,5,5] x, float[2,2,3,3] w) => (float[1,2,3,3] y) { y = Conv(x, w) }");
    CHECK(net.owner("Conv") == cpu::name);
    CHECK(has_text(net.reason("Conv"), "W is no constant"));
    const planned volume("volume (float[1,1,4,4,4] x) => (float[1,1,2,2,2] y) <float[1,1,3,3,3] w = {" +
                         numbers(27, 1) + "}> { y = Conv(x, w) }");
    CHECK(has_text(volume.reason("Conv"), "one or two spatial axes"));
}
TEST_CASE("CUDA chooses boxes itself, and what it chose is copied once", "[cuda]") {
    const planned net(
        "detector (float[1,9,4] b, float[1,2,9] s) => (int64[N,3] y) <int64[1] most = {3}, float[1] overlap = {0.5}> { "
        "c = Relu(s) y = NonMaxSuppression(b, c, most, overlap) }");
    CHECK(net.owner("NonMaxSuppression") == cuda::name);
    CHECK(net.p.transfers == 3);
    const planned after(
        "detector (float[1,9,4] b, float[1,2,9] s) => (float[N,3] z) <int64[1] most = {3}> { y = NonMaxSuppression(b, "
        "s, most) x = Cast<to = 1>(y) z = Relu(x) }");
    CHECK(after.owner("Relu") == cpu::name);
    CHECK(has_text(after.reason("Relu"), "its shapes are known only while it runs"));
}
TEST_CASE("CUDA finds what is not zero, and what is unique, itself", "[cuda]") {
    const planned nonzero("found (float[4,5] x) => (int64[2,N] y) { r = Relu(x) y = NonZero(r) }");
    CHECK(nonzero.owner("NonZero") == cuda::name);
    CHECK(nonzero.p.transfers == 2);
    const planned kinds("kinds (float[20] x) => (float[N] y, int64[N] n) { r = Relu(x) y, i, v, n = Unique(r) }");
    CHECK(kinds.owner("Unique") == cuda::name);
    CHECK(kinds.p.transfers == 3);
}
TEST_CASE("What moves elements and what scatters them stays on CUDA", "[cuda]") {
    const planned net(
        "moves (float[1,8,4,4] x, int64[1,2,10,10] i) => (float[1,2,10,10] y) <int64[8] pads = {0, 0, 0, 0, 0, 0, 1, "
        "1}, int64[4] twice = {1, 1, 2, 1}> {"
        " a = Pad<mode = \"reflect\">(x, pads) b = DepthToSpace<blocksize = 2>(a) c = Tile(b, twice) d = Trilu(c) e = "
        "GatherElements<axis = 2>(d, i) y = ScatterElements<axis = 3, reduction = \"add\">(e, i, e) }");
    for (int o : net.p.assigned.owners) CHECK(o == 0);
    CHECK(net.p.transfers == 3);
    const planned compress(
        "kept (float[4,5] x, bool[4] c) => (float[N,5] y) { r = Relu(x) y = Compress<axis = 0>(r, c) }");
    CHECK(compress.owner("Compress") == cuda::name);
    CHECK(compress.p.transfers == 3);
}
TEST_CASE("Transposed convolutions and shuffled channels stay on CUDA, channels last", "[cuda]") {
    const planned net("up (float[1,4,5,5] x) => (float[1,8,11,11] y) <float[4,8,3,3] w = {" + numbers(288, 1) +
                      "}, int64[5] a = {0, 2, 4, 11, 11}, int64[4] b = {0, 8, 11, 11}> {"
                      " p = ConvTranspose<strides = [2, 2]>(x, w) q = Reshape(p, a) r = Transpose<perm = [0, 2, 1, 3, "
                      "4]>(q) s = Reshape(r, b) y = Relu(s) }");
    for (int o : net.p.assigned.owners) CHECK(o == 0);
    CHECK(net.p.transfers == 2);
    CHECK(net.p.conversions == 2);
    CHECK(std::ranges::any_of(net.p.steps, [&](const step& s) {
        return s.unit >= int(net.view().nodes.size()) && net.view().unit(s.unit).op == "ChannelShuffle";
    }));
}
TEST_CASE("Products and convolutions of floats are those that the option for precision rounds", "[cuda]") {
    const planned net(convolutions);
    const auto rounded = [&](const step& s) {
        const entry& e = net.handles[0].kernels->entries[std::size_t(s.kernel)];
        return e.reduced && e.reduced(node_view{net.view(), net.view().unit(s.unit)});
    };
    for (const step& s : net.p.steps)
        if (s.unit >= 0) {
            CAPTURE(net.view().unit(s.unit).op);
            CHECK(rounded(s) ==
                  (has_text(net.view().unit(s.unit).op, "Conv") || has_text(net.view().unit(s.unit).op, "Gemm")));
        }
    const planned half(halved(element::f16));
    for (const step& s : half.p.steps)
        if (s.unit >= 0 && s.kernel >= 0) {
            const entry& e = half.handles[0].kernels->entries[std::size_t(s.kernel)];
            CHECK(!(e.reduced && e.reduced(node_view{half.view(), half.view().unit(s.unit)})));
        }
    CHECK(cuda{.precision = cuda_precision::float16}.operands(element::f32) == element::f16);
    CHECK(cuda{.precision = cuda_precision::bfloat16}.operands(element::f32) == element::bf16);
    CHECK(cuda{.precision = cuda_precision::bfloat16}.operands(element::f16) == element::f16);
    CHECK(cuda{.precision = cuda_precision::strict}.operands(element::f32) == element::f32);
}
