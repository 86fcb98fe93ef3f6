// The options, which need no library.
#include "../engines.hpp"
#include <inlay/provider/openvino.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A device of OpenVINO is also written with the precision behind it, as older programs have it",
          "[openvino]") {
    openvino p;
    CHECK(set_option(p, "device_type", "CPU_FP16"));
    CHECK(p.operands(element::f32) == element::f16);
    CHECK(set_option(p, "device_type", "CPU_FP32"));
    CHECK(p.operands(element::f32) == element::f32);
    for (const std::string device : {"CPU", "CPU_FP32", "CPU_FP16"}) {
        CAPTURE(device);
        const auto engine = openvino{.device_type = device, .num_of_threads = 1}.open();
        INFO((engine ? "" : engine.why().text));
        REQUIRE(bool(engine));
        for (const auto& [name, value] : (*engine)->identity()) CHECK_FALSE(has_text(value, "_FP"));
    }
}
TEST_CASE("Two precisions for one device of OpenVINO are an error", "[openvino]") {
    const openvino twice{.device_type = "CPU_FP16", .precision = openvino_precision::BF16};
    const auto engine = twice.open();
    REQUIRE_FALSE(engine);
    CHECK(engine.why().code == error_code::invalid_option);
    CHECK(has_text(engine.why().text, "`device_type` is `CPU_FP16`, and `precision` is `BF16`"));
}
