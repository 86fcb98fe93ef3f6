// OpenVINO as a plugin is what it is as a part of the program.
#include "../../plugin/loaded.hpp"
#include "../engines.hpp"
#include <inlay/provider/openvino.hpp>
#include <filesystem>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("OpenVINO as a plugin takes the same nodes, refuses the others alike and gives the same results",
          "[openvino][plugins]") {
    const plugin p(PLUGIN_OPENVINO);
    CHECK(p.name() == openvino::name);
    CHECK(p.options() == options_of(openvino{}));
    const std::string texts[] = {
        network_for("N"),
        "g (float[4] x) => (float[4] y) { a = Relu(x) f = Cast <to = 17> (a) b = Cast <to = 1> (f) y = Mul(b, a) }"};
    for (const std::string& text : texts) {
        const model m = model_of(text);
        const any_session s(m, {p, "cpu"}, quiet());
        const session built_in{m, quiet(), openvino{}, cpu{}};
        for (const std::int64_t n : {1, 3, 2}) {  // from the second size on it is compiled for any
            const std::vector<feed> in{{"x", ramp(text == texts[0] ? shape{n, 3, 8, 8} : shape{4})}};
            CHECK(floats(s.run(in)[0]) == floats(built_in.run(in)[0]));
        }
        std::vector<std::string> answers, expected;
        for (const auto& [lines, plan] : {std::pair(&answers, s.plan()), std::pair(&expected, built_in.plan())})
            for (const auto& l : plan.nodes) {
                lines->push_back(l.op + " on " + l.provider);
                for (const auto& a : l.answers) lines->push_back(a.provider + ": " + a.text);
            }
        CHECK(answers == expected);
        CHECK(s.plan().count(openvino::name) > 1);
    }
}

TEST_CASE("OpenVINO as a plugin stops, reports errors of its own, and is unloaded", "[openvino][plugins]") {
    {
        const plugin p(PLUGIN_OPENVINO);
        const any_session s(model_of(network_for("N")), {p, "cpu"}, quiet());
        std::atomic<bool> stop{true};
        run_options o;
        o.stop = &stop;
        const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
        CHECK(s.try_run(in, {}, o).why().code == error_code::stopped);
        stop = false;
        CHECK(s.try_run(in, {}, o));
        const error e = raised([&] {
            any_session(model_of(network_for("N")), {p.with({{"device_type", "ABACUS"}}), "cpu"}, quiet());
        });
        CHECK(e.code == error_code::provider_unavailable);
        CHECK(has_text(e.text, "ABACUS"));
        CHECK(p.handle({{"precision", "FP8"}}).why().code == error_code::invalid_option);
        const provider_handle h = p.handle({{"precision", "BF16"}}).value_or_raise();
        CHECK(h.operands(h.object.get()) == element::bf16);
    }
    CHECK_FALSE(is_loaded(PLUGIN_OPENVINO));
}
TEST_CASE("What OpenVINO compiled as a plugin is restored by the program's own, and the other way round",
          "[openvino][plugins]") {
    const auto file =
        std::filesystem::temp_directory_path() / ("inlay_plugin_ov_" + std::to_string(getpid()) + ".onnx");
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const model m = model_of(network_for("2"));
    const plugin p(PLUGIN_OPENVINO);
    const any_session s(m, {p, "cpu"}, quiet());
    const auto expected = floats(s.run(in)[0]);
    CHECK(s.save(file).regions == 1);
    CHECK(floats(session{model(file), o, openvino{}, cpu{}}.run(in)[0]) == expected);
    CHECK(session{m, quiet(), openvino{}, cpu{}}.save(file).regions == 1);
    CHECK(floats(any_session(model(file), {p, "cpu"}, o).run(in)[0]) == expected);
    std::filesystem::remove(file);
}
