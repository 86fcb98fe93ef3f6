// Mirrors kernels/inlay/fused/attention.hpp and kernels/inlay/cpu/fused/attention.hpp.
#include "../attention.hpp"
#include "../bf16.hpp"
#include <inlay/cpu/fused/attention.hpp>
#include <on_test_devices/fused/attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;
using namespace inlay::testing::attention;

namespace {
void agree(const call& c, double tolerance = 2e-6) {
    const tensor y = on_reference<op::attention>(c);
    const auto compare = [&](const tensor& result, std::string_view place) {
        REQUIRE(result.shape() == y.shape());
        for (std::int64_t i = 0; i < y.elements(); ++i) {
            const float a = result.as<float>()[std::size_t(i)], b = y.as<float>()[std::size_t(i)];
            if (std::isnan(a) && std::isnan(b)) continue;
            if (!(std::abs(a - b) <= tolerance * std::max(1.f, std::abs(b))))
                FAIL("element " << i << " of " << to_string(y.shape()) << ": " << a << ", not " << b << " at "
                                << place);
        }
        SUCCEED();
    };
    at_every_level([&](isa::level l) { compare(on_cpu<op::attention>(c, l), isa::name_of(l)); });
    for (const device_runner& d : on_test_devices<op::attention>()) compare(result_of(d.run, c), d.device);
}
std::string_view refusal_of(const call& c) { return run<op::attention, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("Attention weighs the rows of V by how well their keys fit the query") {
    const sizes s{1, 2, 1, 2, 1, 2};
    const float ln3 = std::log(3.f);
    const tensor q = list<float>({1, 1, 2}, {ln3, 0}), k = list<float>({1, 2, 2}, {1, 5, 0, 7}),
                 v = list<float>({1, 2, 4}, {4, 0, 2, 10, 0, 8, 4, 20});
    CHECK(difference(on_reference<op::attention>({{q, k, v}, with(s)}), list<float>({1, 1, 4}, {3, 2, 3, 15})) < 1e-6);
    CHECK(difference(on_reference<op::attention>({{q, k, v}, with(s, 2)}), list<float>({1, 1, 4}, {3.6, 0.8, 3, 15})) <
          1e-6);
    CHECK(difference(on_reference<op::attention>({{q, k, v, list<float>({2}, {0, ln3})}, with(s)}),
                     list<float>({1, 1, 4}, {2, 4, 3.5, 17.5})) < 1e-6);
    tensor keep = truths({2, 1, 2}, 1);
    const std::uint8_t mask_bytes[] = {1, 1, 0, 9};
    std::memcpy(keep.data(), mask_bytes, 4);
    CHECK(difference(on_reference<op::attention>({{q, k, v, keep}, with(s, 1, -1e9)}),
                     list<float>({1, 1, 4}, {3, 2, 4, 20})) < 1e-6);
    CHECK(difference(on_reference<op::attention>({{q, k, v, keep}, with(s, 1, -1e9, {}, true)}),
                     list<float>({1, 1, 4}, {2, 4, 2, 10})) < 1e-6);
}
TEST_CASE("Attention reads heads first, and parts of one projection") {
    const sizes s{2, 3, 5, 7, 4, 6};
    const auto [q, k, v] = columns(s);
    const auto heads_first = [](const tensor& x, std::int64_t heads) {
        const std::int64_t batch = x.shape()[0], rows = x.shape()[1], size = x.shape()[2] / heads;
        tensor y(element::f32, {batch, heads, rows, size});
        for (std::int64_t b = 0; b < batch; ++b)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t h = 0; h < heads; ++h)
                    for (std::int64_t d = 0; d < size; ++d)
                        y.as<float>()[std::size_t(((b * heads + h) * rows + i) * size + d)] =
                            x.as<float>()[std::size_t(((b * rows + i) * heads + h) * size + d)];
        return y;
    };
    const tensor y = on_reference<op::attention>({{q, k, v}, with(s)});
    const call moved{{heads_first(q, 3), heads_first(k, 3), heads_first(v, 3)}, with(s, 1, 0, {-1, -1, -1})};
    CHECK(same<float>(on_reference<op::attention>(moved), y));
    agree(moved);
    CHECK(same<float>(
        on_reference<op::attention>({{q.reshaped({2, 5, 3, 4}), k, heads_first(v, 3)}, with(s, 1, 0, {0, 0, -1})}), y));
    const sizes equal_sizes{2, 3, 5, 5, 4, 4};
    const tensor x = fractions({2, 5, 40}, 4);
    const call packed{{x, x, x}, with(equal_sizes, 1, 0, {2, 15, 28})};
    agree(packed);
    tensor apart[3] = {tensor(element::f32, {2, 5, 12}), tensor(element::f32, {2, 5, 12}),
                       tensor(element::f32, {2, 5, 12})};
    for (std::int64_t r = 0; r < 10; ++r)
        for (std::int64_t j = 0; j < 12; ++j)
            for (std::int64_t part = 0; part < 3; ++part)
                apart[part].as<float>()[std::size_t(r * 12 + j)] =
                    x.as<float>()[std::size_t(r * 40 + 2 + 13 * part + j)];
    CHECK(same<float>(on_reference<op::attention>(packed),
                      on_reference<op::attention>({{apart[0], apart[1], apart[2]}, with(equal_sizes)})));
}
TEST_CASE("Attention refuses what does not fit") {
    const sizes s{1, 2, 3, 3, 4, 4};
    const tensor x(element::f32, {1, 3, 8}), more(element::f32, {2, 3, 8}), longer(element::f32, {1, 4, 8}),
        heads(element::f32, {1, 2, 3, 4});
    CHECK(refusal_of({{x, x, x}, with({1, 0, 3, 3, 4, 4})}) == "heads, size and value_size must be positive");
    CHECK(refusal_of({{x, x, x}, with({1, 2, 3, 3, 5, 4})}) == "an operand has too few columns for the heads");
    CHECK(refusal_of({{x, x, x}, with(s, 1, 0, {1, 0, 0})}) == "an operand has too few columns for the heads");
    CHECK(refusal_of({{x, x, x}, with(s, 1, 0, {0, -2, 0})}) == "an operand has too few columns for the heads");
    CHECK(refusal_of({{x, x, x}, with(s, 1, 0, {-1, 0, 0})}) == "an operand is not [batch, heads, rows, size]");
    CHECK(refusal_of({{heads, heads, heads}, with({1, 3, 2, 3, 4, 4}, 1, 0, {-1, -1, -1})}) ==
          "an operand is not [batch, heads, rows, size]");
    CHECK(refusal_of({{x, more, more}, with(s)}) == "Q, K and V disagree on the batch, or K and V on their rows");
    CHECK(refusal_of({{x, longer, x}, with(s)}) == "Q, K and V disagree on the batch, or K and V on their rows");
    CHECK(refusal_of({{x, x, x, tensor(element::f32, {2})}, with(s)}) ==
          "the mask does not broadcast to [batch, heads, rows, keys]");
    CHECK(refusal_of({{x, x, x, tensor(element::f32, {2, 1, 1, 3})}, with(s)}) ==
          "the mask does not broadcast to [batch, heads, rows, keys]");
    CHECK(refusal_of({{x, x, x, tensor(element::f32, {1, 1, 1, 1, 3})}, with(s)}) ==
          "the mask has more than four axes");
    CHECK(refusal_of({{x, x, operand{}}, with(s)}) == "Q, K or V is missing");
}

TEST_CASE("Attention on the CPU agrees with the reference kernel at every tail of rows, keys and sizes") {
    const auto check = [](const sizes& s, double tolerance = 2e-6) {
        CAPTURE(s.batch, s.heads, s.rows, s.keys, s.size, s.value_size);
        const auto [q, k, v] = columns(s);
        agree({{q, k, v}, with(s, 0.7)}, tolerance);
    };
    for (std::int64_t rows = 1; rows <= 75; rows += rows < 20 ? 1 : 5) check({1, 2, rows, 9, 5, 7});
    for (std::int64_t keys = 1; keys <= 67; ++keys) check({1, 1, 10, keys, 8, 3});
    for (std::int64_t size = 1; size <= 67; ++size) check({1, 2, 9, 11, size, size});
    for (std::int64_t rows : {1, 2, 3})
        for (std::int64_t size : {1, 16, 33, 70}) check({2, 2, rows, 40, size, 64});
    check({3, 4, 20, 33, 16, 32});
    check({1, 2, 150, 150, 32, 64});
    check({1, 1, 20, 1000, 16, 16});  // keys in blocks
    check({1, 2, 1, 700, 64, 64});
    check({1, 2, 30, 20, 512, 512}, 1e-5);  // rows that share cache sets
    check({1, 2, 5, 9, 2000, 8}, 1e-4);     // a size in several slabs
}
TEST_CASE("Attention on the CPU masks as the reference kernel does, in every way that a mask broadcasts") {
    for (const sizes s : {sizes{2, 3, 17, 21, 8, 8}, {2, 3, 1, 21, 8, 8}, {2, 2, 9, 500, 4, 4}}) {
        const auto [q, k, v] = columns(s);
        for (const shape& m : {shape{},
                               {1},
                               {s.keys},
                               {s.rows, 1},
                               {s.rows, s.keys},
                               {s.heads, 1, s.keys},
                               {s.batch, 1, 1, s.keys},
                               {1, s.heads, s.rows, 1},
                               {s.batch, s.heads, s.rows, s.keys}}) {
            CAPTURE(s.rows, s.keys, to_string(m));
            agree({{q, k, v, fractions(m, 5)}, with(s, 2)});
            agree({{q, k, v, truths(m, 6)}, with(s, 2, -5)});
            agree({{q, k, v, truths(m, 6)}, with(s, 2, -3.4e38)});
            agree({{q, k, v, truths(m, 7)}, with(s, 2, -4, {}, true)});
        }
    }
}
TEST_CASE("Attention on the CPU keeps NaN and infinity where they belong") {
    for (const std::int64_t keys : {20, 900})
        for (const std::int64_t rows : {2, 20}) {
            CAPTURE(keys, rows);
            const sizes s{1, 2, rows, keys, 8, 8};
            auto [q, k, v] = columns(s);
            tensor mask = fractions({rows, keys}, 4);
            for (std::int64_t t = 0; t < keys; ++t) mask.as<float>()[std::size_t(t)] = -infinity;  // a row without keys
            for (std::int64_t t = 0; t < keys / 2; ++t)
                mask.as<float>()[std::size_t(keys + t)] = -infinity;  // and one whose first blocks are empty
            agree({{q, k, v, mask}, with(s)});
            const tensor y = on_reference<op::attention>({{q, k, v, mask}, with(s)});
            CHECK(std::isnan(y.as<float>()[0]));
            CHECK_FALSE(std::isnan(y.as<float>()[16]));
            mask.as<float>()[std::size_t(keys + keys - 1)] = infinity;
            agree({{q, k, v, mask}, with(s)});
            mask.as<float>()[std::size_t(keys + keys - 1)] = quiet_nan;
            agree({{q, k, v, mask}, with(s)});
            k.as<float>()[3] = quiet_nan;
            agree({{q, k, v}, with(s)});
        }
}
TEST_CASE(
    "Attention with precision::bfloat16 is that of rounded operands and rounded weights, where the level multiplies "
    "pairs and K is packed") {
    const auto check = [](const sizes& s, const operand& mask = {}) {
        CAPTURE(s.batch, s.heads, s.rows, s.keys, s.size, s.value_size);
        const auto [q, k, v] = columns(s);
        const auto parameters = with(s, 1, -5);
        const tensor y = on_reference<op::attention>({{rounded(q), rounded(k), rounded(v), mask}, parameters});
        at_every_level([&](isa::level l) {
            call c{{q, k, v, mask}, parameters};
            const tensor floats = on_cpu<op::attention>(c, l);
            c.precision = precision::bfloat16;
            const tensor pairs = on_cpu<op::attention>(c, l);
            if (gemm_bf16_pairs(l) && s.rows > 8) {
                CHECK(difference(pairs, y) < 2e-3);  // a weight's last place
                CHECK(difference(pairs, floats) > 1e-5);
            } else
                CHECK(same<float>(pairs, floats));
        });
    };
    for (std::int64_t rows : {1, 3, 8, 9, 14, 15, 71}) check({1, 2, rows, 9, 5, 7});
    for (std::int64_t keys = 2; keys <= 67; keys += 5) check({1, 1, 10, keys, 8, 3});
    for (std::int64_t size = 1; size <= 67; size += 3) check({1, 2, 9, 11, size, size});
    check({3, 4, 20, 33, 16, 32});
    check({1, 2, 150, 150, 32, 64});
    check({1, 1, 20, 1000, 17, 16});  // keys in blocks
    check({1, 2, 30, 20, 512, 512});  // rows that share cache sets
    const sizes s{2, 3, 17, 21, 8, 8};
    check(s, fractions({s.rows, s.keys}, 5));
    check(s, truths({s.batch, 1, 1, s.keys}, 6));
}
TEST_CASE("Attention in bfloat16 keeps NaN and infinity where they belong") {
    const sizes s{1, 1, 20, 21, 9, 8};
    const auto [q, k, v] = columns(s);
    tensor mask = fractions({s.rows, s.keys}, 4);
    for (std::int64_t t = 0; t < s.keys; ++t) mask.as<float>()[std::size_t(t)] = -infinity;  // a row without keys
    mask.as<float>()[std::size_t(2 * s.keys + 3)] = quiet_nan;
    call c{{q, k, v, mask}, with(s)};
    c.precision = precision::bfloat16;
    at_every_level([&](isa::level l) {
        const tensor y = on_cpu<op::attention>(c, l);
        for (std::size_t i = 0; i < 20 * 8; ++i) CHECK(std::isnan(y.as<float>()[i]) == (i / 8 == 0 || i / 8 == 2));
    });
}
TEMPLATE_TEST_CASE("Attention on other devices in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    const auto rounded = [](const tensor& x) {
        tensor y(element_of<TestType>, x.shape());
        for (std::int64_t i = 0; i < x.elements(); ++i)
            y.as<TestType>()[std::size_t(i)] = static_cast<TestType>(x.as<float>()[std::size_t(i)]);
        return y;
    };
    constexpr double unit = std::is_same_v<TestType, float16> ? 1e-3 : 8e-3;  // in the last place of 1
    for (const sizes& s :
         {sizes{2, 3, 1, 40, 8, 12}, {2, 3, 17, 70, 8, 8}, {1, 2, 33, 9, 5, 64}, {1, 1, 6, 40, 130, 7}}) {
        const auto [q, k, v] = columns(s);
        const tensor a = rounded(q), b = rounded(k), c = rounded(v);
        for (const operand& mask : {operand(), operand(rounded(fractions({s.rows, s.keys}, 5))),
                                    operand(truths({s.batch, 1, 1, s.keys}, 6))}) {
            CAPTURE(s.rows, s.keys, s.size, s.value_size, bool(mask.value));
            const call request{{a, b, c, mask}, with(s, 0.7, -5)};
            const tensor expected = on_reference<op::attention>(request);
            for (const device_runner& d : on_test_devices<op::attention>()) {
                const tensor result = result_of(d.run, request);
                REQUIRE(result.type() == element_of<TestType>);
                for (std::int64_t i = 0; i < expected.elements(); ++i)
                    REQUIRE(std::abs(float(result.as<TestType>()[std::size_t(i)]) -
                                     float(expected.as<TestType>()[std::size_t(i)])) <= unit);
            }
        }
    }
    const sizes s{1, 1, 2, 2, 4, 4};
    const auto [q, k, v] = columns(s);
    for (const device_runner& d : on_test_devices<op::attention>())
        CHECK(d.run({{rounded(q), k, rounded(v)}, with(s)}).answer.reason == "Q, K and V must have one type");
}
TEST_CASE("Attention without rows, keys or batches") {
    for (const sizes s : {sizes{0, 2, 3, 4, 5, 6}, {1, 2, 0, 4, 5, 6}, {1, 2, 3, 0, 5, 6}, {1, 2, 1, 0, 5, 6}}) {
        CAPTURE(s.batch, s.rows, s.keys);
        const auto [q, k, v] = columns(s);
        agree({{q, k, v}, with(s)});
        CHECK(on_reference<op::attention>({{q, k, v}, with(s)}).shape() == shape{s.batch, s.rows, 12});
    }
}
