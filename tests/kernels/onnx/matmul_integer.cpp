// Mirrors kernels/inlay/onnx/matmul_integer.hpp, kernels/inlay/cpu/onnx/matmul_integer.hpp,
// kernels/inlay/cpu/support/integer_product.hpp and kernels/inlay/cpu/isa/gemm_u8s8.hpp.
#include "../dense.hpp"
#include <inlay/cpu/onnx/matmul_integer.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
using u8 = std::uint8_t;
using i8 = std::int8_t;
template <class... T> struct of {};
template <class T> tensor numbers(const shape& dims, unsigned seed) {  // all that the type has
    tensor t(element_of<T>, dims);
    std::mt19937 random(seed);
    for (T& x : t.as<T>()) x = static_cast<T>(random());
    return t;
}
template <class T> tensor filled(const shape& dims, T value) {
    tensor t(element_of<T>, dims);
    std::ranges::fill(t.as<T>(), value);
    return t;
}
call product(std::vector<operand> inputs) {
    call c{std::move(inputs)};
    c.outputs = {element::i32};
    return c;
}
call made_float(std::vector<operand> inputs) {  // by a fused node
    call c{std::move(inputs)};
    c.outputs = {element::f32};
    return c;
}
tensor plain(std::vector<operand> inputs) { return on_reference<op::matmul_integer>(product(std::move(inputs))); }
std::string_view why_not(std::vector<operand> inputs) {
    return run<op::matmul_integer, device::reference>(product(std::move(inputs))).answer.reason;
}
bool same_bits(const tensor& a, const tensor& b) {
    return a.type() == b.type() && a.shape() == b.shape() &&
           std::memcmp(a.data(), b.data(), std::size_t(a.bytes())) == 0;
}
// With weights at every level, with one thread and with three, to the bit.
void agrees(const tensor& a, const tensor& b, const tensor& a_zero = {}, const tensor& b_zero = {}) {
    CAPTURE(to_string(a.shape()), to_string(b.shape()), name_of(a.type()), name_of(b.type()), bool(a_zero),
            bool(b_zero));
    const auto optional = [](const tensor& t) { return t ? operand(t) : operand{}; };
    const auto constant = [](const tensor& t) { return t ? operand::weight(t) : operand{}; };
    const tensor y = plain({a, b, optional(a_zero), optional(b_zero)});
    at_every_level([&](isa::level l) {
        CAPTURE(name_of(l));
        CHECK(same_bits(
            on_cpu<op::matmul_integer>(product({a, operand::weight(b), optional(a_zero), constant(b_zero)}), l), y));
    });
}
}  // namespace

TEMPLATE_TEST_CASE("MatMulInteger of every pair of types", "", (of<u8, u8>), (of<u8, i8>), (of<i8, u8>), (of<i8, i8>)) {
    []<class A, class B>(of<A, B>) {
        const tensor a = list<A>({2, 3}, {1, 2, 3, 100, 5, 6}), b = list<B>({3, 2}, {1, 0, 2, 127, 0, 3});
        CHECK(same<std::int32_t>(plain({a, b}), list<std::int32_t>({2, 2}, {5, 263, 110, 653})));
        CHECK(same<std::int32_t>(plain({a, b, list<A>({}, {2})}), list<std::int32_t>({2, 2}, {-1, 3, 104, 393})));
        CHECK(same<std::int32_t>(plain({a, b, operand{}, list<B>({1}, {1})}),
                                 list<std::int32_t>({2, 2}, {-1, 257, -1, 542})));
        CHECK(same<std::int32_t>(plain({a, b, list<A>({2}, {2, 5}), list<B>({2}, {1, 127})}),
                                 list<std::int32_t>({2, 2}, {-1, 3, -1, -12189})));
        CHECK(same<std::int32_t>(plain({a, b, list<A>({2, 1}, {2, 5}), list<B>({1, 2}, {1, 127})}),
                                 list<std::int32_t>({2, 2}, {-1, 3, -1, -12189})));
    }(TestType{});
}
TEST_CASE("MatMulInteger keeps the sign of each operand") {
    CHECK(same<std::int32_t>(plain({list<u8>({1, 1}, {255}), list<u8>({1, 1}, {255})}),
                             list<std::int32_t>({1, 1}, {65025})));
    CHECK(same<std::int32_t>(plain({list<u8>({1, 1}, {255}), list<i8>({1, 1}, {-128})}),
                             list<std::int32_t>({1, 1}, {-32640})));
    CHECK(same<std::int32_t>(plain({list<i8>({1, 1}, {-128}), list<u8>({1, 1}, {255})}),
                             list<std::int32_t>({1, 1}, {-32640})));
    CHECK(same<std::int32_t>(plain({list<i8>({1, 1}, {-128}), list<i8>({1, 1}, {-128})}),
                             list<std::int32_t>({1, 1}, {16384})));
    CHECK(same<std::int32_t>(
        plain({list<i8>({1, 1}, {-128}), list<i8>({1, 1}, {-128}), list<i8>({}, {127}), list<i8>({}, {127})}),
        list<std::int32_t>({1, 1}, {65025})));
}
TEST_CASE("MatMulInteger broadcasts as MatMul does, each matrix with its zero points") {
    const tensor a = list<u8>({2, 1, 2}, {1, 2, 3, 4}), b = list<i8>({2, 2, 1}, {1, -1, 2, 2});
    CHECK(same<std::int32_t>(plain({a, b}), list<std::int32_t>({2, 1, 1}, {-1, 14})));
    CHECK(same<std::int32_t>(plain({a, b, list<u8>({2, 1, 1}, {1, 3}), list<i8>({2, 1, 1}, {1, 0})}),
                             list<std::int32_t>({2, 1, 1}, {-2, 2})));
    CHECK(same<std::int32_t>(plain({list<u8>({2}, {1, 2}), b}), list<std::int32_t>({2, 1}, {-1, 6})));
    CHECK(same<std::int32_t>(plain({list<u8>({2}, {1, 2}), list<i8>({2}, {3, -4})}), list<std::int32_t>({}, {-5})));
}
TEST_CASE("MatMulInteger refuses shapes and zero points that do not fit") {
    const tensor a = numbers<u8>({2, 3}, 1), b = numbers<i8>({3, 4}, 2), row = numbers<u8>({3}, 3);
    CHECK(why_not({a, numbers<i8>({2, 4}, 2)}) == "the operands disagree on the axis that is summed over");
    CHECK(why_not({a, b, numbers<u8>({3}, 1)}) == "A's zero points are neither one nor one per row");
    CHECK(why_not({a, b, numbers<u8>({1, 2}, 1)}) == "A's zero points are neither one nor one per row");
    CHECK(why_not({row, b, numbers<u8>({3}, 1)}) == "A's zero points are neither one nor one per row");
    CHECK(why_not({a, b, numbers<u8>({0}, 1)}) == "A's zero points are neither one nor one per row");
    CHECK(why_not({a, b, operand{}, numbers<i8>({3}, 1)}) == "B's zero points are neither one nor one per column");
    CHECK(why_not({a, b, operand{}, numbers<i8>({4, 1}, 1)}) == "B's zero points are neither one nor one per column");
    CHECK(why_not({a, numbers<i8>({2, 3, 4}, 2), operand{}, numbers<i8>({3, 1, 4}, 1)}) ==
          "B's zero points are neither one nor one per column");
    CHECK(why_not({a, b, numbers<i8>({}, 1)}) == "zero points are of another type than what they belong to");
    CHECK(why_not({a, b, operand{}, numbers<u8>({4}, 1)}) ==
          "zero points are of another type than what they belong to");
}
TEMPLATE_TEST_CASE(
    "MatMulInteger on the CPU agrees with the reference kernel at every tail, for every pair of types and form of zero "
    "points",
    "", (of<u8, u8>), (of<u8, i8>), (of<i8, u8>), (of<i8, i8>)) {
    []<class A, class B>(of<A, B>) {
        const auto sizes = [](std::int64_t m, std::int64_t k, std::int64_t n) {
            const tensor a = numbers<A>({m, k}, 1), b = numbers<B>({k, n}, 2);
            agrees(a, b);
            agrees(a, b, numbers<A>({}, 3));
            agrees(a, b, numbers<A>({m}, 4), numbers<B>({n}, 5));
        };
        for (std::int64_t n = 1; n <= 67; ++n) sizes(3, 9, n);
        for (std::int64_t m = 1; m <= 31; ++m) sizes(m, 8, 37);
        for (std::int64_t k = 1; k <= 35; ++k) sizes(5, k, 33);
        const tensor a = numbers<A>({17, 40}, 1), b = numbers<B>({40, 70}, 2);
        agrees(a, b, numbers<A>({17, 1}, 3));
        agrees(a, b, numbers<A>({1}, 3), numbers<B>({}, 4));
        agrees(a, b, {}, numbers<B>({1, 70}, 4));
        agrees(a, b, filled<A>({}, A(std::is_signed_v<A> ? 0 : 128)),
               filled<B>({}, B(std::is_signed_v<B> ? 0 : 128)));  // as symmetric weights have them
    }(TestType{});
}
TEMPLATE_TEST_CASE("MatMulInteger on the CPU agrees with the reference kernel beyond the sizes of its blocks", "",
                   (of<u8, i8>), (of<i8, u8>)) {
    []<class A, class B>(of<A, B>) {
        const auto sizes = [](std::int64_t m, std::int64_t k, std::int64_t n) {
            agrees(numbers<A>({m, k}, 1), numbers<B>({k, n}, 2), numbers<A>({}, 3));
        };
        for (std::int64_t k : {1535, 1537, 3071, 3072, 3073, 6143, 6145, 12289})
            for (std::int64_t m : {1, 15}) sizes(m, k, 40);  // slabs
        sizes(700, 600, 65);                                 // several blocks of rows
        sizes(60, 4096, 130);                                // rows that share cache sets, of four numbers to a word
        sizes(60, 2048, 130);                                // and of two
        for (std::int64_t m : {1, 2, 3, 4, 5}) sizes(m, 64, 1000);
        sizes(128, 200, 300);
    }(TestType{});
}
TEST_CASE("MatMulInteger on the CPU is exact where all numbers are extreme") {
    for (std::int64_t k : {1, 7, 400, 6200})
        for (std::int64_t m : {1, 16}) {
            for (int x : {0, 255})
                for (int w : {-128, 127})
                    for (int zero : {0, 255})
                        agrees(filled<u8>({m, k}, u8(x)), filled<i8>({k, 34}, i8(w)), filled<u8>({}, u8(zero)),
                               filled<i8>({34}, i8(-1 - w)));
            for (int x : {-128, 127})
                for (int w : {0, 255})
                    for (int zero : {-128, 127})
                        agrees(filled<i8>({m, k}, i8(x)), filled<u8>({k, 34}, u8(w)), filled<i8>({m}, i8(zero)),
                               filled<u8>({}, u8(255 - w)));
        }
}
TEST_CASE("Sums of MatMulInteger wrap around") {
    const std::int64_t k = 33100;  // times 255 * 255 is more than 2^31
    const tensor a = filled<u8>({2, k}, u8(255)), b = filled<u8>({k, 3}, u8(255));
    const tensor y = plain({a, b});
    CHECK(y.as<std::int32_t>()[0] == static_cast<std::int32_t>(static_cast<std::uint32_t>(k) * 65025u));
    CHECK(y.as<std::int32_t>()[0] < 0);
    agrees(a, b);
    agrees(filled<i8>({2, k}, i8(-128)), b, filled<i8>({}, i8(127)));
}
TEST_CASE("MatMulInteger on the CPU serves batches, with one matrix of weights or several") {
    for (const auto& [a, b] : {std::pair<shape, shape>{{3, 5, 20}, {20, 37}},
                               {{4, 1, 20}, {4, 20, 37}},
                               {{2, 17, 21}, {1, 21, 70}},
                               {{6, 3, 21}, {6, 21, 40}},
                               {{2, 20}, {3, 20, 33}},
                               {{20}, {20, 33}},
                               {{20}, {3, 20, 33}},
                               {{3, 4, 20}, {20}},
                               {{20}, {20}},
                               {{2, 1, 20, 7}, {1, 5, 7, 34}},
                               {{5, 20, 7}, {1, 1, 7, 34}}}) {
        const tensor left = numbers<u8>(a, 1), right = numbers<i8>(b, 2);
        agrees(left, right);
        agrees(left, right, numbers<u8>({}, 3));
        if (a.rank < 2 || b.rank < 2) continue;
        shape rows = a, columns = b;
        rows[a.rank - 1] = columns[b.rank - 2] = 1;
        agrees(left, right, numbers<u8>(rows, 3), numbers<i8>(columns, 4));
        agrees(left, right, numbers<u8>({a[a.rank - 2]}, 3), numbers<i8>({b[b.rank - 1]}, 4));
    }
}
TEST_CASE("MatMulInteger without rows, columns, terms or matrices") {
    const auto empty = [](const shape& a, const shape& b, const shape& y) {
        const tensor left = numbers<u8>(a, 1), right = numbers<i8>(b, 2);
        CHECK(same_bits(plain({left, right, numbers<u8>({}, 3), numbers<i8>({}, 4)}), filled<std::int32_t>(y, 0)));
        agrees(left, right);
        agrees(left, right, numbers<u8>({}, 3), numbers<i8>({}, 4));
    };
    empty({0, 3}, {3, 2}, {0, 2});
    empty({2, 3}, {3, 0}, {2, 0});
    empty({2, 0}, {0, 40}, {2, 40});
    empty({0, 2, 3}, {0, 3, 2}, {0, 2, 2});
    empty({3, 0, 5}, {5, 4}, {3, 0, 4});
    empty({0}, {0}, {});
}
TEST_CASE("MatMulInteger on the CPU reads A where it starts at any byte") {
    const tensor buffer = numbers<u8>({8 * 20 + 3}, 1), b = numbers<i8>({20, 37}, 2);
    for (std::size_t start : {0u, 1u, 3u}) {
        agrees(tensor::borrow(element::u8, {8, 20}, buffer.as<u8>().data() + start), b, numbers<u8>({}, 3));
    }
}
TEST_CASE("Weights of MatMulInteger take a quarter of the memory of floats") {
    integer_product p;
    p.m = 4, p.k = 768, p.n = 3072;
    for (isa::level l : isa::linked) CHECK(4 * p.panels_room(l) == p.k * p.n);
}

TEST_CASE("MatMulInteger with a scale and a bias is what they give one after the other") {
    const tensor a = list<u8>({1, 2, 2}, {1, 2, 3, 4}), b = list<i8>({2, 2}, {1, 0, 0, -1}), zero = list<u8>({}, {1}),
                 c = list<float>({2}, {10, 1});
    CHECK(same<float>(on_reference<op::fused_matmul_integer>(made_float({a, b, {}, {}, list<float>({}, {0.5})})),
                      list<float>({1, 2, 2}, {0.5, -1, 1.5, -2})));
    CHECK(same<float>(on_reference<op::fused_matmul_integer>(
                          made_float({a, b, zero, list<i8>({}, {1}), list<float>({1, 1, 2}, {0.5, 2}), c})),
                      list<float>({1, 2, 2}, {9.5, -3, 8.5, -15})));
    const auto reason_of = [](std::vector<operand> inputs) {
        return run<op::fused_matmul_integer, device::reference>(made_float(std::move(inputs))).answer.reason;
    };
    CHECK(reason_of({a, b}) == "S is missing, or S or C is not of floats");
    CHECK(reason_of({a, b, {}, {}, zero}) == "S is missing, or S or C is not of floats");
    CHECK(reason_of({a, b, {}, {}, list<float>({3}, {1, 2, 3})}) == "S must be one number or one per column");
    CHECK(reason_of({a, b, {}, {}, c, list<float>({}, {1})}) == "C must have one element per column");
    CHECK(reason_of({list<u8>({2}, {1, 2}), b, {}, {}, c}) == "the operands of a fused product must be matrices");
    CHECK(reason_of({a, b, list<u8>({2, 2, 1}, {1, 1, 1, 1}), {}, c}) ==
          "A's zero points are neither one nor one per row");
}
TEMPLATE_TEST_CASE("MatMulInteger with a scale and a bias on the CPU agrees with the reference kernel", "",
                   (of<u8, u8>), (of<u8, i8>), (of<i8, u8>), (of<i8, i8>)) {
    []<class A, class B>(of<A, B>) {
        const auto agree = [](const shape& a, const shape& b) {
            CAPTURE(to_string(a), to_string(b));
            const tensor left = numbers<A>(a, 1), right = numbers<B>(b, 2), a_zero = numbers<A>({}, 3),
                         b_zero = numbers<B>({b[b.rank - 1]}, 4);
            const tensor single = list<float>({1}, {0.003}), per_column = fractions({b[b.rank - 1]}, 5),
                         bias = fractions({b[b.rank - 1]}, 6);
            for (const tensor& s : {single, per_column})
                for (const operand& c : {operand{}, operand{bias}})
                    for (bool shifted : {false, true}) {
                        const tensor y = on_reference<op::fused_matmul_integer>(
                            made_float({left, right, a_zero, shifted ? operand(b_zero) : operand{}, s, c}));
                        at_every_level([&](isa::level l) {
                            CHECK(difference(on_cpu<op::fused_matmul_integer>(
                                                 made_float({left, operand::weight(right), a_zero,
                                                             shifted ? operand::weight(b_zero) : operand{}, s, c}),
                                                 l),
                                             y) < 1e-6);
                        });
                    }
        };
        for (std::int64_t n = 1; n <= 67; n += 3) agree({2, 3, 5}, {5, n});
        agree({40, 70}, {70, 300});
        agree({2, 5, 40}, {2, 40, 33});
        agree({2, 0, 5}, {5, 4});
    }(TestType{});
}
