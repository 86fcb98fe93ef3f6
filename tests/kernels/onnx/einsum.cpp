// Mirrors kernels/inlay/onnx/einsum.hpp and kernels/inlay/cpu/onnx/einsum.hpp.
#include "../../stopped_run.hpp"
#include "../every_level.hpp"
#include <inlay/cpu/onnx/einsum.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes equation(const std::string& text) {
    return [=](graph_data& g) { return std::vector{g.make("equation", std::string_view(text))}; };
}
template <class T = float> tensor sum(const std::string& text, std::vector<operand> inputs) {
    return on_reference<op::einsum>({.inputs = inputs, .with = equation(text)});
}
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
std::string_view refusal_of(const std::string& text, std::vector<operand> inputs) {
    return run<op::einsum, device::reference>({.inputs = inputs, .with = equation(text)}).answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("Einsum of every number type", "", float, double, float16, bfloat16, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor a = of<T>({2, 3}, {1, 2, 3, 4, 5, 6}), b = of<T>({3, 2}, {1, 0, 2, 1, 0, 3}),
                 square = of<T>({2, 2}, {1, 2, 3, 4}), v = list<T>({1, 2, 3});
    CHECK(same<T>(sum<T>("ij,jk->ik", {a, b}), of<T>({2, 2}, {5, 11, 14, 23})));
    CHECK(same<T>(sum<T>("ij,jk", {a, b}), of<T>({2, 2}, {5, 11, 14, 23})));
    CHECK(same<T>(sum<T>("ij->ji", {a}), of<T>({3, 2}, {1, 4, 2, 5, 3, 6})));
    CHECK(same<T>(sum<T>("ji", {a}), of<T>({3, 2}, {1, 4, 2, 5, 3, 6})));
    CHECK(same<T>(sum<T>(" i j -> i ", {a}), of<T>({2}, {6, 15})));
    CHECK(same<T>(sum<T>("ij->", {a}), of<T>({}, {21})));
    CHECK(same<T>(sum<T>("ii", {square}), of<T>({}, {5})));
    CHECK(same<T>(sum<T>("ii->i", {square}), of<T>({2}, {1, 4})));
    CHECK(same<T>(sum<T>("i,i", {v, v}), of<T>({}, {14})));
    CHECK(same<T>(sum<T>("i,j->ij", {v, list<T>({1, 2})}), of<T>({3, 2}, {1, 2, 2, 4, 3, 6})));
    CHECK(same<T>(sum<T>("ij,i,j->i", {a, list<T>({1, 2}), v}), of<T>({2}, {14, 64})));
    CHECK(same<T>(on_reference<op::einsum>({.inputs = {v}, .with = equation("i->"), .version = 12}), of<T>({}, {6})));
}
TEST_CASE("Labels of upper case come before those of lower case, and are others") {
    const tensor a = of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(same<float>(sum("aA", {a}), of<float>({3, 2}, {1, 4, 2, 5, 3, 6})));
    CHECK(same<float>(sum("Aa", {a}), a));
    CHECK(same<float>(sum("Zz->z", {a}), of<float>({3}, {5, 7, 9})));
}
TEST_CASE("An ellipsis stands for any axes, which broadcast from the last one on") {
    const tensor a = of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), unit = of<float>({2, 2}, {0, 1, 1, 0}),
                 row = list<float>({1, 10});
    CHECK(same<float>(sum("...ij,jk->...ik", {a, unit}), of<float>({2, 2, 2}, {2, 1, 4, 3, 6, 5, 8, 7})));
    CHECK(same<float>(sum("...ij->...ji", {a}), of<float>({2, 2, 2}, {1, 3, 2, 4, 5, 7, 6, 8})));
    CHECK(same<float>(sum("i...->...", {a}), of<float>({2, 2}, {6, 8, 10, 12})));
    CHECK(same<float>(sum("i...", {row}), row));
    CHECK(same<float>(sum("b...a", {of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
                      of<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6})));
    CHECK(same<float>(sum("...,...", {unit, row}), of<float>({2, 2}, {0, 10, 1, 0})));
    CHECK(same<float>(sum("...,...->...", {unit, row.reshaped({2, 1})}), of<float>({2, 2}, {0, 1, 10, 0})));
    CHECK(same<float>(sum("...ii->...i", {a}), of<float>({2, 2}, {1, 4, 5, 8})));
    CHECK(same<float>(sum("...", {of<float>({}, {3})}), of<float>({}, {3})));
    CHECK(same<float>(sum("i->...i", {row}), row));
}
TEST_CASE("A label's length may be 1 where it is another elsewhere; of nothing the sum is 0") {
    const tensor a = of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(same<float>(sum("ij,ij->ij", {a, of<float>({2, 1}, {1, 10})}), of<float>({2, 3}, {1, 2, 3, 40, 50, 60})));
    CHECK(same<float>(sum("ij,jk->ik", {tensor(element::f32, {2, 0}), tensor(element::f32, {0, 3})}),
                      of<float>({2, 3}, {0, 0, 0, 0, 0, 0})));
    CHECK(sum("ij,jk->ik", {tensor(element::f32, {0, 2}), tensor(element::f32, {2, 3})}).shape() == shape{0, 3});
    CHECK(same<float>(sum("i,i->", {list<float>({1, quiet_nan}), list<float>({1, 0})}), of<float>({}, {quiet_nan})));
    CHECK(same<std::int32_t>(sum<std::int32_t>("i,i->", {tensor({1}, {65536}), tensor({1}, {65536})}),
                             of<std::int32_t>({}, {0})));
}
TEST_CASE("Einsum over five labels agrees with the sum written out") {
    const tensor q = random_tensor({2, 3, 4, 5}, 1), k = random_tensor({2, 3, 6, 5}, 2),
                 y = sum("bhqd,bhkd->bhqk", {q, k});
    REQUIRE(y.shape() == shape{2, 3, 4, 6});
    for (std::int64_t b = 0; b < 6; ++b)
        for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < 6; ++j) {
                double total = 0;
                for (std::int64_t d = 0; d < 5; ++d)
                    total += double(elements<float>(q)[std::size_t((b * 4 + i) * 5 + d)]) *
                             double(elements<float>(k)[std::size_t((b * 6 + j) * 5 + d)]);
                CHECK(elements<float>(y)[std::size_t((b * 4 + i) * 6 + j)] == Approx(total).margin(1e-6));
            }
}
TEST_CASE("Einsum refuses equations that make no sense or do not fit") {
    const tensor a = random_tensor({2, 3}, 1), v = random_tensor({3}, 2),
                 deep = random_tensor({1, 1, 1, 1, 1, 1, 1, 1}, 3);
    const std::string_view letters = "a term of the equation must be letters and at most one ellipsis",
                           rank = "a term of the equation does not have an input's rank",
                           terms = "the equation needs one term per input";
    CHECK(refusal_of("ij,j->i", {a}) == terms);
    CHECK(refusal_of("ij->i", {a, v}) == terms);
    CHECK(refusal_of("", {a, v}) == terms);
    for (const char* text :
         {"i1", "i.j", "..", "....", "......", "...i...", "i-j", "ij->i>", "ij->i->j", "abcdefghi", "i\tj"})
        CHECK(refusal_of(text, {a}) == letters);
    CHECK(refusal_of("ijk", {a}) == rank);
    CHECK(refusal_of("i", {a}) == rank);
    CHECK(refusal_of("...ijk", {a}) == rank);
    CHECK(refusal_of("", {a}) == rank);
    CHECK(refusal_of("ij,i", {a, v}) == "the lengths of a label differ");
    CHECK(refusal_of("ii", {a}) == "the lengths of a label differ");
    CHECK(refusal_of("...,...", {a, random_tensor({2, 2}, 1)}) == "the lengths of a label differ");
    CHECK(refusal_of("i...->i", {a}) == "the equation's output needs the ellipsis of its inputs");
    CHECK(refusal_of("ij->ik", {a}) == "a label of the equation's output is in no input");
    CHECK(refusal_of("ij->ii", {a}) == "a label is twice in the equation's output");
    CHECK(refusal_of("abcdefgh,i", {deep, v}) == "the output has more than 8 dimensions");
    CHECK(refusal_of("...,i->...i", {deep, v}) == "the output has more than 8 dimensions");
    CHECK(refusal_of("i,i,i,i,i,i,i,i,i", std::vector<operand>(9, v)) == "Einsum takes 1 to 8 inputs");
    CHECK(refusal_of("i,i", {v, operand{}}) == "an input is missing");
    CHECK(refusal_of("i,i", {v, list<double>({1, 2, 3})}) == "the inputs must have one type");
}
TEST_CASE("Einsum's shape rule keeps dimensions that are not known, refuses too many elements, and waits for ranks") {
    graph_data g;
    const auto result = [&](const shape& a, const shape& b, std::string_view text) {
        const int x = g.add_value("", element::f32, a), w = g.add_value("", element::f32, b),
                  y = g.add_value("", element::f32, shape::unknown());
        g.add_node("", "Einsum", 12, "n", std::vector{g.make("equation", text)}, std::vector{x, w}, std::vector{y});
        const graph_view v = g.view();
        std::array<shape, 1> dims{shape::unknown()};
        const verdict answer = op::einsum::shapes({v, v.nodes.back()}, dims);
        return std::pair{answer.reason, dims[0]};
    };
    CHECK(result({-2, 3}, {3, -1}, "ij,jk->ik").second == shape{-2, -1});
    CHECK(result({-1, -1}, {4, 5}, "ij,jk->ij").second == shape{-1, 4});
    CHECK(result(shape::unknown(), {4, 5}, "...,jk->...").second.rank == -1);
    constexpr std::int64_t much = std::int64_t(1) << 40;
    CHECK(result({much}, {much}, "i,j->ij").first == "the output is too large");
}
TEST_CASE("Einsum ends when the run is stopped") {
    const tensor x = random_tensor({90, 90}, 1);
    CHECK(stopped_run<op::einsum, device::reference>({.inputs = {x, x}, .with = equation("ij,jk->ik")}).code ==
          status::stopped);
}
TEST_CASE("Einsum on the CPU agrees with the reference kernel, whatever its loops become") {
    const auto check = [](const std::string& text, std::vector<shape> dims) {
        CAPTURE(text);
        call c{.inputs = {}, .with = equation(text)};
        for (const shape& x : dims) c.inputs.push_back(random_tensor(x, unsigned(c.inputs.size() + 1), -1, 1));
        check_levels<op::einsum>(c);
    };
    // Products, one or many, of operands in every order of axes.
    check("ij,jk->ik", {{37, 19}, {19, 53}});
    check("ij,jk->ki", {{37, 19}, {19, 53}});
    check("ji,kj->ik", {{19, 37}, {53, 19}});
    check("bhqd,bhkd->bhqk", {{2, 3, 17, 8}, {2, 3, 35, 8}});
    check("bqhd,bkhd->bhqk", {{2, 17, 3, 8}, {2, 35, 3, 8}});
    check("bhqk,bkhd->bqhd", {{2, 3, 17, 9}, {2, 9, 3, 33}});
    check("bhwc,hkc->bhwk", {{3, 5, 6, 16}, {5, 7, 16}});
    check("bhwc,wkc->bhwk", {{3, 5, 6, 16}, {6, 7, 16}});
    check("nkctv,kvw->nctw", {{2, 3, 4, 5, 6}, {3, 6, 7}});
    check("bsd,dhe->bshe", {{2, 9, 16}, {16, 3, 8}});
    check("...ij,...jk->...ik", {{4, 1, 9, 8}, {3, 8, 10}});
    check("ibj,jbk->kbi", {{9, 2, 8}, {8, 2, 40}});
    check("aib,bjc->jaic", {{3, 9, 6}, {6, 5, 4}});
    check("iij,jk->ik", {{6, 6, 9}, {9, 7}});
    // Sums and products element by element, along every kind of row.
    check("ij->j", {{13, 600}});
    check("ij->i", {{13, 600}});
    check("ij->", {{13, 37}});
    check("bij->jb", {{4, 5, 9}});
    check("bijk->bkij", {{2, 5, 6, 7}});
    check("ii->i", {{9, 9}});
    check("ii", {{9, 9}});
    check("...ii->...i", {{2, 9, 9}});
    check("i,j->ij", {{33}, {9}});
    check("i,i->i", {{700}, {700}});
    check("bi,bi->b", {{5, 37}, {5, 37}});
    check("bi,b->bi", {{5, 37}, {5}});
    check("bij,bj->bij", {{2, 3, 21}, {2, 21}});
    check("ij,j->i", {{20, 33}, {33}});
    check("i,ij->j", {{20}, {20, 33}});
    check("bi,ib->b", {{5, 37}, {37, 5}});
    check(",->", {{}, {}});
    check("ij,ij->ij", {{4, 5}, {4, 1}});
    // Steps: sums of one input alone, products of three and four.
    check("ij,jk->", {{9, 8}, {8, 7}});
    check("ijx,jky->ik", {{9, 8, 3}, {8, 7, 2}});
    check("bi,ij,bj->b", {{6, 9}, {9, 8}, {6, 8}});
    check("ab,bc,cd->ad", {{9, 8}, {8, 7}, {7, 10}});
    check("ab,bc,cd,de->ae", {{12, 8}, {8, 7}, {7, 6}, {6, 9}});
    check("ij,i,j->ij", {{9, 8}, {9}, {8}});
    // Nothing, and what spreads.
    check("ij,jk->ik", {{5, 0}, {0, 6}});
    check("ij,jk->ik", {{0, 5}, {5, 6}});
    check("ij->i", {{5, 0}});
    for (std::int64_t n = 1; n <= 35; ++n) check("ij,jk->ik", {{n, 5}, {5, 36 - n}});
}
TEST_CASE("Einsum on the CPU passes NaN and infinities as far as the reference kernel does") {
    tensor a = random_tensor({9, 8}, 1), b = random_tensor({8, 9}, 2);
    a.as<float>()[11] = quiet_nan;
    a.as<float>()[30] = infinity;
    b.as<float>()[70] = -infinity;
    check_levels<op::einsum>({.inputs = {a, b}, .with = equation("ij,jk->ik")});
    check_levels<op::einsum>({.inputs = {a, b}, .with = equation("ij,ji->i")});
    check_levels<op::einsum>({.inputs = {a}, .with = equation("ij->j")});
}
TEMPLATE_TEST_CASE("Einsum of 16 bits on the CPU agrees with the reference kernel", "", float16, bfloat16) {
    using T = TestType;
    const double precision = std::is_same_v<T, float16> ? 1e-3 : 8e-3;
    for (const char* text : {"ij,jk->ik", "ij,jk->ki", "ij,jk->"})
        agree<op::einsum, T>(
            {.inputs = {random_tensor<T>({9, 21}, 1), random_tensor<T>({21, 17}, 2)}, .with = equation(text)},
            4 * precision);
}
TEST_CASE("Einsum on the CPU leaves to the reference kernel what would need large results in between") {
    const auto answer = [](const std::string& text, std::vector<operand> inputs) {
        return run<op::einsum, device::cpu>({.inputs = inputs, .with = equation(text)}).answer.reason;
    };
    const tensor v = random_tensor({9}, 1), m = random_tensor({9, 9}, 2);
    CHECK(answer("i,j,k->ik", {v, v, v}) == "");
    CHECK(answer("i,j,ik,jk->k", {v, v, m, m}) == "");
    CHECK(answer("ia,ja,ka->ijk", {m, m, m}) == "");
    CHECK(answer("ia,ja,ka->i", {m, m, m}) == "");
    CHECK(answer("ia,jb,ka,kb->ij", {m, m, m, m}) ==
          "a product of some inputs is larger than the others and the result");
    CHECK(answer("i,i,i,i,i->i", {v, v, v, v, v}) == "written for up to four inputs");
}
