// Profiles of bindings: the times of steps, and what they counted.
#include "../models.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const step_profile& step_of(const run_profile& p, std::string_view op) {
    for (const step_profile& s : p.steps)
        if (s.op == op) return s;
    FAIL("the profile has no " + std::string(op));
    return p.steps.front();
}
run_profile profile_of(std::string_view text, int runs = 1) {
    return inlay::session{model_of(text), reference{}}.bind().profile(runs);
}
}  // namespace

TEST_CASE("A profile has every step of every run, one after another", "[profile]") {
    const inlay::session s{model_of("g (float[1,3,16,16] x, float[4,3,3,3] w) => (float[1,4,14,14] y, float[1,4,1,1] "
                                    "p) { c = Conv(x, w) r = Relu(c) y = Add(r, r) p = GlobalAveragePool(r) }"),
                           cpu{.threads = 2}};
    binding b = s.bind();
    const run_profile p = b.profile(4);
    const plan_report plan = s.plan();
    CHECK(p.model == "g");
    CHECK(p.level == plan.level);
    CHECK(p.threads == 2);
    REQUIRE(p.runs.size() == 4);
    REQUIRE(int(p.steps.size()) == plan.steps);
    CHECK(p.runs[0].start == 0);
    for (std::size_t r = 0; r < 4; ++r) {
        CAPTURE(r);
        if (r) CHECK(p.runs[r].start >= p.runs[r - 1].start + p.runs[r - 1].seconds - 1e-12);
        double now = p.runs[r].start;
        for (const step_profile& step : p.steps) {
            REQUIRE(step.runs.size() == 4);
            CHECK(step.runs[r].start >= now - 1e-12);
            CHECK(step.runs[r].seconds >= 0);
            now = step.runs[r].start + step.runs[r].seconds;
        }
        CHECK(now <= p.runs[r].start + p.runs[r].seconds + 1e-12);
    }
    std::vector<std::string> ran;
    for (const step_profile& step : p.steps) ran.insert(ran.end(), step.sources.begin(), step.sources.end());
    std::ranges::sort(ran);
    std::vector<std::string> planned;
    for (const auto& l : plan.nodes) planned.push_back(l.node);
    std::ranges::sort(planned);
    CHECK(ran == planned);
}
TEST_CASE("A profiled run computes what a run computes", "[profile]") {
    const inlay::session s{model_of("g (float[2] x, float[2] z) => (float[2] y) { a = Add(x, z) y = Relu(a) }"), cpu{}};
    binding b = s.bind();
    b.input("x").as<float>()[0] = 5.f;
    b.input("x").as<float>()[1] = -1.f;
    (void)b.profile(2);
    CHECK(floats(b.output("y")) == std::vector{5.f, 0.f});
}
TEST_CASE("FLOP are counted by shapes", "[profile]") {
    CHECK(step_of(profile_of("g (float[2,4,8,8] x, float[6,2,3,3] w) => (float[2,6,8,8] y) { y = Conv<group = 2, pads "
                             "= [1, 1, 1, 1]>(x, w) }"),
                  "Conv")
              .flop == 2. * (2 * 6 * 8 * 8) * (2 * 3 * 3));
    CHECK(
        step_of(profile_of("g (float[3,1,4,5] a, float[2,5,6] b) => (float[3,2,4,6] y) { y = MatMul(a, b) }"), "MatMul")
            .flop == 2. * (3 * 2 * 4 * 6) * 5);
    CHECK(step_of(profile_of("g (uint8[3,1,4,5] a, int8[2,5,6] b) => (int32[3,2,4,6] y) { y = MatMulInteger(a, b) }"),
                  "MatMulInteger")
              .flop == 2. * (3 * 2 * 4 * 6) * 5);
    CHECK(step_of(profile_of(
                      "g (float[5,4] a, float[5,6] b, float[6] c) => (float[4,6] y) { y = Gemm<transA = 1>(a, b, c) }"),
                  "Gemm")
              .flop == 2. * (4 * 6) * 5);
    CHECK(step_of(profile_of("g (float[7,2,3] x, float[1,16,3] w, float[1,16,4] r) => (float[7,1,2,4] y) { y = "
                             "LSTM<hidden_size = 4>(x, w, r) }"),
                  "LSTM")
              .flop == 2. * (7 * 2) * (16 * 3 + 16 * 4));
    CHECK(step_of(profile_of("g (float[7,2,3] x, float[1,4,3] w, float[1,4,4] r) => (float[7,1,2,4] y) { y = "
                             "RNN<hidden_size = 4>(x, w, r) }"),
                  "RNN")
              .flop == 2. * (7 * 2) * (4 * 3 + 4 * 4));
    CHECK(step_of(profile_of("g (float[7,2,3] x, float[1,12,3] w, float[1,12,4] r) => (float[7,1,2,4] y) { y = "
                             "GRU<hidden_size = 4>(x, w, r) }"),
                  "GRU")
              .flop == 2. * (7 * 2) * (12 * 3 + 12 * 4));
    CHECK(step_of(profile_of("g (float[8] x) => (float[8] y) { y = Relu(x) }"), "Relu").flop == 0);
}
TEST_CASE("Products of one value count each of their results", "[profile]") {
    const std::string text =
        "g (float[5,2] x) => (float[5,3] y, float[5,1] z) <float[2,3] v = {1, 2, 3, 4, 5, 6}, float[2,1] w = {1, 2}> { "
        "y = MatMul(x, v) z = MatMul(x, w) }";
    const run_profile p = inlay::session{model_of(text), cpu{.threads = 1}}.bind().profile(1);
    REQUIRE(p.steps.size() == 1);
    CHECK(p.steps[0].op == "JoinedMatMul");
    CHECK(p.steps[0].flop == 2. * 5 * 2 * (3 + 1));
}
TEST_CASE("Attention counts its two products", "[profile]") {
    const std::string text =
        "g (float[2,5,12] q, float[2,7,12] k, float[2,7,12] v) => (float[2,5,12] y) <int64[4] qs = {2, 5, 3, 4}, "
        "int64[4] ks = {2, 7, 3, 4}, int64[3] ys = {2, 5, 12}> {"
        " a = Reshape(q, qs) b = Transpose<perm = [0, 2, 1, 3]>(a) c = Reshape(k, ks) d = Transpose<perm = [0, 2, 3, "
        "1]>(c) e = Reshape(v, ks) f = Transpose<perm = [0, 2, 1, 3]>(e)"
        " s = MatMul(b, d) t = Softmax(s) u = MatMul(t, f) w = Transpose<perm = [0, 2, 1, 3]>(u) y = Reshape(w, ys) }";
    const run_profile p = inlay::session{model_of(text), cpu{.threads = 1}}.bind().profile(1);
    REQUIRE(p.steps.size() == 1);
    CHECK(p.steps[0].op == "Attention");
    CHECK(p.steps[0].sources.size() == 11);
    CHECK(p.steps[0].flop == 2. * (2 * 3 * 5 * 7) * (4 + 4));
}
TEST_CASE("Bytes are those that must move", "[profile]") {
    const run_profile twice = profile_of("g (float[8] x) => (float[8] y) { y = Add(x, x) }");
    CHECK(twice.steps[0].bytes == 2 * 32);  // x once
    CHECK(twice.steps[0].inputs.size() == 2);
    CHECK(profile_of("g (float[100,8] x, int64[2] i) => (float[2,8] y) { y = Gather(x, i) }").steps[0].bytes ==
          2 * 64 + 16);
    const run_profile view = profile_of(
        "g (float[2,8] x) => (float[16] y) <int64[1] s = {16}> { r = Relu(x) t = Reshape(r, s) y = Relu(t) }");
    CHECK(step_of(view, "Reshape").bytes == 0);
    const std::vector<step_profile::argument>& of_reshape = step_of(view, "Reshape").inputs;
    REQUIRE(of_reshape.size() == 2);
    CHECK_FALSE(of_reshape[0].constant);
    CHECK(of_reshape[1].constant);
    CHECK(of_reshape[1].type == element::i64);
}
TEST_CASE("Data-dependent shapes are in the run's profile", "[profile]") {
    const inlay::session s{model_of("g (int64[1] n) => (float[K] y) { z = ConstantOfShape(n) y = Relu(z) }"),
                           cpu{.threads = 1}};
    binding b = s.bind();
    b.input("n").as<std::int64_t>()[0] = 6;
    const run_profile p = b.profile(2);
    const step_profile& relu = step_of(p, "Relu");
    REQUIRE(relu.outputs.size() == 1);
    CHECK(relu.outputs[0].dims == shape{6});
    CHECK(relu.kernel == "chosen at run");
    CHECK(relu.bytes == 2 * 24);
}
TEST_CASE("A profile that cannot be made is an error", "[profile]") {
    const inlay::session s{model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }"), cpu{}};
    binding b = s.bind();
    CHECK(raised([&] { (void)b.profile(0); }).code == error_code::invalid_argument);
    const std::atomic<bool> stop{true};
    CHECK(raised([&] { (void)b.profile(1, {.stop = &stop}); }).code == error_code::stopped);
    CHECK(b.run() == status::ok);
}
TEST_CASE("The median of an even number of times lies between the middle ones", "[profile]") {
    CHECK(median({}) == 0);
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 3, 10}) == 3.5);
    const time_span runs[] = {{0, 5}, {5, 1}, {6, 2}};
    CHECK(median_seconds(runs) == 2);
}
TEST_CASE("The steps of a body are reported with each time that they ran, within their node", "[profile]") {
    const inlay::session s{
        model_of(
            "g (float[4] x) => (float[4] y) <int64 n = {3}, bool c = {1}> { y = Loop(n, c, x) <body = b (int64 i, bool "
            "going, float[4] a) => (bool on, float[4] z) { on = Identity(going) r = Relu(a) z = Add(r, x) }> }",
            {.without = {"fuse_element_wise"}}),
        cpu{.threads = 1}};
    binding b = s.bind();
    const run_profile p = b.profile(2);
    const step_profile& loop = step_of(p, "Loop");
    REQUIRE(loop.runs.size() == 2);
    REQUIRE(!loop.body.empty());
    int steps = 0;
    for (const step_profile& step : loop.body) {
        CAPTURE(step.op);
        CHECK(step.runs.size() == 2 * 3);
        steps += step.op == "Relu" || step.op == "Add";
        for (std::size_t k = 0; k < step.runs.size(); ++k) {
            const time_span& around = loop.runs[k / 3];
            CHECK(step.runs[k].start >= around.start - 1e-9);
            CHECK(step.runs[k].start + step.runs[k].seconds <= around.start + around.seconds + 1e-9);
        }
    }
    CHECK(steps == 2);
    CHECK(step_of({{}, {}, 1, {}, loop.body}, "Add").bytes == 3 * 16);
    CHECK(b.run() == status::ok);
    CHECK(b.profile(1).steps.size() == p.steps.size());
}
TEST_CASE("Bodies within bodies are reported too", "[profile]") {
    const inlay::session s{
        model_of("g (float[4] x) => (float[4] y) <int64 n = {2}, bool yes = {1}, bool no = {0}> { y, u, v = Loop(n, "
                 "yes, x, yes, no) <body = b (int64 i, bool going, float[4] a, bool first, bool other)"
                 " => (bool on, float[4] z, bool next, bool last) { on = Identity(going) next = Identity(other) last = "
                 "Identity(first)"
                 " z = If(first) <then_branch = t () => (float[4] p) { p = Relu(a) }, else_branch = e () => (float[4] "
                 "q) { q = Sqrt(a) }> }> }"),
        cpu{.threads = 1}};
    const run_profile p = s.bind().profile(3);
    const run_profile inside{{}, {}, 1, {}, step_of(p, "Loop").body};
    const step_profile& branch = step_of(inside, "If");
    CHECK(branch.runs.size() == 3 * 2);
    REQUIRE(branch.body.size() == 2);
    CHECK(branch.body[0].op == "Relu");
    CHECK(branch.body[0].runs.size() == 3);
    CHECK(branch.body[1].op == "Sqrt");
    CHECK(branch.body[1].runs.size() == 3);
}
TEST_CASE("A trace has every run and every step", "[profile]") {
    const inlay::session s{model_of("g (float[N,4] x) => (float[N,4] y) { a = Add(x, x) y = Relu(a) }"), reference{}};
    const std::string trace = s.trace({{"x", ones({2, 4})}}, 3);
    CHECK(trace.starts_with("{\"schema\":\"inlay.trace\",\"version\":1,\"model\":\"g\""));
    const auto count = [&](std::string_view pattern) {
        int n = 0;
        for (std::size_t at = trace.find(pattern); at != trace.npos; at = trace.find(pattern, at + 1)) ++n;
        return n;
    };
    CHECK(count("\"ph\":\"X\"") == 3 * (1 + 2));
    CHECK(count("\"cat\":\"Add\"") == 3);
    CHECK(count("\"provider\":\"ReferenceExecutionProvider\"") == 3 * 2);
    CHECK(count("\"inputs\":\"[2,4]\"") == 3);
    CHECK(raised([&] { (void)s.trace({}); }).code == error_code::invalid_argument);
    CHECK(raised([&] { (void)s.trace({{"x", ones({2, 4})}}, 0); }).code == error_code::invalid_argument);
}
TEST_CASE("Names of any bytes stand in a trace as JSON text", "[profile]") {
    run_profile p;
    p.model = "a\"b\\c\n\x1f\xff\xc3\xa9\xe2\x82";
    CHECK(has_text(trace_of(p), R"("model":"a\"b\\c\u000a\u001f\ufffd)"
                                "\xc3\xa9"
                                R"(\ufffd")"));
}
