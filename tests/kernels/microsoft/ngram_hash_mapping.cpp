// Mirrors kernels/inlay/microsoft/ngram_hash_mapping.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/ngram_hash_mapping.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
using ids = std::vector<std::int64_t>;
using segments = std::vector<std::int32_t>;
std::vector<operand> tables() { return {tensor({3}, ids{3, 5, 7}), tensor({4}, ids{11, 13, 17, 19})}; }
attributes sizes(bool resets = false, std::int64_t capacity = 0, std::int64_t order = 3) {
    return quantization::with({{"max_ngram_size", order},
                               {"n_head_per_ngram", 2},
                               {"pad_id", 0},
                               {"reset_on_eos", resets},
                               {"state_update_capacity", capacity}});
}
call plain(const tensor& x) {
    call c{.inputs = {x}, .with = sizes(), .outputs = {x.type(), x.type()}};
    for (operand& o : tables()) c.inputs.push_back(o);
    return c;
}
call packed() {
    call c{.inputs = {tensor({10}, ids{5, 3, 9, 2, 7, 1, 2, 2, 9, 4})},
           .with = sizes(true, 3),
           .outputs = {element::i64, element::i64, element::i32, element::i64}};
    for (operand& o : tables()) c.inputs.push_back(o);
    for (const tensor& t :
         {tensor({4}, segments{0, 1, 6, 10}), tensor({3, 2}, ids{4, 9, 2, 6, 8, 8}), tensor({4}, ids{0, 11, 24, 41}),
          tensor(shape{}, ids{9}), tensor({10}, segments{0, 0, 0, 1, 1, 1, 0, 0, 2, 2}),
          tensor({3, 2}, segments{0, 0, 1, 0, 0, 0}), tensor({3}, segments{2, 5, -1})})
        c.inputs.push_back(t);
    return c;
}
const tensor two_rows({2, 5}, ids{5, 3, 9, 2, 7, 1, 2, 2, 9, 4});
std::string_view refusal_of(const call& c) { return reason_of<op::ngram_hash_mapping>(c); }
}  // namespace

TEST_CASE("NGramHashMapping mixes each token with those before it") {
    check_outputs(on_plain<op::ngram_hash_mapping>(plain(two_rows)),
                  {{4, 2, 15, 15, 5, 3, 16, 16, 9, 7,  4,  17, 10, 4, 11, 5,  9, 5, 15, 13,
                    3, 3, 3,  3,  3, 3, 3,  3,  1, 12, 11, 11, 6,  4, 14, 12, 0, 7, 13, 9},
                   {2, 7, 9, 4}},
                  0);
}
TEST_CASE("NGramHashMapping goes on from past tokens, and stops at the ends of texts and at segments") {
    call c = plain(two_rows);
    c.with = sizes(true);
    for (const tensor& t : {tensor({2, 2}, ids{4, 9, 2, 6}), tensor({4}, ids{0, 11, 24, 41}), tensor(shape{}, ids{9}),
                            tensor({2, 5}, segments{0, 0, 1, 1, 1, 0, 0, 0, 0, 2})})
        c.inputs.push_back(t);
    check_outputs(on_plain<op::ngram_hash_mapping>(c),
                  {{1, 19, 36, 51, 5, 14, 37, 50, 10, 13, 33, 50, 10, 15, 27, 42, 9, 16, 39, 54,
                    7, 14, 26, 41, 3, 14, 31, 44, 1,  23, 35, 52, 6,  15, 38, 53, 0, 18, 37, 52},
                   {2, 7, 9, 4}},
                  0);
}
TEST_CASE("NGramHashMapping wraps around, and its remainders are not negative") {
    std::vector<std::int32_t> x;
    for (std::int64_t id : two_rows.as<std::int64_t>()) x.push_back(std::int32_t(-id * 100'000'000));
    call c = plain(tensor({2, 5}, x));
    c.inputs[1] = tensor({3}, segments{3'000'003, 5'000'005, 7'000'007});
    c.inputs[2] = tensor({4}, segments{11, 13, 17, 19});
    check_outputs(on_plain<op::ngram_hash_mapping>(c),
                  {{9, 12, 12, 3, 9, 0, 11, 10, 3, 9, 12, 0, 8, 3, 3, 2, 10, 7, 4,  6,
                    1, 11, 9,  7, 8, 8, 10, 3,  5, 4, 12, 3, 1, 3, 8, 2, 2,  2, 12, 9},
                   {-2e8, -7e8, -9e8, -4e8}},
                  0);
}
TEST_CASE("VarlenNGramHashMapping does so for sequences that lie one after the other") {
    check_outputs(on_plain<op::varlen_ngram_hash_mapping>(packed()),
                  {{1,  19, 36, 51, 1, 21, 30, 43, 9, 18, 35, 46, 10, 15, 27, 42, 9, 16, 39, 54,
                    10, 17, 36, 49, 2, 18, 29, 44, 1, 23, 25, 55, 10, 13, 33, 50, 0, 18, 37, 52},
                   {9, 5, 7, 1, 9, 4},
                   {0, 0, 1, 1, 2, 2},
                   {9, 5, 0, 0, 0, 0, 6, 3, 3, 9, 9, 2, 0, 0, 0, 0, 0, 0}},
                  0);
}
TEST_CASE("NGramHashMapping and VarlenNGramHashMapping refuse what does not fit") {
    call c = plain(two_rows);
    c.with = sizes(false, 0, 1);
    CHECK(refusal_of(c) == "max_ngram_size must be 2 or more");
    c.with = sizes(false, 0, 4);
    CHECK(refusal_of(c) == "multipliers must have max_ngram_size numbers");
    c = plain(two_rows);
    c.inputs[2] = tensor({3}, ids{11, 13, 17});
    CHECK(refusal_of(c) == "vocab_sizes and head_offsets must have one number per head");
    c.inputs[2] = tensor({4}, ids{11, 0, 17, 19});
    CHECK(on_plain<op::ngram_hash_mapping>(c).detail == "vocab_sizes: a size is not positive");
    for (const segments& cuts : {segments{1, 2, 6, 10}, segments{0, 1, 6, 9}, segments{0, 6, 6, 10}}) {
        c = packed();
        c.inputs[3] = tensor({4}, cuts);
        CHECK(on_plain<op::varlen_ngram_hash_mapping>(c).detail ==
              "cumulative_sequence_length must ascend from 0 to the number of tokens");
    }
    c = packed();
    c.inputs.resize(9);
    CHECK(reason_of<op::varlen_ngram_hash_mapping>(c) ==
          "capture_count is there exactly where state_update_capacity is positive");
}
