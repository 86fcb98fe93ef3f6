// The simulator of a chip that computes in fp16: in a process of its own, where it stays that chip's.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string network(const std::string& op) {
    return "<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,8] x) => (float[2,8] y) { y = " + op + "(x) }";
}
// As the reference kernels compute it, to the precision of fp16, and all of it QNN's.
void check_half(const inlay::qnn& p, const std::string& text, const shape& x) {
    INFO(text);
    const model m = model_of(text);
    const inlay::session s{m, quiet(), p, cpu{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    const auto actual = floats(s.run(in)[0]), expected = floats(inlay::session{m, reference{}}.run(in)[0]);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t k = 0; k < actual.size(); ++k) CHECK(actual[k] == Approx(expected[k]).epsilon(4e-3).margin(4e-3));
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
// Networks with opset 17, of x of these dimensions.
std::string larger(const std::string& x, const std::string& y, const std::string& body, const std::string& constants) {
    return "<ir_version: 10, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float[" + x + "] x) => (float[" + y +
           "] y) <" + constants + "> { " + body + " }";
}
void check_choices(const inlay::qnn& p) {
    const std::string mask = "float[1,1,5,5] w = {" + numbers(25) + "}, float low = {-3.4e38}";
    check_half(p, larger("2,3,5,5", "2,3,5,5", "c = Less(w, x) s = Where(c, x, low) y = Softmax(s)", mask),
               {2, 3, 5, 5});
    check_half(p,
               larger("2,3,5,5", "2,3,5,5",
                      "m = MaxPool <kernel_shape = [1,1]> (x) c = Greater(m, w) y = Where(c, w, m)", mask),
               {2, 3, 5, 5});
    check_half(p, larger("2,3,5", "2,3,5", "y = CumSum(x, a)", "int32 a = {1}"), {2, 3, 5});
    check_half(p,
               larger("2,3,5", "2,4,5", "y = GatherElements <axis = 1> (x, i)",
                      "int64[2,4,5] i = {0,1,2,0,1, 2,1,0,2,1, 0,0,0,0,0, -1,-1,-2,-3,1, "
                      "1,1,1,1,1, 2,2,2,2,2, 0,1,0,1,0, 2,0,2,0,2}"),
               {2, 3, 5});
    check_half(p, larger("2,3,5", "2,3,2", "y, i = TopK(x, k)", "int64[1] k = {2}"), {2, 3, 5});
    check_half(p,
               larger("2,3", "4,2,6", "e = Expand(x, s) y = Tile(e, t)", "int64[3] s = {4,1,1}, int64[3] t = {1,1,2}"),
               {2, 3});
}
void check_windows_and_norms(const inlay::qnn& p) {
    for (const auto& [attributes, y] :
         {std::pair("kernel_shape = [7,7], pads = [1,0,0,1]", "1,3,1,2"),
          {"kernel_shape = [3,3], pads = [0,0,1,1]", "1,3,5,6"},
          {"kernel_shape = [3,3], pads = [1,1,1,1]", "1,3,6,7"},
          {"kernel_shape = [3,3], strides = [2,2], pads = [0,0,1,1], count_include_pad = 1", "1,3,3,3"}})
        check_half(p, larger("1,3,6,7", y, "y = AveragePool <" + std::string(attributes) + "> (x)", "float[1] w = {1}"),
                   {1, 3, 6, 7});
    check_half(p,
               larger("1,3,6,7", "1,3,3,4", "y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (x)",
                      "float[1] w = {1}"),
               {1, 3, 6, 7});
    check_half(
        p,
        larger("1,6,4,5", "1,6,4,5", "y = LRN <size = 3, alpha = 0.3, beta = 0.6, bias = 2.0> (x)", "float[1] w = {1}"),
        {1, 6, 4, 5});
    const std::string of_channels = "float[6] s = {1,2,3,1,2,3}, float[6] b = {0.5,0,-1,0.5,0,-1}";
    check_half(p, larger("2,6,4,5", "2,6,4,5", "y = InstanceNormalization(x, s, b)", of_channels), {2, 6, 4, 5});
    check_half(p,
               "<ir_version: 10, opset_import: [\"\" : 23]> g (float[2,6,4,5] x) => (float[2,6,4,5] y) <" +
                   of_channels + "> { y = GroupNormalization <num_groups = 3> (x, s, b) }",
               {2, 6, 4, 5});
    check_half(p, larger("2,3,6", "2,3,6", "y = com.microsoft.SkipSimplifiedLayerNormalization(x, x, s)", of_channels),
               {2, 3, 6});
}
}  // namespace

TEST_CASE("For a chip with fp16 QNN has more operators, to that precision", "[qnn]") {
    constexpr int with_half_floats = 57;
    // The simulator of a process is that of the last chip that was named: this one is chosen first.
    for (const char* op : {"Atan", "Elu", "Round", "Gelu"})
        CHECK(has_text(why_not<inlay::qnn>(network(op), op), "processors with fp16"));
    CHECK(has_text(why_not<inlay::qnn>(parts, "Gather"), "processors with fp16"));
    CHECK(has_text(why_not<inlay::qnn>(padded("Abs", ""), "Pad"), "processors with fp16"));
    CHECK(has_text(why_not<inlay::qnn>(nearest("12,8"), "Resize"), "processors with fp16"));
    const inlay::qnn p{.htp_arch = 75, .soc_model = with_half_floats};
    for (const char* op : {"Atan", "Elu", "HardSigmoid", "Round", "Gelu", "Exp"}) check_half(p, network(op), {2, 8});
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
    CHECK(has_text(refusal_of<inlay::qnn>(large.plan(), "Pad"), "it pads with a number that"));
    check_half(p,
               "g (float[2,3] x) => (float[4,4] y) <float s = {0.05}, uint8 z = {128}, int64[4] p = {0,1,2,0}> "
               "{ n = Neg(x) q = QuantizeLinear(n, s, z) d = DequantizeLinear(q, s, z) r = Pad(d, p) y = Neg(r) }",
               {2, 3});
    const inlay::session gru{model_of("g (float[2,1,1] x) => (float[2,1,1,1] y) <float[1,3,1] w = {1,2,3}> "
                                      "{ y = GRU <hidden_size = 1> (x, w, w) }"),
                             quiet(), p, cpu{}};
    CHECK(has_text(refusal_of<inlay::qnn>(gru.plan(), "GRU"), "other results of it in fp16"));
    check_choices(p);
    check_windows_and_norms(p);
}
