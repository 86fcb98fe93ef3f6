// Mirrors kernels/inlay/fused/joined_matmul.hpp and kernels/inlay/cpu/fused/joined_matmul.hpp.
#include "../dense.hpp"
#include <inlay/cpu/fused/joined_matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
call products(const tensor& a, std::vector<operand> rest, precision p = precision::standard) {  // rest: B and C in turn
    call c{{a}};
    for (std::size_t k = 0; k < rest.size(); ++k)
        c.inputs.push_back(k % 2 == 0 && rest[k].value ? operand::weight(rest[k].value) : rest[k]);
    c.outputs.assign(rest.size() / 2, element::f32);
    c.precision = p;
    return c;
}
// One thread and four give the reference kernel's results: whole numbers are exact in any order.
void agree(const shape& a, const std::vector<std::int64_t>& columns) {
    CAPTURE(to_string(a), columns);
    std::vector<operand> rest;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        rest.push_back(whole({a[a.rank - 1], columns[i]}, unsigned(2 + i)));
        rest.push_back(i == 1 ? operand{} : operand(whole({columns[i]}, unsigned(9 + i))));
    }
    for (precision p : {precision::standard, precision::bfloat16}) {
        call c = products(whole(a, 1), rest, p);
        const outcome plain = run<op::joined_matmul, device::reference>(c);
        REQUIRE(plain.code == status::ok);
        at_every_level([&](isa::level l) {
            c.level = l;
            for (int threads : {1, 4}) {
                c.threads = threads;
                const outcome fast = run<op::joined_matmul, device::cpu>(c);
                CAPTURE(threads, isa::name_of(l), fast.answer.reason);
                REQUIRE(fast.answer);
                REQUIRE(fast.code == status::ok);
                for (std::size_t i = 0; i < columns.size(); ++i) CHECK(same<float>(fast[i], plain[i]));
            }
        });
    }
}
}  // namespace

TEST_CASE("Products of one matrix are each what its own MatMul and Add give") {
    const tensor a = list<float>({1, 2, 2}, {1, 2, 3, 4}), b = list<float>({2, 1}, {1, -1}),
                 d = list<float>({2, 2}, {0, 1, 1, 0});
    const outcome o = run<op::joined_matmul, device::reference>(products(a, {b, list<float>({1}, {10}), d, {}}));
    CHECK(same<float>(o[0], list<float>({1, 2, 1}, {9, 9})));
    CHECK(same<float>(o[1], list<float>({1, 2, 2}, {2, 1, 4, 3})));
}
TEST_CASE("Products of one matrix on the CPU agree with the reference kernel") {
    for (std::int64_t n = 0; n <= 67; ++n) agree({2, 3, 5}, {n, 67 - n, 33});
    for (std::int64_t m = 0; m <= 33; ++m) agree({m, 9}, {37, 64});
    agree({3, 7, 40}, {70, 70, 70, 70});
    agree({20, 3100}, {40, 33});       // several slabs of K
    agree({60, 1024}, {96, 96, 96});   // rows that share cache sets
    agree({60, 400}, {350, 20, 128});  // enough work for four threads
    agree({1, 400}, {350, 20, 1280});
    agree({5, 0}, {4, 40});
}
TEST_CASE("Products of one matrix are refused where shapes do not fit") {
    const tensor a = whole({2, 3}, 1), b = whole({3, 4}, 2);
    const auto reason_of = [](const call& c) { return run<op::joined_matmul, device::reference>(c).answer.reason; };
    CHECK(reason_of(products(a, {b, {}, b, {}, b, {}, b, {}, b, {}})) == "there must be one to four products");
    CHECK(reason_of(products(list<float>({3}, {1, 2, 3}), {b, {}})) == "A has too few axes");
    CHECK(reason_of(products(a, {b, {}, operand{}, {}})) == "a matrix or a result is missing");
    CHECK(reason_of(products(a, {whole({1, 3, 4}, 2), {}})) == "B must be matrices");
    CHECK(reason_of(products(a, {b, {}, whole({4, 4}, 2), {}})) ==
          "the operands disagree on the axis that is summed over");
    CHECK(reason_of(products(a, {b, whole({3}, 3)})) == "C must have one element per column");
}
