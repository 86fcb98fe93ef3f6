// Mirrors src/onnx/gradient.cpp and gradient_rules.cpp. Expected values: differences of the function that is
// differentiated, between two points near each other; it is computed in doubles.
#include "models.hpp"
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>
#include <cmath>

using namespace inlay;
using namespace inlay::testing;

namespace {
struct variable {
    std::string name, dims;  // dims: as the model declares them, "2,N"
    shape size;
    double low = -2, high = 2;
};
tensor values_of(const variable& v, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(v.low, v.high);
    std::vector<double> x;
    for (std::int64_t i = 0; i < v.size.elements(); ++i) x.push_back(any(random));
    return tensor(v.size, x);
}
std::string list(const std::vector<variable>& variables, const char* before, const char* after) {
    std::string text;
    for (const variable& v : variables) text += (text.empty() ? "" : ", ") + std::string(before) + v.name + after;
    return text;
}
onnx::ModelProto model_at(int opset, const std::string& graph) {
    return proto_of("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                    ", \"ai.onnx.preview.training\" : 1]> g " + graph);
}
std::string declared(const std::vector<variable>& variables) {
    std::string text;
    for (const variable& v : variables)
        text += (text.empty() ? "double" : ", double") + (v.dims.empty() ? "" : "[" + v.dims + "]") + " " + v.name;
    return text;
}
std::string gradient_text(const std::vector<variable>& xs, const std::string& more = "") {
    return list(xs, "d_", "") + " = ai.onnx.preview.training.Gradient <xs : strings = [" + list(xs, "\"", "\"") +
           "], y : string = \"y\"" + more + "> ";
}
double sum_of(const tensor& t) {
    double sum = 0;
    for (double x : t.as<double>()) sum += x;
    return sum;
}
// How the sum of y, which `body` makes of xs, changes with each element of each of xs.
void check_differences(int opset, const std::vector<variable>& xs, const std::string& body) {
    CAPTURE(opset, body);
    const std::string head = "(" + declared(xs) + ") => (y";
    const model derived = loaded(model_at(opset, head + ", " + list(xs, "d_", "") + ") { " + body + " " +
                                                     gradient_text(xs) + "(" + list(xs, "", "") + ") }"),
                                 model_options{});
    const model function = loaded(model_at(opset, head + ") { " + body + " }"));
    const session gradient{derived, reference{}}, forward{function, reference{}};
    std::vector<tensor> at;
    unsigned seed = 1;
    for (const variable& v : xs) at.push_back(values_of(v, seed++));
    const auto feeds = [&] {
        std::vector<feed> list;
        for (std::size_t k = 0; k < xs.size(); ++k) list.push_back({xs[k].name, at[k]});
        return list;
    };
    const auto actual = gradient.run(feeds());
    CHECK(elements<double>(actual[0]) == elements<double>(forward.run(feeds())[0]));
    constexpr double step = 1e-5;
    for (std::size_t k = 0; k < xs.size(); ++k) {
        CAPTURE(xs[k].name);
        REQUIRE(actual[k + 1].shape() == xs[k].size);
        for (std::size_t i = 0; i < std::size_t(xs[k].size.elements()); ++i) {
            CAPTURE(i);
            const double x = at[k].as<double>()[i];
            at[k].as<double>()[i] = x + step;
            const double above = sum_of(forward.run(feeds())[0]);
            at[k].as<double>()[i] = x - step;
            const double below = sum_of(forward.run(feeds())[0]);
            at[k].as<double>()[i] = x;
            CHECK(actual[k + 1].as<double>()[i] == Approx((above - below) / (2 * step)).epsilon(1e-6).margin(1e-7));
        }
    }
}
std::string why_not(const onnx::ModelProto& m, error_code code = error_code::unsupported_model) {
    const error e = refused(m);
    CHECK(e.code == code);
    return e.text;
}
const variable a23{"a", "2,3", {2, 3}}, b23{"b", "2,3", {2, 3}}, b3{"b", "3", {3}};
}  // namespace

TEST_CASE("Gradient of operators of one input is the slope of each", "[gradient]") {
    const variable positive{"a", "2,3", {2, 3}, .5, 3};
    for (const char* op :
         {"Abs", "Cos", "Erf", "Exp", "Identity", "LeakyRelu", "Neg", "Relu", "Sigmoid", "Sin", "Softplus", "Tanh"})
        check_differences(12, {a23}, std::string("t = ") + op + " (a) y = Mul (t, t)");
    for (const char* op : {"Log", "Reciprocal", "Sqrt"})
        check_differences(12, {positive}, std::string("t = ") + op + " (a) y = Mul (t, t)");
    check_differences(16, {a23}, "t = LeakyRelu <alpha = 0.3> (a) y = Mul (t, t)");
    check_differences(19, {a23}, "t = Cast <to = 11> (a) y = Mul (t, t)");
    check_differences(19, {a23}, "t = CastLike (a, a) s = Sign (a) u = Mul (t, s) y = Mul (t, u)");
}
TEST_CASE("Gradient of operators that broadcast is summed where an input repeats", "[gradient]") {
    const std::vector<variable> partners{b23, b3, {"b", "", {}}, {"b", "2,1", {2, 1}}, {"b", "1,3", {1, 3}}};
    for (int opset : {12, 13, 21})
        for (variable b : partners) {
            b.low = .5;
            for (const char* op : {"Add", "Div", "Mul", "Sub", "Sum"}) {
                check_differences(opset, {a23, b}, std::string("t = ") + op + " (a, b) y = Mul (t, t)");
                check_differences(opset, {b, a23}, std::string("t = ") + op + " (b, a) e = Exp (a) y = Mul (t, e)");
            }
            check_differences(opset, {a23, b},
                              "zero = Constant <value = double {0}> () c = Greater (a, zero) t = Where (c, a, b) "
                              "u = Where (c, b, a) v = Mul (t, t) y = Mul (u, v)");
        }
    check_differences(13, {{"a", "2,1,3", {2, 1, 3}}, {"b", "4,1", {4, 1}}, {"c", "3", {3}}},
                      "t = Sum (a, b, c) y = Mul (t, t)");
}
TEST_CASE("Gradient finds out in a run along which axes an input repeats", "[gradient]") {
    const std::string body = "t = Mul (a, b) y = Mul (t, t)";
    for (int opset : {13, 14, 18, 24})
        for (const shape& size : {shape{2, 3}, shape{1, 3}, shape{2, 1}, shape{1, 1}})
            check_differences(opset, {a23, {"b", "M,K", size}}, body);
    check_differences(18, {{"a", "N,K", {2, 3}}, {"b", "N,K", {2, 3}}}, body);
    CHECK(contains(why_not(model_at(12, "(double[2,3] a, double[M,K] b) => (d_b) { " + body + " " +
                                            gradient_text({{"b", "", {}}}) + "(b) }")),
                   "that takes opset 13"));
    CHECK(ops(loaded(model_at(12, "(double[N,K] a, double[N,K] b) => (d_a) { y = Mul (a, b) " +
                                      gradient_text({{"a", "", {}}}) + "(a) }"),
                     model_options{})
                  .view()) == "Mul Shape Expand Mul");  // nothing is summed where both have one shape
}
TEST_CASE("Gradient of Pow is by its base", "[gradient]") {
    for (const char* exponent : {"double {3}", "double {0.5}", "int64 {2}", "double[3] {0, 1, 2}"})
        check_differences(13, {{"a", "2,3", {2, 3}, .5, 2}},
                          "e = Constant <value = " + std::string(exponent) + "> () y = Pow (a, e)");
    CHECK(contains(why_not(model_at(
                       13, "(double[2,3] a, double[3] b) => (d_b) { y = Pow (a, b) " + gradient_text({b3}) + "(b) }")),
                   "only constant exponents are supported"));
}
TEST_CASE("Gradient of Pow is 0 where the exponent is, of 0 too", "[gradient]") {
    const model m = loaded(model_at(13,
                                    "(double[3] b) => (d_b) { e = Constant <value = double[3] {0, 1, 2}> () "
                                    "y = Pow (b, e) " +
                                        gradient_text({b3}) + "(b) }"));
    CHECK(elements<double>(session{m, reference{}}.run({{"b", tensor({3}, {0., 0., 0.})}})[0]) ==
          std::vector<double>{0, 1, 0});
}
TEST_CASE("Gradient of matmuls of matrices and vectors", "[gradient]") {
    const std::vector<std::pair<variable, variable>> pairs{
        {a23, {"b", "3,4", {3, 4}}},
        {{"a", "3", {3}}, {"b", "3,4", {3, 4}}},
        {a23, b3},
        {{"a", "3", {3}}, b3},
        {{"a", "2,4,3", {2, 4, 3}}, {"b", "3,2", {3, 2}}},
        {{"a", "2,1,2,3", {2, 1, 2, 3}}, {"b", "4,3,2", {4, 3, 2}}},
        {{"a", "2,2,3", {2, 2, 3}}, b3},
        {{"a", "3", {3}}, {"b", "2,3,4", {2, 3, 4}}},
    };
    for (int opset : {12, 13})
        for (const auto& [a, b] : pairs) check_differences(opset, {a, b}, "t = MatMul (a, b) y = Mul (t, t)");
    check_differences(13, {{"a", "B,2,3", {2, 2, 3}}, {"b", "C,3,2", {1, 3, 2}}}, "t = MatMul (a, b) y = Mul (t, t)");
}
TEST_CASE("Gradient of Gemm in every orientation", "[gradient]") {
    for (int opset : {12, 13})
        for (int across : {0, 1})
            for (int down : {0, 1})
                for (const shape& c : {shape{2, 4}, shape{4}, shape{2, 1}, shape{}}) {
                    std::string dims;
                    for (std::int64_t d : c) dims += (dims.empty() ? "" : ",") + std::to_string(d);
                    const variable a = across ? variable{"a", "3,2", {3, 2}} : a23,
                                   b = down ? variable{"b", "4,3", {4, 3}} : variable{"b", "3,4", {3, 4}};
                    const std::string turned =
                        "transA = " + std::to_string(across) + ", transB = " + std::to_string(down);
                    check_differences(opset, {a, b, {"c", dims, c}},
                                      "t = Gemm <alpha = 0.5, beta = 0.25, " + turned + "> (a, b, c) y = Mul (t, t)");
                    check_differences(opset, {a, b}, "t = Gemm <" + turned + "> (a, b) y = Mul (t, t)");
                }
}
TEST_CASE("Gradient of sums and means over axes", "[gradient]") {
    const variable a{"a", "2,3,2", {2, 3, 2}};
    for (const char* keep : {"0", "1"}) {
        const std::string keepdims = std::string("keepdims = ") + keep;
        const std::string rest = " e = Exp (t) y = Mul (e, e)";
        for (int opset : {12, 13, 18})
            for (const char* op : {"ReduceSum", "ReduceMean"}) {
                check_differences(opset, {a}, std::string("t = ") + op + " <" + keepdims + "> (a)" + rest);
                const bool attribute = opset == 12 || (opset == 13 && std::string(op) == "ReduceMean");
                check_differences(opset, {a},
                                  attribute
                                      ? std::string("t = ") + op + " <axes = [-1, 0], " + keepdims + "> (a)" + rest
                                      : "x = Constant <value = int64[2] {-1, 0}> () t = " + std::string(op) + " <" +
                                            keepdims + "> (a, x)" + rest);
            }
        check_differences(18, {a}, "t = ReduceSum <noop_with_empty_axes = 1, " + keepdims + "> (a)" + rest);
    }
}
TEST_CASE("Gradient of Softmax and LogSoftmax, in older opsets over several axes as one", "[gradient]") {
    const variable a{"a", "2,3,2", {2, 3, 2}};
    for (const char* op : {"Softmax", "LogSoftmax"})
        for (int opset : {12, 13})
            for (const char* axis : {"", "<axis = 0>", "<axis = -2>", "<axis = 2>"})
                check_differences(opset, {a, {"b", "2,3,2", {2, 3, 2}}},
                                  "t = " + std::string(op) + " " + axis + " (a) u = Mul (t, b) y = Exp (u)");
}
TEST_CASE("Gradient of what moves elements", "[gradient]") {
    const variable a{"a", "2,3,2", {2, 3, 2}};
    for (const char* moved : {"s = Constant <value = int64[2] {4, 3}> () t = Reshape (a, s)",
                              "t = Flatten <axis = 2> (a)", "t = Transpose (a)", "t = Transpose <perm = [1, 2, 0]> (a)",
                              "s = Constant <value = int64[2] {0, 2}> () t = Unsqueeze (a, s)",
                              "s = Constant <value = int64[1] {0}> () u = Unsqueeze (a, s) t = Squeeze (u, s)",
                              "s = Constant <value = int64[4] {2, 1, 3, 1}> () t = Expand (a, s)"})
        check_differences(14, {a}, std::string(moved) + " e = Exp (t) y = Mul (e, t)");
    check_differences(12, {a}, "u = Unsqueeze <axes = [1]> (a) t = Squeeze <axes = [1]> (u) y = Mul (t, t)");
}
TEST_CASE("Gradient of a network of two layers with a loss", "[gradient]") {
    check_differences(
        17,
        {{"x", "N,3", {4, 3}}, {"w", "3,5", {3, 5}}, {"b", "5", {5}}, {"v", "5,2", {5, 2}}, {"wanted", "N,2", {4, 2}}},
        "h = MatMul (x, w) s = Add (h, b) r = Tanh (s) o = MatMul (r, v) p = LogSoftmax (o) "
        "l = Mul (p, wanted) m = ReduceMean <keepdims = 0> (l) y = Neg (m)");
}

TEST_CASE("Gradient by a value that is used several times, or not at all", "[gradient]") {
    check_differences(13, {{"a", "2", {2}}, {"b", "3", {3}}}, "s = Mul (a, a) t = Add (s, a) y = Mul (t, a)");
    check_differences(13, {{"a", "2", {2}}}, "y = Identity (a)");
    const model m = loaded(model_at(13,
                                    "(double[2] a, double[2] b) => (d_b) { y = Mul (a, a) , d_b = "
                                    "ai.onnx.preview.training.Gradient <xs : strings = [\"a\", \"b\"], y : string "
                                    "= \"y\"> (a, b) }"));
    CHECK(elements<double>(session{m, reference{}}.run(
              {{"a", tensor({2}, {1., 2.})}, {"b", tensor({2}, {1., 2.})}})[0]) == std::vector<double>{0, 0});
}
TEST_CASE("Gradient does not flow through integers and conditions", "[gradient]") {
    check_differences(13, {a23},
                      "i = Cast <to = 7> (a) f = Cast <to = 11> (i) d = Shape (a) n = Size (a) e = Cast <to = 11> (n) "
                      "t = Mul (a, f) y = Mul (t, e)");
}
TEST_CASE("Gradient by values between, and at other values than those that it names", "[gradient]") {
    // y = h^2 c, at h = a b unless another value is given: by h it is 2 h c, by c it is h^2.
    const auto at = [](const std::string& inputs) {
        const model m = loaded(model_at(
            13,
            "(double[2] a, double[2] b, double[2] c) => (dh, dc) { h = Mul (a, b) s = Mul (h, h) y = Mul (s, c) "
            "dh, dc = ai.onnx.preview.training.Gradient <xs : strings = [\"h\", \"c\"], y : string = \"y\"> (" +
                inputs + ") }"));
        const auto r = session{m, reference{}}.run(
            {{"a", tensor({2}, {1., 2.})}, {"b", tensor({2}, {3., 4.})}, {"c", tensor({2}, {5., 6.})}});
        return std::pair{elements<double>(r[0]), elements<double>(r[1])};
    };
    CHECK(at("h, c") == std::pair{std::vector<double>{30, 96}, std::vector<double>{9, 64}});
    CHECK(at("b, c") == std::pair{std::vector<double>{30, 48}, std::vector<double>{9, 16}});
    CHECK(at("c, c") == std::pair{std::vector<double>{50, 72}, std::vector<double>{25, 36}});
    CHECK(at("c, a") == std::pair{std::vector<double>{10, 24}, std::vector<double>{25, 36}});
}
TEST_CASE("Gradient at values of another shape than those that it names", "[gradient]") {
    const model m = loaded(
        model_at(13,
                 "(double[2] a, double[1] b, double[3] c) => (y, dc, db) { y = Mul (a, b) dc, db = "
                 "ai.onnx.preview.training.Gradient <xs : strings = [\"a\", \"b\"], y : string = \"y\"> (c, b) }"));
    const auto r = session{
        m, reference{}}.run({{"a", tensor({2}, {1., 2.})}, {"b", tensor({1}, {3.})}, {"c", tensor({3}, {5., 6., 7.})}});
    CHECK(elements<double>(r[1]) == std::vector<double>{3, 3, 3});
    CHECK(elements<double>(r[2]) == std::vector<double>{18});
}
TEST_CASE("Gradient of a Gradient is the second derivative", "[gradient]") {
    const std::string graph =
        "(double[2] a) => (first, second, third) { t = Exp (a) s = Tanh (a) y = Mul (t, s) first = "
        "ai.onnx.preview.training.Gradient <xs : strings = [\"a\"], y : string = \"y\"> (a) third = "
        "ai.onnx.preview.training.Gradient <xs : strings = [\"a\"], y : string = \"second\"> (a) second = "
        "ai.onnx.preview.training.Gradient <xs : strings = [\"a\"], y : string = \"first\"> (a) }";
    const model m = loaded(model_at(14, graph), model_options{});
    const auto r = session{m, reference{}}.run({{"a", tensor({2}, {.3, -1.})}});
    for (std::size_t i = 0; i < 2; ++i) {
        const double a = i ? -1. : .3, e = std::exp(a), t = std::tanh(a), d1 = 1 - t * t, d2 = -2 * t * d1,
                     d3 = -2 * d1 * d1 - 2 * t * d2;
        CHECK(r[0].as<double>()[i] == Approx(e * (t + d1)));
        CHECK(r[1].as<double>()[i] == Approx(e * (t + 2 * d1 + d2)));
        CHECK(r[2].as<double>()[i] == Approx(e * (t + 3 * d1 + 3 * d2 + d3)));
    }
}
TEST_CASE("Gradient of a Gradient of matrices", "[gradient]") {
    // y = sum of (a w)^2; its derivative by w summed is 2 a^T a w, whose sum by w is 2 a^T a times ones.
    const model m =
        loaded(model_at(13,
                        "(double[2,3] a, double[3,1] w) => (second) { t = MatMul (a, w) y = Mul (t, t) first = "
                        "ai.onnx.preview.training.Gradient <xs : strings = [\"w\"], y : string = \"y\"> (w) second = "
                        "ai.onnx.preview.training.Gradient <xs : strings = [\"w\"], y : string = \"first\"> (w) }"));
    const auto r = session{
        m, reference{}}.run({{"a", tensor({2, 3}, {1., 2., 3., 4., 5., 6.})}, {"w", tensor({3, 1}, {1., 1., 1.})}});
    CHECK(elements<double>(r[0]) == std::vector<double>{2 * (6 + 4 * 15), 2 * (2 * 6 + 5 * 15), 2 * (3 * 6 + 6 * 15)});
}
TEST_CASE("Gradient stands in bodies and in functions too", "[gradient]") {
    const model branch = loaded(model_at(
        13,
        "(bool c, double[2] a) => (r) { r = If (c) <then_branch = t () => (double[2] d) { y = Mul (a, a) d = "
        "ai.onnx.preview.training.Gradient <xs : strings = [\"a\"], y : string = \"y\"> (a) }, else_branch = e () "
        "=> (double[2] d) { d = Identity (a) }> }"));
    const auto of = [&](bool c) {
        return elements<double>(
            session{branch, reference{}}.run({{"c", tensor(shape{}, {c})}, {"a", tensor({2}, {3., 4.})}})[0]);
    };
    CHECK(of(true) == std::vector<double>{6, 8});
    CHECK(of(false) == std::vector<double>{3, 4});
}

TEST_CASE("Gradient refuses operators without a rule, by name", "[gradient]") {
    const auto of = [](const std::string& body) {
        return model_at(17, "(double[2,3] a) => (d_a) { " + body + " " + gradient_text({a23}) + "(a) }");
    };
    const std::string text = why_not(of("t = Exp (a) y = Elu (t)"));
    CHECK(contains(text, "leads through the node that makes `y` (Elu)"));
    CHECK(contains(text, "there is no rule; there are rules for Abs, Add,"));
    CHECK(contains(why_not(of("k = Constant <value_ints = [1]> () y, i = TopK (a, k)")), "(TopK)"));
    loaded(of("t = Elu (a) s = Shape (t) u = ConstantOfShape (s) f = Cast <to = 11> (u) y = Mul (a, f)"));
}
TEST_CASE("Gradient refuses names, numbers and opsets that do not fit", "[gradient]") {
    const auto of = [](const std::string& attributes, const std::string& inputs, const std::string& outputs = "d",
                       int opset = 13, const std::string& more = "") {
        return model_at(opset, "(double[2] a, double[2] b, int64[2] i) => (y) { h = Mul (a, b) y = Mul (h, h) " + more +
                                   outputs + " = ai.onnx.preview.training.Gradient <" + attributes + "> (" + inputs +
                                   ") }");
    };
    constexpr auto invalid = error_code::invalid_model;
    const std::string y = ", y : string = \"y\"", by_a = "xs : strings = [\"a\"]" + y;
    loaded(of(by_a, "a"));
    CHECK(contains(why_not(of(by_a, "a, b"), invalid), "has 2 inputs; its xs and zs name 1 values"));
    CHECK(contains(why_not(of(by_a, "a", "d, e"), invalid), "has 2 outputs; its xs name 1 values"));
    CHECK(contains(why_not(of("xs : strings = [\"q\"]" + y, "a"), invalid), "`q`, which is no value of its graph"));
    CHECK(contains(why_not(of("xs : strings = [\"a\", \"a\"]" + y, "a, a"), invalid), "names `a` twice"));
    CHECK(contains(why_not(of("xs : strings = [\"a\"], y : string = \"q\"", "a"), invalid),
                   "`q`, which no node of its graph makes"));
    CHECK(contains(why_not(of("xs : strings = [\"i\"]" + y, "i"), invalid), "`i`, which is not of real numbers"));
    CHECK(contains(why_not(of("xs : strings = [\"h\"], zs : strings = [\"a\"]" + y, "h, a"), invalid),
                   "names `a` in xs or zs next to a value that is computed from it"));
    CHECK(contains(why_not(of("xs : strings = [\"a\"], y : string = \"d\"", "a"), invalid), "of its own results"));
    CHECK(contains(why_not(of(by_a, "a", "d", 11)), "opset 12 and later; this one imports opset 11"));
}
TEST_CASE("Gradient keeps to the limits of nodes and of nesting", "[gradient]") {
    std::string body;
    for (int k = 0; k < 40; ++k)
        body += "t" + std::to_string(k + 1) + " = Mul (t" + std::to_string(k) + ", t" + std::to_string(k) + ") ";
    std::string outputs;
    for (int k = 0; k < 6; ++k) {
        const std::string before = k ? "\"d" + std::to_string(k - 1) + "\"" : "\"t40\"";
        body += "d" + std::to_string(k) +
                " = ai.onnx.preview.training.Gradient <xs : strings = [\"t0\"], y : string = " + before + "> (t0) ";
    }
    const auto m = model_at(13, "(float t0) => (d5) { " + body + " }");
    model_options o = plain();
    o.limits.nodes = 2000;
    CHECK(refused(m, o).code == error_code::limit_exceeded);
    o = plain();
    o.limits.nesting = 4;
    o.limits.nodes = 1 << 30;
    CHECK(contains(refused(m, o).text, "differentiate each other deeper than 4"));
    o = plain();
    o.limits.inference = 100;
    CHECK(refused(m, o).code == error_code::limit_exceeded);
}
