// Mirrors kernels/inlay/onnx/matmul.hpp and kernels/inlay/cpu/onnx/matmul.hpp.
#include "../dense.hpp"
#include <inlay/cpu/onnx/matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

TEMPLATE_TEST_CASE("MatMul of every type", "", float, double, float16, bfloat16, std::int32_t, std::int64_t,
                   std::uint32_t, std::uint64_t) {
    using T = TestType;
    CHECK(
        same<T>(on_reference<op::matmul>({{list<T>({2, 3}, {1, 2, 3, 4, 5, 6}), list<T>({3, 2}, {1, 0, 2, 1, 0, 3})}}),
                list<T>({2, 2}, {5, 11, 14, 23})));
}
TEST_CASE("MatMul takes an operand of one axis as a row or a column, and drops that axis") {
    const tensor v = list<float>({2}, {1, 2}), m = list<float>({2, 2}, {1, 2, 3, 4}),
                 two = list<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(same<float>(on_reference<op::matmul>({{v, v}}), list<float>({}, {5})));
    CHECK(same<float>(on_reference<op::matmul>({{v, m}}), list<float>({2}, {7, 10})));
    CHECK(same<float>(on_reference<op::matmul>({{m, v}}), list<float>({2}, {5, 11})));
    CHECK(same<float>(on_reference<op::matmul>({{v, two}}), list<float>({2, 2}, {7, 10, 19, 22})));
    CHECK(same<float>(on_reference<op::matmul>({{two, v}}), list<float>({2, 2}, {5, 11, 17, 23})));
}
TEST_CASE("MatMul broadcasts the leading axes") {
    const tensor two = list<float>({2, 1, 2}, {1, 2, 3, 4}), three = list<float>({3, 1, 2, 1}, {1, 0, 0, 1, 1, 1});
    CHECK(same<float>(on_reference<op::matmul>({{two, three}}), list<float>({3, 2, 1, 1}, {1, 3, 2, 4, 3, 7})));
}
TEST_CASE("MatMul refuses shapes that do not fit") {
    const auto reason_of = [](const shape& a, const shape& b) {
        return run<op::matmul, device::reference>({{tensor(element::f32, a), tensor(element::f32, b)}}).answer.reason;
    };
    CHECK(reason_of({2, 3}, {2, 3}) == "the operands disagree on the axis that is summed over");
    CHECK(reason_of({2, 3}, {4}) == "the operands disagree on the axis that is summed over");
    CHECK(reason_of({2, 2, 3}, {3, 3, 2}) == "the operands' leading axes do not broadcast");
    CHECK(reason_of({}, {2}) == "an operand has no axes");
}
TEST_CASE("MatMul refuses an operand without axes before the shape of the other is known") {
    for (const auto& [a, b] : {std::pair{shape{}, shape::unknown()}, std::pair{shape::unknown(), shape{}}}) {
        std::array y{shape::unknown()};
        CHECK(std::string_view(op::matmul::shapes_of(a, b, y).reason) == "an operand has no axes");
    }
    std::array y{shape::unknown()};
    CHECK(op::matmul::shapes_of(shape::unknown(), {2, 3}, y));
    CHECK_FALSE(y[0].known());
}
TEST_CASE("MatMul without rows, columns, terms or matrices") {
    const auto empty = [](const shape& a, const shape& b, const shape& y) {
        const call c{{whole(a, 1), whole(b, 2)}};
        const tensor zero(element::f32, y);
        CHECK(same<float>(on_reference<op::matmul>(c), zero));
        at_every_level([&](isa::level l) { CHECK(same<float>(on_cpu<op::matmul>(c, l), zero)); });
    };
    empty({0, 3}, {3, 2}, {0, 2});
    empty({2, 3}, {3, 0}, {2, 0});
    empty({2, 0}, {0, 40}, {2, 40});
    empty({0, 2, 3}, {0, 3, 2}, {0, 2, 2});
    empty({0}, {0}, {});
}

TEST_CASE("MatMul on the CPU agrees with the reference kernel") {
    const auto agree = [](const shape& a, const shape& b) {
        CAPTURE(to_string(a), to_string(b));
        const tensor left = whole(a, 1), right = whole(b, 2), y = on_reference<op::matmul>({{left, right}});
        at_every_level([&](isa::level l) {
            CHECK(same<float>(on_cpu<op::matmul>({{left, operand::weight(right)}}, l), y));
            CHECK(same<float>(on_cpu<op::matmul>({{left, right}}, l), y));
            CHECK(same<float>(on_cpu<op::matmul>({{operand::weight(left), right}}, l), y));
        });
    };
    for (std::int64_t n = 1; n <= 67; ++n) agree({2, 3, 5}, {2, 5, n});
    for (std::int64_t m = 1; m <= 33; ++m) agree({2, m, 9}, {9, 37});
    for (std::int64_t k = 1; k <= 20; ++k) agree({2, 3, 6, k}, {2, 3, k, 40});
    agree({7}, {7});
    agree({7}, {3, 7, 34});
    agree({3, 20, 7}, {7});
    agree({4, 1, 20, 7}, {5, 7, 34});
    agree({1, 20, 7}, {5, 7, 34});
    agree({5, 20, 7}, {1, 7, 34});
    agree({2, 1, 20, 7}, {1, 5, 7, 34});
    agree({1, 12, 30, 64}, {1, 12, 64, 50});
    agree({2, 17, 1024}, {2, 1024, 33});  // rows that share cache sets
    agree({2, 60, 40}, {2, 40, 1024});    // the same of B
    agree({60, 400}, {400, 350});         // a B that is worth packing
    agree({2, 60, 400}, {2, 400, 350});
    agree({3, 3000}, {3000, 200});  // several slabs of K
    agree({2, 3, 3000}, {2, 3000, 200});
}
TEST_CASE("MatMul on the CPU keeps NaN and infinity where they belong") {
    tensor a = whole({2, 9, 20}, 1), b = whole({2, 20, 37}, 2);
    a.as<float>()[23] = quiet_nan;
    a.as<float>()[45] = infinity;
    b.as<float>()[36] = -infinity;
    const tensor y = on_reference<op::matmul>({{a, b}});
    at_every_level([&](isa::level l) { CHECK(same<float>(on_cpu<op::matmul>({{a, b}}, l), y)); });
}

static attributes ending(std::string_view name, std::vector<double> numbers = {}) {
    return [=](graph_data& g) {
        return list_of_attributes{g.make("activation", name),
                                  g.make("activation_params", std::span<const double>(numbers))};
    };
}
TEST_CASE("MatMul with a bias, a residual and an activation is what they give one after the other") {
    const tensor a = list<float>({1, 2, 2}, {1, 2, 3, 4}), b = list<float>({2, 2}, {1, 0, 0, -1}),
                 c = list<float>({2}, {10, 1}), z = list<float>({1, 2, 2}, {0, 1, 2, 3});
    CHECK(same<float>(on_reference<op::fused_matmul>({{a, b, c, z}}), list<float>({1, 2, 2}, {11, 0, 15, 0})));
    CHECK(same<float>(on_reference<op::fused_matmul>({{a, b, c}, ending("Relu")}),
                      list<float>({1, 2, 2}, {11, 0, 13, 0})));
    CHECK(same<float>(on_reference<op::fused_matmul>({{a, b, operand{}, z}}), list<float>({1, 2, 2}, {1, -1, 5, -1})));
    CHECK(same<float>(on_reference<op::fused_matmul>({{a, b}, ending("Clip", {-3, 2})}),
                      list<float>({1, 2, 2}, {1, -2, 2, -3})));
    CHECK(run<op::fused_matmul, device::reference>({{a, b, list<float>({3}, {1, 2, 3})}}).answer.reason ==
          "C must have one element per column");
    CHECK(run<op::fused_matmul, device::reference>({{a, b, c, c}}).answer.reason ==
          "Z has another shape than the result");
    CHECK(run<op::fused_matmul, device::reference>({{list<float>({2}, {1, 2}), b}}).answer.reason ==
          "the operands of a fused product must be matrices");
    CHECK(run<op::fused_matmul, device::reference>({{a, b, c}, ending("Softplus")}).answer.reason ==
          "the activation is unknown");
    CHECK(run<op::fused_matmul, device::cpu>({{a, b, c}, ending("Softplus")}).answer.reason ==
          "the activation is not one that MatMul ends with");
}
TEST_CASE("MatMul with a bias, a residual and an activation on the CPU agrees with the reference kernel") {
    const auto agree = [](const shape& a, const shape& b, std::string_view name, double tolerance) {
        CAPTURE(to_string(a), to_string(b), name);
        const tensor left = fractions(a, 1), right = fractions(b, 2), bias = fractions({b[b.rank - 1]}, 3);
        const tensor plain = on_reference<op::matmul>({{left, right}}), addend = fractions(plain.shape(), 4);
        for (const operand& c : {operand{}, operand{bias}})
            for (const operand& z : {operand{}, operand{addend}}) {
                const tensor y = on_reference<op::fused_matmul>({{left, right, c, z}, ending(name)});
                at_every_level([&](isa::level l) {
                    CHECK(difference(on_cpu<op::fused_matmul>({{left, operand::weight(right), c, z}, ending(name)}, l),
                                     y) < tolerance);
                    CHECK(difference(on_cpu<op::fused_matmul>({{left, right, c, z}, ending(name)}, l), y) < tolerance);
                });
            }
    };
    for (std::int64_t n = 1; n <= 67; ++n) agree({2, 3, 5}, {5, n}, "Gelu", 2e-6);
    for (std::int64_t m = 1; m <= 33; ++m) agree({2, m, 9}, {9, 37}, "Relu", 2e-6);
    for (std::string_view name : {"", "Sigmoid", "HardSigmoid", "HardSwish", "Silu", "Gelu", "GeluTanh"})
        agree({3, 7, 40}, {40, 70}, name, 2e-6);
    agree({2, 20, 40}, {2, 40, 70}, "GeluTanh", 2e-6);
    agree({3, 2000}, {2000, 70}, "Gelu", 2e-5);  // several slabs of K
    agree({2, 0, 5}, {5, 4}, "Gelu", 0.1);
}
TEST_CASE("GELU of large numbers, infinities and NaN") {
    for (std::string_view name : {"Gelu", "GeluTanh"})
        at_every_level([&](isa::level l) {
            const tensor c = list<float>({7}, {1e30, -1e30, infinity, quiet_nan, 0, 20, -20});
            CHECK(same<float>(on_cpu<op::fused_matmul>({{whole({1, 2}, 1, 0), whole({2, 7}, 2), c}, ending(name)}, l),
                              list<float>({1, 7}, {1e30, 0, infinity, quiet_nan, 0, 20, 0})));
        });
}
