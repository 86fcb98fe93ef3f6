// Models on QNN's simulator, whole and in part, compared with the reference kernels.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
#include <filesystem>
#include <map>
#include <random>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network is one region, for each size of its inputs", "[qnn]") { check_sizes(inlay::qnn{}, {1, 3, 1}); }

TEST_CASE("What QNN does not take stays outside, with the reason, and the rest are regions around it", "[qnn]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { a = Abs(x) e = Erf(a) y = Neg(e) }");
    const inlay::session s{m, quiet(), inlay::qnn{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Abs").provider == inlay::qnn::name);
    CHECK(line_of(plan, "Neg").provider == inlay::qnn::name);
    CHECK(line_of(plan, "Abs").fused_into != line_of(plan, "Neg").fused_into);
    CHECK(has_text(refusal_of<inlay::qnn>(plan, "Erf"), "QNN has no operation for Erf here"));
    CHECK(
        has_text(why_not<inlay::qnn>("g (float[2,0] x) => (float[2,0] y) { y = Abs(x) }", "Abs"), "without elements"));
    CHECK(has_text(why_not<inlay::qnn>("g (double[2] x) => (double[2] y) { y = Abs(x) }", "Abs"), "type double"));
}

TEST_CASE("What QNN would compute wrong, or end the process for, is refused", "[qnn]") {
    const std::string padded =
        "g (float[1,1,4,4] x) => (float[1,1,4,4] y) { y = MaxPool <kernel_shape = [3,3], pads = [1,1,1,1]> (x) }";
    CHECK(has_text(why_not<inlay::qnn>(padded, "MaxPool"), "processors with fp16"));
    CHECK(has_text(why_not<inlay::qnn>("g (float[1,1,1,1,1] x) => (float[1,1,1,1,1] y) { y = Relu(x) }", "Relu"),
                   "5 dimensions"));
}

TEST_CASE("Results that others read, and results that are both inside and out, are those of the reference kernels",
          "[qnn]") {
    const model m = model_of(
        "g (float[1,3,4,4] x) => (float[1,3,4,4] a, float[1,3,4,4] y, float[1,48] f) "
        "{ r = Relu(x) a = MaxPool <kernel_shape = [3,3], pads = [1,1,1,1]> (r) b = Add(a, x) y = Sub(b, r) "
        "f = Flatten(a) }");
    const inlay::session s{m, quiet(), inlay::qnn{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 4, 4})}};
    const fetched actual = s.run(in), expected = plain.run(in);
    for (int k = 0; k < 3; ++k) check_close(floats(actual[k]), floats(expected[k]));
    CHECK(s.plan().steps == 1);
}

TEST_CASE("A binding over QNN writes into memory of the caller", "[qnn]") { check_binding(inlay::qnn{}); }

TEST_CASE("Threads run a session over QNN, each with inputs of its own", "[qnn][threads]") {
    check_threads(inlay::qnn{});
}

TEST_CASE("A run over QNN stops on request", "[qnn]") { check_stop(inlay::qnn{}); }

TEST_CASE("QNN's options are read from text, and written, and wrong ones are errors", "[qnn]") {
    inlay::qnn p;
    CHECK(options_of(p) == option_list{{"backend_type", "htp"},
                                       {"backend_path", ""},
                                       {"htp_arch", "0"},
                                       {"soc_model", "0"},
                                       {"vtcm_mb", "0"},
                                       {"htp_graph_finalization_optimization_mode", "0"},
                                       {"enable_htp_fp16_precision", "true"},
                                       {"qnn_context_priority", "normal"}});
    CHECK(set_option(p, "backend_type", "saver"));
    CHECK(p.backend_type == qnn_backend_type::saver);
    CHECK(set_option(p, "qnn_context_priority", "normal_high"));
    CHECK_FALSE(set_option(p, "backend_type", "npu"));
    CHECK_FALSE(set_option(p, "qnn_context_priority", "urgent"));
    const auto why_not_opened = [](const inlay::qnn& q) {
        const auto engine = q.open();
        REQUIRE_FALSE(engine);
        return engine.why();
    };
    const error mode = why_not_opened({.htp_graph_finalization_optimization_mode = 4});
    CHECK(mode.code == error_code::invalid_option);
    CHECK(has_text(mode.text, "is 0 to 3"));
    CHECK(why_not_opened({.vtcm_mb = -1}).code == error_code::invalid_option);
    CHECK(has_text(why_not_opened({.htp_arch = 7}).text, "htp_arch is 68 or more"));
    CHECK(has_text(why_not_opened({.backend_path = "/no/such/libQnnHtp.so"}).text, "/no/such/libQnnHtp.so"));
}

TEST_CASE("Options of a graph and its context reach QNN, and the results stay", "[qnn]") {
    const model m = network_of(1);
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const auto expected = floats(inlay::session{m, quiet(), reference{}}.run(in)[0]);
    for (const inlay::qnn& p : {inlay::qnn{.vtcm_mb = 4}, inlay::qnn{.htp_graph_finalization_optimization_mode = 3},
                                inlay::qnn{.qnn_context_priority = qnn_priority::high}})
        check_close(floats(inlay::session{m, quiet(), p, cpu{}}.run(in)[0]), expected);
}

TEST_CASE("What QNN compiled is saved, and restored by another session with the same results", "[qnn]") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("inlay-qnn-test-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    const fs::path file = folder / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const auto expected = floats(inlay::session{m, reference{}}.run(in)[0]);
    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    for (const bool embed : {true, false}) {
        const inlay::session s{m, quiet(), inlay::qnn{}, cpu{}};
        (void)s.run(in);
        const saved_session saved = s.save(file, {.embed = embed});
        CHECK(saved.regions == 1);
        CHECK(saved.left_out.empty());
        const inlay::session restored{model(file), strict, inlay::qnn{}, cpu{}};
        check_close(floats(restored.run(in)[0]), expected);
        CHECK(restored.plan().count(inlay::qnn::name) == 1);
        CHECK(line_of(restored.plan(), "EPContext").kernel == "region");
        const auto result = session<inlay::qnn, cpu>::try_make(model(file), strict, inlay::qnn{.vtcm_mb = 2}, cpu{});
        REQUIRE_FALSE(result);
        CHECK(has_text(result.why().text, "`option vtcm_mb` is `0` in the file and `2` here"));
    }
    fs::remove_all(folder);
}

TEST_CASE("QNN reports its version and its device, which saved regions depend on", "[qnn]") {
    const auto e = inlay::qnn{}.open();
    REQUIRE(e);
    std::map<std::string, std::string> identity;
    for (const auto& [name, value] : (*e)->identity()) identity[name] = value;
    CHECK(identity["library"].starts_with("v2."));
    CHECK(identity["interface"].starts_with("2."));
    CHECK(identity["device"] == "HTP_QTI_AISW");
}
