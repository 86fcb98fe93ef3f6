// Models on TVM, whole and in part, compared with the reference kernels.
#include "../engines.hpp"
#include <inlay/provider/tvm.hpp>
#include <cstring>
using namespace inlay;
using namespace inlay::testing;

namespace {
// The same on TVM, all nodes of it, and by the reference kernels.
void check_same(const model& m, const std::vector<feed>& in, inlay::tvm provider = {}) {
    session_options options = quiet();
    options.fallback = fallback::never();
    const inlay::session s{m, options, std::move(provider)};
    const inlay::session plain{m, reference{}};
    const auto y = s.run(in), expected = plain.run(in);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
        REQUIRE(y[k].shape() == expected[k].shape());
        REQUIRE(y[k].type() == expected[k].type());
        if (y[k].type() != element::f32) {
            CHECK(std::memcmp(y[k].data(), expected[k].data(), std::size_t(y[k].bytes())) == 0);
            continue;
        }
        const auto a = floats(y[k]), b = floats(expected[k]);
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::isnan(a[i]) && std::isnan(b[i]))) CHECK(a[i] == Approx(b[i]).epsilon(2e-5).margin(1e-5));
    }
}
}  // namespace

TEST_CASE("A network is one region, for each size of its inputs", "[tvm]") { check_sizes(inlay::tvm{}, {1, 3, 1}); }

TEST_CASE("Convolutions agree with the reference kernels: groups, strides, dilations, pads, odd numbers of channels",
          "[tvm]") {
    const auto conv = [](const std::string& attributes, int in, int out, int per_group, int kernel, int size) {
        const std::string w = std::to_string(out) + "," + std::to_string(per_group) + "," + std::to_string(kernel) +
                              "," + std::to_string(kernel);
        const std::string x = std::to_string(in) + "," + std::to_string(size) + "," + std::to_string(size);
        CAPTURE(attributes, w, x);
        const model m = model_of("g (float[2," + x + "] x) => (float[a,b,c,d] y) <float[" + w + "] w = {" +
                                 numbers(out * per_group * kernel * kernel) + "}, float[" + std::to_string(out) +
                                 "] b = {" + numbers(out) + "}> { y = Conv <" + attributes + "> (x, w, b) }");
        check_same(m, {{"x", ramp({2, in, size, size})}});
    };
    conv("pads = [1,1,1,1]", 5, 16, 5, 3, 7);
    conv("strides = [2,2], pads = [1,1,1,1]", 6, 7, 6, 3, 9);
    conv("group = 6, pads = [1,1,1,1]", 6, 6, 1, 3, 6);
    conv("group = 3", 3, 12, 1, 3, 5);
    conv("group = 2, dilations = [2,2]", 8, 16, 4, 3, 9);
    conv("auto_pad = \"SAME_UPPER\", strides = [2,2]", 4, 8, 4, 2, 7);
    conv("strides = [3,3]", 24, 24, 24, 1, 7);
    conv("pads = [2,0,1,3]", 16, 20, 16, 3, 5);  // computes 32 columns
    check_same(model_of("g (float[1,4,5,5] x, float[6,2,3,3] w, float[6] b) => (float[1,6,3,3] y) "
                        "{ y = Conv <group = 2> (x, w, b) }"),
               {{"x", ramp({1, 4, 5, 5})}, {"w", ramp({6, 2, 3, 3})}, {"b", ramp({6})}});
}

TEST_CASE("Matmuls agree with the reference kernels: batches, transposes, bias, constant and not", "[tvm]") {
    const std::string w = "<float[6,20] w = {" + numbers(120) + "}, float[20] b = {" + numbers(20) + "}>";
    check_same(
        model_of("g (float[3,6] x) => (float[3,20] y) " + w + " { y = Gemm <alpha = 0.5, beta = 2.0> (x, w, b) }"),
        {{"x", ramp({3, 6})}});
    check_same(model_of("g (float[6,3] x) => (float[3,20] y) " + w + " { y = Gemm <transA = 1> (x, w, b) }"),
               {{"x", ramp({6, 3})}});
    check_same(model_of("g (float[3,20] x) => (float[3,6] y) " + w + " { y = Gemm <transB = 1> (x, w) }"),
               {{"x", ramp({3, 20})}});
    check_same(
        model_of("g (float[2,5,6] x) => (float[2,5,20] y) " + w + " { p = MatMul(x, w) a = Add(p, b) y = Relu(a) }"),
        {{"x", ramp({2, 5, 6})}});
    check_same(model_of("g (float[2,3,5,6] x, float[3,6,7] z) => (float[2,3,5,7] y) { y = MatMul(x, z) }"),
               {{"x", ramp({2, 3, 5, 6})}, {"z", ramp({3, 6, 7})}});
    check_same(model_of("g (float[2,37,70] x, float[70,19] z) => (float[2,37,19] y) { p = MatMul(x, z) y = Relu(p) }"),
               {{"x", ramp({2, 37, 70})}, {"z", ramp({70, 19})}});  // 40 rows, 32 columns
    check_same(model_of("g (float[70,37] x, float[19,70] z, float[19] b) => (float[37,19] y) "
                        "{ y = Gemm <transA = 1, transB = 1> (x, z, b) }"),
               {{"x", ramp({70, 37})}, {"z", ramp({19, 70})}, {"b", ramp({19})}});
    check_same(model_of("g (float[6] x, float[2,6,5] z, float[5] v) => (float[2,5] y, float[2] w) "
                        "{ y = MatMul(x, z) w = MatMul(y, v) }"),
               {{"x", ramp({6})}, {"z", ramp({2, 6, 5})}, {"v", ramp({5})}});
    check_same(model_of("g (float[3,80] x) => (float[3,20] y) <float[80,20] w = {" + numbers(1600) +
                        "}, float[20] b = {" + numbers(20) + "}> { p = Gemm(x, w, b) y = Relu(p) }"),  // 32 columns
               {{"x", ramp({3, 80})}});
}

TEST_CASE("Element-wise operators agree with the reference kernels, NaN and infinity included", "[tvm]") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const tensor x({16}, {-200.f, -90.f, -9.f, -2.5f, -1.f, -.3f, -0.f, 0.f, .2f, .7f, 1.f, 3.f, 10.f, 95.f, nan, inf});
    for (const char* op :
         {"Relu(x)", "LeakyRelu <alpha = 0.3> (x)", "Sigmoid(x)", "HardSigmoid(x)", "HardSwish(x)", "Tanh(x)", "Erf(x)",
          "Gelu(x)", "Gelu <approximate = \"tanh\"> (x)", "Exp(x)", "Neg(x)", "Reciprocal(x)"}) {
        CAPTURE(op);
        check_same(model_of("g (float[16] x) => (float[16] y) { y = " + std::string(op) + " }"), {{"x", x}});
    }
    check_same(model_of("g (float[16] x) => (float[16] y) <float low = {-1.0}, float high = {2.0}> "
                        "{ y = Clip(x, low, high) }"),
               {{"x", x}});
    const tensor positive({4}, {.25f, 1.f, 7.f, 1e9f});
    check_same(model_of("g (float[4] x) => (float[4] y, float[4] z, float[4] p) <float e = {2.0}> "
                        "{ y = Sqrt(x) z = Log(x) p = Pow(x, e) }"),
               {{"x", positive}});
}

TEST_CASE("Operands broadcast, and integers and booleans are computed with", "[tvm]") {
    for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min"}) {
        CAPTURE(op);
        check_same(
            model_of("g (float[2,3,4] x, float[3,1] z) => (float[2,3,4] y) { y = " + std::string(op) + "(x, z) }"),
            {{"x", ramp({2, 3, 4})}, {"z", tensor({3, 1}, {1.f, 2.f, -.5f})}});
    }
    const tensor a({3}, std::vector<std::int64_t>{1, -7, 1LL << 40}), b({3}, std::vector<std::int64_t>{1, 3, 5});
    check_same(model_of("g (int64[3] a, int64[3] b) => (int64[3] y, bool[3] e, int64[3] w, int32[3] c) "
                        "{ y = Mul(a, b) e = Equal(a, b) w = Where(e, a, b) c = Cast <to = 6> (b) }"),
               {{"a", a}, {"b", b}});
    check_same(model_of("g (float[4] x) => (bool[4] y, float[4] z) "
                        "{ y = Cast <to = 9> (x) n = Not(y) z = Cast <to = 1> (n) }"),
               {{"x", tensor({4}, {0.f, -0.f, 2.f, -.1f})}});
    check_same(model_of("g (float x, float[1,4,2,2] z) => (float[1,4,2,2] y, float q) { y = Mul(z, x) q = Neg(x) }"),
               {{"x", tensor(shape{}, {3.f})}, {"z", ramp({1, 4, 2, 2})}});
}

TEST_CASE("Pools, reductions and normalizations agree with the reference kernels", "[tvm]") {
    const std::vector<feed> image{{"x", ramp({2, 5, 7, 6})}};
    for (const char* op :
         {"MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (x)",
          "MaxPool <kernel_shape = [2,2], strides = [2,2], ceil_mode = 1> (x)",
          "AveragePool <kernel_shape = [3,2], pads = [1,0,1,1]> (x)",
          "AveragePool <kernel_shape = [3,3], pads = [1,1,1,1], count_include_pad = 1> (x)", "GlobalAveragePool(x)",
          "GlobalMaxPool(x)", "Softmax <axis = -1> (x)", "Softmax <axis = 1> (x)", "LogSoftmax <axis = 2> (x)",
          "ReduceMax(x)", "ReduceL2(x)", "Transpose <perm = [2,0,3,1]> (x)"}) {
        CAPTURE(op);
        check_same(model_of("g (float[2,5,7,6] x) => (float[a,b,c,d] y) { y = " + std::string(op) + " }"), image);
    }
    for (const char* axes : {"{1}", "{3}", "{2, 3}", "{0, 2}"}) {
        CAPTURE(axes);
        const std::string n = std::string(axes).find(',') == std::string::npos ? "1" : "2";
        check_same(model_of("g (float[2,5,7,6] x) => (float[a,b,c,d] y, float[e,f,g] z) <int64[" + n + "] k = " + axes +
                            "> { y = ReduceMean(x, k) s = ReduceSum <keepdims = 0> (x, k) z = Neg(s) }"),
                   image);
    }
    check_same(model_of("g (float[4,6] x) => (float[4,6] y) <float[6] s = {1.0,2.0,3.0,0.5,-1.0,1.0}, "
                        "float[6] b = {0.0,1.0,2.0,3.0,4.0,5.0}> { y = LayerNormalization(x, s, b) }"),
               {{"x", ramp({4, 6})}});
    check_same(
        model_of("g (float[4,3,2] x) => (float[4,3,2] y) <float[2] s = {1.0,2.0}, float[3,1] b = {3.0,0.5,-1.0}> "
                 "{ y = LayerNormalization <axis = 1> (x, s, b) }"),
        {{"x", ramp({4, 3, 2})}});
}

TEST_CASE("What only moves elements moves the right ones", "[tvm]") {
    const std::vector<feed> in{{"x", ramp({2, 4, 3, 5})}};
    struct form {
        const char *dims, *body;
    };
    for (const auto& [dims, body] :
         {form{"a,b", "r = Reshape(x, to) y = Neg(r)"}, form{"a,b,c,d", "s = Slice(x, i, j, k, l) y = Identity(s)"},
          form{"a,b,c,d", "u, v = Split <axis = 1, num_outputs = 2> (x) y = Sub(u, v)"},
          form{"a,b,c,d", "y = Concat <axis = 2> (x, x)"},
          form{"a,b,c,d", "t = MaxPool <kernel_shape = [1,1]> (x) y = Concat <axis = 1> (t, x, t)"},
          form{"a,b,c,d", "t = MaxPool <kernel_shape = [1,1]> (x) u, y = Split <axis = 1, num_outputs = 2> (t)"},
          form{"a,b,c,d", "y = Gather <axis = 1> (x, at)"},
          form{"a,b,c,d", "u = Unsqueeze(x, one) y = Squeeze(u, one)"}, form{"a,b", "y = Flatten <axis = 2> (x)"},
          form{"a,b,c,d", "y = Pad(x, edges)"}, form{"a,b,c,d", "y = Resize(x, , twice)"},
          form{"a,b,c,d", "y = Identity(x)"}}) {
        CAPTURE(body);
        check_same(model_of("g (float[2,4,3,5] x) => (float[" + std::string(dims) +
                            "] y) <int64[2] to = {8, 15}, int64[2] k = {1, 3}, int64[3] at = {3, 0, 1}, "
                            "int64[1] one = {1}, int64[8] edges = {0, 1, 0, 2, 1, 0, -1, 0}, "
                            "float[4] twice = {1.0, 1.0, 2.0, 2.0}> { i = Constant <value_ints = [3, 4]> () "
                            "j = Constant <value_ints = [0, -6]> () l = Constant <value_ints = [-1, -2]> () " +
                            body + " }"),
                   in);
    }
}

TEST_CASE("Values of one dimension and of none, results that share memory, and operands left out are all right",
          "[tvm]") {
    const std::vector<feed> row{{"x", ramp({5})}}, image{{"x", ramp({1, 4, 3, 3})}};
    check_same(model_of("g (float[5] x) => (float[5] y) { y = Softmax(x) }"), row);
    const float masked = -std::numeric_limits<float>::infinity();
    check_same(model_of("g (float[5] x) => (float[5] y) { y = Softmax(x) }"),
               {{"x", tensor({5}, {masked, 1.f, -1e9f, 2.f, masked})}});
    check_same(model_of("g (float[5] x) => (float y, float z) { y = ReduceMean <keepdims = 0> (x) z = Exp(y) }"), row);
    check_same(model_of("g (float[5] x) => (float[5] y) <float high = {1.0}> { y = Clip(x, , high) }"), row);
    check_same(model_of("g (float[1,4,3,3] x) => (float[1,36] y, float[1,4,3,3] z, float[36] w) <int64[1] to = {36}> "
                        "{ a = Relu(x) y = Flatten(a) z = Identity(a) w = Reshape(x, to) }"),
               image);
    check_same(
        model_of("g (float[1,4,3,3] x) => (float[1,4,3,3] y, float[1,4,3,3] z) <float[4,1,1] s = {0.5,1.0,-1.0,2.0}> "
                 "{ m = MaxPool <kernel_shape = [1,1]> (x) y = PRelu(m, s) z = Add(y, m) }"),
        image);
    check_same(model_of("g (float[5] x) => (float[3,5] y) <int64[2] to = {3, 5}> { e = Expand(x, to) y = Mul(e, x) }"),
               row);
    check_same(model_of("g (float[2,2] x, int32[2] i) => (float[2] y) <float[2] w = {1.5, 2.5}> "
                        "{ k = Constant <value_ints = [1]> () p = Pow(x, w) r = Gather <axis = 1> (p, i) "
                        "q = ReduceMax <keepdims = 0> (r, k) y = Neg(q) }"),
               {{"x", tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})}, {"i", tensor({2}, std::vector<std::int32_t>{1, -2})}});
}

TEST_CASE("An index of Gather that the run brings is checked", "[tvm]") {
    const model m = model_of(
        "g (int64[2] i) => (float[2,2] y) <float[3,2] w = {1.0,2.0,3.0,4.0,5.0,6.0}> "
        "{ y = Gather(w, i) }");
    const inlay::session s{m, quiet(), inlay::tvm{}};
    CHECK(floats(s.run({{"i", tensor({2}, std::vector<std::int64_t>{-1, 0})}})[0]) == std::vector{5.f, 6.f, 1.f, 2.f});
    for (const std::int64_t wrong : {3, -4}) {
        const std::vector<feed> in{{"i", tensor({2}, std::vector<std::int64_t>{0, wrong})}};
        const auto failed = s.try_run(in);
        REQUIRE_FALSE(failed);
        CHECK(has_text(failed.why().text, "an index of Gather is out of range"));
    }
}

TEST_CASE("What TVM does not take stays outside, with the reason, and the rest are regions around it", "[tvm]") {
    const model m = model_of(
        "g (float[1,4,4,4] x) => (float[1,4,4,4] y, double[1,4,4,4] d, float[1,4,2,2] e, int64[1,4,2,2] i) "
        "{ a = Relu(x) c = LpNormalization(a) y = Neg(c) d = Cast <to = 11> (a) "
        "e, i = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x) }");
    const inlay::session s{m, quiet(), inlay::tvm{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({1, 4, 4, 4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == inlay::tvm::name);
    CHECK(line_of(plan, "Neg").provider == inlay::tvm::name);
    CHECK(line_of(plan, "MaxPool").provider == cpu::name);
    CHECK(refusal_of<inlay::tvm>(plan, "LpNormalization") == "TVM has no operation for LpNormalization here");
    CHECK(refusal_of<inlay::tvm>(plan, "Cast") == "TVM gets no tensors of type double here");
    CHECK(refusal_of<inlay::tvm>(plan, "MaxPool") ==
          "the indices of the maxima are wanted, which TVM's operation does not give");
}

TEST_CASE("Runs of several threads have memory of their own", "[tvm][threads]") {
    for (const int workers : {1, 2}) check_threads(inlay::tvm{.num_of_threads = workers});
}

TEST_CASE("A run over TVM stops on request", "[tvm]") { check_stop(inlay::tvm{}); }

TEST_CASE("TVM's options are read from text, written, and checked", "[tvm]") {
    inlay::tvm p;
    CHECK(options_of(p) ==
          option_list{{"target", "llvm"}, {"opt_level", "3"}, {"num_of_threads", "1"}, {"load_native_code", "false"}});
    CHECK(set_option(p, "target", "llvm -mcpu=x86-64"));
    CHECK_FALSE(set_option(p, "opt_level", "high"));
    CHECK_FALSE(set_option(p, "opt_levle", "3"));
    check_same(model_of(network_for("1")), {{"x", ramp({1, 3, 8, 8})}}, p);  // four float32 a vector
    check_same(model_of(network_for("1")), {{"x", ramp({1, 3, 8, 8})}}, {.opt_level = 0});
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const auto reason_for = [&](inlay::tvm wrong) {
        const auto outcome = session<inlay::tvm>::try_make(m, quiet(), std::move(wrong));
        REQUIRE_FALSE(outcome);
        CHECK(outcome.why().code == error_code::invalid_option);
        return outcome.why().text;
    };
    CHECK(has_text(reason_for({.target = "abacus"}), "the target \"abacus\" is not llvm, nor llvm -mcpu=NAME"));
    CHECK(has_text(reason_for({.target = "llvm -mcpu="}), "is not llvm"));
    CHECK(has_text(reason_for({.opt_level = 4}), "opt_level is 0 to 3"));
    CHECK(has_text(reason_for({.num_of_threads = -1}), "num_of_threads cannot be negative"));
}
