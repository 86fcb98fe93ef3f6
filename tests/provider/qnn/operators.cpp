// Each operator of the provider, compared with the reference kernels: all of a network's nodes are QNN's.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string one(const std::string& node, const std::string& dims = "2,3,4,5", const std::string& out = {},
                const std::string& constants = {}) {
    return "<ir_version: 10, opset_import: [\"\" : 17]> g (float[" + dims + "] x) => (float[" +
           (out.empty() ? dims : out) + "] y) " + (constants.empty() ? "" : "<" + constants + "> ") + "{ " + node +
           " }";
}
std::string weights(const std::string& name, const std::string& dims, int count) {
    return "float[" + dims + "] " + name + " = {" + numbers(count) + "}";
}
}  // namespace

TEST_CASE("Convolutions on QNN: strides, pads, dilations, groups, one filter for each channel", "[qnn]") {
    const auto conv = [](const std::string& attributes, const std::string& w, int count, const std::string& y) {
        check_taken(inlay::qnn{},
                    one("y = Conv <" + attributes + "> (x, w, b)", "1,4,7,6", y,
                        weights("w", w, count) + ", float[4] b = {0.5,-1,2,0.25}"),
                    {1, 4, 7, 6});
    };
    conv("pads = [1,1,1,1]", "4,4,3,3", 144, "1,4,7,6");
    conv("strides = [2,1], pads = [0,1,1,0]", "4,4,3,2", 96, "1,4,3,6");
    conv("dilations = [2,2], pads = [2,2,2,2]", "4,4,3,3", 144, "1,4,7,6");
    conv("group = 4, pads = [1,1,1,1]", "4,1,3,3", 36, "1,4,7,6");
    conv("group = 2", "4,2,1,1", 8, "1,4,7,6");
    conv("auto_pad = \"SAME_UPPER\", strides = [2,2]", "4,4,3,3", 144, "1,4,4,3");
    check_taken(inlay::qnn{},
                one("y = ConvTranspose <strides = [2,2], pads = [1,0,0,1]> (x, w)", "1,3,4,4", "1,2,8,8",
                    weights("w", "3,2,3,3", 54)),
                {1, 3, 4, 4});
}

TEST_CASE("Pools on QNN", "[qnn]") {
    const shape x{1, 3, 6, 7};
    const auto pool = [&](const std::string& node, const std::string& y) {
        check_taken(inlay::qnn{}, one("y = " + node + "(x)", "1,3,6,7", y), x);
    };
    pool("MaxPool <kernel_shape = [2,2], strides = [2,2]>", "1,3,3,3");
    check_taken(inlay::qnn{},
                one("r = Relu(x) y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>(r)", "1,3,6,7",
                    "1,3,3,4"),
                x);
    pool("AveragePool <kernel_shape = [3,3], pads = [1,1,1,1]>", "1,3,6,7");
    pool("AveragePool <kernel_shape = [3,3], pads = [1,1,1,1], count_include_pad = 1>", "1,3,6,7");
    pool("AveragePool <kernel_shape = [7,6], pads = [0,0,1,1]>", "1,3,1,3");  // of a window larger than the image
    check_taken(inlay::qnn{}, one("y = AveragePool <kernel_shape = [3,3], pads = [1,1,1,1]> (x)", "1,3,1,7", "1,3,1,7"),
                {1, 3, 1, 7});
    check_taken(inlay::qnn{}, one("y = AveragePool <kernel_shape = [3,3], pads = [1,1,1,1]> (x)", "1,3,1,1", "1,3,1,1"),
                {1, 3, 1, 1});
    pool("GlobalAveragePool", "1,3,1,1");
    pool("GlobalMaxPool", "1,3,1,1");
}

TEST_CASE("Functions and operators element by element on QNN", "[qnn]") {
    for (const char* op : {"Abs", "Ceil", "Cos", "Exp", "Floor", "HardSwish", "Neg", "Relu", "Sigmoid", "Sign", "Sin",
                           "Tanh", "LeakyRelu", "HardSigmoid", "HardSigmoid <alpha = 0.4, beta = 0.3> "})
        check_taken(inlay::qnn{}, one("y = " + std::string(op) + "(x)"), {2, 3, 4, 5});
    for (const std::string function : {"Log", "Reciprocal"})
        check_taken(inlay::qnn{}, one("a = Sigmoid(x) y = " + function + "(a)"), {2, 3, 4, 5});
    for (const std::string op : {"Gelu <approximate = \"tanh\"> ", "Swish", "Swish <alpha = 1.7> "})
        check_taken(
            inlay::qnn{},
            "<ir_version: 10, opset_import: [\"\" : 24]> g (float[2,9] x) => (float[2,9] y) { y = " + op + "(x) }",
            {2, 9});
    for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min"}) {
        const std::string call = "y = " + std::string(op);
        check_taken(inlay::qnn{}, one("a = Sigmoid(x) " + call + "(x, a)"), {2, 3, 4, 5});
        check_taken(inlay::qnn{}, one(call + "(x, w)", "2,3,4,5", "", "float[3,1,1] w = {0.5,-2,3}"), {2, 3, 4, 5});
        check_taken(inlay::qnn{},
                    one("p = MaxPool <kernel_shape = [1,1]> (x) " + call + "(p, w)", "2,3,4,5", "",
                        "float[3,1,1] w = {0.5,-2,3}"),
                    {2, 3, 4, 5});
    }
    check_taken(inlay::qnn{}, one("y = Clip(x, l, h)", "2,5", "", "float l = {-1}, float h = {0.5}"), {2, 5});
    check_taken(inlay::qnn{}, one("y = PRelu(x, w)", "2,3,4,5", "", "float[3,1,1] w = {0.5,-2,3}"), {2, 3, 4, 5});
}

TEST_CASE("Sums and means of several inputs on QNN", "[qnn]") {
    const std::string turned = "p = MaxPool <kernel_shape = [1,1]> (x) ", w = "float[3,1,1] w = {0.5,-2,3}";
    for (const std::string op : {"Sum", "Mean"}) {
        const std::string call = "y = " + op;
        check_taken(inlay::qnn{}, one(call + "(x)"), {2, 3, 4, 5});
        check_taken(inlay::qnn{}, one("a = Sigmoid(x) " + call + "(x, a, x)"), {2, 3, 4, 5});
        check_taken(inlay::qnn{}, one(turned + call + "(w, p, x, p)", "2,3,4,5", "", w), {2, 3, 4, 5});
        check_taken(inlay::qnn{}, one("t = Transpose(x) " + call + "(x, t, w)", "4,1", "4,4", "float w = {2}"), {4, 1});
    }
}

TEST_CASE("MatMul on QNN", "[qnn]") {
    check_taken(inlay::qnn{}, one("y = MatMul(x, w)", "2,3,4", "2,3,5", weights("w", "4,5", 20)), {2, 3, 4});
    check_taken(inlay::qnn{}, one("t = Transpose <perm = [0,2,1]> (x) y = MatMul(x, t)", "2,3,4", "2,3,3"), {2, 3, 4});
    check_taken(
        inlay::qnn{},
        one("y = Gemm <transB = 1> (x, w, b)", "3,4", "3,5", weights("w", "5,4", 20) + ", float[5] b = {1,2,3,4,5}"),
        {3, 4});
    check_taken(inlay::qnn{}, one("y = Gemm(x, w)", "3,4", "3,5", weights("w", "4,5", 20)), {3, 4});
}

TEST_CASE("Factors of products and of their biases are in the constants on QNN", "[qnn]") {
    const auto gemm = [](const std::string& attributes, const std::string& w, const std::string& bias) {
        return one("y = Gemm <" + attributes + "> (x, w, b)", "3,4", "3,5", weights("w", w, 20) + ", " + bias);
    };
    const std::string row = "float[5] b = {1,2,3,4,5}";
    for (const std::string& text :
         {gemm("transB = 1, alpha = 0.5, beta = 2.0", "5,4", row), gemm("alpha = -0.5", "4,5", row),
          gemm("alpha = 2.0", "4,5", "float[1,5] b = {1,2,3,4,5}"), gemm("beta = 0.0", "4,5", row),
          gemm("beta = 0.5", "4,5", "float b = {3}"), gemm("transB = 1", "5,4", "float[1,1] b = {3}")})
        check_taken(inlay::qnn{}, text, {3, 4});
    check_taken(inlay::qnn{},
                one("y = Gemm(x, w, b)", "3,4", "3,3", weights("w", "4,3", 12) + ", float[3,1] b = {1,2,3}"), {3, 4});
}

TEST_CASE("Means and what is divided by them on QNN", "[qnn]") {
    const shape x{1, 3, 4, 5};
    check_taken(inlay::qnn{}, one("y = Softmax(x)", "1,3,4,5"), x);
    check_taken(inlay::qnn{}, one("y = Softmax <axis = 1> (x)", "1,3,4,5"), x);
    check_taken(inlay::qnn{}, one("y = LogSoftmax(x)", "1,3,4,5"), x);
    check_taken(inlay::qnn{}, one("y = ReduceMean <axes = [2,3], keepdims = 0> (x)", "1,3,4,5", "1,3"), x);
    check_taken(inlay::qnn{}, one("y = ReduceMax <axes = [1]> (x)", "1,3,4,5", "1,1,4,5"), x);
    check_taken(inlay::qnn{}, one("y = ReduceMin <axes = [-1]> (x)", "1,3,4,5", "1,3,4,1"), x);
    check_taken(inlay::qnn{},
                one("p = MaxPool <kernel_shape = [1,1]> (x) y = ReduceMean <axes = [2,3]> (p)", "1,3,4,5", "1,3,1,1"),
                x);
    const std::string per_channel =
        "float[3] s = {1,2,3}, float[3] b = {0.5,0,-1}, float[3] m = {0.1,0.2,0.3}, "
        "float[3] v = {1,0.5,2}";
    check_taken(
        inlay::qnn{},
        one("p = MaxPool <kernel_shape = [1,1]> (x) y = BatchNormalization(p, s, b, m, v)", "1,3,4,5", "", per_channel),
        x);
}

TEST_CASE("Sums of magnitudes and of squares, and windows of channels, on QNN", "[qnn]") {
    const shape x{1, 6, 4, 5};
    for (const std::string op : {"ReduceL1", "ReduceL2", "ReduceSumSquare"}) {
        check_taken(inlay::qnn{}, one("y = " + op + " <axes = [1], keepdims = 0> (x)", "1,6,4,5", "1,4,5"), x);
        check_taken(inlay::qnn{},
                    one("p = MaxPool <kernel_shape = [1,1]> (x) y = " + op + " <axes = [1]> (p)", "1,6,4,5", "1,1,4,5"),
                    x);
    }
    for (const std::string size : {"1", "3", "5", "13"})
        check_taken(inlay::qnn{},
                    one("y = LRN <size = " + size + ", alpha = 0.3, beta = 0.6, bias = 2.0> (x)", "1,6,4,5"), x);
    CHECK(has_text(why_not<inlay::qnn>(one("y = LRN <size = 4> (x)", "1,6,4,5"), "LRN"), "windows are odd"));
}

TEST_CASE("What is divided by its deviation, on QNN", "[qnn]") {
    const auto check = [](const std::string& body, const std::string& dims, const std::string& constants,
                          const shape& x, const std::string& version = "23") {
        check_taken(inlay::qnn{},
                    "<ir_version: 10, opset_import: [\"\" : " + version + ", \"com.microsoft\" : 1]> g (float[" + dims +
                        "] x) => (float[" + dims + "] y) <" + constants + "> { " + body + " }",
                    x);
    };
    const std::string six = "float[6] s = {1,2,3,4,5,6}, float[6] b = {0.5,0,-1,2,1,-2}, float[6] c = {1,1,2,2,0,0}",
                      turned = "p = MaxPool <kernel_shape = [1,1]> (x) ";
    check("y = LayerNormalization(x, s, b)", "2,3,6", six, {2, 3, 6});
    check("y = RMSNormalization <epsilon = 0.01> (x, s)", "2,3,6", six, {2, 3, 6});
    check("y = RMSNormalization <axis = 1> (x, s)", "2,2,3", "float[2,3] s = {1,2,3,4,5,6}", {2, 2, 3});
    check("y = SimplifiedLayerNormalization(x, s)", "2,3,6", six, {2, 3, 6});
    const std::string skip = "n = Neg(x) k = Sigmoid(n) ";
    check(skip + "y = com.microsoft.SkipLayerNormalization(x, k, s, b, c)", "2,3,6", six, {2, 3, 6});
    check(skip + "y = com.microsoft.SkipSimplifiedLayerNormalization(x, k, s)", "2,3,6", six, {2, 3, 6});
    check(skip + "a, , , d = com.microsoft.SkipSimplifiedLayerNormalization(x, k, s, c) y = Add(a, d)", "2,3,6", six,
          {2, 3, 6});
    for (const std::string& first : {std::string("p = Abs(x) "), turned}) {
        check(first + "y = InstanceNormalization <epsilon = 0.01> (p, s, b)", "2,6,4,5", six, {2, 6, 4, 5});
        check(first + "y = GroupNormalization <num_groups = 2> (p, s, b)", "2,6,4,5",
              "float[2] s = {1,2}, float[2] b = {0.5,-1}", {2, 6, 4, 5}, "20");
    }
    check("y = InstanceNormalization(x, s, b)", "2,6,5", six, {2, 6, 5});
}

TEST_CASE("Elements are repeated on QNN", "[qnn]") {
    check_taken(inlay::qnn{}, one("y = Tile(x, r)", "2,3,4", "4,3,12", "int64[3] r = {2,1,3}"), {2, 3, 4});
    check_taken(inlay::qnn{}, one("y = Expand(x, s)", "3,1", "2,3,4", "int64[3] s = {2,1,4}"), {3, 1});
    check_taken(inlay::qnn{}, one("a = Abs(x) y = Expand(a, s)", "3,4", "3,4", "int64[2] s = {1,1}"), {3, 4});
}

TEST_CASE("What only moves elements on QNN", "[qnn]") {
    const shape x{1, 4, 4, 6};
    const std::string dims = "1,4,4,6", turned = "p = MaxPool <kernel_shape = [1,1]> (x) ";
    for (const std::string& first : {std::string("p = Abs(x) "), turned}) {
        check_taken(inlay::qnn{}, one(first + "y = Flatten(p)", dims, "1,96"), x);
        check_taken(inlay::qnn{}, one(first + "y = Transpose <perm = [0,2,3,1]> (p)", dims, "1,4,6,4"), x);
        check_taken(inlay::qnn{}, one(first + "y = Concat <axis = 1> (p, x)", dims, "1,8,4,6"), x);
        check_taken(inlay::qnn{},
                    one(first + "y = Slice(p, a, e, i, t)", dims, "1,2,4,3",
                        "int64[2] a = {1,0}, int64[2] e = {3,6}, int64[2] i = {1,3}, int64[2] t = {1,2}"),
                    x);
        check_taken(inlay::qnn{}, one(first + "u, v = Split <axis = 1> (p) y = Mul(u, v)", dims, "1,2,4,6"), x);
        check_taken(inlay::qnn{}, one(first + "y = DepthToSpace <blocksize = 2> (p)", dims, "1,1,8,12"), x);
        check_taken(inlay::qnn{}, one(first + "y = SpaceToDepth <blocksize = 2> (p)", dims, "1,16,2,3"), x);
    }
    check_taken(inlay::qnn{},
                one("r = Reshape(x, s) y = Unsqueeze(r, a)", dims, "1,24,4", "int64[2] s = {24,4}, int64[1] a = {0}"),
                x);
}

TEST_CASE("Parts that constant indices name, on QNN", "[qnn]") {
    const shape x{1, 4, 4, 6};
    const std::string dims = "1,4,4,6";
    for (const std::string first : {"p = Abs(x) ", "p = MaxPool <kernel_shape = [1,1]> (x) "}) {
        check_taken(inlay::qnn{}, one(first + "y = Gather <axis = 1> (p, i)", dims, "1,1,4,6", "int64[1] i = {-4}"), x);
        check_taken(inlay::qnn{}, one(first + "y = Gather <axis = -1> (p, i)", dims, "1,4,4,1", "int32[1] i = {1}"), x);
        check_taken(inlay::qnn{}, one(first + "y = Gather <axis = 2> (p, i)", dims, "1,4,6", "int64 i = {-2}"), x);
    }
    check_taken(inlay::qnn{}, one("y = Gather <axis = 1> (x, i)", "4,3", "4,1,1", "int64[1,1] i = {2}"), {4, 3});
    for (const std::string index : {"4", "-5", "9223372036854775807", "-9223372036854775808"})
        CHECK(has_text(why_not<inlay::qnn>(one("y = Gather(x, i)", "4,3", "3", "int64 i = {" + index + "}"), "Gather"),
                       "index " + index + " is out of range"));
    CHECK(has_text(why_not<inlay::qnn>("g (float[4,3] x, int32[2] i) => (float[2,3] y) { y = Gather(x, i) }", "Gather"),
                   "does not check them"));
}

TEST_CASE("Pads that QNN has not are refused", "[qnn]") {
    const std::string dims = "1,4,4,6", pads = "int64[8] p = {0,1,2,3,0,0,1,2}";
    const auto refusal = [&](const std::string& node, const std::string& y, const std::string& constants) {
        return why_not<inlay::qnn>(one("y = " + node, dims, y, constants), "Pad");
    };
    CHECK(has_text(refusal("Pad(x, p)", "1,4,4,5", "int64[8] p = {0,0,0,0,0,0,0,-1}"), "a pad is negative"));
    CHECK(has_text(refusal("Pad <mode = \"edge\"> (x, p)", "1,5,7,11", pads), "mode is edge"));
}

TEST_CASE("Images of other sizes on QNN", "[qnn]") {
    const shape x{1, 2, 6, 4};
    const auto resize = [&](const std::string& attributes, const std::string& size) {
        return one("y = Resize <" + attributes + "> (x, , , s)", "1,2,6,4", "1,2," + size,
                   "int64[4] s = {1,2," + size + "}");
    };
    const auto linear = [](const std::string& transformation) {
        return "mode = \"linear\", coordinate_transformation_mode = \"" + transformation + "\"";
    };
    for (const std::string transformation : {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"})
        for (const std::string size : {"12,8", "18,4", "9,7", "3,3"})
            check_taken(inlay::qnn{}, resize(linear(transformation), size), x);
    check_taken(inlay::qnn{},
                one("p = MaxPool <kernel_shape = [1,1]> (x) r = Resize <mode = \"linear\"> (p, , f) s = Sigmoid(r) "
                    "m = Mul(r, s) y = MaxPool <kernel_shape = [2,2]> (m)",
                    "1,2,6,4", "1,2,11,7", "float[4] f = {1,1,2,2}"),
                x);
    check_taken(inlay::qnn{},
                "<ir_version: 8, opset_import: [\"\" : 9]> g (float[1,2,6,4] x) => (float[1,2,12,8] y) "
                "<float[4] f = {1,1,2,2}> { y = Upsample <mode = \"linear\"> (x, f) }",
                x);
    const auto refusal = [&](const std::string& attributes, const std::string& size) {
        return why_not<inlay::qnn>(resize(attributes, size), "Resize");
    };
    CHECK(has_text(refusal("mode = \"cubic\"", "12,8"), "mode is cubic, which QNN has not"));
    CHECK(has_text(refusal("mode = \"nearest\"", "12,8"), "half_pixel, which is not QNN's for mode nearest"));
    CHECK(has_text(
        why_not<inlay::qnn>(one("y = Resize <mode = \"linear\"> (x, , , s)", "2,3,4", "2,3,8", "int64[3] s = {2,3,8}"),
                            "Resize"),
        "1 spatial axes"));
}
