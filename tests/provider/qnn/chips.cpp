// The simulator of a chip that computes floats of 16 bits: in a process of its own, where it stays that chip's.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string network(const std::string& op) {
    return "<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,8] x) => (float[2,8] y) { y = " + op + "(x) }";
}
// As the plain loops have it, to 16 bits, and all of it QNN's.
void check_half(const inlay::qnn& p, const std::string& text, const shape& x) {
    INFO(text);
    const model m = model_of(text);
    const inlay::session s{m, quiet(), p, cpu{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    const auto got = floats(s.run(in)[0]), expected = floats(inlay::session{m, reference{}}.run(in)[0]);
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == Approx(expected[k]).epsilon(4e-3).margin(4e-3));
    CHECK(s.plan().count(cpu::name) == 0);
}
// Graphs that other chips cannot finish: several parts, images by their nearest elements, pads.
const std::string parts = "g (float[4,3] x) => (float[2,2,3] y) <int64[2,2] i = {0,-1,2,1}> { y = Gather(x, i) }";
std::string nearest(const std::string& size) {
    return "g (float[1,2,6,4] x) => (float[1,2," + size + "] y) <int64[4] s = {1,2," + size +
           "}> { y = Resize <nearest_mode = \"floor\", coordinate_transformation_mode = \"asymmetric\"> (x, , , s) }";
}
std::string padded(const std::string& before, const std::string& constants) {
    return "g (float[1,4,4,6] x) => (float[1,5,7,11] y) <int64[8] p = {0,1,2,3,0,0,1,2}" + constants +
           "> { q = " + before + "(x) y = Pad(q, p" + (constants.empty() ? "" : ", v") + ") }";
}
}  // namespace

TEST_CASE("For a chip with floats of 16 bits QNN has more operators, to that precision", "[qnn]") {
    constexpr int with_half_floats = 57;
    // The simulator of a process is that of the last chip that was named: this is asked for before.
    for (const char* op : {"Elu", "HardSigmoid", "Round", "Gelu"})
        CHECK(has_text(why_not<inlay::qnn>(network(op), op), "processors with floats of 16 bits"));
    CHECK(has_text(why_not<inlay::qnn>(parts, "Gather"), "processors with floats of 16 bits"));
    CHECK(has_text(why_not<inlay::qnn>(padded("Abs", ""), "Pad"), "processors with floats of 16 bits"));
    CHECK(has_text(why_not<inlay::qnn>(nearest("12,8"), "Resize"), "processors with floats of 16 bits"));
    const inlay::qnn p{.htp_arch = 75, .soc_model = with_half_floats};
    for (const char* op : {"Elu", "HardSigmoid", "Round", "Gelu", "Exp"}) check_half(p, network(op), {2, 8});
    check_half(p, parts, {4, 3});
    for (const std::string size : {"12,8", "18,4", "6,12", "3,2", "9,7"}) check_half(p, nearest(size), {1, 2, 6, 4});
    check_half(p,
               "<ir_version: 8, opset_import: [\"\" : 9]> g (float[1,2,6,4] x) => (float[1,2,12,8] y) "
               "<float[4] f = {1,1,2,2}> { y = Upsample (x, f) }",
               {1, 2, 6, 4});
    for (const std::string before : {"Abs", "MaxPool <kernel_shape = [1,1]> "})
        for (const std::string value : {"", ", float v = {1.5}", ", float v = {-65504}"})
            check_half(p, padded(before, value), {1, 4, 4, 6});
    const inlay::session large{model_of(padded("Abs", ", float v = {1e9}")), quiet(), p, cpu{}};
    CHECK(has_text(refusal_of<inlay::qnn>(large.plan(), "Pad"), "floats of 16 bits have not"));
    check_half(p,
               "g (float[2,3] x) => (float[4,4] y) <float s = {0.05}, uint8 z = {128}, int64[4] p = {0,1,2,0}> "
               "{ n = Neg(x) q = QuantizeLinear(n, s, z) d = DequantizeLinear(q, s, z) r = Pad(d, p) y = Neg(r) }",
               {2, 3});
}
