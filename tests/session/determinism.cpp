// What a session's results do not depend on: the policy, and the certificate of its plan.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/report_json.hpp>
#include <cstring>
#include <random>
#include <sstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
const isa::level portable_level = std::size(isa::linked) > 1 ? isa::level::avx2 : isa::baseline;
session_options portable() {
    session_options o;
    o.determinism = determinism::portable;
    return o;
}
std::string line_of(const plan_report& p) {
    std::ostringstream out;
    out << p;
    for (std::istringstream lines(out.str()); lines.good();)
        if (std::string line; std::getline(lines, line) && line.starts_with("deterministic: ")) return line;
    return {};
}
const char* const doubled = "g (float[N,4] x) => (float[N,4] y) { y = Add(x, x) }";
}  // namespace

TEST_CASE("A portable session computes at the one instruction set that its plan names", "[determinism]") {
    if (!isa::available(portable_level)) {
        const auto outcome = session<cpu>::try_make(model_of(doubled), portable(), cpu{});
        REQUIRE_FALSE(bool(outcome));
        CHECK(outcome.why().code == error_code::no_such_level);
        return;
    }
    const session s{model_of(doubled), portable(), cpu{.threads = 1}};
    CHECK(s.level() == portable_level);
    const std::string level(isa::name_of(portable_level));
    CHECK(line_of(s.plan()) ==
          "deterministic: same bits over threads and runs, alone and in a batch; and over all "
          "processors with " +
              level);
    CHECK(has_text(json_of(s.plan()), R"("determinism":{"policy":"portable","exceptions":[]})"));
    CHECK(bool(session<cpu>::try_make(model_of(doubled), portable(), cpu{.isa = portable_level})));
}
TEST_CASE("Another instruction set together with portable determinism is an error that names both", "[determinism]") {
    for (const isa::level l : isa::linked) {
        if (l == portable_level) continue;
        CAPTURE(isa::name_of(l));
        const auto outcome = session<cpu>::try_make(model_of(doubled), portable(), cpu{.isa = l});
        REQUIRE_FALSE(bool(outcome));
        CHECK(outcome.why().code == error_code::invalid_option);
        CHECK(has_text(outcome.why().text, "computes with " + std::string(isa::name_of(portable_level)) +
                                               ", and `isa` requests " + std::string(isa::name_of(l))));
    }
}
TEST_CASE("The certificate names the nodes that draw without a seed, and none that have one", "[determinism]") {
    const session s{
        model_of("<ir_version: 10, opset_import: [\"\" : 22]> g () => (float[4] a, float[4] b) "
                 "{ [drawn] a = RandomUniform<shape = [4]>() [fixed] b = RandomNormal<shape = [4], seed = 3.0>() }"),
        cpu{.threads = 1}};
    const plan_report p = s.plan();
    REQUIRE(p.determinism.exceptions.size() == 1);
    const auto& e = p.determinism.exceptions[0];
    CHECK(e.op == "RandomUniform");
    CHECK((e.runs && e.batch && e.processors));
    CHECK(
        has_text(line_of(p), "; but for RandomUniform `" + e.node + "`: draws new values in each run, without a seed"));
}
TEST_CASE("The certificate names nodes within control flow", "[determinism]") {
    const session s{
        model_of("<ir_version: 10, opset_import: [\"\" : 22]> g (bool c) => (float[4] y) { y = If(c) "
                 "<then_branch = t () => (float[4] a) { a = RandomUniform<shape = [4]>() }, "
                 "else_branch = e () => (float[4] b) { b = Constant<value_floats = [0.0, 0.0, 0.0, 0.0]>() }>"
                 " }"),
        cpu{.threads = 1}};
    REQUIRE(s.plan().determinism.exceptions.size() == 1);
    CHECK(s.plan().determinism.exceptions[0].op == "RandomUniform");
}
TEST_CASE("The certificate names the nodes whose rows depend on their batch, on any provider of the CPU",
          "[determinism]") {
    const model m = model_of(
        "<ir_version: 10, opset_import: [\"\" : 22]> g (float[N,4] x) => (uint8[N,4] y, float s, uint8 z) "
        "{ y, s, z = DynamicQuantizeLinear(x) }");
    for (const plan_report& p : {session{m, cpu{.threads = 1}}.plan(), session{m, reference{}}.plan()}) {
        REQUIRE(p.determinism.exceptions.size() == 1);
        const auto& e = p.determinism.exceptions[0];
        CHECK((!e.runs && e.batch && !e.processors));
        CHECK(e.reason == "takes the range of all rows");
        CHECK(has_text(json_of(p),
                       R"("op":"DynamicQuantizeLinear","reason":"takes the range of all rows","runs":false,)"
                       R"("batch":true,"processors":false})"));
    }
}
TEST_CASE("An image has the same bits alone and in a batch of eight, whatever a convolution's algorithm",
          "[determinism]") {
    const session s{model_of("g (float[N,64,H,H] x, float[64,64,3,3] w) => (float[N,64,H,H] y) "
                             "{ y = Conv<pads = [1, 1, 1, 1]>(x, w) }"),
                    cpu{.threads = 1}};
    std::mt19937 random(11);
    const auto drawn = [&](const shape& dims) {
        tensor t(element::f32, dims);
        for (float& x : t.as<float>()) x = std::uniform_real_distribution<float>(-1, 1)(random);
        return t;
    };
    const tensor w = drawn({64, 64, 3, 3});
    for (const std::int64_t side : {2, 3, 5, 7, 14}) {
        CAPTURE(side);
        const tensor images = drawn({8, 64, side, side});
        const tensor together = s.run({{"x", images}, {"w", w}})[0];
        const std::int64_t size = 64 * side * side;
        for (const std::int64_t row : {0, 7}) {
            const tensor image =
                tensor::borrow(element::f32, {1, 64, side, side}, images.as<float>().data() + row * size);
            const tensor alone = s.run({{"x", image}, {"w", w}})[0];
            CHECK(std::memcmp(alone.data(), together.as<float>().data() + row * size, std::size_t(4 * size)) == 0);
        }
    }
}
