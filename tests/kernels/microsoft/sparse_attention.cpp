// Mirrors kernels/inlay/microsoft/sparse_attention.hpp. Expected values: ONNX Runtime's, but of a batch that is shorter
// than others: numpy's, for ONNX Runtime 1.32 takes the weights of another head there.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/sparse_attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
using integers = std::vector<std::int32_t>;
// Two heads of queries that share one of keys and values, caches of eight rows, blocks of two: head 0 has all blocks
// but a few, head 1 others.
call attend(std::int64_t rows, int total, const integers& lengths, element e = element::f32) {
    return {.inputs = {ramp({2, rows, 16}, 7, 19, .125, 9, e), ramp({2, rows, 8}, 5, 17, .125, 8, e),
                       ramp({2, rows, 8}, 3, 13, .25, 6, e), ramp({2, 1, 8, 8}, 5, 11, .125, 5, e),
                       ramp({2, 1, 8, 8}, 4, 9, .25, 4, e), tensor({2, 5}, integers{0, 1, 2, 4, 6, 0, 1, 3, 5, 8}),
                       tensor({2, 8}, integers{0, 1, 0, 2, 1, 3, -1, -1, 0, 0, 1, 1, 2, 0, 2, 3}),
                       tensor({1}, integers{total}), tensor({2}, lengths)},
            .with = quantization::with({{"num_heads", 2}, {"kv_num_heads", 1}, {"sparse_block_size", 2}}),
            .outputs = {e, e, e}};
}
std::string_view refusal_of(const call& c) { return reason_of<op::sparse_attention>(c); }
std::string failure_of(const call& c) { return on_plain<op::sparse_attention>(c).detail; }
}  // namespace

TEST_CASE("SparseAttention attends to the blocks that its layout lists, after former rows") {
    for (element e : {element::f32, element::f16, element::bf16}) {
        const outcome y = on_plain<op::sparse_attention>(attend(1, 6, {6, 4}, e));
        check_outputs(
            y, {{-0.5981348, -0.3624434, 0.09647676, 0.460725,   0.2068132, -0.09813479, 0.1375566,  0.01220165,
                 -0.3456352, -0.1296128, -0.385751,  -0.1697286, 0.1214221, 0.1543648,   0.3703872,  0.114249,
                 0.9036883,  -1.163422,  -0.3268441, 0.5097338,  0.5671103, -0.7207986,  -0.6634221, 0.1731559,
                 0.2184765,  -0.5360158, 0.04230054, 0.4613842,  0.2993929, -0.2232664,  -0.3852577, 0.03382592}},
            e == element::f32   ? 1e-6
            : e == element::f16 ? 2e-3
                                : 2e-2);
        // The new row of keys follows five former ones in the first batch, three in the second.
        const real_numbers present = numbers(y[1]), past = numbers(ramp({2, 1, 8, 8}, 5, 11, .125, 5)),
                           key = numbers(ramp({2, 1, 8}, 5, 17, .125, 8));
        for (std::size_t i = 0; i < 128; ++i)
            CHECK(present[i] == (i / 8 == 5 || i / 8 == 11 ? key[i / 64 * 8 + i % 8] : past[i]));
    }
}
TEST_CASE("SparseAttention begins with as many rows as there are in all, or goes on with several") {
    const real_numbers first = numbers(on_plain<op::sparse_attention>(attend(3, 3, {3, 2}))[0]);
    const real_numbers expected{-1.5,      -0.75,     0,         0.75,     1.5,      -1,        -0.25,     0.5,
                                -1.5,      -0.75,     0,         0.75,     1.5,      -1,        -0.25,     0.5,
                                0.66277,   -1.143231, -0.393231, 0.356769, 1.106769, -1.393231, -0.643231, 0.106769,
                                -0.075648, -1.008973, -0.258973, 0.491027, 1.241027, -1.258973, -0.508973, 0.241027,
                                0.75,      1.5,       -1,        -0.25,    0.5,      1.25,      -1.25,     -0.5,
                                -0.360775, -0.108349, -0.39575,  0.35425,  1.10425,  -0.358349, -0.64575,  0.10425};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(first[i] == Approx(expected[i]).margin(1e-5));
    check_outputs(on_plain<op::sparse_attention>(attend(2, 6, {6, 5})),
                  {{-0.6254281, -0.602307,  0.3318997,   0.519332,   0.5424532, -0.1254281, -0.102307,   0.08512541,
                    -0.2789362, -0.40166,   -0.2283639,  -0.3510877, 0.6059734, 0.2210638,  0.09834004,  0.2716361,
                    0.249907,   -0.9134188, -0.02907888, 0.5113587,  0.5305414, -0.4326015, -0.4134188,  0.1270187,
                    -0.1371871, -0.5954267, -0.3542731,  0.01845941, 0.8950471, -0.4681592, -0.09542672, 0.1457269,
                    0.4917166,  0.2085831,  -0.4834333,  0.3957084,  0.1125749, 0.9917166,  -0.8625749,  0.01656675,
                    0.05446344, 0.4865744,  -0.1376838,  0.2665374,  0.1502423, 0.5544634,  -0.5608372,  -0.156616,
                    -0.0971878, 0.7709334,  -0.6230609,  -0.2703397, 0.050091,  0.4028122,  0.7232429,   -0.6384609,
                    0.3923699,  0.7290114,  -1.047611,   -0.2459414, 0.0907001, 0.8923699,  0.303607,    -0.5476112}},
                  1e-5);
}
TEST_CASE("SparseAttention takes query, key and value side by side, and rotates by the cached angles") {
    call apart = attend(2, 6, {6, 5});
    const real_numbers q = numbers(apart.inputs[0].value), k = numbers(apart.inputs[1].value),
                       v = numbers(apart.inputs[2].value);
    real_numbers values;
    for (std::ptrdiff_t row = 0; row < 4; ++row) {
        values.insert(values.end(), q.begin() + row * 16, q.begin() + (row + 1) * 16);
        values.insert(values.end(), k.begin() + row * 8, k.begin() + (row + 1) * 8);
        values.insert(values.end(), v.begin() + row * 8, v.begin() + (row + 1) * 8);
    }
    call together = apart;
    together.inputs[0] = numbers(element::f32, {2, 2, 32}, values);
    together.inputs[1] = together.inputs[2] = operand();
    const outcome reference = on_plain<op::sparse_attention>(apart);
    for (std::size_t i : {0, 1, 2})
        CHECK(numbers(on_plain<op::sparse_attention>(together)[i]) == numbers(reference[i]));
    // Angles of zero turn nothing; those of half a turn negate the new keys, and not the values.
    apart.with =
        quantization::with({{"num_heads", 2}, {"kv_num_heads", 1}, {"sparse_block_size", 2}, {"do_rotary", 1}});
    apart.inputs.push_back(ramp({8, 4}, 0, 1, 1, -1));
    apart.inputs.push_back(ramp({8, 4}, 0, 1, 1, 0));
    CHECK(numbers(on_plain<op::sparse_attention>(apart)[0]) == numbers(reference[0]));
    apart.inputs[9] = ramp({8, 4}, 0, 1, 1, 1);
    const outcome turned = on_plain<op::sparse_attention>(apart);
    for (std::size_t i = 4 * 8; i < 6 * 8; ++i) CHECK(numbers(turned[1])[i] == -numbers(reference[1])[i]);
    CHECK(numbers(turned[2]) == numbers(reference[2]));
}
TEST_CASE("SparseAttention refuses what does not fit") {
    call c = attend(1, 6, {6, 4});
    c.inputs[3] = ramp({2, 1, 8, 4}, 1, 5, 1, 0);
    CHECK(refusal_of(c) == "past_key and past_value must be [batch, heads, rows, size]");
    c = attend(1, 6, {6, 4});
    c.inputs[5] = tensor({3, 2}, integers{0, 1, 0, 1, 0, 1});
    CHECK(refusal_of(c) ==
          "block_row_indices and block_col_indices must have a row for each layout, of which num_heads "
          "is a multiple");
    CHECK(failure_of(attend(1, 6, {9, 4})) == "key_total_sequence_lengths does not fit past_key and the new rows");
    CHECK(failure_of(attend(1, 6, {0, 4})) == "key_total_sequence_lengths does not fit past_key and the new rows");
    c = attend(1, 6, {6, 4});
    c.inputs[5] = tensor({2, 5}, integers{0, 1, 2, 4, 9, 0, 1, 3, 5, 8});
    CHECK(failure_of(c) == "block_row_indices does not ascend within block_col_indices");
    c.inputs[5] = tensor({2, 5}, integers{0, 1, 2, 4, 7, 0, 1, 3, 5, 8});
    CHECK(failure_of(c) == "block_col_indices: a block is out of range");
    c = attend(1, 6, {6, 4});
    c.inputs[5] = tensor({2, 3}, integers{0, 1, 2, 0, 1, 2});
    CHECK(failure_of(c) == "block_row_indices has too few rows of blocks");
}
