#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("BatchNormalization goes into the Conv before", "[passes]") {
    auto p = conv_then("y = BatchNormalization<epsilon = 0.25>(a, s, t, m, v)");
    constant(p, "s", {3}, {1, 2, -3});
    constant(p, "t", {3}, {4, 5, 6});
    constant(p, "m", {3}, {.5, -1, 2});
    constant(p, "v", {3}, {.75, 3.75, 0});
    const model m = after(p, {"fold_batch_normalization", "eliminate_dead"});
    REQUIRE(ops(m.view()) == "Conv");
    CHECK(m.view().values[std::size_t(m.view().outputs[0])].name == "y");
    CHECK(m.graph().constants.size() == 2);
    const auto w = constant_input(m, 0, 1).as<float>(), b = constant_input(m, 0, 2).as<float>();
    const double scale[] = {1, 1, -6};
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(w[i] == Approx((double(i) - 20) * scale[i / 18]));
    CHECK(b[0] == Approx((1 - .5) * 1 + 4));
    CHECK(b[1] == Approx((2 + 1) * 1 + 5));
    CHECK(b[2] == Approx((3 - 2) * -6 + 6));
}

TEST_CASE("BatchNormalization in 16 bits goes into the Conv before, where the type can hold the result", "[passes]") {
    const auto folded = [](element e, float weight, float scale) {
        const std::string type(name_of(e));
        std::string casts;
        for (const char* name : {"w", "s", "t", "m", "v"})
            casts += " " + std::string(name) + "h = Cast<to = " + std::to_string(int(e)) + ">(" + name + ")";
        auto p = graph_of("(" + type + "[1,1,3,3] x) => (" + type + "[1,2,3,3] y) {" + casts +
                          " a = Conv(x, wh) y = BatchNormalization<epsilon = 0.25>(a, sh, th, mh, vh) }");
        p.mutable_opset_import(0)->set_version(22);  // the first with bfloat16
        p.set_ir_version(10);
        constant(p, "w", {2, 1, 1, 1}, {weight, 2});
        constant(p, "s", {2}, {scale, 3});
        constant(p, "t", {2}, {.5, -.5});
        constant(p, "m", {2}, {1, 1});
        constant(p, "v", {2}, {.75, 3.75});
        return after(p, {"fold_constants", "fold_batch_normalization", "eliminate_dead"});
    };
    const auto check = [&]<class T>(T) {
        const model m = folded(element_of<T>, 1, 2);
        REQUIRE(ops(m.view()) == "Conv");
        const auto w = constant_input(m, 0, 1).as<T>(), b = constant_input(m, 0, 2).as<T>();
        CHECK(float(w[0]) == 2);
        CHECK(float(w[1]) == 3);
        CHECK(float(b[0]) == -1.5);
        CHECK(float(b[1]) == -2);
    };
    check(float16());
    check(bfloat16());
    CHECK(ops(folded(element::f16, 4, 1e4f).view()) == "Conv");
    CHECK(ops(folded(element::f16, 4, 3e4f).view()) == "Conv BatchNormalization");  // beyond 65504
    CHECK(ops(folded(element::bf16, 4, 3e4f).view()) == "Conv");
}

TEST_CASE("Arithmetic per channel goes into a BatchNormalization that stays", "[passes]") {
    auto p = graph_of(
        "(float[1,3,2,2] x) => (float[1,3,2,2] y) { r = Relu(x) a = BatchNormalization(r, s, t, m, v) c = Mul(f, a) d "
        "= Add(c, h) y = Relu(d) }");
    constant(p, "s", {3}, {1, 2, -3});
    constant(p, "t", {3}, {4, 5, 6});
    constant(p, "m", {3}, {.5, -1, 2});
    constant(p, "v", {3}, {.75, 3.75, 1});
    constant(p, "f", {3, 1, 1}, {2, 3, 4});
    constant(p, "h", {1, 3, 1, 1}, {10, 20, 30});
    const model m = after(p, {"fold_batch_normalization", "eliminate_dead"});
    REQUIRE(ops(m.view()) == "Relu BatchNormalization Relu");
    CHECK(rewrites(m, "fold_batch_normalization") == 2);
    const auto scale = constant_input(m, 1, 1).as<float>(), shift = constant_input(m, 1, 2).as<float>(),
               mean = constant_input(m, 1, 3).as<float>();
    CHECK(std::vector<float>(scale.begin(), scale.end()) == std::vector<float>{2, 6, -12});
    CHECK(std::vector<float>(shift.begin(), shift.end()) == std::vector<float>{18, 35, 54});
    CHECK(mean[1] == -1);
}

TEST_CASE("Arithmetic per channel goes into the Conv before", "[passes]") {
    const std::vector<std::string> names{"fold_batch_normalization", "eliminate_dead"};
    SECTION("Mul, then Add") {
        auto p = conv_then("c = Mul(s, a) y = Add(c, t)");
        constant(p, "s", {3, 1, 1}, {2, 3, 4});
        constant(p, "t", {1, 3, 1, 1}, {10, 20, 30});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 1).as<float>()[18] == -6);
        CHECK(constant_input(m, 0, 2).as<float>()[2] == 42);
    }
    SECTION("Sub and Div of one number") {
        auto p = conv_then("c = Sub(a, s) y = Div(c, t)");
        constant(p, "s", {}, {1});
        constant(p, "t", {1}, {2});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 2).as<float>()[2] == 1);
    }
    SECTION("without a bias") {
        auto p = conv_then("y = Add(a, t)");
        p.mutable_graph()->mutable_node(0)->mutable_input()->RemoveLast();
        constant(p, "t", {1, 3, 1, 1}, {10, 20, 30});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 2).as<float>()[1] == 20);
    }
    SECTION("after ConvTranspose with groups") {
        auto p =
            graph_of("(float[1,4,3,3] x) => (float[?,?,?,?] y) { a = ConvTranspose<group = 2>(x, w) y = Mul(a, s) }");
        constant(p, "w", {4, 2, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1});
        constant(p, "s", {4, 1, 1}, {1, 2, 3, 4});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "ConvTranspose");
        const auto w = constant_input(m, 0, 1).as<float>();
        CHECK(std::vector<float>(w.begin(), w.end()) == std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4});
    }
    SECTION("what stays") {
        const auto left = [&](const std::string& rest, std::initializer_list<std::int64_t> dims, std::size_t count,
                              const std::string& outputs = "float[?,?,?,?] y") {
            auto p = conv_then(rest, "", outputs);
            constant(p, "s", dims, std::vector<float>(count, 2));
            return ops(after(p, names).view());
        };
        CHECK(left("y = Mul(a, s)", {1, 1, 3, 1}, 3) == "Conv Mul");     // per row
        CHECK(left("y = Mul(a, s)", {3}, 3) == "Conv Mul");              // per column
        CHECK(left("y = Mul(a, s)", {2, 1, 1, 1}, 2) == "Conv Mul");     // more batches
        CHECK(left("y = Mul(a, s)", {1, 1, 3, 1, 1}, 3) == "Conv Mul");  // a higher rank
        CHECK(left("y = Sub(s, a)", {3, 1, 1}, 3) == "Conv Sub");
        CHECK(left("y = Div(s, a)", {3, 1, 1}, 3) == "Conv Div");
        CHECK(left("b2 = Relu(a) c = Mul(a, s) y = Add(b2, c)", {3, 1, 1}, 3) == "Conv Relu Mul Add");
        CHECK(left("y = Mul(a, s)", {3, 1, 1}, 3, "float[?,?,?,?] y, float[?,?,?,?] a") == "Conv Mul");
        CHECK(left("y = Mul(a, a)", {3, 1, 1}, 3) == "Conv Mul");
    }
    SECTION("not a BatchNormalization that trains") {
        auto p = conv_then("y, m2, v2 = BatchNormalization<training_mode = 1>(a, s, t, m, v)");
        for (const char* name : {"s", "t", "m", "v"}) constant(p, name, {3}, {1, 2, 3});
        CHECK(ops(after(p, names).view()) == "Conv BatchNormalization");
    }
}

TEST_CASE("A division by zero stays behind the Conv, for 0 / 0 is not 0 * infinity", "[passes]") {
    auto p = conv_then("y = Div(a, zero)");
    constant(p, "zero", {1}, {0});
    CHECK(ops(after(p, {"fold_batch_normalization", "eliminate_dead"}).view()) == "Conv Div");
}
