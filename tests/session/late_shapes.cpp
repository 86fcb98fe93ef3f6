// Kernels that are chosen while a model runs, since shapes are known only then: in the layouts that they require.
#include "operator_rows.hpp"
#include <set>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Every operator that has a fast kernel has a row in the table", "[late]") {
    std::set<std::string> rows;
    for (const operator_row& r : operator_rows()) rows.insert(r.op);
    for (const entry& e : kernels_of<cpu>().entries)
        if (e.device_name == device::cpu::name && e.domain.empty()) {  // those of fused nodes are chosen before the run
            CAPTURE(e.name);
            CHECK(rows.contains(std::string(e.name)));
        }
}

TEST_CASE("Every kernel chosen at run gives what the reference kernel gives", "[late]") {
    for (const operator_row& r : operator_rows())
        for (const isa::level level : some_levels()) {
            const plan_report p = check_row(r, origin::late, level);
            CAPTURE(r.nodes);
            CHECK(line_of(p, r.op).kernel == "chosen at run");
        }
}
TEST_CASE("So does one that reads what another chosen at run left channels last", "[late]") {
    for (const operator_row& r : operator_rows())
        if (can_be_pooled(r))
            for (const isa::level level : some_levels()) (void)check_row(r, origin::late_pooled, level);
}

TEST_CASE("BifurcationDetector runs without predicted tokens, when each shape is known before", "[late]") {
    const inlay::session s{
        model_of(
            "<ir_version: 10, opset_import: [\"\" : 22, \"com.microsoft\" : 1]> g (int64[4] s, int64[2] c, int64 i) "
            "=> (int64[T] y, int64 m) { y, m = com.microsoft.BifurcationDetector(s, c, i) }"),
        cpu{}};
    const fetched y = s.run({{"s", tensor({4}, std::vector<std::int64_t>{1, 2, 3, 4})},
                             {"c", tensor({2}, std::vector<std::int64_t>{9, 3})},
                             {"i", tensor(shape{}, std::vector<std::int64_t>{0})}});
    CHECK(y[0].as<std::int64_t>()[1] == 3);
    CHECK(y[0].shape() == shape{2});
    CHECK(y[1].as<std::int64_t>()[0] == 3);
}
TEST_CASE("A convolution of what either branch of an If gives is right", "[late]") {
    const char* const text =
        "g (bool c, float[1,2,3,3] x) => (float[?,?,?,?] y, float[?,?,?,?] p) <float[2,2,1,1] w = {1, 2, 3, 4}> {"
        " v = If(c) <then_branch = g1 () => (float[1,2,3,3] t) { t = Identity(x) },"
        " else_branch = g2 () => (float[1,3,3,2] e) { f = Transpose<perm = [0,1,3,2]>(x) e = Identity(f) }>"
        " y = Conv(v, w) p = MaxPool<kernel_shape = [2,2]>(v) }";
    const inlay::session fast{model_of(text), cpu{}};
    const inlay::session plain{model_of(text), reference{}};
    tensor x(element::f32, {1, 2, 3, 3});
    for (int i = 0; i < 18; ++i) x.as<float>()[std::size_t(i)] = float(i * 5 % 7);
    for (const bool c : {true, false}) {
        const std::vector<feed> in{{"c", tensor(shape{}, {c})}, {"x", x}};
        const fetched actual = fast.run(in), expected = plain.run(in);
        for (std::size_t k = 0; k < 2; ++k) CHECK(floats(actual[k]) == floats(expected[k]));
    }
}
TEST_CASE("So is one whose input's size an input determines", "[late]") {
    const inlay::session s{
        model_of("g (float[1,2] x, int64[1] e) => (float[a,b,c,d] y) <int64[1] z = {0}, int64[4] t = {-1,1,1,2}, "
                 "float[2,1,1,1] w = {1, 1}> { k = Slice(x, z, e) r = Reshape(k, t) y = Conv(r, w) }"),
        cpu{}};
    const auto y = s.run({{"x", tensor({1, 2}, {1.f, 2.f})}, {"e", tensor({1}, {std::int64_t(1)})}});
    CHECK(floats(y[0]) == std::vector{1.f, 2.f, 1.f, 2.f});
}
TEST_CASE("A value that is read after the run is plain, whatever its maker and its other readers are", "[late]") {
    const char* const text =
        "g (float[2,3,4,5] x, bool[2] all) => (float[?,?,?,?] p, float[?,?,?,?] r, float[?,?,?,?] i) {"
        " v = Compress<axis = 0>(x, all) p = MaxPool<kernel_shape = [2,2]>(v) q = AveragePool<kernel_shape = [2,2]>(v)"
        " n = Size(q) zero = Constant<value_int = 0>() b = Greater(n, zero) r = Relu(q)"
        " t = If(b) <then_branch = g1 () => (float[?,?,?,?] y) { y = Neg(q) },"
        " else_branch = g2 () => (float[?,?,?,?] y) { y = Abs(q) }> i = Identity(t) }";
    const inlay::session fast{model_of(text), cpu{}};
    const inlay::session plain{model_of(text), reference{}};
    tensor x(element::f32, {2, 3, 4, 5}), mask(element::boolean, {2});
    for (int i = 0; i < 120; ++i) x.as<float>()[std::size_t(i)] = float(i * 37 % 101 - 50);
    std::ranges::fill(mask.as<bool>(), true);
    const std::vector<feed> in{{"x", x}, {"all", mask}};
    const fetched actual = fast.run(in), expected = plain.run(in);
    for (std::size_t k = 0; k < 3; ++k) CHECK(floats(actual[k]) == floats(expected[k]));
    binding b = fast.bind();
    std::ranges::copy(x.as<float>(), b.input("x").as<float>().begin());
    std::ranges::fill(b.input("all").as<bool>(), true);
    for (int k = 0; k < 3; ++k) REQUIRE(b.run() == status::ok);
    CHECK(floats(b.output("p")) == floats(expected[0]));
    CHECK(floats(b.output("i")) == floats(expected[2]));
}
