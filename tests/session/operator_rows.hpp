// A small model for each operator that the CPU has a fast kernel for: whatever shows how kernels meet the values of a
// session has all of them.
#pragma once
#include "../models.hpp"

namespace inlay::testing {
inline const std::string image = "float[?,?,?,?] y";
inline const std::vector<std::int64_t> image_dims{2, 8, 4, 6};
struct operator_row {
    std::string op;
    std::string nodes;           // read v, and where there are two of a kind u; the last makes y
    std::string constants = "";  // of the graph
    std::string outputs = image;
    std::vector<std::int64_t> dims = image_dims;  // of v and u, which are float32
    int opset = 21;
};
inline std::string number_list(int count, double least, double step) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i ? "," : "") + std::to_string(least + step * (i * 7 % 11));
    return text + "}";
}
inline std::string constant_of(const std::string& dims, const std::string& name, int count, double least = -.5,
                               double step = .1) {
    return "float[" + dims + "] " + name + " = " + number_list(count, least, step);
}

inline std::vector<operator_row> element_wise_rows() {
    std::vector<operator_row> rows;
    for (const char* op :
         {"Abs",       "Ceil", "Elu",      "Erf",      "Exp",        "Floor", "HardSigmoid", "HardSwish",
          "LeakyRelu", "Log",  "Mish",     "Neg",      "Reciprocal", "Relu",  "Round",       "Selu",
          "Sigmoid",   "Sign", "Softplus", "Softsign", "Sqrt",       "Tanh",  "Gelu"})
        rows.push_back({op, "y = " + std::string(op) + "(v)"});
    for (const char* op : {"Atan", "Asinh", "Cos", "Cosh", "Sin", "Sinh"})
        rows.push_back({op, "y = " + std::string(op) + "(v)"});
    for (const char* op : {"Acos", "Asin", "Atanh", "Tan"})
        rows.push_back({op, "t = Tanh(v) h = Mul(t, k) y = " + std::string(op) + "(h)", "float k = {0.9}"});
    rows.push_back({"Acosh", "t = Abs(v) h = Add(t, k) y = Acosh(h)", "float k = {1}"});
    for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
        rows.push_back({op, "y = " + std::string(op) + "(v, u)", "", "bool[?,?,?,?] y"});
        rows.push_back({op, "y = " + std::string(op) + "(v, k)", constant_of("8,1,1", "k", 8, .5), "bool[?,?,?,?] y"});
    }
    for (const char* op : {"Add", "Div", "Max", "Mean", "Min", "Mul", "Sub", "Sum"}) {
        rows.push_back({op, "y = " + std::string(op) + "(v, u)"});
        rows.push_back({op, "y = " + std::string(op) + "(u, v)"});
        rows.push_back({op, "y = " + std::string(op) + "(v, k)", constant_of("8,1,1", "k", 8, .5)});
        rows.push_back({op, "y = " + std::string(op) + "(k, v)", constant_of("6", "k", 6, .5)});
    }
    const std::vector<operator_row> more_rows{
        {"Swish", "y = Swish(v)", "", image, image_dims, 24},
        {"Pow", "y = Pow(v, k)", "float k = {2}"},
        {"Pow", "y = Pow(v, k)", "float[8,1,1] k = {1,2,3,4,1,2,3,4}"},
        {"PRelu", "y = PRelu(v, k)", constant_of("8,1,1", "k", 8)},
        {"Clip", "y = Clip(v, a, b)", "float a = {-0.5}, float b = {0.75}"},
        {"Where", "c = Greater(v, u) y = Where(c, v, u)"},
        {"Cast", "y = Cast<to = 6>(v)", "", "int32[?,?,?,?] y"},
        {"CastLike", "y = CastLike(v, k)", "int32 k = {1}", "int32[?,?,?,?] y"},
        {"Identity", "y = Identity(v)"},
        {"Dropout", "y = Dropout(v)"},
        {"QuantizeLinear", "y = QuantizeLinear(v, s, z)", "float s = {0.05}, uint8 z = {100}", "uint8[?,?,?,?] y"},
        {"QuantizeLinear", "y = QuantizeLinear<axis = 1>(v, s, z)",
         constant_of("8", "s", 8, .05, .01) + ", int8[8] z = {1,2,3,4,5,6,7,8}", "int8[?,?,?,?] y"},
        {"DequantizeLinear", "q = Cast<to = 3>(v) y = DequantizeLinear<axis = 1>(q, s, z)",
         constant_of("8", "s", 8, .05, .01) + ", int8[8] z = {1,2,3,4,5,6,7,8}"},
        {"DynamicQuantizeLinear", "y, s, z = DynamicQuantizeLinear(v)", "", "uint8[?,?,?,?] y, float[] s, uint8[] z"},
    };
    rows.insert(rows.end(), more_rows.begin(), more_rows.end());
    return rows;
}

inline std::vector<operator_row> window_rows() {
    const std::string line = "float[?,?,?] y", space = "float[?,?,?,?,?] y";
    const std::vector<std::int64_t> line_dims{2, 8, 6}, space_dims{2, 8, 3, 4, 5};
    std::vector<operator_row> rows{
        {"Conv", "y = Conv(v, w, b)", constant_of("5,8,3,3", "w", 360) + ", " + constant_of("5", "b", 5)},
        {"Conv", "y = Conv<pads = [1,1,1,1], strides = [2,2]>(v, w)", constant_of("3,8,3,3", "w", 216)},
        {"Conv", "y = Conv(v, w)", constant_of("3,8,1,1", "w", 24)},
        {"Conv", "y = Conv<group = 8>(v, w)", constant_of("8,1,3,3", "w", 72)},
        {"Conv", "y = Conv<group = 2>(v, w)", constant_of("4,4,2,2", "w", 64)},
        {"Conv", "y = Conv(v, w)", constant_of("5,3,3,3", "w", 135), "float[?,?,?,?] y", {1, 3, 6, 7}},
        {"Conv", "y = Conv(v, w)", constant_of("5,8,2", "w", 80), line, line_dims},
        {"Conv", "y = Conv(v, w)", constant_of("3,8,2,2,2", "w", 192), space, space_dims},
        {"Conv", "t = Conv(v, w) s = Relu(t) y = Conv(s, r)",
         constant_of("4,8,3,3", "w", 288) + ", " + constant_of("2,4,1,1", "r", 8)},
        {"ConvInteger", "q = Cast<to = 2>(v) y = ConvInteger(q, w)",
         "int8[2,8,1,1] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12,13,-14,15,-16}", "int32[?,?,?,?] y"},
        {"QLinearConv", "q = QuantizeLinear(v, s, z) y = QLinearConv<pads = [1,1,1,1]>(q, s, z, w, s, t, s, z, b)",
         "float s = {0.05}, uint8 z = {100}, int8 t = {0}, int32[2] b = {5, -7}, "
         "int8[2,8,1,1] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12,13,-14,15,-16}",
         "uint8[?,?,?,?] y"},
        {"QLinearConv", "q = QuantizeLinear(v, s, z) y = QLinearConv<group = 8>(q, s, z, w, s, t, s, z)",
         "float s = {0.05}, uint8 z = {100}, int8 t = {0}, "
         "int8[8,1,1,2] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12,13,-14,15,-16}",
         "uint8[?,?,?,?] y"},
        {"Conv", "w = MaxPool<kernel_shape = [1,1]>(u) y = Conv<pads = [1,2,2,3]>(v, w)"},  // weights of the run
        {"ConvInteger", "q = Cast<to = 2>(v) w = Cast<to = 3>(u) y = ConvInteger<pads = [1,2,2,3]>(q, w)", "",
         "int32[?,?,?,?] y"},
        {"ConvTranspose",
         "t = MaxPool<kernel_shape = [1,1]>(u) w = Transpose<perm = [1,0,2,3]>(t) "
         "y = ConvTranspose(v, w)"},
        {"ConvTranspose", "y = ConvTranspose(v, w)", constant_of("8,3,2,2", "w", 96)},
        {"ConvTranspose", "y = ConvTranspose<strides = [2]>(v, w)", constant_of("8,3,2", "w", 48), line, line_dims},
        {"DeformConv", "y = DeformConv(v, w, o)",
         constant_of("3,8,2,2", "w", 96) + ", " + constant_of("2,8,3,5", "o", 240, -1), image, image_dims, 22},
        {"GlobalAveragePool", "y = GlobalAveragePool(v)"},
        {"GlobalMaxPool", "y = GlobalMaxPool(v)"},
        {"GridSample", "y = GridSample(v, g)", constant_of("2,3,5,2", "g", 60, -1.1, .2), image, image_dims, 22},
        {"GridSample", "g = Slice(u, a, e, d) y = GridSample(v, g)",
         "int64[1] a = {0}, int64[1] e = {2}, int64[1] d = {3}", image, image_dims, 22},
        {"LRN", "y = LRN<size = 3>(v)"},
        {"GlobalLpPool", "y = GlobalLpPool(v)"},
        {"Resize", "y = Resize<mode = \"linear\">(v, , s)", "float[4] s = {1, 1, 2, 1.5}"},
        {"Resize", "y = Resize<mode = \"nearest\">(v, , s)", "float[4] s = {1, 1, 2, 2}"},
        {"Upsample", "y = Upsample<mode = \"linear\">(v, s)", "float[4] s = {1, 1, 2, 2}", image, image_dims, 9},
        {"MaxRoiPool", "y = MaxRoiPool<pooled_shape = [3, 2]>(v, r)",
         "float[3,5] r = {1,0,0,5,3, 0,1,1,4,2, 1,2,0,5,3}"},
        {"RoiAlign", "y = RoiAlign<output_height = 3, output_width = 2>(v, r, i)",
         "float[3,4] r = {0,0,5,3, 1,1,4,2, 2,0,6,4}, int64[3] i = {1,0,1}"},
        {"DepthToSpace", "y = DepthToSpace<blocksize = 2>(v)"},
        {"SpaceToDepth", "y = SpaceToDepth<blocksize = 2>(v)"},
    };
    for (const std::string op : {"MaxPool", "AveragePool", "LpPool"}) {
        rows.push_back({op, "y = " + op + "<kernel_shape = [3,2], pads = [1,0,1,1]>(v)"});
        rows.push_back({op, "y = " + op + "<kernel_shape = [2], strides = [2]>(v)", "", line, line_dims});
        rows.push_back({op, "y = " + op + "<kernel_shape = [2,2,2]>(v)", "", space, space_dims});
    }
    return rows;
}

inline std::vector<operator_row> normalization_rows() {
    const std::string scale = constant_of("8", "s", 8, .5), shift = constant_of("8", "b", 8),
                      parameters = scale + ", " + shift;
    return {
        {"BatchNormalization", "y = BatchNormalization(v, s, b, m, a)",
         parameters + ", " + constant_of("8", "m", 8) + ", " + constant_of("8", "a", 8, .5)},
        {"InstanceNormalization", "y = InstanceNormalization(v, s, b)", parameters},
        {"GroupNormalization", "y = GroupNormalization<num_groups = 2>(v, s, b)", parameters},
        {"LayerNormalization", "y = LayerNormalization(v, s)", constant_of("6", "s", 6, .5)},
        {"LayerNormalization", "y = LayerNormalization<axis = 1>(v, s)", constant_of("8,4,6", "s", 192, .5)},
        {"RMSNormalization", "y = RMSNormalization(v, s)", constant_of("6", "s", 6, .5), image, image_dims, 23},
        {"RotaryEmbedding", "y = RotaryEmbedding(v, c, s, i)",
         constant_of("4,3", "c", 12) + ", " + constant_of("4,3", "s", 12) + ", int64[2,4] i = {0, 1, 2, 3, 3, 2, 1, 0}",
         image, image_dims, 23},
        {"CumSum", "y = CumSum(v, a)", "int64 a = {1}"},
        {"CumProd", "y = CumProd(v, a)", "int64 a = {3}", image, image_dims, 26},
        {"Softmax", "y = Softmax<axis = 1>(v)"},
        {"Softmax", "y = Softmax(v)"},
        {"LogSoftmax", "y = LogSoftmax<axis = 1>(v)"},
        {"LogSoftmax", "y = LogSoftmax<axis = 2>(v)"},
    };
}

inline std::vector<operator_row> moving_rows() {
    return {
        {"Concat", "y = Concat<axis = 1>(v, u)"},
        {"Concat", "y = Concat<axis = 3>(u, v, v)"},
        {"Split", "y, z = Split<axis = 1, num_outputs = 2>(v)", "", "float[?,?,?,?] y, float[?,?,?,?] z"},
        {"Split", "y, z = Split<axis = 2, num_outputs = 2>(v)", "", "float[?,?,?,?] y, float[?,?,?,?] z"},
        {"Slice", "y = Slice(v, a, e, d, s)",
         "int64[2] a = {1, 0}, int64[2] e = {7, 6}, int64[2] d = {1, 3}, int64[2] s = {2, 2}"},
        {"Pad", "y = Pad(v, p)", "int64[8] p = {0,1,1,0, 0,0,2,1}"},
        {"Pad", "y = Pad<mode = \"reflect\">(v, p)", "int64[8] p = {0,0,1,1, 0,0,2,1}"},
        {"Transpose", "y = Transpose<perm = [0,2,3,1]>(v)"},
        {"Transpose", "y = Transpose<perm = [1,0,2,3]>(v)"},
        {"Tile", "y = Tile(v, t)", "int64[4] t = {1,2,1,2}"},
        {"Expand", "y = Expand(v, t)", "int64[4] t = {2,8,4,6}"},
        {"Expand", "y = Expand(v, t)", "int64[5] t = {2,1,1,1,1}", "float[?,?,?,?,?] y"},
        {"Gather", "y = Gather<axis = 1>(v, k)", "int64[3] k = {7, 0, 3}"},
        {"Gather", "y = Gather<axis = 0>(v, k)", "int64[3] k = {1, 0, 1}"},
        {"Col2Im", "y = Col2Im(v, i, b)", "int64[2] i = {4, 3}, int64[2] b = {2, 2}", image, {2, 8, 6}, 18},
        {"Flatten", "y = Flatten(v)", "", "float[?,?] y"},
        {"Reshape", "y = Reshape(v, t)", "int64[3] t = {0, -1, 6}", "float[?,?,?] y"},
        {"Unsqueeze", "y = Unsqueeze(v, t)", "int64[1] t = {1}", "float[?,?,?,?,?] y"},
        {"Squeeze", "y = Squeeze(v, t)", "int64[1] t = {1}", "float[?,?,?] y", {2, 1, 4, 6}},
    };
}

inline std::vector<operator_row> product_rows() {
    const std::string gates = constant_of("1,12,6", "w", 72) + ", " + constant_of("1,12,3", "r", 36),
                      memory = constant_of("1,9,6", "w", 54) + ", " + constant_of("1,9,3", "r", 27),
                      plain = constant_of("1,3,6", "w", 18) + ", " + constant_of("1,3,3", "r", 9),
                      states = "float[?,?,?,?] y, float[?,?,?] h";
    const std::vector<std::int64_t> words{4, 2, 6}, matrix{4, 6};
    return {
        {"Attention", "y = Attention<is_causal = 1>(v, u, u)", "", image, image_dims, 24},
        {"Einsum", "y = Einsum<equation = \"bchw,bcxw->bchx\">(v, u)"},
        {"MatMul", "y = MatMul(v, w)", constant_of("6,3", "w", 18)},
        {"MatMul", "t = Transpose<perm = [0,1,3,2]>(u) y = MatMul(v, t)"},
        {"Gemm", "y = Gemm<alpha = 0.5>(v, w, b)", constant_of("6,3", "w", 18) + ", " + constant_of("3", "b", 3),
         "float[?,?] y", matrix},
        {"MatMulInteger", "q = Cast<to = 3>(v) y = MatMulInteger(q, w)",
         "int8[6,2] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}", "int32[?,?,?,?] y"},
        {"MatMulInteger", "k = Abs(v) q = Cast<to = 2>(k) y = MatMulInteger(q, w)",
         "int8[6,2] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}", "int32[?,?] y", matrix},
        {"MatMulInteger",
         "q = Cast<to = 3>(v) t = Transpose<perm = [0,1,3,2]>(u) w = Cast<to = 3>(t) "
         "y = MatMulInteger(q, w)",
         "", "int32[?,?,?,?] y"},
        {"LSTM", "y, h = LSTM<hidden_size = 3>(v, w, r)", gates, states, words},
        {"LSTM", "w = Reshape(u, d) y, h = LSTM<hidden_size = 2>(v, w, r)",
         "int64[3] d = {1, 8, 6}, " + constant_of("1,8,2", "r", 16), states, words},
        {"GRU", "y, h = GRU<hidden_size = 3>(v, w, r)", memory, states, words},
        {"RNN", "y, h = RNN<hidden_size = 3>(v, w, r)", plain, states, words},
    };
}
inline std::vector<operator_row> reduction_rows() {
    std::vector<operator_row> rows;
    for (const std::string op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceMax", "ReduceMean", "ReduceMin",
                                 "ReduceSum", "ReduceSumSquare"})
        for (const char* axes : {"int64[1] a = {1}", "int64[2] a = {2, 3}", "int64[1] a = {-1}"}) {
            rows.push_back({op, "k = Abs(v) y = " + op + "(k, a)", axes});
            rows.push_back({op, "k = Abs(v) y = " + op + "<keepdims = 0>(k, a)", axes,
                            axes[6] == '2' ? "float[?,?] y" : "float[?,?,?] y"});
        }
    return rows;
}
inline std::vector<operator_row> quantised_rows() {  // whose kernels take int8 or uint8
    const std::string codes = "q = QuantizeLinear(v, s, z) r = QuantizeLinear(u, t, z) ",
                      signed_codes = "q = QuantizeLinear(v, s, i) ",
                      scales = "float s = {0.05}, float t = {0.07}, uint8 z = {100}, int8 i = {-5}",
                      weights = scales +
                                ", int8[6,2] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}, float[2] k = {0.01, 0.02}, "
                                "int8[2] o = {0, 3}",
                      image_codes = "uint8[?,?,?,?] y", signed_image = "int8[?,?,?,?] y";
    std::vector<operator_row> rows;
    for (const std::string op : {"QLinearAdd", "QLinearMul"}) {
        rows.push_back({op, codes + "y = com.microsoft." + op + "(q, s, z, r, t, z, s, z)", scales, image_codes});
        rows.push_back({op, codes + "y = com.microsoft." + op + "(c, t, z, q, s, z, t, z)",
                        scales + ", uint8[8,1,1] c = {1,20,30,40,50,60,70,255}", image_codes});
    }
    for (const std::string op :
         {"QLinearAveragePool<kernel_shape = [3,2], pads = [1,0,1,1]>", "QLinearGlobalAveragePool", "QLinearSigmoid",
          "QLinearLeakyRelu", "QLinearReduceMean<axes = [2, 3]>", "QLinearReduceMean<axes = [1]>",
          "QLinearSoftmax<axis = 1, opset = 13>"})
        rows.push_back({op.substr(0, op.find('<')), signed_codes + "y = com.microsoft." + op + "(q, s, i, t, i)",
                        scales, signed_image});
    const std::vector<operator_row> more_rows{
        {"MaxPool", signed_codes + "y = MaxPool<kernel_shape = [3,2], pads = [1,0,1,1]>(q)", scales, signed_image},
        {"QLinearConcat", codes + "y = com.microsoft.QLinearConcat<axis = 1>(s, z, q, s, z, r, t, z)", scales,
         image_codes},
        {"QLinearConcat", codes + "y = com.microsoft.QLinearConcat<axis = 3>(s, z, r, t, z, q, s, z)", scales,
         image_codes},
        {"QLinearWhere", codes + "c = Greater(v, u) y = com.microsoft.QLinearWhere(c, q, s, z, r, t, z, s, z)", scales,
         image_codes},
        {"QLinearMatMul", codes + "y = QLinearMatMul(q, s, z, w, k, o, t, i)", weights, signed_image},
        {"QLinearMatMul", codes + "w = Transpose<perm = [0,1,3,2]>(r) y = QLinearMatMul(q, s, z, w, t, z, t, z)",
         scales, image_codes},
        {"QLinearConv", codes + "y = QLinearConv<pads = [1,2,2,3]>(q, s, z, r, t, z, s, z)", scales, image_codes},
        {"MatMulIntegerToFloat", codes + "y = com.microsoft.MatMulIntegerToFloat(q, w, s, k, z, o)", weights},
        {"DynamicQuantizeMatMul", "y = com.microsoft.DynamicQuantizeMatMul(v, w, k, o)", weights},
        {"QGemm",
         codes + "y = com.microsoft.QGemm(q, s, z, w, k, o, c, t, z)",
         weights + ", int32[2] c = {7, -90}",
         "uint8[?,?] y",
         {4, 6}},
    };
    rows.insert(rows.end(), more_rows.begin(), more_rows.end());
    return rows;
}
inline std::vector<operator_row> operator_rows() {  // of the operators that the build has
    std::vector<operator_row> rows;
    for (const auto& group : {element_wise_rows(), window_rows(), normalization_rows(), moving_rows(), product_rows(),
                              reduction_rows(), quantised_rows()})
        rows.insert(rows.end(), group.begin(), group.end());
    std::erase_if(rows, [](const operator_row& r) {
        return std::ranges::find(kernels_of<cpu>().entries, r.op, &entry::name) == kernels_of<cpu>().entries.end();
    });
    return rows;
}

// How v and u come to be.
enum class origin { given, pooled, late, late_pooled };
inline std::string text_of(const operator_row& r, origin from) {
    std::string dims, unit;
    for (std::int64_t d : r.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
    for (std::size_t i = 2; i < r.dims.size(); ++i) unit += unit.empty() ? "1" : ",1";
    const bool is_late = from == origin::late || from == origin::late_pooled,
               pools = from == origin::pooled || from == origin::late_pooled;
    std::string nodes, x = "x", addend = "other";
    if (is_late) {
        nodes += "cx = Compress<axis = 0>(x, all) co = Compress<axis = 0>(other, all) ";
        x = "cx";
        addend = "co";
    }
    nodes += (pools ? "v = MaxPool<kernel_shape = [" + unit + "]>(" : "v = Identity(") + x + ") u = Identity(" +
             addend + ") ";
    return "<ir_version: 10, opset_import: [\"\" : " + std::to_string(r.opset) + ", \"com.microsoft\" : 1]> g (float[" +
           dims + "] x, float[" + dims + "] other, bool[" + std::to_string(r.dims[0]) + "] all) => (" + r.outputs +
           ")" + (r.constants.empty() ? "" : " <" + r.constants + ">") + " { " + nodes + r.nodes + " }";
}
inline bool can_be_pooled(const operator_row& r) { return r.dims.size() >= 3; }

inline void check_same(const tensor& actual, const tensor& expected) {
    REQUIRE(actual.type() == expected.type());
    REQUIRE(actual.shape() == expected.shape());
    if (actual.type() != element::f32) {
        CHECK(std::memcmp(actual.data(), expected.data(), std::size_t(actual.bytes())) == 0);
        return;
    }
    const auto a = floats(actual), b = floats(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool same = (std::isnan(a[i]) && std::isnan(b[i])) || a[i] == Approx(b[i]).margin(1e-4).epsilon(1e-4);
        CAPTURE(i, a[i], b[i]);
        if (!same) FAIL_CHECK("element differs");
        if (!same) return;
    }
}
// Runs the row's model on the session's CPU and on the reference, and compares all outputs. Returns the CPU's plan.
inline plan_report check_row(const operator_row& r, origin from, isa::level level) {
    const std::string text = text_of(r, from);
    CAPTURE(text, isa::name_of(level));
    const model m = model_of(text, {.optimize = false});
    shape dims;
    for (std::int64_t d : r.dims) dims.push_back(d);
    tensor x(element::f32, dims), z(element::f32, dims), mask(element::boolean, {dims[0]});
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.as<float>()[std::size_t(i)] = float(i * 37 % 101 - 50) / 16.f;
        z.as<float>()[std::size_t(i)] = float(i * 29 % 97 - 48) / 12.f + .03f;
    }
    std::ranges::fill(mask.as<bool>(), true);
    const inlay::session fast{m, cpu{.threads = 1, .isa = level}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", x}, {"other", z}, {"all", mask}};
    const fetched actual = fast.run(in), expected = plain.run(in);
    for (std::size_t k = 0; k < expected.size(); ++k) check_same(actual[k], expected[k]);
    return fast.plan();
}
inline std::vector<isa::level> some_levels() {  // the lowest and the best of the machine
    std::vector<isa::level> levels{isa::level::sse2};
    if (const auto best = isa::choose({}); best && *best != levels[0]) levels.push_back(*best);
    return levels;
}
}  // namespace inlay::testing
