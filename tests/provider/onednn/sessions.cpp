// Models on oneDNN, whole and in part, compared with the reference kernels.
#include "../engines.hpp"
#include <inlay/provider/onednn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
void check_taken(const std::string& text, const shape& x, const onednn& p = {.num_of_threads = 1}) {
    testing::check_taken(p, text, x);
}
std::string why_not(const std::string& text, const std::string& op) { return testing::why_not<onednn>(text, op); }
}  // namespace

TEST_CASE("A convolution network is one region, for each size of its inputs", "[onednn]") {
    check_taken(network_for("1"), {1, 3, 8, 8});
    check_sizes(onednn{}, {1, 3, 1});
}
TEST_CASE("Memory between nodes is kept from run to run, or had for each", "[onednn]") {
    for (const bool keep : {true, false}) check_taken(network_for("2"), {2, 3, 8, 8}, {.use_arena = keep});
}
TEST_CASE("Convolutions end with what follows them", "[onednn]") {
    const std::string constants = "<float[16,3,3,3] v = {" + numbers(432) + "}, float[16,16,3,3] w = {" +
                                  numbers(2304, .01) + "}, float[16] b = {" + numbers(16) + "}>";
    const auto with = [&](const std::string& body) {
        check_taken("g (float[1,3,9,9] x) => (float[1,16,9,9] y) " + constants +
                        " { a = Conv <pads = [1,1,1,1]> (x, v, b) " + body + " }",
                    {1, 3, 9, 9});
    };
    with("y = Relu (a)");
    with("c = Conv <pads = [1,1,1,1]> (a, w, b) y = Sigmoid (c)");
    with("c = Conv <pads = [1,1,1,1]> (a, w) d = Add (c, a) y = Relu (d)");
    with(
        "c = Conv <pads = [1,1,1,1]> (a, w) d = Add (a, c) e = Relu (d) f = Conv <pads = [1,1,1,1]> (e, w, b) y = Add "
        "(f, e)");
    with("c = HardSwish (a) y = Conv <pads = [1,1,1,1], group = 1> (c, w)");
    with("s = Sigmoid (a) y = Mul (a, s)");
}
TEST_CASE("Products have biases, residuals and activations, and matrices of any rank", "[onednn]") {
    const auto with = [](const std::string& x, const shape& dims, const std::string& rest) {
        check_taken("g (float[" + x + "] x) => (float y) " + rest, dims);
    };
    with("3,5", {3, 5},
         "<float[5,4] w = {" + numbers(20) +
             "}, float[4] b = {1, 2, 3, 4}> { p = MatMul (x, w) q = Add (p, b) y = Relu (q) }");
    with("2,3,4", {2, 3, 4},
         "<float[4,4] w = {" + numbers(16) +
             "}, float[4] b = {1, 2, 3, 4}> { p = MatMul (x, w) q = Add (b, p) y = Add (q, x) }");
    with("2,3,4", {2, 3, 4}, "{ t = Transpose <perm = [0,2,1]> (x) y = MatMul (x, t) }");
    with("2,1,3,4", {2, 1, 3, 4}, "<float[5,4,2] w = {" + numbers(40) + "}> { y = MatMul (x, w) }");
    with("4", {4}, "<float[4] w = {1, 2, 3, 4}> { y = MatMul (x, w) }");
    with("4", {4}, "<float[3,4,2] w = {" + numbers(24) + "}> { y = MatMul (x, w) }");
    with("3,4", {3, 4}, "<float[4,5] w = {" + numbers(20) + "}, float[3,1] c = {1, 2, 3}> { y = Gemm (x, w, c) }");
    with("4,3", {4, 3},
         "<float[5,4] w = {" + numbers(20) +
             "}, float[5] c = {1, 2, 3, 4, 5}> { g = Gemm <transA = 1, transB = 1, alpha = 0.5> (x, w, c) y = Tanh (g) "
             "}");
}
TEST_CASE("Gelu that is written with Erf ends a product", "[onednn]") {
    check_taken("g (float[2,3,4] x) => (float[2,3,4] y) <float[4,4] w = {" + numbers(16) +
                    "}, float[4] b = {1, 2, 3, 4}, float root = {1.4142135}, float one = {1}, float half = {0.5}> "
                    "{ p = MatMul (x, w) a = Add (p, b) d = Div (a, root) e = Erf (d) f = Add (e, one) h = Mul (a, f) "
                    "y = Mul (h, half) }",
                {2, 3, 4});
}
TEST_CASE("Groups and images are normalised with factors of their channels", "[onednn]") {
    check_taken(
        "g (float[2,4,6] x) => (float[2,4,6] y) <float[4] s = {1, 2, 3, 4}, float[4] b = {4, 3, 2, 1}> "
        "{ y = InstanceNormalization (x, s, b) }",
        {2, 4, 6});
    check_taken(
        "g (float[2,4,6] x) => (float[2,4,6] y) <float[4] s = {1, 2, 3, 4}, float[4] b = {4, 3, 2, 1}> "
        "{ y = GroupNormalization <num_groups = 2> (x, s, b) }",
        {2, 4, 6});
}
TEST_CASE("Attention as exporters write it is oneDNN's", "[onednn]") {
    std::string text = "g (float[2,6,8] x, float[2,1,1,6] m) => (float[2,6,8] y) <float[8,8] a = {" + numbers(64) +
                       "}, float[8,8] b = {" + numbers(64, .07) + "}, float[8,8] c = {" + numbers(64, .05) +
                       "}, int64[4] heads = {2, 6, 2, 4}, int64[3] joined = {2, 6, 8}, float s = {0.5}> {"
                       "q = MatMul (x, a) k = MatMul (x, b) v = MatMul (x, c) qh = Reshape (q, heads) "
                       "kh = Reshape (k, heads) vh = Reshape (v, heads) qt = Transpose <perm = [0,2,1,3]> (qh) "
                       "kt = Transpose <perm = [0,2,3,1]> (kh) vt = Transpose <perm = [0,2,1,3]> (vh) "
                       "p = MatMul (qt, kt) r = Mul (p, s) u = Add (r, m) w = Softmax (u) z = MatMul (w, vt) "
                       "t = Transpose <perm = [0,2,1,3]> (z) y = Reshape (t, joined) }";
    const model m = model_of(text);
    const inlay::session s{m, quiet(), onednn{.num_of_threads = 1}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({2, 6, 8})}, {"m", ramp({2, 1, 1, 6}, -4)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    CHECK(s.plan().count(cpu::name) == 0);
}
TEST_CASE("Parts of a tensor are operands like others", "[onednn]") {
    check_taken("g (float[1,4,20] x) => (float[1,4,20] y) <int64[2] s = {2, 2}, float[1,2,20] c = {" + numbers(40) +
                    "}> { r = Relu (x) a, b = Split <axis = 1> (r, s) d = Sub (c, a) e = Add (b, c) f = Sigmoid (e) "
                    "h = Max (d, f) y = Concat <axis = 1> (h, b) }",
                {1, 4, 20});
    check_taken(
        "g (float[1,2,3] x) => (float y) <int64[2] s = {2, 1}, float[1,1] c = {0.5}> "
        "{ a, b = Split <axis = 2> (x, s) y = MatMul (b, c) }",
        {1, 2, 3});
    check_taken(
        "g (float[2,4,6] x) => (float y) <int64[2] s = {3, 3}> "
        "{ a, b = Split <axis = 2> (x, s) t = Transpose <perm = [0,2,1]> (b) y = MatMul (a, t) }",
        {2, 4, 6});
    check_taken(
        "g (float[2,3,4] x) => (float y) <int64[1] b = {1}, int64[1] e = {3}, int64[1] a = {2}> "
        "{ p = Slice (x, b, e, a) q = Softmax (p) t = Transpose <perm = [2,0,1]> (p) r = Tanh (t) "
        "u = Transpose <perm = [1,2,0]> (r) y = Mul (q, u) }",
        {2, 3, 4});
}
TEST_CASE("What is made in blocks of channels gets other dimensions", "[onednn]") {
    for (const std::string to : {"8,2", "2,2,4", "16"})
        check_taken("g (float[2,2,2,2] x) => (float y) <float[2,2,3,3] w = {" + numbers(36) + "}, int64[" +
                        std::to_string(std::count(to.begin(), to.end(), ',') + 1) + "] s = {" + to +
                        "}> { c = Conv <pads = [1,1,1,1]> (x, w) r = Reshape (c, s) y = Softmax (r) }",
                    {2, 2, 2, 2});
}
TEST_CASE("What is an output too, or is several outputs, is written where it belongs", "[onednn]") {
    const model m = model_of(
        "g (float[2,3] x) => (float[2,3] a, float[3,2] b, float[6] c, float[2,3] d) "
        "<int64[1] s = {6}> { a = Relu (x) b = Transpose (a) c = Reshape (a, s) d = Identity (x) }",
        {.optimize = false});
    const inlay::session s{m, quiet(), onednn{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({2, 3})}};
    for (int k = 0; k < 4; ++k) CHECK(floats(s.run(in)[std::size_t(k)]) == floats(plain.run(in)[std::size_t(k)]));
    CHECK(s.plan().count(cpu::name) == 0);
}
TEST_CASE("Of what oneDNN does not take the plan says why", "[onednn]") {
    CHECK(why_not("g (float[2,3] x) => (int64[2,1] y) { a = Relu (x) y = ArgMax <axis = 1> (a) }", "ArgMax") ==
          "oneDNN has no operation for ArgMax here");
    CHECK(why_not("g (double[2] x) => (double[2] y) { y = Relu (x) }", "Relu") ==
          "oneDNN gets no tensors of type double here");
    CHECK(why_not("g (float[0,2] x) => (float[0,2] y) { y = Relu (x) }", "Relu") ==
          "oneDNN gets no tensors without elements here, as that of shape [0,2]");
    CHECK(why_not("g (float[4,3,5] x) => (float y) <int64[1] s = {0}, int64[1] e = {4}, int64[1] a = {0}, int64[1] t = "
                  "{2}> { y = Slice (x, s, e, a, t) }",
                  "Slice") == "oneDNN's parts have steps of 1, not of 2");
}
TEST_CASE("Runs of several threads have memory of their own", "[onednn][threads]") {
    for (const int threads : {1, 2}) check_threads(onednn{.num_of_threads = threads});
    check_threads(onednn{.use_arena = false, .num_of_threads = 1});
}
TEST_CASE("A binding over oneDNN writes into memory of the caller, and follows when that changes", "[onednn]") {
    check_binding(onednn{});
}
TEST_CASE("oneDNN's options are read from text, and checked", "[onednn]") {
    onednn p;
    CHECK(options_of(p) == option_list{{"use_arena", "true"}, {"num_of_threads", "0"}});
    CHECK(set_option(p, "num_of_threads", "2"));
    CHECK_FALSE(set_option(p, "threads", "2"));
    const auto result =
        session<onednn, cpu>::try_make(model_of(network_for("1")), quiet(), onednn{.num_of_threads = -1}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::invalid_option);
}
TEST_CASE("A run over oneDNN that is stopped ends, and the next one runs", "[onednn]") { check_stop(onednn{}); }
