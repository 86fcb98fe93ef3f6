// If, Loop and Scan: what their bodies capture, how often they run, what they give.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor number(std::int64_t n) { return tensor(shape{}, {n}); }
tensor flag(bool b) { return tensor(shape{}, {b}); }
}  // namespace

TEST_CASE("If runs the branch that its condition names, on values from outside", "[control_flow]") {
    const inlay::session s{model_of("g (bool c, float[2] x, float[2] z) => (float[2] y, float[2] s) { s = Add(x, z)"
                                    " y = If (c) <then_branch = t () => (float[2] a) { a = Mul(s, x) }, else_branch = "
                                    "e () => (float[2] b) { b = Sub(s, z) }> }"),
                           cpu{}};
    for (const bool c : {true, false, true}) {
        const fetched y = s.run({{"c", flag(c)}, {"x", tensor({2}, {2.f, 3.f})}, {"z", tensor({2}, {10.f, 20.f})}});
        CHECK(floats(y[0]) == (c ? std::vector{24.f, 69.f} : std::vector{2.f, 3.f}));
        CHECK(floats(y[1]) == std::vector{12.f, 23.f});
    }
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "If").provider == "(control flow)");
    REQUIRE(line_of(plan, "If").body.size() == 2);
    CHECK(line_of(plan, "If").body[0].op == "Mul");
    CHECK(line_of(plan, "If").body[0].provider == cpu::name);
}

TEST_CASE("The branches of an If may give different shapes, constants and captured values", "[control_flow]") {
    const inlay::session s{
        model_of("g (bool c, float[N] x) => (float[M] y, int64[1] d) {"
                 " v = If (c) <then_branch = t () => (float[M] a) { a = Concat <axis = 0> (x, x) }, else_branch = e () "
                 "=> (float[3] k) { k = Constant <value = float[3] {7, 8, 9}> () }>"
                 " y = Add(v, v) d = Shape(y) }"),
        cpu{}};
    const tensor x({1}, {2.f});
    fetched y = s.run({{"c", flag(true)}, {"x", x}});
    CHECK(floats(y[0]) == std::vector{4.f, 4.f});
    CHECK(elements<std::int64_t>(y[1]) == std::vector<std::int64_t>{2});
    y = s.run({{"c", flag(false)}, {"x", x}});
    CHECK(floats(y[0]) == std::vector{14.f, 16.f, 18.f});
    CHECK(elements<std::int64_t>(y[1]) == std::vector<std::int64_t>{3});
    CHECK(raised([&] {
              (void)s.run({{"c", tensor({2}, {true, false})}, {"x", x}});
          }).code != error_code::unsupported_model);
    const inlay::session same{model_of("g (bool c, float[2] x) => (float[2] y) { r = Relu(x)"
                                       " y = If (c) <then_branch = t () => (float[2] a) { a = Identity(r) }, "
                                       "else_branch = e () => (float[2] b) { b = Identity(x) }> }"),
                              cpu{}};
    CHECK(floats(same.run({{"c", flag(true)}, {"x", tensor({2}, {1.f, -1.f})}})[0]) == std::vector{1.f, 0.f});
    CHECK(floats(same.run({{"c", flag(false)}, {"x", tensor({2}, {1.f, -1.f})}})[0]) == std::vector{1.f, -1.f});
}

TEST_CASE("A scan output of no iterations has the sizes that the body declares, or that a constant outside gives",
          "[control_flow]") {
    const auto shape_of_none = [](const std::string& nodes, const std::string& declared) {
        const inlay::session s{
            model_of("g (int64 n, float[N] x, int64[2] to) => (float[a,b,c] seen) <int64[2] sizes = {2, 3}, int64[1] "
                     "on0 = {0}> {"
                     " on = Constant <value = bool {1}> () seen = Loop (n, on) <body = b (int64 i, bool go) => (bool "
                     "again, float[" +
                     declared + "] out) { again = Identity(go) " + nodes + " }> }"),
            cpu{}};
        return s
            .run({{"n", number(0)},
                  {"x", tensor({1}, {1.f})},
                  {"to", tensor({2}, {std::int64_t(2), std::int64_t(3)})}})[0]
            .shape();
    };
    CHECK(shape_of_none("out = Expand(x, to)", "2,3") == shape{0, 2, 3});
    CHECK(shape_of_none("out = Expand(x, to)", "2,k") == shape{0, 2, 0});
    CHECK(shape_of_none("out = Reshape(x, to)", "m,k") == shape{0, 0, 0});
    CHECK(shape_of_none("out = ConstantOfShape(sizes)", "m,k") == shape{0, 2, 3});
    CHECK(shape_of_none("one = Unsqueeze(x, on0) out = Concat<axis = 0>(one, one, one)", "m,k") == shape{0, 3, 1});
}
TEST_CASE("A Scan of no iterations stacks along the axis that it names, slices as large as the inputs make them",
          "[control_flow]") {
    const inlay::session s{
        model_of("g (float[A] start, float[L,B] x) => (float[A] last, float[B,L] seen) {"
                 " last, seen = Scan <num_scan_inputs = 1, scan_output_axes = [-1], body = b (float[a] s, float[b] row)"
                 " => (float[a] t, float[b] out) { t = Identity(s) out = Neg(row) }> (start, x) }"),
        cpu{}};
    const auto results = s.run({{"start", tensor({2}, {1.f, 2.f})}, {"x", tensor(element::f32, {0, 5})}});
    CHECK(results[0].shape() == shape{2});
    CHECK(results[1].shape() == shape{5, 0});
}
TEST_CASE("Loop carries values, collects others and may run no time at all", "[control_flow]") {
    const inlay::session s{
        model_of("g (int64 n, float[2] start, float[2] by) => (float[2] last, float[M,2] seen) {"
                 " on = Constant <value = bool {1}> ()"
                 " last, seen = Loop (n, on, start) <body = b (int64 i, bool go, float[2] v) => (bool again, float[2] "
                 "next, float[2] out) { again = Identity(go) next = Add(v, by) out = Mul(v, by) }> }"),
        cpu{}};
    for (const std::int64_t n : {3, 0, 1, 5, 0}) {
        CAPTURE(n);
        const fetched y =
            s.run({{"n", number(n)}, {"start", tensor({2}, {1.f, 2.f})}, {"by", tensor({2}, {10.f, 100.f})}});
        CHECK(floats(y[0]) == std::vector{1.f + 10.f * float(n), 2.f + 100.f * float(n)});
        CHECK(y[1].shape() == shape{n, 2});
        for (std::int64_t i = 0; i < n; ++i)
            CHECK(y[1].as<float>()[std::size_t(2 * i)] == 10.f * (1.f + 10.f * float(i)));
    }
}

TEST_CASE("Loop ends when its condition says so, with or without a trip count", "[control_flow]") {
    const char* const body =
        " <body = b (int64 i, bool go, float[1] v) => (bool again, float[1] next) { next = Add(v, v) flags = "
        "LessOrEqual(next, limit) none = Constant <value = int64[1] {0}> () again = Squeeze(flags, none) }> }";
    const inlay::session counted{
        model_of(std::string("g (int64 n, bool c, float[1] x, float[1] limit) => (float[1] y) { y = Loop (n, c, x)") +
                 body),
        cpu{}};
    const inlay::session open{
        model_of(std::string("g (bool c, float[1] x, float[1] limit) => (float[1] y) { y = Loop (\"\", c, x)") + body),
        cpu{}};
    const tensor x({1}, {1.f}), limit({1}, {20.f});
    CHECK(floats(open.run({{"c", flag(true)}, {"x", x}, {"limit", limit}})[0]) == std::vector{32.f});
    CHECK(floats(open.run({{"c", flag(false)}, {"x", x}, {"limit", limit}})[0]) == std::vector{1.f});
    CHECK(floats(counted.run({{"n", number(2)}, {"c", flag(true)}, {"x", x}, {"limit", limit}})[0]) ==
          std::vector{4.f});
    CHECK(floats(counted.run({{"n", number(9)}, {"c", flag(true)}, {"x", x}, {"limit", limit}})[0]) ==
          std::vector{32.f});
    const std::vector<feed> in{{"c", flag(true)}, {"x", x}, {"limit", tensor({1}, {INFINITY})}};  // it would never end
    const auto outcome =
        open.try_run(in, {}, {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)});
    REQUIRE_FALSE(outcome);
    CHECK((outcome.why().code == error_code::stopped || outcome.why().code == error_code::deadline_passed));
}

TEST_CASE("Values that a Loop carries may change their shape", "[control_flow]") {
    const inlay::session s{model_of("g (int64 n, float[N] x) => (float[M] y) { on = Constant <value = bool {1}> ()"
                                    " y = Loop (n, on, x) <body = b (int64 i, bool go, float[K] v) => (bool again, "
                                    "float[L] next) { again = Identity(go) next = Concat <axis = 0> (v, v) }> }"),
                           cpu{}};
    for (const std::int64_t n : {0, 1, 3}) {
        const fetched y = s.run({{"n", number(n)}, {"x", tensor({2}, {1.f, 2.f})}});
        CHECK(y[0].shape() == shape{std::int64_t(2) << n});
        CHECK(y[0].as<float>()[1] == 2.f);
    }
}

TEST_CASE("Scan walks its inputs forwards and backwards, along any axis", "[control_flow]") {
    const inlay::session sums{
        model_of("g (float[2] start, float[N,2] xs) => (float[2] last, float[N,2] sums) {"
                 " last, sums = Scan (start, xs) <num_scan_inputs = 1, body = b (float[2] s, float[2] x) => (float[2] "
                 "t, float[2] out) { t = Add(s, x) out = Identity(t) }> }"),
        cpu{}};
    fetched y =
        sums.run({{"start", tensor({2}, {0.f, 100.f})}, {"xs", tensor({3, 2}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f})}});
    CHECK(floats(y[0]) == std::vector{9.f, 112.f});
    CHECK(floats(y[1]) == std::vector{1.f, 102.f, 4.f, 106.f, 9.f, 112.f});
    y = sums.run({{"start", tensor({2}, {0.f, 100.f})}, {"xs", tensor({0, 2}, std::vector<float>{})}});
    CHECK(floats(y[0]) == std::vector{0.f, 100.f});
    CHECK(y[1].shape() == shape{0, 2});

    const inlay::session sideways{
        model_of("g (float[1] start, float[1,N] xs, float[N,1] ys) => (float[1] last, float[1,N] out) {"
                 " last, out = Scan (start, xs, ys) <num_scan_inputs = 2, scan_input_axes = [1, 0], "
                 "scan_input_directions = [1, 0], scan_output_axes = [1], scan_output_directions = [1],"
                 " body = b (float[1] s, float[1] x, float[1] y) => (float[1] t, float[1] o) { p = Mul(x, y) t = "
                 "Add(s, p) o = Identity(t) }> }"),
        cpu{}};
    y = sideways.run({{"start", tensor({1}, {0.f})},
                      {"xs", tensor({1, 3}, {1.f, 2.f, 3.f})},
                      {"ys", tensor({3, 1}, {10.f, 100.f, 1000.f})}});
    CHECK(floats(y[0]) == std::vector{1230.f});               // 3 * 10 + 2 * 100 + 1 * 1000
    CHECK(floats(y[1]) == std::vector{1230.f, 230.f, 30.f});  // collected from the back
    CHECK(y[1].shape() == shape{1, 3});
}

TEST_CASE("Bodies within bodies read values of all graphs around them", "[control_flow]") {
    const inlay::session s{
        model_of(
            "g (int64 n, bool c, float[2] x, float[2,2] rows) => (float[2] y, float[M,2] all) { far = Add(x, x) on = "
            "Constant <value = bool {1}> ()"
            " y, all = Loop (n, on, x) <body = outer (int64 i, bool go, float[2] v) => (bool again, float[2] next, "
            "float[2] out) { again = Identity(go) near = Mul(v, x)"
            "   next = If (c) <then_branch = t () => (float[2] a) { a = Add(near, far) },"
            "     else_branch = e () => (float[2] w) { w, ws = Scan (near, rows) <num_scan_inputs = 1, body = inner "
            "(float[2] s, float[2] r) => (float[2] u, float[2] o) { p = Add(s, r) u = Add(p, far) o = Identity(u) }> }>"
            "   out = Identity(next) }> }"),
        cpu{}};
    const tensor x({2}, {2.f, 3.f}), rows({2, 2}, {1.f, 10.f, 100.f, 1000.f});
    fetched y = s.run({{"n", number(2)}, {"c", flag(true)}, {"x", x}, {"rows", rows}});
    CHECK(floats(y[1]) == std::vector{8.f, 15.f, 20.f, 51.f});  // v * x + 2 x, twice
    y = s.run({{"n", number(1)}, {"c", flag(false)}, {"x", x}, {"rows", rows}});
    CHECK(floats(y[0]) == std::vector{4.f + 101.f + 8.f, 9.f + 1010.f + 12.f});
    const plan_report plan = s.plan();
    const auto& loop = line_of(plan, "Loop");
    CHECK(loop.body.size() == 4);
}

TEST_CASE("Bodies are shared out over the providers too", "[control_flow]") {
    board_space::to_board = board_space::to_host = 0;
    const inlay::session s{
        model_of("g (int64 n, float[2] x) => (float[2] y) { on = Constant <value = bool {1}> () r = Relu(x)"
                 " y = Loop (n, on, x) <body = b (int64 i, bool go, float[2] v) => (bool again, float[2] next) { again "
                 "= Identity(go) m = Mul(v, r) next = Add(m, r) }> }"),
        beta{}, board{}, cpu{}};
    const fetched y = s.run({{"n", number(2)}, {"x", tensor({2}, {2.f, -3.f})}});
    CHECK(floats(y[0]) == std::vector{(2.f * 2.f + 2.f) * 2.f + 2.f, 0.f});
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == beta::name);
    const auto& body = line_of(plan, "Loop").body;
    REQUIRE(body.size() == 3);
    CHECK(body[1].provider == beta::name);
    CHECK(body[2].provider == board::name);
    CHECK(board_space::to_board.exchange(0) == 4);  // m and r, in each of two iterations
    CHECK(board_space::to_host.exchange(0) == 2);
}

TEST_CASE("What goes wrong in a body is reported with the node in it", "[control_flow]") {
    const inlay::session s{model_of("g (bool c, float[3] x, int64[1] at) => (float[1] y) {"
                                    " y = If (c) <then_branch = t () => (float[1] a) { a = Gather(x, at) }, "
                                    "else_branch = e () => (float[1] b) { b = Constant <value = float[1] {0}> () }> }"),
                           cpu{}};
    const tensor x({3}, {1.f, 2.f, 3.f}), at({1}, {std::int64_t(5)});
    const error e = raised([&] { (void)s.run({{"c", flag(true)}, {"x", x}, {"at", at}}); });
    CHECK(e.code == error_code::invalid_value);
    CHECK(e.op == "Gather");
    CHECK(floats(s.run({{"c", flag(false)}, {"x", x}, {"at", at}})[0]) == std::vector{0.f});
    const auto outcome = session<cpu>::try_make(
        model_of(R"(<ir_version: 10, opset_import: ["" : 21, "example" : 1]> g (bool c, float[3] x) => (float[3] y) {
        y = If (c) <then_branch = t () => (float[3] a) { a = example.Strange(x) }, else_branch = e () => (float[3] b) { b = Relu(x) }> })"),
        {}, cpu{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::no_provider);
    CHECK(outcome.why().op == "Strange");
}

TEST_CASE("A Loop may carry nothing, and its trip count is one number", "[control_flow]") {
    const std::string body =
        " <body = b (int64 i, bool go) => (bool again, float[2] out) { again = Identity(go) out = Add(x, x) }> }";
    const inlay::session s{model_of("g (int64[K] n, float[2] x) => (float[?,2] all) { all = Loop (n, \"\")" + body),
                           cpu{}};
    const fetched y = s.run({{"n", tensor({1}, {std::int64_t(3)})}, {"x", tensor({2}, {1.f, 2.f})}});
    CHECK(y[0].shape() == shape{3, 2});
    CHECK(floats(y[0]) == std::vector{2.f, 4.f, 2.f, 4.f, 2.f, 4.f});
    const auto outcome = s.try_run(std::vector<feed>{{"n", tensor(element::i64, {0})}, {"x", tensor({2}, {1.f, 2.f})}});
    REQUIRE_FALSE(outcome);
    CHECK(has_text(outcome.why().text, "M is not one number"));
}

TEST_CASE("Scan before version 9 walks each sequence of a batch as far as its length goes", "[control_flow]") {
    const auto run = [](std::string input, std::string more, std::vector<std::int64_t> lengths) {
        const inlay::session s{
            model_of("<ir_version: 3, opset_import: [\"\" : 8]> g (int64[B] lengths, float[B,1] start, float[B,T,1] x)"
                     " => (float[B,1] last, float[B,T,1] sums) { last, sums = Scan (" +
                     input + ", start, x) <num_scan_inputs = 1" + more +
                     ", body = b (float[1] s, float[1] row) => (float[1] next, float[1] seen) {"
                     " next = Add(s, row) seen = Identity(next) }> }"),
            cpu{}};
        return s.run({{"lengths", tensor({2}, lengths)},
                      {"start", tensor({2, 1}, {0.f, 100.f})},
                      {"x", tensor({2, 3, 1}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f})}});
    };
    fetched y = run("lengths", "", {3, 1});
    CHECK(floats(y[0]) == std::vector{6.f, 104.f});
    CHECK(y[1].shape() == shape{2, 3, 1});
    CHECK(floats(y[1]) == std::vector{1.f, 3.f, 6.f, 104.f, 0.f, 0.f});
    CHECK(floats(run("\"\"", "", {3, 1})[1]) == std::vector{1.f, 3.f, 6.f, 104.f, 109.f, 115.f});
    y = run("lengths", ", directions = [1]", {3, 2});
    CHECK(floats(y[1]) == std::vector{3.f, 5.f, 6.f, 105.f, 109.f, 0.f});
    y = run("lengths", "", {0, 0});
    CHECK(floats(y[0]) == std::vector{0.f, 100.f});
    CHECK(floats(y[1]) == std::vector<float>(6));
    CHECK(raised([&] { (void)run("lengths", "", {1, 4}); }).code == error_code::invalid_value);
    CHECK(raised([&] { (void)run("lengths", "", {-1, 3}); }).code == error_code::invalid_value);
}
