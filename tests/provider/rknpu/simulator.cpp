// Regions in the simulator of rknn-toolkit2, which computes with 16 bits: said aloud where it is not there.
#include "../../skip.hpp"
#include "../operator_cases.hpp"
#include <inlay/provider/rknpu.hpp>
#include <filesystem>
#include <fstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr rknpu simulated() { return {.simulator = true}; }
void need_toolkit() {
    const auto engine = rknpu{.simulator = true}.open();
    if (!engine) SKIP(engine.why().text);
}
double distance(const tensor& y, const tensor& expected) {  // of the largest element, or of 1
    const auto a = floats(y), b = floats(expected);
    REQUIRE(a.size() == b.size());
    double most = 0, largest = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
        largest = std::max(largest, double(std::abs(b[k])));
        most = std::max(most, double(std::abs(a[k] - b[k])));
    }
    return most / largest;
}
}  // namespace

TEST_CASE("The simulator takes what the rules take, and its results are those of the reference kernels", "[rknpu]") {
    need_toolkit();
    int count = 0;
    for (const operator_case& c : operator_cases) {
        const std::string type = c.op.starts_with("Arg") ? "int64" : "float";
        const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::string(c.version) + "]> g (float" +
                                 to_string(c.x) + " x) => (" + type + " y) " + c.graph;
        INFO(text);
        const model m = model_of(text, {.optimize = false});
        const inlay::session s{m, quiet(), simulated(), reference{}};
        const std::string reason = refusal_of<rknpu>(s.plan(), c.op);
        INFO(reason);
        for (const char* beginning : {"rknn-toolkit2 says", "rknn-toolkit2's"})
            CHECK_FALSE(has_text(reason, beginning));  // the rules refuse what it does
        if (reason != "taken") continue;
        ++count;
        const inlay::session plain{m, quiet(), reference{}};
        const std::vector<feed> in{{"x", ramp(c.x)}};
        CHECK(distance(s.run(in)[0], plain.run(in)[0]) < 2e-3);
    }
    CHECK(count >= 60);
}
TEST_CASE("The simulator computes a network as one region, for each size of its inputs", "[rknpu]") {
    need_toolkit();
    const model m = network_of(-1);
    const inlay::session s{m, quiet(), simulated(), cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    for (const std::int64_t n : {1, 3}) {
        const std::vector<feed> in{{"x", ramp({n, 3, 8, 8})}};
        CHECK(distance(s.run(in)[0], plain.run(in)[0]) < 2e-3);
    }
    CHECK(s.plan().count(rknpu::name) == 5);
}
TEST_CASE("The simulator computes what is quantised in 8 bits", "[rknpu]") {
    need_toolkit();
    const model m = model_of(
        "g (float[1,3,8,8] x) => (float[1,4,8,8] y) <float s = {0.05}, int8 z = {0}, float t = {0.01}, float u = "
        "{0.1}, "
        "int8[4,3,3,3] w = {" +
        [] {
            std::string text;
            for (int k = 0; k < 108; ++k) text += (k ? ", " : "") + std::to_string(k * 7 % 41 - 20);
            return text;
        }() +
        "}> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear (w, t, z) "
        "c = Conv <pads = [1,1,1,1]> (d, v) r = Relu (c) p = QuantizeLinear (r, u, z) "
        "y = DequantizeLinear (p, u, z) }");
    const inlay::session s{m, quiet(), simulated(), cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(std::abs(y[k] - expected[k]) < .11f);  // one step, in 16 bits
    CHECK(s.plan().count(rknpu::name) > 0);
}
TEST_CASE("A model of the simulator is saved for the chip", "[rknpu]") {
    need_toolkit();
    const auto engine = simulated().open();
    REQUIRE(engine);
    const auto folder = std::filesystem::temp_directory_path() / "inlay-rknpu-simulated";
    std::filesystem::create_directories(folder);
    const inlay::session s{model_of(network_for("1")), quiet(), simulated(), cpu{}};
    s.save(folder / "context.onnx");
    std::ifstream in(folder / "context.onnx", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    CHECK(bytes.find("RKNN") != std::string::npos);  // the mark of compiled models
    std::filesystem::remove_all(folder);
}
