// Each operator on DirectML, compared with the reference kernels.
#include "../operator_cases.hpp"
#include <inlay/provider/dml.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string whole(const std::string& y, const std::string& x = "2,3", const std::string& type = "float") {
    return "g (" + type + "[" + x + "] x) => (" + type + "[" + x + "] y) { " + y + " }";
}
}  // namespace

TEST_CASE("DirectML takes the operator, and its numbers are those of the reference kernels", "[dml]") {
    check_operators(dml{});
}
TEST_CASE("Functions other than those that engines have in common", "[dml]") {
    for (const char* f : {"Asinh", "Atan", "Ceil", "Celu <alpha = 0.7>", "Cos", "Cosh", "Erf", "Gelu", "Reciprocal",
                          "Round", "Selu", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Tan", "ThresholdedRelu"})
        check_taken(dml{}, whole(std::string("y = ") + f + " (x)"), {2, 3});
    for (const char* f : {"Acos", "Asin", "Atanh"})
        check_taken(dml{}, whole(std::string("t = Tanh (x) y = ") + f + " (t)"), {2, 3});
    check_taken(dml{}, whole("a = Cosh (x) y = Acosh (a)"), {2, 3});
    check_taken(dml{}, whole("a = Abs (x) y = Sqrt (a)"), {2, 3});
    check_taken(dml{}, whole("a = Exp (x) y = Log (a)"), {2, 3});
    check_taken(dml{}, whole("a = Abs (x) y = Pow (a, x)"), {2, 3});
}
TEST_CASE("Operators that are computed in several steps, by numbers that the graph does not have", "[dml]") {
    check_taken(dml{}, whole("y = Mish (x)"), {2, 3});
    check_taken(dml{}, whole("a = Tanh (x) y = Mean (x, a, x)"), {2, 3});
    check_taken(dml{}, "g (float[2,3] x) => (float[2,3] y) <float[3] s = {1, 2, 3}> { y = RMSNormalization (x, s) }",
                {2, 3});
}
TEST_CASE("MatMul in batches, transposed, and with an operand that is only known in the run", "[dml]") {
    check_taken(dml{}, whole("t = Transpose (x) m = MatMul (x, t) y = MatMul (m, x)"), {2, 3});
    check_taken(dml{}, whole("t = Transpose <perm = [0,1,3,2]> (x) m = MatMul (x, t) y = MatMul (m, x)", "2,3,2,4"),
                {2, 3, 2, 4});
    check_taken(dml{}, whole("t = Transpose <perm = [0,1,2,4,3]> (x) m = MatMul (x, t) y = MatMul (m, x)", "2,1,3,2,4"),
                {2, 1, 3, 2, 4});
    check_taken(
        dml{},
        "g (float[3,1,2,2] x) => (float[3,4,2,2] y) <float[4,2,2] w = {" + numbers(16) + "}> { y = MatMul (x, w) }",
        {3, 1, 2, 2});
    check_taken(dml{}, "g (float[2,3] x) => (float[2] y) <float[3] w = {1, 2, 3}> { y = MatMul (x, w) }", {2, 3});
    check_taken(dml{}, "g (float[3] x) => (float[2] y) <float[3,2] w = {" + numbers(6) + "}> { y = MatMul (x, w) }",
                {3});
    check_taken(dml{}, "g (float[3,2] x) => (float[3,3] y) { y = Gemm <transB = 1, alpha = 0.5> (x, x) }", {3, 2});
    check_taken(dml{},
                "g (float[3,2] x) => (float[2,2] y) <float[2,1] c = {1, 2}> "
                "{ y = Gemm <transA = 1, beta = 3.0> (x, x, c) }",
                {3, 2});
}
TEST_CASE("Convolutions and pools over one axis and over three", "[dml]") {
    check_taken(dml{},
                "g (float[1,2,5] x) => (float[1,2,4] y) <float[2,2,3] w = {" + numbers(12) +
                    "}> { y = Conv <pads = [1,0]> (x, w) }",
                {1, 2, 5});
    check_taken(dml{},
                "g (float[1,1,3,4,4] x) => (float[1,2,2,3,3] y) <float[2,1,2,2,2] w = {" + numbers(16) +
                    "}> { y = Conv (x, w) }",
                {1, 1, 3, 4, 4});
    check_taken(dml{},
                "g (float[1,2,5] x) => (float[1,2,11] y) <float[2,1,3] w = {" + numbers(6) +
                    "}> { y = ConvTranspose <strides = [2], group = 2> (x, w) }",
                {1, 2, 5});
    check_taken(dml{},
                "g (float[1,2,3,3] x) => (float[1,1,8,8] y) <float[2,1,3,3] w = {" + numbers(18) +
                    "}> { y = ConvTranspose <strides = [2,2], output_padding = [1,1]> (x, w) }",
                {1, 2, 3, 3});
    check_taken(dml{}, "g (float[1,2,6] x) => (float[1,2,3] y) { y = MaxPool <kernel_shape = [2], strides = [2]> (x) }",
                {1, 2, 6});
    check_taken(dml{},
                "g (float[1,1,3,3,3] x) => (float[1,1,2,2,2] y) { y = AveragePool <kernel_shape = [2,2,2]> (x) }",
                {1, 1, 3, 3, 3});
    check_taken(dml{},
                "g (float[1,1,6,6] x) => (float[1,1,2,2] y) "
                "{ y = MaxPool <kernel_shape = [3,3], dilations = [2,2]> (x) }",
                {1, 1, 6, 6});
}
TEST_CASE("Reductions of every kind, over axes and over all", "[dml]") {
    for (const char* f : {"ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                          "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
        check_taken(dml{},
                    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3,4] x) => (float[2,1,4] y) "
                    "<int64[1] a = {1}> { y = " +
                        std::string(f) + " (x, a) }",
                    {2, 3, 4});
        check_taken(dml{},
                    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3] x) => (float y) { y = " + std::string(f) +
                        " <keepdims = 0> (x) }",
                    {2, 3});
    }
    check_taken(dml{},
                "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3] x) => (float[2,1] y) "
                "<int64[1] a = {1}> { e = Exp (x) y = ReduceLogSum (e, a) }",
                {2, 3});
}
TEST_CASE("What moves elements backwards, mirrored, repeated, and over normal layers", "[dml]") {
    check_taken(dml{},
                "g (float[4,5] x) => (float[2,3] y) <int64[2] s = {3, 4}, int64[2] e = {0, -100}, int64[2] a = "
                "{0, 1}, int64[2] t = {-2, -2}> { y = Slice (x, s, e, a, t) }",
                {4, 5});
    for (const char* mode : {"reflect", "edge"})
        check_taken(dml{},
                    "g (float[3,4] x) => (float[5,7] y) <int64[4] p = {2, 1, 0, 2}> { y = Pad <mode = \"" +
                        std::string(mode) + "\"> (x, p) }",
                    {3, 4});
    check_taken(dml{}, "g (float[2,1] x) => (float[3,2,4] y) <int64[3] s = {3, 1, 4}> { y = Expand (x, s) }", {2, 1});
    check_taken(dml{}, "g (float[2,3] x) => (float[4,9] y) <int64[2] r = {2, 3}> { y = Tile (x, r) }", {2, 3});
    check_taken(dml{},
                "g (float[1,8,2,3] x) => (float[1,2,4,6] y) { y = DepthToSpace <blocksize = 2, mode = \"CRD\"> "
                "(x) }",
                {1, 8, 2, 3});
    check_taken(dml{},
                "g (float[2,3,4] x) => (float[2,3,4] y) <float[4] s = {1, 2, 3, 4}, float[4] b = {0, 1, 0, 2}> "
                "{ y = LayerNormalization (x, s, b) }",
                {2, 3, 4});
    check_taken(dml{},
                "g (float[2,3,4] x) => (float[2,3,4] y) <float[3,4] s = {" + numbers(12) +
                    "}> { y = LayerNormalization <axis = 1> (x, s) }",
                {2, 3, 4});
}
TEST_CASE("Images are resized by every rule of places and of the nearest element that ONNX has", "[dml]") {
    for (const char* transformation :
         {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric"})
        for (const char* rule : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
            for (const char* mode : {"nearest", "linear"})
                check_taken(dml{},
                            "<ir_version: 9, opset_import: [\"\" : 19]> g (float[1,2,3,4] x) => "
                            "(float[1,2,6,2] y) <float[4] s = {1, 1, 2, 0.5}> { y = Resize <mode = \"" +
                                std::string(mode) + "\", coordinate_transformation_mode = \"" + transformation +
                                "\", nearest_mode = \"" + rule + "\"> (x, , s) }",
                            {1, 2, 3, 4});
}
TEST_CASE("Models of float16 are computed as such", "[dml]") {
    const std::string text = "g (float[2,3,4,4] x) => (float[2,4] y) <float[4,3,3,3] w32 = {" + numbers(108) +
                             "}> { w = Cast <to = 10> (w32) h = Cast <to = 10> (x) c = Conv <pads = [1,1,1,1]> (h, w) "
                             "r = Relu (c) p = GlobalAveragePool (r) "
                             "f = Flatten (p) s = Softmax (f) y = Cast <to = 1> (s) }";
    const model m = model_of(text);
    const session s{m, quiet(), dml{}, cpu{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({2, 3, 4, 4})}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(4e-3));
    CHECK(s.plan().count(dml::name) == 7);
    CHECK(s.plan().steps == 1);
}

namespace {
// A graph of x through elements of this type, whose number in ONNX is `type`, and back to float32. What a float below 0
// becomes without a sign is in no rule.
std::string through(int type, const std::string& body, const std::string& x = "2,3,4", const std::string& y = "2,3,4",
                    const std::string& constants = "") {
    return "<ir_version: 8, opset_import: [\"\" : 18]> g (float[" + x + "] x) => (float[" + y + "] y) " +
           (constants.empty() ? "" : "<" + constants + "> ") +
           "{ f = " + (type == 2 || type == 4 || type >= 12 ? "Abs" : "Identity") +
           " (x) i = Cast <to = " + std::to_string(type) + "> (f) " + body + " y = Cast <to = 1> (r) }";
}
constexpr int onnx_u8 = 2, onnx_i8 = 3, onnx_u16 = 4, onnx_i16 = 5, onnx_i32 = 6, onnx_i64 = 7, onnx_u32 = 12,
              onnx_u64 = 13;
}  // namespace

TEST_CASE("Comparisons give truth values, which are joined and choose elements", "[dml]") {
    for (const char* f : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
        const std::string node = std::string("c = ") + f;
        check_taken(dml{}, whole("t = Neg (x) " + node + " (x, t) y = Where (c, x, t)"), {2, 3});
        for (int type : {onnx_i32, onnx_i64, onnx_i8})
            check_taken(dml{}, through(type, "t = Neg (i) " + node + " (i, t) r = Where (c, i, t)"), {2, 3, 4});
    }
    for (const char* f : {"And", "Or", "Xor"})
        check_taken(dml{},
                    whole(std::string("a = Cast <to = 9> (x) t = Relu (x) b = Cast <to = 9> (t) c = ") + f +
                          " (a, b) n = Not (c) y = Cast <to = 1> (n)"),
                    {2, 3});
    check_taken(dml{},
                "g (float[2,1,4] x) => (float[2,3,4] y) <float[3,1] w = {1, -1, 0.25}> "
                "{ c = Less (x, w) y = Where (c, w, x) }",
                {2, 1, 4});
    for (const char* f : {"IsNaN", "IsInf", "IsInf <detect_negative = 0>", "IsInf <detect_positive = 0>"})
        check_taken(dml{},
                    whole(std::string("z = Sub (x, x) a = Relu (x) e = Reciprocal (a) n = Neg (e) c = Less (x, z) "
                                      "m = Where (c, n, e) s = Sub (m, e) t = ") +
                          f + " (s) y = Cast <to = 1> (t)"),
                    {2, 3});
}
TEST_CASE("Integers of every width are computed, moved and reduced", "[dml]") {
    for (int type : {onnx_u8, onnx_i8, onnx_u16, onnx_i16, onnx_i32, onnx_u32, onnx_i64, onnx_u64}) {
        const auto in = [&](const std::string& body) {
            check_taken(dml{}, through(type, "a = Mul (i, i) " + body), {2, 3, 4});
        };
        for (const char* f : {"Add (a, a)", "Sub (a, a)", "Max (a, i)", "Min (a, i)"}) in(std::string("r = ") + f);
        in("t = Concat <axis = 1> (a, a, a) u = Transpose <perm = [1,0,2]> (t) r, v, w = Split <axis = 0> (u)");
        if (type != onnx_u16 && type != onnx_i16) in("m = ReduceMax <keepdims = 1> (a) r = Min (a, m)");
        check_taken(dml{},
                    through(type, "a = Mul (i, i) r = Pad (a, p, c)", "2,3", "4,6",
                            "int64[4] p = {1, 2, 1, 1}, " +
                                std::string(std::array{"", "", "uint8", "int8", "uint16", "int16", "int32", "int64", "",
                                                       "", "", "", "uint32", "uint64"}[std::size_t(type)]) +
                                " c = {7}"),
                    {2, 3});
    }
    for (int type : {onnx_i8, onnx_i16, onnx_i32, onnx_i64})
        for (const char* f : {"Abs (i)", "Neg (i)", "Sign (i)", "Div (i, d)", "Mod (i, d)", "Mod <fmod = 1> (i, d)"})
            check_taken(
                dml{},
                through(type, std::string("m = Abs (i) o = Sign (m) s = Add (m, m) p = Mul (s, s) q = Sub (p, s) "
                                          "t = Add (q, p) e = Max (t, o) one = Sub (o, o) same = Equal (e, one) "
                                          "g = Cast <to = ") +
                                  std::to_string(type) + "> (same) d = Add (e, g) r = " + f),
                {2, 3, 4});
    for (int type : {onnx_i32, onnx_i64, onnx_u32})
        for (const char* f : {"ReduceSum", "ReduceL1", "ReduceProd", "ReduceSumSquare"})
            check_taken(dml{},
                        through(type, std::string("a = Mul (i, i) t = ") + f + " <keepdims = 1> (a) r = Sub (t, t)"),
                        {2, 3, 4});
    check_taken(dml{}, through(onnx_i32, "r = Clip (i, l, h)", "2,3", "2,3", "int32 l = {-1}, int32 h = {1}"), {2, 3});
    check_taken(dml{}, through(onnx_i64, "r = Clip (i, l)", "2,3", "2,3", "int64 l = {0}"), {2, 3});
    check_taken(dml{}, through(onnx_i64, "a = Abs (x) r = Pow (a, i)", "2,3", "2,3"), {2, 3});
}
TEST_CASE("Indices that are known in the run look up, replace and count", "[dml]") {
    const std::string rows = "<float[5,3] w = {" + numbers(15) + "}> { a = Abs (x) ";
    for (const char* type : {"6", "7"}) {
        const std::string indices = std::string("i = Cast <to = ") + type + "> (a) ";
        check_taken(dml{}, "g (float[2,2] x) => (float[2,2,3] y) " + rows + indices + "y = Gather (w, i) }", {2, 2});
        check_taken(dml{}, "g (float[2,2] x) => (float[5,2,2] y) " + rows + indices + "y = Gather <axis = 1> (w, i) }",
                    {2, 2});
        check_taken(dml{}, "g (float[2,3] x) => (float[2,3] y) " + rows + indices + "y = GatherElements (w, i) }",
                    {2, 3});
        check_taken(dml{}, "g (float[2,2] x) => (float[2,2] y) " + rows + indices + "y = GatherElements (w, i) }",
                    {2, 2});
        check_taken(dml{},
                    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[1,3] x) => (float[5,3] y) " + rows + indices +
                        "y = ScatterElements (w, i, x) }",
                    {1, 3});
    }
    const std::string indices = "i = Cast <to = 7> (a) ";
    check_taken(dml{}, "g (float[4,1] x) => (float[4,3] y) " + rows + indices + "y = GatherND (w, i) }", {4, 1});
    check_taken(dml{}, "g (float[4,2] x) => (float[4] y) " + rows + indices + "y = GatherND (w, i) }", {4, 2});
    check_taken(dml{}, "g (float[5,1] x) => (float[5] y) " + rows + indices + "y = GatherND <batch_dims = 1> (w, i) }",
                {5, 1});
    check_taken(dml{},
                "<ir_version: 8, opset_import: [\"\" : 18]> g (float[1,2] x) => (float[5,3] y) <float[5,3] w = {" +
                    numbers(15) + "}, float[1] u = {9}> { a = Abs (x) i = Cast <to = 7> (a) y = ScatterND (w, i, u) }",
                {1, 2});
    check_taken(dml{},
                "g (float[2,3] x) => (float[2,3,4] y) <int64 d = {4}, float[2] v = {-1, 2}> "
                "{ i = Cast <to = 7> (x) y = OneHot (i, d, v) }",
                {2, 3});
    check_taken(dml{},
                "g (float[2,3] x) => (float[2,4,3] y) <int64 d = {4}, float[2] v = {-1, 2}> "
                "{ i = Cast <to = 6> (x) y = OneHot <axis = 1> (i, d, v) }",
                {2, 3});
    for (const char* attributes : {"", "<largest = 0>", "<axis = 0>"})
        check_taken(dml{},
                    "g (float[3,4] x) => (float[" + std::string(attributes[1] == 'a' ? "2,4" : "3,2") +
                        "] y) <int64[1] k = {2}> { v, i = TopK " + attributes +
                        " (x, k) j = Cast <to = 1> (i) y = Add (v, j) }",
                    {3, 4});
    for (const char* attributes : {"", "<exclusive = 1>", "<reverse = 1>", "<exclusive = 1, reverse = 1>"}) {
        const std::string node = std::string("CumSum ") + attributes;
        check_taken(dml{}, "g (float[2,3] x) => (float[2,3] y) <int64 a = {1}> { y = " + node + " (x, a) }", {2, 3});
        check_taken(dml{}, through(onnx_i32, "r = " + node + " (i, a)", "2,3", "2,3", "int64 a = {-2}"), {2, 3});
    }
}
TEST_CASE("An index out of range fails the run, of an input or made inside", "[dml]") {
    const auto check = [](const std::string& text, const std::vector<feed>& good, const std::vector<feed>& bad) {
        const session s{model_of(text), quiet(), dml{}, cpu{}};
        CHECK(s.try_run(good));
        const auto failed = s.try_run(bad);
        REQUIRE_FALSE(failed);
        CHECK(has_text(failed.why().text, "an index of Gather is out of range"));
        CHECK(s.try_run(good));
        CHECK(s.plan().count(cpu::name) == 0);
    };
    const auto index = [](std::int64_t i) {
        tensor t(element::i64, {1});
        t.as<std::int64_t>()[0] = i;
        return std::vector<feed>{{"i", std::move(t)}};
    };
    const std::string w = "<float[4,3] w = {" + numbers(12) + "}> ";
    check("g (int64[1] i) => (float[1,3] y) " + w + "{ y = Gather (w, i) }", index(-4), index(4));
    check("g (int64[1] i) => (float[1,3] y) " + w + "{ j = Add (i, i) y = Gather (w, j) }", index(1), index(-3));
    check("g (int64[1] i) => (int64[1] j, float[1,3] y) " + w + "{ j = Add (i, i) y = Gather (w, j) }", index(1),
          index(2));
}
TEST_CASE("Quantized values of 8 bits are made, read, convolved and multiplied", "[dml]") {
    const std::string opset = "<ir_version: 8, opset_import: [\"\" : 18]> ";
    for (const std::string type : {"uint8", "int8"}) {
        const std::string q = "float s = {0.25}, " + type + " z = {3}, float s2 = {0.5}, " + type + " z2 = {1}",
                          quantized = "q = QuantizeLinear (x, s, z) ",
                          dequantized = "y = DequantizeLinear (r, s2, z2) }";
        check_taken(dml{},
                    opset + "g (float[2,3] x) => (float[2,3] y) <" + q + "> { " + quantized +
                        "y = DequantizeLinear (q, s2, z) }",
                    {2, 3});
        check_taken(dml{},
                    opset + "g (float[2,3,2] x) => (float[2,3,2] y) <float[3] s = {0.25, 0.5, 1}, " + type +
                        "[3] z = {0, 1, 2}> { " +
                        "q = QuantizeLinear <axis = 1> (x, s, z) "
                        "y = DequantizeLinear <axis = 1> (q, s, z) }",
                    {2, 3, 2});
        for (const std::string w : {"uint8", "int8"}) {
            const std::string weights = w +
                                        "[2,2,3,3] w = {1, 2, 3, 0, 1, 2, 3, 4, 5, 1, 2, 3, 0, 1, 2, 3, 4, 5, 1, 2, 3, "
                                        "0, 1, 2, 3, 4, 5, 1, 2, 3, 0, 1, 2, 3, 4, 5}",
                              per_tensor = w + " v = {1}", per_channel = w + "[2] v = {1, 2}";
            check_taken(dml{},
                        opset + "g (float[1,2,5,5] x) => (float[1,2,3,3] y) <" + q + ", " + weights + ", " +
                            per_channel + ", float[2] t = {0.125, 0.25}, int32[2] b = {4, -8}> { " + quantized +
                            "r = QLinearConv <pads = [1,1,1,1], strides = [2,2]> (q, s, z, w, t, v, s2, z2, b) " +
                            dequantized,
                        {1, 2, 5, 5});
            check_taken(dml{},
                        opset + "g (float[1,2,5,5] x) => (float[1,2,3,3] y) <" + q + ", " + weights + ", " +
                            per_tensor + "> { " + quantized + "r = ConvInteger (q, w, z, v) y = Cast <to = 1> (r) }",
                        {1, 2, 5, 5});
            const std::string matrix = w + "[3,2] w = {1, 2, 3, 0, 1, 2}";
            check_taken(dml{},
                        opset + "g (float[2,3] x) => (float[2,2] y) <" + q + ", " + matrix + ", " + per_channel +
                            ", float[2] t = {0.125, 0.25}> { " + quantized +
                            "r = QLinearMatMul (q, s, z, w, t, v, s2, z2) " + dequantized,
                        {2, 3});
            check_taken(dml{},
                        opset + "g (float[4,2,3] x) => (float[4,2,2] y) <" + q + ", " + matrix + ", " + per_tensor +
                            "> { " + quantized + "r = MatMulInteger (q, w, z, v) y = Cast <to = 1> (r) }",
                        {4, 2, 3});
        }
    }
    check_taken(dml{},
                opset +
                    "g (float[2,3] x) => (float[2,3] y) { q, s, z = DynamicQuantizeLinear (x) "
                    "y = DequantizeLinear (q, s, z) }",
                {2, 3});
    check_taken(dml{}, through(onnx_i32, "t = DequantizeLinear (i, s) r = Neg (t)", "2,3", "2,3", "float s = {0.5}"),
                {2, 3});
    check_taken(
        dml{},
        through(onnx_u8, "a = Min (i, i) p = MaxPool <kernel_shape = [2,2]> (a) r = Max (p, p)", "1,1,3,3", "1,1,2,2"),
        {1, 1, 3, 3});
}
TEST_CASE("Sequences go through RNN, GRU and LSTM in every direction", "[dml]") {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
        const std::string n = direction == "bidirectional" ? "2" : "1";
        const int d = direction == "bidirectional" ? 2 : 1;
        const auto check = [&](const std::string& op, int gates, const std::string& more, const std::string& inputs) {
            const auto weights = [&](const char* name, int width, int count) {
                return "float[" + n + "," +
                       (width ? std::to_string(gates * 4) + "," + std::to_string(width) : std::to_string(gates * 8)) +
                       "] " + name + " = {" + numbers(d * gates * count) + "}";
            };
            const std::string state = "[" + n + ",2,4] ";
            check_taken(dml{},
                        "<ir_version: 8, opset_import: [\"\" : 14]> g (float[5,2,3] x) => (float[5," + n +
                            ",2,4] y, float" + state + "z) <" + weights("w", 3, 12) + ", " + weights("r", 4, 16) +
                            ", " + weights("b", 0, 8) + ", float" + state + "h = {" + numbers(8 * d) +
                            "}> { y, z = " + op + " <direction = \"" + direction + "\", hidden_size = 4" + more +
                            "> (x, w, r, b" + inputs + ") }",
                        {5, 2, 3});
        };
        check("RNN", 1, "", ", , h");
        check("RNN", 1, d == 2 ? ", activations = [\"Relu\", \"Softsign\"]" : ", activations = [\"HardSigmoid\"]", "");
        check("GRU", 3, "", ", , h");
        check("GRU", 3, ", linear_before_reset = 1", "");
        check("LSTM", 4, "", ", , h, h");
        check("LSTM", 4, ", input_forget = 1", "");
    }
}
