// inlay::shadow: shadow runs, in which another provider computes each step too.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/twin.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace inlay::testing {
struct spoiled {
    static constexpr std::string_view name = "spoiled";
};
inline float error_of_relu = 0;  // at element 2
}  // namespace inlay::testing
namespace inlay {
inline namespace v1 {
template <> struct kernel<op::relu, testing::spoiled, types<float>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr verdict supports(const node_view&) { return yes(); }
    static constexpr params prepare(const node_view& n) { return {n.output(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        for (std::int64_t i = 0; i < p.count; ++i) a.out<float>(0)[i] = std::max(a.in<float>(0)[i], 0.f);
        a.out<float>(0)[2] += testing::error_of_relu;
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

namespace {
struct spoiling {
    static constexpr std::string_view name = "SpoilingExecutionProvider";
    static constexpr auto devices = hana::tuple_t<spoiled>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
const char* const small =
    "g (float[2,4] x) => (float[2,4] y) { a = Exp(x) b = Relu(a) c = Neg(b) y = Softmax<axis = 1>(c) }";
const tensor input({2, 4}, std::vector<float>{.1f, -.2f, .3f, .5f, -1.f, 2.f, .7f, 0.f});
error ends(const session_base& s) {
    return raised([&] { s.run({{"x", input}}); });
}
const session_options silent{.log_severity_level = int(severity::fatal)};
}  // namespace

TEST_CASE("A shadow run returns the results of its first provider, where the second agrees", "[shadow]") {
    const model m = model_of(
        "g (float[1,3,8,8] x, float[4,3,3,3] w, bool c) => (float[N] y) {"
        " f = Conv(x, w) r = Relu(f) i = NonZero(r) k = Cast<to = 1>(i) s = ReduceSum<keepdims = 0>(k)"
        " t = If(c) <then_branch = t () => (float p) { p = Exp(s) }, else_branch = e () => (float q) { q = Neg(s) }>"
        " shape = Constant<value = int64[1] {-1}>() g = Reshape(r, shape) y = Add(g, t) }");
    const tensor x = ones({1, 3, 8, 8}), w = ones({4, 3, 3, 3}), c(shape{}, {false});
    const session alone{m, silent, cpu{.threads = 2}};
    const session beside{m, silent, shadow{cpu{.threads = 2}, reference{}}};
    const auto actual = beside.run({{"x", x}, {"w", w}, {"c", c}}),
               expected = alone.run({{"x", x}, {"w", w}, {"c", c}});
    CHECK(floats(actual[0]) == floats(expected[0]));
    REQUIRE(actual.executed().size() == 1);
    CHECK(actual.executed()[0].provider == "CPUExecutionProvider");
    CHECK(actual.executed()[0].nodes == expected.executed()[0].nodes);
}
TEST_CASE("A shadow run ends at the first step whose results differ, and names it", "[shadow]") {
    const session s{model_of(small), silent, shadow{spoiling{}, reference{}}, cpu{.threads = 1}};
    error_of_relu = 0;
    CHECK(ends(s).code == error_code::unsupported_model);  // nothing was raised
    error_of_relu = .5f;
    const error e = ends(s);
    error_of_relu = 0;
    CAPTURE(e.text);
    CHECK(e.code == error_code::invalid_value);
    CHECK(e.op == "Relu");
    CHECK(e.provider == "SpoilingExecutionProvider");
    CHECK(has_text(e.text, "`Relu_1` (Relu-14) on SpoilingExecutionProvider"));
    CHECK(has_text(e.text, "`b`[0,2]: got 1.84986, want 1.34986; 1 of 8 elements differ"));
    CHECK(has_text(e.text, "ReferenceExecutionProvider"));
    CHECK(has_text(e.hint, "inlay compare"));
}
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
namespace {
template <class Shadow> void check_tolerance() {
    error_of_relu = .5f;
    const session strict{model_of(small), silent, Shadow{spoiling{}, reference{}, 1e-3, 0.4}, cpu{.threads = 1}};
    const session lenient{model_of(small), silent, Shadow{spoiling{}, reference{}, 1e-3, 0.6}, cpu{.threads = 1}};
    CHECK(ends(strict).code == error_code::invalid_value);
    CHECK(ends(lenient).code == error_code::unsupported_model);
    error_of_relu = 0;
}
}  // namespace

TEST_CASE("The tolerance of a shadow run is the caller's", "[shadow]") {
    check_tolerance<decltype(shadow{spoiling{}, reference{}, 1e-3, 0.4})>();
}
TEST_CASE("The former name of a shadow run still is one", "[shadow]") {
    check_tolerance<decltype(twin{spoiling{}, reference{}, 1e-3, 0.4})>();
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
TEST_CASE("An error of just the tolerance is no difference", "[shadow]") {
    const model m = model_of("g (float[1,3] x) => (float[1,3] y) { y = Relu(x) }");
    const auto compares = [&](double absolute) {
        const session s{m, silent, shadow{spoiling{}, reference{}, 0, absolute}, cpu{.threads = 1}};
        return raised([&] { s.run({{"x", ones({1, 3})}}); });
    };
    error_of_relu = 3;
    CHECK(compares(3).code == error_code::unsupported_model);  // nothing was raised
    CHECK(compares(2.5).code == error_code::invalid_value);
    error_of_relu = 0;
}
TEST_CASE("A binding of a shadow run reports what differs", "[shadow]") {
    const session s{model_of(small), silent, shadow{spoiling{}, reference{}}, cpu{.threads = 1}};
    binding b = s.bind();
    CHECK(b.run() == status::ok);
    error_of_relu = .5f;
    CHECK(b.run() == status::invalid_value);
    CHECK(has_text(b.why(), "`b`[0,2]"));
    error_of_relu = 0;
    CHECK(b.run() == status::ok);
}
TEST_CASE("What differs within a fused node is one of its sources, which are listed", "[shadow]") {
    const model m = model_of(
        "g (float[1,1,6,6] x) => (float[1,1,6,6] y) {"
        " w = Constant<value = float[1,1,1,1] {27}>() f = Conv(x, w) y = Relu(f) }");
    const session s{m, silent, shadow{cpu{.threads = 1}, spoiling{}}};
    error_of_relu = 3;
    const error e = raised([&] { s.run({{"x", ones({1, 1, 6, 6})}}); });
    error_of_relu = 0;
    CAPTURE(e.text);
    CHECK(has_text(e.text, "2 nodes that are one FusedConv"));
    CHECK(has_text(e.text, "(Conv-11)"));
    CHECK(has_text(e.text, "`y`[0,0,0,2]: got 27, want 30"));
}
TEST_CASE("Values in a device's memory are compared, and what carries them", "[shadow]") {
    const session s{model_of("g (float[2,3] x, float[2,3] z) => (float[2,3] y) {"
                             " a = Add(x, z) b = Mul(a, z) c = Relu(b) y = Add(c, a) }"),
                    silent, shadow{board{}, reference{}}, cpu{.threads = 1}};
    const auto y = s.run({{"x", ones({2, 3})}, {"z", ones({2, 3})}});
    CHECK(floats(y[0]) == std::vector<float>(6, 4.f));
}
