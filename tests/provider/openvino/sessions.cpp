// Models on OpenVINO, whole and in part, beside the plain loops.
#include "../../models.hpp"
#include <inlay/provider/openvino.hpp>
#include <atomic>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor ramp(const shape& dims) {
    tensor t(element::f32, dims);
    int k = 0;
    for (float& x : t.as<float>()) x = .25f * float(k++ % 17) - 2.f;
    return t;
}
void check_close(const std::vector<float>& y, const std::vector<float>& expected) {
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).epsilon(1e-4).margin(1e-5));
}
std::string reason(const plan_report& plan, std::string_view op) {
    for (const auto& a : line_of(plan, op).answers)
        if (a.provider == openvino::name) return a.text;
    return {};
}
session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
const std::string network = [] {
    std::string weights;
    for (int k = 0; k < 4 * 3 * 3 * 3; ++k) weights += (k ? ", " : "") + std::to_string(.1 * (k % 7) - .2);
    return "g (float[N,3,8,8] x) => (float[N,4] y) <float[4,3,3,3] w = {" + weights +
           "}> { c = Conv <pads = [1,1,1,1]> (x, w) r = Relu(c) p = GlobalAveragePool(r) f = Flatten(p) y = Softmax(f) "
           "}";
}();
}  // namespace

TEST_CASE("A network is one region, for each size of its inputs", "[openvino]") {
    const model m = model_of(network);
    const inlay::session s{m, quiet(), openvino{}, cpu{}};
    const inlay::session plain{m, reference{}};
    for (const std::int64_t n : {1, 3, 1, 2, 5, 2}) {  // from the second size on it is compiled for any
        const std::vector<feed> in{{"x", ramp({n, 3, 8, 8})}};
        check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    }
    const plan_report plan = s.plan();
    CHECK(plan.count(openvino::name) == 5);
    CHECK(plan.steps == 1);
}

TEST_CASE("What OpenVINO does not take stays outside, with the reason, and the rest are regions around it",
          "[openvino]") {
    const model m = model_of(
        "g (float[4] x) => (float[4] y) { a = Relu(x) f = Cast <to = 17> (a) b = Cast <to = 1> (f) y = Mul(b, a) }");
    const inlay::session s{m, quiet(), openvino{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == openvino::name);
    CHECK(line_of(plan, "Mul").provider == openvino::name);
    CHECK(line_of(plan, "Relu").fused_into != line_of(plan, "Mul").fused_into);
    CHECK(line_of(plan, "Cast").provider == cpu::name);
    CHECK(has_text(reason(plan, "Cast"), "OpenVINO has no tensors of type float8e4m3fn here"));
}

TEST_CASE("Nodes of constants, and tensors without elements, stay outside", "[openvino]") {
    // OpenVINO 2026.4.1 computes the mean once, and each run multiplies it again.
    const model m = model_of(
        "g (float x) => (float[1,1,1,1] y) <float[1,1,2,2] c = {-0.75, 1, 0.5, -1}> { "
        "p = AveragePool <kernel_shape = [2,2]> (c) y = Mul(p, x) }");
    const inlay::session s{m, quiet(), openvino{}, cpu{}};
    for (int run = 0; run < 3; ++run)
        CHECK(floats(s.run({{"x", tensor(shape{}, std::vector{2.f})}})[0])[0] == Approx(-.125f));
    CHECK(has_text(reason(s.plan(), "AveragePool"), "its inputs are constants"));
    const inlay::session none{model_of("g (float[0] x) => (float[0] y) { y = Relu(x) }"), quiet(), openvino{}, cpu{}};
    CHECK(floats(none.run({{"x", tensor(element::f32, {0})}})[0]).empty());
    CHECK(reason(none.plan(), "Relu") == "OpenVINO gets no tensor without elements, as of the shape [0]");
}

TEST_CASE("A binding and runs of several threads have requests of their own", "[openvino][threads]") {
    const model m = model_of(network);
    const inlay::session s{m, quiet(), openvino{.num_of_threads = 1}, cpu{.threads = 1}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const auto expected = floats(plain.run(in)[0]);
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&] {
            for (int run = 0; run < 20; ++run) {
                const auto y = floats(s.run(in)[0]);
                for (std::size_t k = 0; k < y.size(); ++k) wrong += std::abs(y[k] - expected[k]) > 1e-5f;
            }
        });
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("A run over OpenVINO stops when it is told to", "[openvino]") {
    const inlay::session s{model_of(network), quiet(), openvino{}, cpu{}};
    std::atomic<bool> stop{true};
    run_options o;
    o.stop = &stop;
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const auto ended = s.try_run(in, {}, o);
    REQUIRE_FALSE(ended);
    CHECK(ended.why().code == error_code::stopped);
    stop = false;
    CHECK(s.try_run(in, {}, o));
}

TEST_CASE("OpenVINO's options are read from text, and written", "[openvino]") {
    openvino p;
    CHECK(options_of(p) ==
          option_list{{"device_type", "CPU"}, {"precision", "FP32"}, {"num_of_threads", "0"}, {"cache_dir", ""}});
    CHECK(set_option(p, "precision", "BF16"));
    CHECK(p.operands(element::f32) == element::bf16);
    CHECK_FALSE(set_option(p, "precision", "FP8"));
    CHECK_FALSE(set_option(p, "presicion", "FP32"));
    const auto none =
        session<openvino, cpu>::try_make(model_of(network), quiet(), openvino{.device_type = "ABACUS"}, cpu{});
    REQUIRE_FALSE(none);
    CHECK(none.why().code == error_code::provider_unavailable);
    CHECK(has_text(none.why().text, "ABACUS"));
}
