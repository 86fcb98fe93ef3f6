// Models on OpenVINO, whole and in part, compared with the reference kernels.
#include "../byte_cases.hpp"
#include <inlay/provider/openvino.hpp>
#include <filesystem>
#include <random>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network is one region, for each size of its inputs", "[openvino]") {
    check_sizes(openvino{}, {1, 3, 1, 2, 5, 2});  // from the second size on it is compiled for any
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
    CHECK(has_text(refusal_of<openvino>(plan, "Cast"), "OpenVINO has no tensors of type float8e4m3fn here"));
}

TEST_CASE("Runs of several threads have requests of their own", "[openvino][threads]") {
    check_threads(openvino{.num_of_threads = 1});
}

TEST_CASE("A run over OpenVINO stops on request", "[openvino]") { check_stop(openvino{}); }

TEST_CASE("OpenVINO's options are read from text, and written", "[openvino]") {
    openvino p;
    CHECK(options_of(p) ==
          option_list{{"device_type", "CPU"}, {"precision", "FP32"}, {"num_of_threads", "0"}, {"cache_dir", ""}});
    CHECK(set_option(p, "precision", "BF16"));
    CHECK(p.operands(element::f32) == element::bf16);
    CHECK_FALSE(set_option(p, "precision", "FP8"));
    CHECK_FALSE(set_option(p, "presicion", "FP32"));
    const auto result =
        session<openvino, cpu>::try_make(model_of(network_for("N")), quiet(), openvino{.device_type = "ABACUS"}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, "ABACUS"));
}

TEST_CASE("What OpenVINO would compute wrong is refused, with what is wrong, and the results are right", "[openvino]") {
    struct fault {
        std::string_view graph, op, reason;
    };
    const fault faults[] = {
        {"g (float[1,1,1,2] x) => (float[1,1,1,1] y) "
         "{ y = MaxPool<ceil_mode = 1, kernel_shape = [3,1], pads = [1,0,1,0], strides = [2,2]>(x) }",
         "MaxPool", "begins in the padding"},
        {"g (float[1,2,3,4] x) => (float[1,2,1,1] y) <float[2,1,1,3] w = {0.5,-0.5,0.25,-0.25,-0.25,0.25}> "
         "{ c = Conv<group = 2, kernel_shape = [1,3]>(x, w) m = MaxPool<kernel_shape = [3,2]>(c) y = Abs(m) }",
         "Abs", "before the MaxPool"},
        {"g (float[12] x) => (int64[12] i) <int64[1] k = {12}> { s = Sign(x) v, i = TopK(s, k) }", "TopK",
         "the lowest one of equal elements"},
        {"g (float[12] x) => (float[12] y) { s = Sign(x) y = Hardmax(s) }", "Hardmax",
         "the first one of equal elements"},
        {"<ir_version: 10, opset_import: [\"\" : 13]> "
         "g (float[2,3,4] x) => (float[1,3,4] y) { y = ReduceL1<axes = [0]>(x) }",
         "ReduceL1", "whatever its attribute axes says"},
        {"g (float[0,4,5] x) => (float[0,4,4] y) { t = Transpose<perm = [0,2,1]>(x) y = MatMul(x, t) }", "Transpose",
         "without elements, such as [0"},
    };
    for (const fault& f : faults) {
        INFO(f.graph);
        const model m = model_of(f.graph);
        const inlay::session s{m, quiet(), openvino{}, cpu{}};
        const inlay::session plain{m, reference{}};
        const tensor x = ramp(m.inputs()[0].shape);
        const std::vector<feed> in{{"x", x}};
        const fetched actual = s.run(in), expected = plain.run(in);
        REQUIRE(actual[0].shape() == expected[0].shape());
        if (actual[0].type() == element::f32)
            check_close(floats(actual[0]), floats(expected[0]));
        else
            CHECK(std::ranges::equal(actual[0].as<std::int64_t>(), expected[0].as<std::int64_t>()));
        CHECK(line_of(s.plan(), f.op).provider == cpu::name);
        CHECK(has_text(refusal_of<openvino>(s.plan(), f.op), f.reason));
    }
}

TEST_CASE("Products of bytes as large as they get do not saturate on OpenVINO", "[openvino]") {
    std::string weights;
    for (int k = 0; k < 4 * 8 * 9; ++k) weights += (k ? ", " : "") + std::string(k % 5 ? "127" : "-127");
    const std::string graph =
        in_bytes("1,8,6,5", "1,4,6,5", "wf = DequantizeLinear(w, sw, zw) r = Conv <pads = [1,1,1,1]> (d, wf)",
                 ", int8[4,8,3,3] w = {" + weights + "}, float sw = {0.001}, int8 zw = {0}", "uint8", "0.25");
    check_bytes(openvino{}, graph, {1, 8, 6, 5}, element::u8);
}

TEST_CASE("A region does not write over what it makes of constants", "[openvino]") {
    model_options unchanged;
    unchanged.optimize = false;
    const model m = model_of(
        "g (float x) => (float[1,1,1,1] y) <float[1,1,2,2] w = {-0.75,0.5,-0.75,-0.25}> "
        "{ p = AveragePool<kernel_shape = [2,2]>(w) y = Mul(p, x) }",
        unchanged);
    const inlay::session s{m, quiet(), openvino{}, cpu{}};
    for (int run = 0; run < 3; ++run) CHECK(floats(s.run({{"x", tensor(shape{}, {2.f})}})[0])[0] == Approx(-0.625));
    CHECK(has_text(refusal_of<openvino>(s.plan(), "AveragePool"), "may write over what it makes of them"));
}

TEST_CASE("What OpenVINO compiled is saved, and restored by another session with the same results", "[openvino]") {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("inlay-openvino-test-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    const fs::path file = folder / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const auto expected = floats(inlay::session{m, reference{}}.run(in)[0]);
    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    for (const bool embed : {true, false}) {
        const inlay::session s{m, quiet(), openvino{}, cpu{}};
        (void)s.run(in);
        const saved_session saved = s.save(file, {.embed = embed});
        CHECK(saved.regions == 1);
        CHECK(saved.left_out.empty());
        const inlay::session restored{model(file), strict, openvino{}, cpu{}};
        check_close(floats(restored.run(in)[0]), expected);
        CHECK(restored.plan().count(openvino::name) == 1);
        CHECK(line_of(restored.plan(), "EPContext").kernel == "region");
        const auto result = session<openvino, cpu>::try_make(model(file), strict, openvino{.num_of_threads = 1}, cpu{});
        REQUIRE_FALSE(result);
        CHECK(has_text(result.why().text, "`option num_of_threads` is `0` in the file and `1` here"));
        const inlay::session anew{model(file), quiet(), openvino{.num_of_threads = 1}, cpu{}};
        check_close(floats(anew.run(in)[0]), expected);
        CHECK(has_text(text_of(anew.plan()), "; it is compiled"));
    }
    fs::remove_all(folder);
}

TEST_CASE("OpenVINO reports its version and its device, which saved regions depend on", "[openvino]") {
    const auto e = openvino{}.open();
    REQUIRE(e);
    std::map<std::string, std::string> identity;
    for (const auto& [name, value] : (*e)->identity()) identity[name] = value;
    CHECK(identity["library"].starts_with("20"));
    CHECK_FALSE(identity["device"].empty());
    CHECK_FALSE(identity["capabilities"].empty());
}
