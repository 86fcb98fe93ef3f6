// Mirrors kernels/inlay/microsoft/decoder_masked_multi_head_attention.hpp and its file for the CPU.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/decoder_masked_multi_head_attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
tensor ints(const shape& dims, const real_numbers& x) { return numbers(element::i32, dims, x); }
using integer_list = std::vector<std::pair<std::string_view, std::int64_t>>;
// One batch, two heads of one column; Q is 0: outputs are means of the values. Two former rows and a new one.
call means(element e = element::f32, const integer_list& list = {}) {
    integer_list entries = list;
    entries.push_back({"num_heads", 2});
    call c{.inputs = {of({1, 1, 2}, {0, 0}, e),
                      of({1, 1, 2}, {5, 6}, e),
                      of({1, 1, 2}, {6, 60}, e),
                      {},
                      {},
                      of({1, 2, 2, 1}, {1, 2, 3, 4}, e),
                      of({1, 2, 2, 1}, {1, 2, 10, 20}, e)},
           .with = with(entries),
           .outputs = {e, e, e}};
    c.inputs.resize(11);
    return c;
}
outcome attended(const call& c) { return run<op::decoder_masked_multi_head_attention, device::reference>(c); }
std::string_view refusal_of(const call& c) { return attended(c).answer.reason; }
}  // namespace

TEST_CASE("DecoderMaskedMultiHeadAttention attends to former rows and to the new one, and gives all back") {
    for (element e : {element::f32, element::f16}) {
        const outcome y = attended(means(e));
        INFO(y.answer.reason << y.detail);
        REQUIRE(y.code == status::ok);
        CHECK(numbers(y[0]) == real_numbers{3, 30});
        CHECK(numbers(y[1]) == real_numbers{1, 2, 5, 3, 4, 6});
        CHECK(numbers(y[2]) == real_numbers{1, 2, 6, 10, 20, 60});
    }
    call c = means();
    c.inputs[5] = c.inputs[6] = {};
    CHECK(numbers(attended(c)[0]) == real_numbers{6, 60});
}
TEST_CASE("DecoderMaskedMultiHeadAttention reads packed rows, adds biases, and masks") {
    call c = means();
    c.inputs[0] = of({1, 1, 6}, {0, 0, 5, 6, 6, 60});
    c.inputs[1] = c.inputs[2] = {};
    CHECK(numbers(attended(c)[0]) == real_numbers{3, 30});
    c.inputs[10] = of({6}, {0, 0, 1, 2, 3, 30});
    outcome y = attended(c);
    CHECK(numbers(y[0]) == real_numbers{4, 40});
    CHECK(numbers(y[1]) == real_numbers{1, 2, 6, 3, 4, 8});
    c = means();
    c.inputs[3] = ints({1, 3}, {1, 0, 1});
    CHECK(same<float>(attended(c)[0], of({1, 1, 2}, {3.5, 35}), 1e-6));
    c.inputs[4] = of({1, 2, 1, 3}, {0, 0, -infinity, -infinity, 0, 0});
    CHECK(same<float>(attended(c)[0], of({1, 1, 2}, {1, 60}), 1e-6));
}
TEST_CASE("DecoderMaskedMultiHeadAttention attends across to keys and values by heads, and returns its scores") {
    call c{.inputs = {of({1, 1, 2}, {1, 2}),
                      of({1, 2, 2, 1}, {0, std::log(3.), 0, 0}),
                      of({1, 2, 2, 1}, {4, 8, 1, 2}),
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      of({6}, {1, 0, 9, 9, 9, 9})},
           .with =
               [](graph_data& g) {
                   return std::vector{g.make("num_heads", std::int64_t(2)), g.make("scale", 0.5)};
               },
           .outputs = {element::f32, element::undefined, element::undefined, element::f32}};
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({1, 1, 2}, {7, 1.5}), 1e-6));
    CHECK(same<float>(y[3], of({1, 2, 1, 2}, {0, std::log(3.), 0, 0}), 1e-6));
    c.inputs[3] = ints({1, 2}, {1, 0});
    CHECK(same<float>(attended(c)[3], of({1, 2, 1, 2}, {0, std::log(3.) - 10000, 0, -10000}), 1e-6));
    c.outputs = {element::f32, element::f32, element::f32};
    CHECK(refusal_of(c) == "cross attention has no present");
}
TEST_CASE("DecoderMaskedMultiHeadAttention writes into a shared buffer, and reads the rows of other beams") {
    call c = means(element::f32, {{"past_present_share_buffer", 1}});
    c.inputs[7] = ints({1}, {1});
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[0]) == real_numbers{3.5, 35});
    CHECK(numbers(y[2]) == real_numbers{1, 6, 10, 60});
    for (double wrong : {-1., 2.}) {
        c.inputs[7] = ints({1}, {wrong});
        CHECK(attended(c).detail == "past_sequence_length does not fit past_key");
    }
    call two{.inputs = {of({2, 1, 1}, {0, 0}),
                        of({2, 1, 1}, {0, 0}),
                        of({2, 1, 1}, {6, 9}),
                        {},
                        {},
                        of({2, 1, 2, 1}, {0, 0, 0, 0}),
                        of({2, 1, 2, 1}, {1, 2, 10, 20}),
                        {},
                        ints({1}, {2}),
                        ints({1, 2, 2}, {1, 0, 0, 1})},
             .with = with({{"num_heads", 1}})};
    CHECK(numbers(attended(two)[0]) == real_numbers{6, 10});  // 10, 2, 6 and 1, 20, 9
    two.inputs[9] = ints({1, 2, 2}, {1, 0, 2, 1});
    CHECK(attended(two).detail == "cache_indirection names no beam");
    two.inputs[8] = ints({1}, {3});
    CHECK(attended(two).detail == "beam_width does not divide the batch");
}
TEST_CASE("DecoderMaskedMultiHeadAttention refuses what does not fit") {
    const auto with_input = [](std::size_t k, operand x) {
        call c = means();
        c.inputs[k] = std::move(x);
        return c;
    };
    CHECK(refusal_of(with_input(0, of({1, 2, 2}, {0, 0, 0, 0}))) == "query must be [batch, 1, heads * size]");
    CHECK(refusal_of(with_input(1, {})) == "key and value must come together");
    CHECK(refusal_of(with_input(1, of({1, 1, 4}, {0, 0, 0, 0}))) == "key and value must be [batch, 1, heads * size]");
    CHECK(refusal_of(with_input(5, of({1, 2, 1, 2}, {0, 0, 0, 0}))) ==
          "past_key and past_value must be [batch, heads, rows, size]");
    CHECK(refusal_of(with_input(3, ints({1, 2}, {0, 0}))) == "mask_index or attention_bias has another number of keys");
    CHECK(refusal_of(with_input(4, of({1, 1, 1, 2}, {0, 0}))) ==
          "mask_index or attention_bias has another number of keys");
    CHECK(refusal_of(with_input(10, of({5}, {0, 0, 0, 0, 0}))) == "bias must have one number per column of Q, K and V");
    CHECK(refusal_of(with_input(3, of({1, 3}, {0, 0, 0}))) == "mask, lengths and beams must be int32");
    CHECK(refusal_of(means(element::f32, {{"past_present_share_buffer", 1}})) ==
          "a shared buffer needs past_sequence_length");
    CHECK(refusal_of(with_input(8, ints({1}, {1}))) == "beam_width and cache_indirection must come together");
}
TEST_CASE("DecoderMaskedMultiHeadAttention on the CPU agrees with the reference kernel") {
    using op_t = op::decoder_masked_multi_head_attention;
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    for (std::int64_t n = 1; n <= 40; ++n) {
        const std::int64_t size = n, value_size = n % 3 ? n : 2 * n, past = n * 7 % 45, room = n % 4, heads = 3;
        CAPTURE(size, value_size, past, room);
        // A shared buffer with spare capacity, beams, a mask, a bias of scores and one of rows.
        call c{.inputs = {noise({4, 1, heads * size}, 1),
                          noise({4, 1, heads * size}, 2),
                          noise({4, 1, heads * value_size}, 3),
                          {},
                          {},
                          noise({4, heads, past + 1 + room, size}, 4),
                          noise({4, heads, past + 1 + room, value_size}, 5),
                          ints({1}, {double(past)})},
               .with = with({{"num_heads", heads}, {"past_present_share_buffer", 1}}),
               .outputs = {element::f32, element::f32, element::f32}};
        c.inputs.resize(11);
        check_levels<op_t>(c, 2e-5, 1e-6);
        tensor beams(element::i32, {2, 2, past + room}), mask(element::i32, {4, past + 1});
        for (std::size_t i = 0; i < std::size_t(beams.elements()); ++i) beams.as<std::int32_t>()[i] = i / 3 % 2;
        for (std::size_t i = 0; i < std::size_t(mask.elements()); ++i)
            mask.as<std::int32_t>()[i] = std::int32_t(i % 5) - 1;
        c.inputs[8] = ints({1}, {2});
        c.inputs[9] = beams;
        c.inputs[3] = mask;
        check_levels<op_t>(c, 2e-5, 1e-6);
        c.inputs[10] = noise({heads * (2 * size + value_size)}, 6);
        c.inputs[4] = noise({1, heads, 1, past + 1}, 7);
        check_levels<op_t>(c, 2e-5, 1e-6);
        // Across, with the scores given back.
        call across{.inputs = {noise({2, 1, heads * size}, 1), noise({2, heads, past + 1, size}, 2),
                               noise({2, heads, past + 1, value_size}, 3)},
                    .with = with({{"num_heads", heads}}),
                    .outputs = {element::f32, element::undefined, element::undefined, element::f32}};
        check_levels<op_t>(across, 2e-5, 2e-5);
        // Packed rows and a past that is copied; all keys masked by -infinity.
        call packed{.inputs = {noise({2, 1, heads * 3 * size}, 1),
                               {},
                               {},
                               {},
                               {},
                               noise({2, heads, past, size}, 4),
                               noise({2, heads, past, size}, 5)},
                    .with = with({{"num_heads", heads}}),
                    .outputs = {element::f32, element::f32, element::f32}};
        check_levels<op_t>(packed, 2e-5, 1e-6);
        tensor full_mask(element::f32, {1, 1, 1, past + 1});
        std::fill(full_mask.as<float>().begin(), full_mask.as<float>().end(), -infinity);
        packed.inputs[4] = full_mask;
        check_levels<op_t>(packed, 2e-5, 1e-6);
    }
}
