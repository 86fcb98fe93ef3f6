// What QNN computes in 8 bits, compared with the reference kernels: no further than one step away.
#include "../byte_cases.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A Conv between decoders and an encoder is computed on codes", "[qnn]") {
    const shape x{2, 4, 6, 5};
    check_bytes(inlay::qnn{}, conv_in_bytes(4, 4, "0.02", ""), x, element::u8);
    check_bytes(inlay::qnn{}, conv_in_bytes(4, 4, "0.02,0.01,0.03,0.005", ""), x, element::u8);
    check_bytes(inlay::qnn{}, conv_in_bytes(4, 1, "0.02,0.01,0.03,0.005", ", group = 4"), x, element::u8);
}

TEST_CASE("Operators of tensors of codes are computed on them", "[qnn]") {
    const shape x{1, 4, 6, 5};
    const auto check = [&](const std::string& node, const std::string& scale, const std::string& y = "1,4,6,5") {
        check_bytes(inlay::qnn{}, in_bytes("1,4,6,5", y, node, "", "uint8", scale), x, element::u8);
    };
    check("r = Add(d, d)", "0.1");
    check("r = Mul(d, d)", "0.3");
    check("r = Relu(d)", "0.05");
    check("r = Sigmoid(d)", "0.01");
    check("r = MaxPool <kernel_shape = [2,2]> (d)", "0.05", "1,4,5,4");
    for (const std::string type : {"uint8", "int8"})
        check_bytes(inlay::qnn{},
                    in_bytes("1,4,6,5", "1,4,6,4", "r = MaxPool <kernel_shape = [3,2], pads = [1,0,1,0]> (d)", "", type,
                             "0.05"),
                    x, type == "uint8" ? element::u8 : element::i8);
    check("r = AveragePool <kernel_shape = [2,2]> (d)", "0.05", "1,4,5,4");
    check("r = AveragePool <kernel_shape = [3,3], pads = [0,1,1,0]> (d)", "0.05", "1,4,5,4");
    check("r = GlobalAveragePool(d)", "0.01", "1,4,1,1");
    check("r = Transpose <perm = [0,2,3,1]> (d)", "0.05", "1,6,5,4");
    check("r = Concat <axis = 1> (d, d)", "0.05", "1,8,6,5");
}

TEST_CASE("Parts, pads and images of other sizes are made of codes, where the scale is the same", "[qnn]") {
    const shape x{1, 4, 6, 5};
    for (const std::string type : {"uint8", "int8"}) {
        const auto check = [&](const std::string& node, const std::string& constants, const std::string& y,
                               const std::string& scale = "0.05") {
            check_bytes(inlay::qnn{}, in_bytes("1,4,6,5", y, node, constants, type, scale), x,
                        type == "uint8" ? element::u8 : element::i8);
        };
        const std::string three = ", int64[3] i = {3,-3,0}", two_by_two = ", int64[2,2] i = {0,-1,2,1}",
                          pads = ", int64[8] p = {0,0,1,2,0,1,0,1}", sizes = ", int64[4] n = {1,4,12,10}",
                          halves = ", int64[4] n = {1,4,3,5}",
                          nearest = "nearest_mode = \"floor\", coordinate_transformation_mode = \"asymmetric\"";
        check("r = Gather <axis = 1> (d, i)", three, "1,3,6,5");
        check("r = Gather <axis = 2> (d, i)", ", int64 i = {-2}", "1,4,5");
        check("r = Gather <axis = 2> (d, i)", ", int64 i = {-2}", "1,4,5", "0.07");
        check("f = Flatten <axis = 2> (d) g = QuantizeLinear(f, s, z) h = DequantizeLinear(g, s, z) r = Gather(h, i)",
              two_by_two, "2,2,30");
        check("r = Pad(d, p)", pads, "1,5,7,8");
        check("r = Pad(d, p, v)", pads + ", float v = {-1.3}", "1,5,7,8");
        check("r = Pad(d, p, v)", pads + ", float v = {1000}", "1,5,7,8");
        check("r = Resize <" + nearest + "> (d, , , n)", sizes, "1,4,12,10");
        check("r = Resize <" + nearest + "> (d, , , n)", halves, "1,4,3,5");
        check("t = Resize <" + nearest +
                  "> (d, , , n) q = QuantizeLinear(t, s, z) e = DequantizeLinear(q, s, z) "
                  "u = Concat <axis = 1> (e, e) v = QuantizeLinear(u, s, z) w = DequantizeLinear(v, s, z) "
                  "r = MaxPool <kernel_shape = [2,2]> (w)",
              sizes, "1,8,11,9");
        for (const std::string scale : {"0.05", "0.07"})
            check("r = Resize <mode = \"linear\"> (d, , , n)", sizes, "1,4,12,10", scale);
    }
    const auto refusal = [](const std::string& node, const std::string& constants, const std::string& y,
                            std::string_view op) {
        return why_not<inlay::qnn>(in_bytes("1,4,6,5", y, node, constants, "uint8", "0.07"), op);
    };
    CHECK(has_text(refusal("m = Transpose <perm = [0,1,3,2]> (d) r = Pad(m, p)", ", int64[8] p = {0,0,1,2,0,1,0,1}",
                           "1,5,6,9", "Pad"),
                   "processors with fp16"));
    CHECK(has_text(refusal("r = Gather <axis = 1> (d, i)", ", int64[3] i = {3,-3,0}", "1,3,6,5", "Gather"),
                   "processors with fp16"));
}

TEST_CASE("A product of codes has the factor of its bias, and one bias for all", "[qnn]") {
    const auto gemm = [](const std::string& attributes, const std::string& bias) {
        return in_bytes("3,4", "3,5", "wf = DequantizeLinear(w, sw, zw) r = Gemm" + attributes + "(d, wf, b)",
                        ", int8[4,5] w = {" + whole_numbers(20) + "}, float sw = {0.02}, int8 zw = {0}, " + bias);
    };
    check_bytes(inlay::qnn{}, gemm("", "float[5] b = {1,-2,3,0.5,0}"), {3, 4}, element::u8);
    check_bytes(inlay::qnn{}, gemm(" <beta = 0.5> ", "float[5] b = {1,-2,3,0.5,0}"), {3, 4}, element::u8);
    check_bytes(inlay::qnn{}, gemm(" <beta = 2.0> ", "float b = {1.5}"), {3, 4}, element::u8);
}

TEST_CASE("A Conv, what limits its result, and the encoder are computed on codes", "[qnn]") {
    std::string text = conv_in_bytes(4, 4, "0.02", "");
    const std::string before = "r = Conv";
    text.replace(text.find(before), before.size(), "c = Conv");
    const std::string encoder = " y = QuantizeLinear(r";
    text.replace(text.find(encoder), encoder.size(), " r = Relu(c) y = QuantizeLinear(r");
    check_bytes(inlay::qnn{}, text, {2, 4, 6, 5}, element::u8);
}

TEST_CASE("Floats before and behind codes are encoded and decoded by QNN", "[qnn]") {
    const model m = model_of(
        "g (float[1,2,3,4] x) => (float[1,2,3,4] y) <float s = {0.05}, uint8 z = {128}> "
        "{ q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) r = Relu(d) p = QuantizeLinear(r, s, z) "
        "e = DequantizeLinear(p, s, z) y = Neg(e) }");
    const inlay::session s{m, quiet(), inlay::qnn{}, cpu{}};
    const std::vector<feed> in{{"x", ramp({1, 2, 3, 4})}};
    const auto actual = floats(s.run(in)[0]), expected = floats(inlay::session{m, reference{}}.run(in)[0]);
    for (std::size_t k = 0; k < actual.size(); ++k) CHECK(actual[k] == Approx(expected[k]).margin(.0501));
    CHECK(s.plan().count(cpu::name) == 0);
}
