// What tables answer about nodes, and how they say it.
#include "made_up.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
// Of the first node of the operator: "taken", or the capability table's reason.
std::string answer(const std::string& graph, std::string_view op, const option_list& options = {}) {
    const plan_report r = made_up_session(model_of(graph, {.optimize = false}), options).plan();
    const plan_report::line& l = line_of(r, op);
    for (const auto& a : l.answers)
        if (a.provider == made_up.name) return a.text;
    return l.provider == made_up.name ? "taken" : "no answer";
}
std::string of_conv(const std::string& attributes, const std::string& y = "1,1,4,4") {
    return answer(
        "g (float[1,1,4,4] x) => (float[" + y + "] y) <float[1,1,1,1] w = {2}> { y = Conv" + attributes + " (x, w) }",
        "Conv");
}
}  // namespace

TEST_CASE("An operator that the table does not have is refused with the SDK's name and version") {
    CHECK(answer("g (float[2] x) => (float[2] y) { y = Tanh (x) }", "Tanh") == "Makebelieve 1.10 has no Tanh");
}
TEST_CASE("A node is taken where types, ranks and demands are met") {
    CHECK(of_conv("") == "taken");
    CHECK(of_conv("<strides = [2,2]>", "1,1,2,2") == "taken");
    CHECK(answer("g (float[2] x) => (float[2] y) { y = Relu (x) }", "Relu") == "taken");
}
TEST_CASE("A type is refused with those that are taken") {
    CHECK(answer("g (double[2] x) => (double[2] y) { y = Add (x, x) }", "Add") ==
          "double; Makebelieve 1.10 has it of float");
    CHECK(answer("g (double[2] x) => (double[2] y) { y = Relu (x) }", "Relu") ==
          "double; Makebelieve 1.10 has it of float, or of quantized uint8 between DequantizeLinear and "
          "QuantizeLinear");
    CHECK(answer("g (float[2] x) => (double[2] y) { y = Cast <to = 11> (x) }", "Cast") ==
          "it produces double; Makebelieve 1.10 has float, int32");
}
TEST_CASE("The type of Where is that of what it chooses from") {
    CHECK(answer("g (bool[2] c, float[2] x) => (float[2] y) { y = Where (c, x, x) }", "Where") == "taken");
}
TEST_CASE("A rank is refused with those that are taken") {
    CHECK(answer("g (float[1,1,4] x) => (float[1,1,4] y) <float[1,1,1] w = {2}> { y = Conv (x, w) }", "Conv") ==
          "3 dimensions; Makebelieve 1.10 has it for 4");
    CHECK(answer("g (float[2,2,2,2] x) => (float[2,2,2,2] y) { y = MatMul (x, x) }", "MatMul") ==
          "4 dimensions; Makebelieve 1.10 has it for 2 to 3");
}
TEST_CASE("An older SDK takes what it had, and reports which version has the rest") {
    const std::string cube = "g (float[2,2,2] x) => (float[2,2,2] y) { y = MatMul (x, x) }";
    CHECK(answer(cube, "MatMul") == "taken");
    CHECK(answer(cube, "MatMul", {{"sdk_version", "1.9"}}) == "3 dimensions; Makebelieve 1.9 has it for 2");
    const std::string half = "g (float16[2,2] x) => (float16[2,2] y) { y = MatMul (x, x) }";
    CHECK(answer(half, "MatMul") == "taken");
    CHECK(answer(half, "MatMul", {{"sdk_version", "1.9"}}) == "float16; Makebelieve 1.9 has it of float");
}
TEST_CASE("Each demand that is not met is a reason of its own") {
    CHECK(of_conv("<strides = [3,3]>", "1,1,2,2") == "`strides` is 3, and has to be 1 to 2");
    CHECK(of_conv("<auto_pad = \"SAME_UPPER\">") == "`auto_pad` is SAME_UPPER, and has to be NOTSET, VALID");
    CHECK(answer("g (float[1,1,4,4] x, float[1,1,1,1] w) => (float[1,1,4,4] y) { y = Conv (x, w) }", "Conv") ==
          "input 1 has to be a constant");
    CHECK(answer("g (float[2] x, float[3,1] z) => (float[3,2] y) { y = Add (x, z) }", "Add") ==
          "both its operands are broadcast, not one");
    CHECK(answer("g (float[2] x, float[3,2] z) => (float[3,2] y) { y = Add (x, z) }", "Add") == "taken");
    CHECK(answer("g (float[2,3] x) => (float[2,3] y) { y = Softmax <axis = 0> (x) }", "Softmax") ==
          "axis 0 is not the last one");
    CHECK(answer("g (float[2] x) => (float[2] y) <float a = {0}> { y = Clip (x, a, a) }", "Clip") ==
          "it takes no input 2");
    CHECK(answer("g (float[2] x, float a) => (float[2] y) { y = Clip (x, a) }", "Clip") == "input 1 has to be known");
    CHECK(answer("g (float[1,1,4] x) => (float[1,1,3] y, int64[1,1,3] i) { y, i = MaxPool <kernel_shape = [2]> (x) }",
                 "MaxPool") == "output 1 is used, which it does not produce");
    CHECK(answer("g (float[2,2] x) => (float[2,2] y) { y = Gemm (x, x, x) }", "Gemm") ==
          "input 2 has 2 dimensions; 1 are taken");
    CHECK(answer("g (float[1,2,2] x) => (float[1,4,2] y) <float[3] s = {1, 2, 1}> { y = Resize <mode = \"linear\"> "
                 "(x, , s) }",
                 "Resize") == "it changes the size of axis 1");
    CHECK(answer("g (float[1,2,2] x) => (float[1,2,4] y) <float[3] s = {1, 1, 2}> { y = Resize (x, , s) }", "Resize") ==
          "`mode` is not given, and has to be linear");
    CHECK(answer("g (float[1,2,2,2] x) => (float[1,8] y) { y = Flatten (x) }", "Flatten") ==
          "[1,2,2,2] is not only renamed where channels come last");
    CHECK(answer("g (float[1,8,1,1] x) => (float[1,8] y) { y = Flatten (x) }", "Flatten") == "taken");
    const auto slice = [](const std::string& step, const std::string& y) {
        return answer("g (float[4] x) => (float[" + y + "] y) <int64[1] b = {0}, int64[1] e = {4}, int64[1] s = {" +
                          step + "}> { y = Slice (x, b, e, b, s) }",
                      "Slice");
    };
    CHECK(slice("1", "4") == "taken");
    CHECK(slice("2", "2") == "input 4 has 2; 1 is taken");
    CHECK(answer("g (float[2] x) => (float[2] y) { y = Elu <alpha = -1.0> (x) }", "Elu") ==
          "`alpha` has to be above zero");
}
TEST_CASE("Demands can be read as text") {
    using namespace demands;
    CHECK(text_of(constant(1)) == "input 1 constant");
    CHECK(text_of(equal("group", 1)) == "group 1");
    CHECK(text_of(integer("strides", 1, 8)) == "strides 1 to 8");
    CHECK(text_of(first_axes(2)) == "not along the first 2 axes");
}
TEST_CASE("Operators of other domains are distinct") {
    const std::string head = "<ir_version: 8, opset_import: [\"\" : 20, \"com.microsoft\" : 1]> ";
    CHECK(answer(head + "g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu (x) }", "Gelu") == "taken");
    CHECK(answer(head + "g (float[2] x) => (float[2] y) { y = Gelu (x) }", "Gelu") == "Makebelieve 1.10 has no Gelu");
}
TEST_CASE("A provider of quantized values takes nodes between DequantizeLinear and QuantizeLinear") {
    constexpr static capability rows[]{{"Conv Relu", {}, element_sets::u8},
                                       {"QuantizeLinear DequantizeLinear", element_sets::u8}};
    constexpr static provider_contract codes = [] {
        provider_contract c = made_up;
        c.operators = rows;
        return c;
    }();
    const auto node_count = [](const std::string& nodes) {
        const model m = model_of(
            "g (uint8[1,1,2,2] x) => (uint8[1,1,2,2] y) <float s = {0.5}, uint8 z = {3}, "
            "float[1,1,1,1] w = {2}> { f = DequantizeLinear (x, s, z) " +
                nodes + " y = QuantizeLinear (h, s, z) }",
            {.optimize = false});
        session_options o;
        o.plan_only = true;
        o.log = [](severity, std::string_view) {};
        return handle_session(m, {contract_factory_of(codes, "why").make({}).value_or_raise(), make_handle(cpu{})}, o)
            .plan()
            .count(made_up.name);
    };
    CHECK(node_count("h = Conv (f, w)") == 3);
    CHECK(node_count("g = Conv (f, w) h = Relu (g)") == 4);
    CHECK(node_count("g = Conv (f, w) k = Tanh (g) h = Relu (k)") == 2);
}
