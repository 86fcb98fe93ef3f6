// Mirrors kernels/inlay/microsoft/multi_head_attention.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/multi_head_attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
outcome attended(const call& c) { return run<op::multi_head_attention, device::reference>(c); }
// Scores are 0: outputs are means. Two heads of size 1, two rows of Q, three of K and V.
call means() {
    const tensor q = list<float>({0, 0, 0, 0}).reshaped({1, 2, 2}),
                 kv = list<float>({1, 10, 2, 20, 6, 60}).reshaped({1, 3, 2});
    return {.inputs = {q, kv, kv}, .with = with({{"num_heads", 2}})};
}
}  // namespace

TEMPLATE_TEST_CASE("MultiHeadAttention weighs values by the softmax of the scores of their keys", "", float, float16,
                   bfloat16) {
    using T = TestType;
    const tensor q = list<T>({1, 0}).reshaped({1, 1, 2}), k = list<T>({2, 5, 0, 7}).reshaped({1, 2, 2}),
                 v = list<T>({1, 3, 2, 4}).reshaped({1, 2, 2});
    const attributes scaled = [](graph_data& g) {
        return std::vector{g.make("num_heads", std::int64_t(1)), g.make("scale", 0.5)};
    };
    const double w = 1 / (1 + std::exp(1.));
    CHECK(same<T>(on_reference<op::multi_head_attention>({.inputs = {q, k, v}, .with = scaled}),
                  list<T>({1 + w, 3 + w}).reshaped({1, 1, 2}), 8e-3));
}
TEST_CASE("MultiHeadAttention takes means where scores are equal, under masks of each form") {
    call c = means();
    CHECK(same<float>(attended(c)[0], list<float>({3, 30, 3, 30}).reshaped({1, 2, 2}), 1e-6));
    c.inputs.resize(5);
    c.inputs[4] = numbers(element::i32, {1}, {2});
    CHECK(same<float>(attended(c)[0], list<float>({1.5, 15, 1.5, 15}).reshaped({1, 2, 2}), 1e-6));
    c.inputs[4] = numbers(element::i32, {1, 3}, {1, 0, 1});
    CHECK(same<float>(attended(c)[0], list<float>({3.5, 35, 3.5, 35}).reshaped({1, 2, 2}), 1e-6));
    c.inputs[4] = numbers(element::i32, {1, 2, 3}, {1, 0, 0, 0, 1, 0});
    CHECK(same<float>(attended(c)[0], list<float>({1, 10, 2, 20}).reshaped({1, 2, 2}), 1e-6));
    c.inputs[4] = {};
    c.inputs.push_back(list<float>({0, -infinity, -infinity, -infinity, 0, 0}).reshaped({1, 1, 2, 3}));
    CHECK(same<float>(attended(c)[0], list<float>({1, 10, 4, 40}).reshaped({1, 2, 2}), 1e-6));
    c = means();
    c.with = with({{"num_heads", 2}, {"unidirectional", 1}});
    CHECK(same<float>(attended(c)[0], list<float>({1.5, 15, 3, 30}).reshaped({1, 2, 2}), 1e-6));
}
TEST_CASE("MultiHeadAttention puts former keys and values before the new ones, and adds a bias to these alone") {
    call c = means();
    c.inputs.resize(8);
    c.inputs[3] = list<float>({0, 0, 1, 1, 1, 2});
    c.inputs[6] = list<float>({7, 8}).reshaped({1, 2, 1, 1});
    c.inputs[7] = list<float>({4, 4}).reshaped({1, 2, 1, 1});
    c.outputs = {element::f32, element::f32, element::f32};
    const outcome y = attended(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({4, 25, 4, 25}).reshaped({1, 2, 2}), 1e-6));
    CHECK(same<float>(y[1], list<float>({7, 2, 3, 7, 8, 11, 21, 61}).reshaped({1, 2, 4, 1})));
    CHECK(same<float>(y[2], list<float>({4, 2, 3, 7, 4, 12, 22, 62}).reshaped({1, 2, 4, 1})));
}
TEST_CASE("Masks of MultiHeadAttention leave out keys that are not above 0, and may begin with lengths") {
    call c = means();
    c.inputs.resize(5);
    c.inputs[4] = numbers(element::i32, {1, 3}, {2, -1, 7});
    CHECK(same<float>(attended(c)[0], list<float>({3.5, 35, 3.5, 35}).reshaped({1, 2, 2}), 1e-6));
    c.inputs[4] = numbers(element::i32, {1, 2, 3}, {1, -5, 0, -1, 3, -1});
    CHECK(same<float>(attended(c)[0], list<float>({1, 10, 2, 20}).reshaped({1, 2, 2}), 1e-6));
    check_levels<op::multi_head_attention>(c);
    c.inputs[4] = numbers(element::i32, {5}, {2, 0, 2, 0, 2});  // lengths, then sums of those of queries and of keys
    CHECK(same<float>(attended(c)[0], list<float>({1.5, 15, 1.5, 15}).reshaped({1, 2, 2}), 1e-6));
    check_levels<op::multi_head_attention>(c);
}
namespace {
// Two batches of one head of size 1, one new row each, in buffers of four rows of which two are there.
call buffered() {
    const tensor q = list<float>({0, 0}).reshaped({2, 1, 1}), kv = list<float>({9, 30}).reshaped({2, 1, 1}),
                 past = list<float>({1, 2, 99, 98, 10, 20, 99, 98}).reshaped({2, 1, 4, 1});
    call c{.inputs = {q, kv, kv, {}, {}, {}, past, past, numbers(element::i32, {1}, {2})},
           .with = with({{"num_heads", 1}, {"unidirectional", 1}}),
           .outputs = {element::f32, element::f32, element::f32}};
    return c;
}
}  // namespace
TEST_CASE("MultiHeadAttention puts new rows behind those that past_sequence_length counts in a buffer") {
    call c = buffered();
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({4, 20}).reshaped({2, 1, 1}), 1e-6));
    CHECK(same<float>(y[1], list<float>({1, 2, 9, 98, 10, 20, 30, 98}).reshaped({2, 1, 4, 1})));
    CHECK(same<float>(y[2], list<float>({1, 2, 9, 98, 10, 20, 30, 98}).reshaped({2, 1, 4, 1})));
    CHECK(run<op::multi_head_attention, device::cpu>(c).answer.reason ==
          "buffers with room: the reference kernel runs");
    c.inputs[4] = numbers(element::i32, {2, 3}, {0, 1, 1, 1, 0, 1});
    CHECK(same<float>(attended(c)[0], list<float>({5.5, 20}).reshaped({2, 1, 1}), 1e-6));
    for (double rows : {-1., 4., 1e9}) {
        c.inputs[8] = numbers(element::i32, {1}, {rows});
        CHECK(attended(c).detail == "past_sequence_length does not fit past_key and the new rows");
    }
    c.inputs[8] = numbers(element::i32, {1}, {3});
    CHECK(attended(c).detail == "key_padding_mask or attention_bias has too few columns");
}
TEST_CASE("MultiHeadAttention reads former rows of the beam that cache_indirection names") {
    call c = buffered();
    c.inputs.push_back(numbers(element::i32, {1, 2, 4}, {1, 0, 7, 7, 0, 1, 7, 7}));
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({7, 17}).reshaped({2, 1, 1}), 1e-6));  // of 10, 2, 9 and of 1, 20, 30
    CHECK(same<float>(y[1], list<float>({1, 2, 9, 98, 10, 20, 30, 98}).reshaped({2, 1, 4, 1})));
    c.inputs[9] = numbers(element::i32, {1, 2, 4}, {2, 0, 0, 0, 0, 0, 0, 0});
    CHECK(attended(c).detail == "cache_indirection names a beam that is none");
    c.inputs[9] = numbers(element::i32, {1, 3, 4}, std::vector<double>(12));
    CHECK(attended(c).answer.reason == "cache_indirection must be [batch / beams, beams, rows of past_key]");
    c.inputs[6] = c.inputs[7] = {};
    CHECK(attended(c).answer.reason == "cache_indirection needs past_sequence_length and past_key");
}
TEST_CASE("MultiHeadAttention reads packed operands, and keys and values by heads, alike") {
    const tensor q = random_tensor({2, 3, 2, 3, 4}, 1), kv = random_tensor({2, 5, 2, 2, 4}, 2);
    const auto part = [](const tensor& x, std::int64_t parts, std::int64_t part_index, bool by_heads) {
        const std::int64_t rows = x.shape()[1];
        tensor y(element::f32, by_heads ? shape{2, 2, rows, 4} : shape{2, rows, 8});
        for (std::int64_t b = 0; b < 2; ++b)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t h = 0; h < 2; ++h)
                    for (std::int64_t d = 0; d < 4; ++d)
                        y.as<float>()[std::size_t(by_heads ? ((b * 2 + h) * rows + i) * 4 + d
                                                           : (b * rows + i) * 8 + h * 4 + d)] =
                            x.as<float>()[std::size_t((((b * rows + i) * 2 + h) * parts + part_index) * 4 + d)];
        return y;
    };
    const auto of = [](std::vector<operand> in) {
        return on_reference<op::multi_head_attention>(
            {.inputs = std::move(in), .with = with({{"num_heads", 2}}), .threads = 3});
    };
    CHECK(same<float>(of({q}), of({part(q, 3, 0, false), part(q, 3, 1, false), part(q, 3, 2, false)})));
    const tensor plain = of({part(q, 3, 0, false), part(kv, 2, 0, false), part(kv, 2, 1, false)});
    CHECK(same<float>(of({part(q, 3, 0, false), kv}), plain));
    CHECK(same<float>(of({part(q, 3, 0, false), part(kv, 2, 0, true), part(kv, 2, 1, true)}), plain));
}
TEST_CASE("MultiHeadAttention refuses what does not fit") {
    const auto reason = [](const call& c) { return attended(c).answer.reason; };
    call c = means();
    c.with = with({{"num_heads", 0}});
    CHECK(reason(c) == "num_heads must be positive");
    c.with = with({{"num_heads", 3}});
    CHECK(reason(c) == "query must be [batch, rows, heads * size]");
    c = means();
    c.inputs[2] = tensor(element::f32, {1, 2, 2});
    CHECK(reason(c) == "query, key and value do not fit each other");
    c.inputs[2] = {};
    CHECK(reason(c) == "value is missing");
    c = means();
    c.inputs.push_back(tensor(element::f32, {5}));
    CHECK(reason(c) == "bias must have one number per column of Q, K and V");
    c.inputs[3] = {};
    c.inputs.push_back(tensor(element::i32, {4}));
    CHECK(reason(c) == "key_padding_mask must be [batch], [3 batch + 2], [batch, keys] or [batch, rows, keys]");
    c = means();
    c.inputs[0] = tensor(element::f32, {1, 0, 2});
    CHECK(attended(c)[0].shape() == shape{1, 0, 2});
}

TEST_CASE("The fast MultiHeadAttention agrees with the reference kernel at every length of sequences and heads") {
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    const std::int64_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 128, 130};
    for (std::int64_t n = 1; n <= 70; ++n) {
        const std::int64_t size = lengths[n * 5 % 17], value_size = lengths[n * 3 % 17], rows = n % 3 ? n : 71 - n;
        CAPTURE(n, size, value_size, rows);
        call c{.inputs = {noise({2, rows, 3 * size}, 1)}, .with = with({{"num_heads", 3}, {"unidirectional", n % 2}})};
        c.inputs.resize(8);
        const std::int64_t past = n % 4 == 1 ? n % 6 + 1 : 0, keys = past + n;
        bool same_size = false;
        switch (n % 5) {
            case 0:
                c.inputs[0] = noise({2, n, 3, 3, size}, 2);
                same_size = true;
                break;
            case 1:
                c.inputs[1] = noise({2, n, 3, 2, size}, 3);
                same_size = true;
                break;
            case 2:
                c.inputs[1] = noise({2, 3, n, size}, 4);
                c.inputs[2] = noise({2, 3, n, value_size}, 5);
                break;
            default: c.inputs[1] = noise({2, n, 3 * size}, 6); c.inputs[2] = noise({2, n, 3 * value_size}, 7);
        }
        const std::int64_t width = same_size ? size : value_size, q_rows = n % 5 == 0 ? n : rows;
        if (n % 2) c.inputs[3] = noise({3 * (2 * size + width)}, 8);
        tensor lengths_of(element::i32, {2});
        lengths_of.as<std::int32_t>()[0] = std::int32_t(keys);
        lengths_of.as<std::int32_t>()[1] = std::int32_t(keys / 2);
        tensor mask(element::i32, n % 7 == 2 ? shape{2, keys} : shape{2, q_rows, keys});
        for (std::int64_t i = 0; i < mask.elements(); ++i) mask.as<std::int32_t>()[std::size_t(i)] = i % 3 != 0;
        if (n % 7 < 4) c.inputs[4] = n % 7 == 1 ? lengths_of : mask;
        if (n % 3 == 1) c.inputs[5] = noise({n % 2 ? 2 : 1, n % 4 ? 3 : 1, q_rows, keys}, 9);
        if (past > 0) {
            c.inputs[6] = noise({2, 3, past, size}, 10);
            c.inputs[7] = noise({2, 3, past, width}, 11);
        }
        if (past > 0 && n % 8 == 1) c.outputs = {element::f32, element::f32, element::f32};
        check_levels<op::multi_head_attention>(c);
    }
}
TEST_CASE("The fast MultiHeadAttention leaves out the rows behind its own, be they NaN") {
    for (const std::int64_t rows : {5, 40, 300}) {
        CAPTURE(rows);
        call c{.inputs = {random_tensor({1, rows, 32}, 1, -1, 1), random_tensor({1, rows, 32}, 2, -1, 1),
                          random_tensor({1, rows, 32}, 3, -1, 1)},
               .with = with({{"num_heads", 2}, {"unidirectional", 1}})};
        for (std::size_t k : {1, 2}) std::ranges::fill(c.inputs[k].value.as<float>().last(32), NAN);
        const auto plain = attended(c)[0];
        CHECK(std::ranges::none_of(plain.as<float>().first(std::size_t(rows - 1) * 32),
                                   [](float y) { return std::isnan(y); }));
        CHECK(std::isnan(plain.as<float>().back()));
        check_levels<op::multi_head_attention>(c);
    }
}
TEST_CASE("MultiHeadAttention leaves out keys whose bias is -inf, be they NaN") {
    for (const std::int64_t rows : {1, 5, 40}) {
        CAPTURE(rows);
        call c{.inputs = {random_tensor({1, rows, 32}, 1, -1, 1), random_tensor({1, 300, 32}, 2, -1, 1),
                          random_tensor({1, 300, 32}, 3, -1, 1)},
               .with = with({{"num_heads", 2}})};
        c.inputs.resize(5);
        c.inputs.push_back(random_tensor({1, 1, rows, 300}, 4, -1, 1));
        for (std::int64_t i = 0; i < rows * 300; ++i)  // every third key; in the last row, all
            if (i % 3 == 1 || i / 300 == rows - 1) c.inputs[5].value.as<float>()[std::size_t(i)] = -INFINITY;
        for (std::size_t k : {1, 2})
            for (std::int64_t i = 0; i < 300 * 32; ++i)
                if (i / 32 % 3 == 1) c.inputs[k].value.as<float>()[std::size_t(i)] = NAN;
        CHECK(std::ranges::none_of(attended(c)[0].as<float>(), [](float y) { return std::isnan(y); }));
        check_levels<op::multi_head_attention>(c);
    }
}
TEST_CASE("The fast MultiHeadAttention agrees with the reference kernel over many keys") {
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    for (std::int64_t rows : {1, 2, 90}) {
        CAPTURE(rows);
        call c{.inputs = {noise({1, rows, 64}, 1),
                          noise({1, 500, 64}, 2),
                          noise({1, 500, 80}, 3),
                          {},
                          {},
                          {},
                          noise({1, 2, 300, 32}, 4),
                          noise({1, 2, 300, 40}, 5)},
               .with = with({{"num_heads", 2}, {"unidirectional", 1}}),
               .outputs = {element::f32, element::f32, element::f32}};
        check_levels<op::multi_head_attention>(c);
        c.inputs[4] = numbers(element::i32, {1}, {500});
        c.inputs[5] = noise({1, 1, rows, 800}, 6);
        check_levels<op::multi_head_attention>(c);
    }
}
