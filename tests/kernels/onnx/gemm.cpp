// Mirrors kernels/inlay/onnx/gemm.hpp and kernels/inlay/cpu/onnx/gemm.hpp.
#include "../dense.hpp"
#include <inlay/cpu/onnx/gemm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

static attributes with(bool trans_a, bool trans_b, double alpha = 1, double beta = 1, std::int64_t broadcast = -1) {
    return [=](graph_data& g) {
        list_of_attributes entries{g.make("transA", std::int64_t(trans_a)), g.make("transB", std::int64_t(trans_b)),
                                   g.make("alpha", alpha), g.make("beta", beta)};
        if (broadcast >= 0) entries.push_back(g.make("broadcast", broadcast));
        return entries;
    };
}
static attributes activated(std::string_view name, std::vector<double> numbers, bool trans_b = false) {
    return [=](graph_data& g) {
        return list_of_attributes{g.make("transB", std::int64_t(trans_b)), g.make("activation", name),
                                  g.make("activation_params", std::span<const double>(numbers))};
    };
}
template <class Op> static verdict answer(call c) { return run<Op, device::reference>(c).answer; }

TEMPLATE_TEST_CASE("Gemm of every type, transposed in every way", "", float, double, float16, bfloat16, std::int32_t,
                   std::int64_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor a = list<T>({2, 3}, {1, 2, 3, 4, 5, 6}), at = list<T>({3, 2}, {1, 4, 2, 5, 3, 6}),
                 b = list<T>({3, 2}, {1, 0, 2, 1, 0, 3}), bt = list<T>({2, 3}, {1, 2, 0, 0, 1, 3});
    const tensor c = list<T>({2}, {10, 20}), y = list<T>({2, 2}, {15, 31, 24, 43});
    CHECK(same<T>(on_reference<op::gemm>({{a, b, c}, with(false, false)}), y));
    CHECK(same<T>(on_reference<op::gemm>({{at, b, c}, with(true, false)}), y));
    CHECK(same<T>(on_reference<op::gemm>({{a, bt, c}, with(false, true)}), y));
    CHECK(same<T>(on_reference<op::gemm>({{at, bt, c}, with(true, true)}), y));
    CHECK(same<T>(on_reference<op::gemm>({{a, b, c}, with(false, false, 2, 0.5)}), list<T>({2, 2}, {15, 32, 33, 56})));
    CHECK(same<T>(on_reference<op::gemm>({{a, b}, with(false, false, 0.5)}),
                  std::is_integral_v<T> ? list<T>({2, 2}, {2, 5, 7, 11}) : list<T>({2, 2}, {2.5, 5.5, 7, 11.5})));
}
TEST_CASE("Gemm broadcasts C to the result") {
    const tensor a = list<float>({2, 1}, {1, 2}), b = list<float>({1, 3}, {1, 2, 3}),
                 zero = list<float>({2, 3}, {1, 2, 3, 2, 4, 6});
    CHECK(same<float>(on_reference<op::gemm>({{a, b}}), zero));
    CHECK(same<float>(on_reference<op::gemm>({{a, b, list<float>({}, {1})}}), list<float>({2, 3}, {2, 3, 4, 3, 5, 7})));
    CHECK(
        same<float>(on_reference<op::gemm>({{a, b, list<float>({1}, {1})}}), list<float>({2, 3}, {2, 3, 4, 3, 5, 7})));
    CHECK(same<float>(on_reference<op::gemm>({{a, b, list<float>({1, 3}, {0, 1, 2})}}),
                      list<float>({2, 3}, {1, 3, 5, 2, 5, 8})));
    CHECK(same<float>(on_reference<op::gemm>({{a, b, list<float>({2, 1}, {0, 10})}}),
                      list<float>({2, 3}, {1, 2, 3, 12, 14, 16})));
    CHECK(same<float>(on_reference<op::gemm>({{a, b, list<float>({2, 3}, {0, 1, 2, 3, 4, 5})}}),
                      list<float>({2, 3}, {1, 3, 5, 5, 8, 11})));
    CHECK(same<float>(on_reference<op::gemm>({{a, b, list<float>({1}, {quiet_nan})}, with(false, false, 1, 0)}), zero));
}
TEST_CASE("Before version 7 Gemm broadcasts C only if broadcast is 1") {
    const tensor a = list<float>({2, 1}, {1, 2}), b = list<float>({1, 2}, {1, 2}), row = list<float>({2}, {1, 1}),
                 full = list<float>({2, 2}, {1, 1, 1, 1});
    for (int version : {1, 6}) {
        CHECK(answer<op::gemm>({{a, b, row}, with(false, false), version}).reason ==
              "C must be a matrix without `broadcast`");
        CHECK(answer<op::gemm>({{a, b, list<float>({1, 2}, {1, 1})}, with(false, false, 1, 1, 0), version}).reason ==
              "C does not broadcast to the result's shape");
        CHECK(same<float>(on_reference<op::gemm>({{a, b, row}, with(false, false, 1, 1, 1), version}),
                          list<float>({2, 2}, {2, 3, 3, 5})));
        CHECK(same<float>(on_reference<op::gemm>({{a, b, full}, with(false, false), version}),
                          list<float>({2, 2}, {2, 3, 3, 5})));
    }
    for (int version : {1, 6, 7, 9})
        CHECK(answer<op::gemm>({{a, b}, with(false, false, 1, 1, 1), version}).reason == "C is missing");
    for (int version : {11, 13}) CHECK(answer<op::gemm>({{a, b}, with(false, false), version}));
}
TEST_CASE("Gemm refuses shapes that do not fit") {
    const tensor a(element::f32, {2, 3}), b(element::f32, {3, 4});
    CHECK(answer<op::gemm>({{a, a}}).reason == "A and B disagree on K");
    CHECK(answer<op::gemm>({{a, b}, with(true, false)}).reason == "A and B disagree on K");
    CHECK(answer<op::gemm>({{a, tensor(element::f32, {3})}}).reason == "A and B must be matrices");
    CHECK(answer<op::gemm>({{a, b, tensor(element::f32, {3})}}).reason == "C does not broadcast to the result's shape");
    CHECK(answer<op::gemm>({{a, b, tensor(element::f32, {1, 2, 4})}}).reason == "C has more than two axes");
    CHECK(answer<op::gemm>({{a, operand{}}}).reason == "A or B is missing");
}
TEST_CASE("Gemm of integers wraps around, and rounds scaled sums towards zero") {
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const tensor a({1, 1}, {most}), two({1, 1}, {std::int32_t(2)}), unit({1, 1}, {std::int32_t(1)});
    CHECK(same<std::int32_t>(on_reference<op::gemm>({{a, two}}), tensor({1, 1}, {std::int32_t(-2)})));
    CHECK(same<std::int32_t>(on_reference<op::gemm>({{a, unit}, with(false, false, 4)}), a));
    CHECK(same<std::int32_t>(
        on_reference<op::gemm>({{tensor({1, 1}, {std::int32_t(-3)}), unit}, with(false, false, 0.5)}),
        tensor({1, 1}, {std::int32_t(-1)})));
}
TEST_CASE("Gemm without rows, columns or terms") {
    const auto zero = [](std::int64_t m, std::int64_t n, std::int64_t k, auto run) {
        const tensor c = whole({n}, 1), y = run(call{{whole({m, k}, 2), whole({k, n}, 3), c}});
        REQUIRE(y.shape() == shape{m, n});
        for (std::int64_t i = 0; i < y.elements(); ++i)
            CHECK(y.as<float>()[std::size_t(i)] == c.as<float>()[std::size_t(i % n)]);
    };
    for (auto [m, n, k] : {std::array<std::int64_t, 3>{0, 3, 2}, {3, 0, 2}, {3, 5, 0}, {0, 0, 0}}) {
        zero(m, n, k, [](const call& c) { return on_reference<op::gemm>(c); });
        at_every_level([&](isa::level l) { zero(m, n, k, [l](const call& c) { return on_cpu<op::gemm>(c, l); }); });
    }
}

TEST_CASE("Gemm on the CPU agrees with the reference kernel at every tail of rows, columns and terms") {
    const auto agree = [](std::int64_t m, std::int64_t n, std::int64_t k) {
        CAPTURE(m, n, k);
        const tensor a = whole({m, k}, unsigned(m)), b = whole({k, n}, unsigned(n)), c = whole({n}, 3);
        const tensor y = on_reference<op::gemm>({{a, b, c}});
        at_every_level([&](isa::level l) {
            CHECK(same<float>(on_cpu<op::gemm>({{a, operand::weight(b), c}}, l), y));
            CHECK(same<float>(on_cpu<op::gemm>({{a, b, c}}, l), y));
        });
    };
    for (std::int64_t n = 0; n <= 67; ++n) agree(5, n, 7);
    for (std::int64_t m = 0; m <= 45; ++m) agree(m, 33, 5);
    for (std::int64_t k = 0; k <= 67; ++k) agree(15, 17, k);
    for (std::int64_t m : {1, 2, 3, 4})
        for (std::int64_t n : {64, 128, 131, 257}) agree(m, n, 33);
    agree(19, 70, 3100);  // several slabs of K
    agree(30, 70, 2048);  // rows that share cache sets
    agree(400, 130, 1024);
    agree(33, 1024, 16);
}
TEST_CASE("Gemm on the CPU transposes, scales and adds as the reference kernel does") {
    const std::int64_t m = 31, n = 70, k = 19;
    const tensor a = whole({m, k}, 1), at = whole({k, m}, 2), b = whole({k, n}, 3), bt = whole({n, k}, 4);
    for (bool trans_a : {false, true})
        for (bool trans_b : {false, true})
            for (double alpha : {1., 2., -0.5})
                for (double beta : {1., 0.25, 0.})
                    for (const shape& s : {shape{}, {1}, {n}, {1, n}, {m, 1}, {m, n}, {1, 1}}) {
                        CAPTURE(trans_a, trans_b, alpha, beta, to_string(s));
                        const tensor c = whole(s, 5), &left = trans_a ? at : a, &right = trans_b ? bt : b;
                        const auto attributes = with(trans_a, trans_b, alpha, beta);
                        const tensor y = on_reference<op::gemm>({{left, right, c}, attributes});
                        at_every_level([&](isa::level l) {
                            CHECK(same<float>(on_cpu<op::gemm>({{left, operand::weight(right), c}, attributes}, l), y));
                            CHECK(same<float>(on_cpu<op::gemm>({{left, right, operand::weight(c)}, attributes}, l), y));
                        });
                    }
    at_every_level([&](isa::level l) {
        for (const shape& s : {shape{m, 1}, {1}, {m}}) {  // one column
            const bool fits = s.rank == 2 || s[0] == 1;
            const call c{{a, operand::weight(whole({k, 1}, 6)), whole(s, 7)}};
            if (fits) CHECK(same<float>(on_cpu<op::gemm>(c, l), on_reference<op::gemm>(c)));
        }
        const call large{{whole({1024, 20}, 8), operand::weight(whole({1024, 40}, 9))}, with(true, false)};
        CHECK(same<float>(on_cpu<op::gemm>(large, l), on_reference<op::gemm>(large)));
    });
}
TEST_CASE("Gemm on the CPU keeps NaN and infinity where they belong") {
    tensor a = whole({9, 20}, 1), b = whole({20, 37}, 2), c = whole({37}, 3);
    a.as<float>()[23] = quiet_nan;
    a.as<float>()[45] = infinity;
    b.as<float>()[36] = -infinity;
    c.as<float>()[5] = infinity;
    const tensor y = on_reference<op::gemm>({{a, b, c}});
    at_every_level([&](isa::level l) { CHECK(same<float>(on_cpu<op::gemm>({{a, operand::weight(b), c}}, l), y)); });
}
TEST_CASE("Gemm on the CPU is accurate for fractions") {
    const tensor a = fractions({40, 2000}, 1), b = fractions({2000, 50}, 2), exact = [&] {
        tensor y(element::f32, {40, 50});
        for (int i = 0; i < 40; ++i)
            for (int j = 0; j < 50; ++j) {
                double sum = 0;
                for (int k = 0; k < 2000; ++k)
                    sum += double(a.as<float>()[std::size_t(i * 2000 + k)]) * b.as<float>()[std::size_t(k * 50 + j)];
                y.as<float>()[std::size_t(i * 50 + j)] = float(sum);
            }
        return y;
    }();
    at_every_level([&](isa::level l) {
        CHECK(difference(on_cpu<op::gemm>({{a, operand::weight(b)}}, l), exact) < 2e-6);
    });
}

TEST_CASE("Gemm with an activation applies it to the finished sums") {
    const auto check = [](std::string_view name, std::vector<double> numbers, auto f) {
        CAPTURE(name);
        for (const auto& [m, n, k] :
             {std::array<std::int64_t, 3>{17, 70, 9}, {2, 133, 9}, {1, 5, 2000}, {33, 64, 1700}}) {
            tensor a = fractions({m, k}, 1), b = whole({k, n}, 2), c = whole({n}, 3);
            tensor y = on_reference<op::gemm>({{a, b, c}});
            for (float& x : y.as<float>()) x = f(x);
            at_every_level([&](isa::level l) {
                CHECK(difference(on_cpu<op::fused_gemm>({{a, operand::weight(b), c}, activated(name, numbers)}, l), y) <
                      5e-5);
                CHECK(difference(on_cpu<op::fused_gemm>({{a, b, c}, activated(name, numbers)}, l), y) < 5e-5);
            });
        }
        // Special values go through C.
        tensor c = list<float>({3}, {quiet_nan, infinity, -infinity});
        tensor y(element::f32, {1, 3});
        for (std::size_t i = 0; i < 3; ++i) y.as<float>()[i] = f(c.as<float>()[i]);
        at_every_level([&](isa::level l) {
            CHECK(same<float>(
                on_cpu<op::fused_gemm>(
                    {{whole({1, 2}, 1, 0), operand::weight(whole({2, 3}, 2)), c}, activated(name, numbers)}, l),
                y));
        });
    };
    check("", {}, [](float x) { return x; });
    check("Relu", {}, [](float x) { return x < 0 ? 0.f : x; });
    check("Clip", {-1, 2}, [](float x) { return x < -1 ? -1.f : x > 2 ? 2.f : x; });
    check("Sigmoid", {}, [](float x) { return 1 / (1 + std::exp(-x)); });
    check("HardSigmoid", {0.25, 0.5}, [](float x) {
        const float y = 0.25f * x + 0.5f;
        return y < 0 ? 0.f : y > 1 ? 1.f : y;
    });
    check("HardSwish", {}, [](float x) {
        const float y = x / 6 + 0.5f;
        return x * (y < 0 ? 0.f : y > 1 ? 1.f : y);
    });
    check("Silu", {}, [](float x) { return x / (1 + std::exp(-x)); });
    check("Gelu", {}, [](float x) { return 0.5f * x * (1 + std::erf(x * 0.707106781f)); });
    const call unknown{{whole({2, 2}, 1), whole({2, 2}, 2)}, activated("Softplus", {})};
    CHECK(run<op::fused_gemm, device::cpu>(unknown).answer.reason == "the activation is not one that Gemm ends with");
}
