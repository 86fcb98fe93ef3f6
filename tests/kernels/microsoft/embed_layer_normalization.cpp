// Mirrors kernels/inlay/microsoft/embed_layer_normalization.hpp and its file for the CPU.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/embed_layer_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
tensor ints(const shape& dims, const real_numbers& x) { return numbers(element::i32, dims, x); }
// Two batches of two words; embeddings of two numbers, of which the larger becomes 1 and the smaller -1.
call embedding(element e = element::f32) {
    return {.inputs = {ints({2, 2}, {0, 2, 1, 1}), ints({2, 2}, {0, 0, 1, 0}), of({3, 2}, {1, 2, 5, 3, 0, 0}, e),
                       of({3, 2}, {0, 0, 0, 4, 9, 0}, e), of({2, 2}, {0, 0, -8, 0}, e), of({2}, {1, 2}, e),
                       of({2}, {0, 10}, e)},
            .outputs = {e, element::i32, e}};
}
outcome embedded(const call& c) { return run<op::embed_layer_normalization, device::reference>(c); }
std::string_view refusal_of(const call& c) { return embedded(c).answer.reason; }
}  // namespace

TEMPLATE_TEST_CASE("EmbedLayerNormalization normalises the sums of three embeddings", "", float, float16) {
    const outcome y = embedded(embedding(element_of<TestType>));
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<TestType>(y[0], list<TestType>({-1, 12, -1, 12, -1, 12, -1, 12}).reshaped({2, 2, 2}), 1e-6));
    CHECK(numbers(y[1]) == real_numbers{0, 0});
    CHECK(same<TestType>(y[2], list<TestType>({1, 2, 0, 4, -3, 3, 5, 7}).reshaped({2, 2, 2})));
}
TEST_CASE("EmbedLayerNormalization counts the ones of a mask, and takes positions of all batches or of each") {
    call c = embedding();
    c.inputs.resize(9);
    c.inputs[7] = ints({2, 2}, {0, 1, 2, 0});
    c.inputs[8] = ints({1, 2}, {2, 0});
    outcome y = embedded(c);
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[1]) == real_numbers{1, 0});
    CHECK(same<float>(y[2], of({2, 2, 2}, {10, 2, 0, 0, 6, 3, 5, 3})));
    CHECK(same<float>(y[0], of({2, 2, 2}, {1, 8, 0, 10, 1, 8, 1, 8}), 1e-6));
    c.inputs[8] = ints({2, 2}, {2, 0, 1, 1});
    c.inputs[1] = c.inputs[4] = {};
    CHECK(same<float>(embedded(c)[2], of({2, 2, 2}, {10, 2, 0, 0, 5, 7, 5, 7})));
    c.with = [](graph_data& g) { return std::vector{g.make("epsilon", 16.)}; };
    const double s = 4 / std::sqrt(32.), t = 1 / std::sqrt(17.);
    CHECK(same<float>(embedded(c)[0], of({2, 2, 2}, {s, 10 - 2 * s, 0, 10, -t, 10 + 2 * t, -t, 10 + 2 * t}), 1e-6));
}
TEST_CASE("EmbedLayerNormalization of no words is empty") {
    call c = embedding();
    c.inputs[0] = c.inputs[1] = ints({2, 0}, {});
    const outcome y = embedded(c);
    REQUIRE(y.code == status::ok);
    CHECK(y[0].shape() == shape{2, 0, 2});
    CHECK(numbers(y[1]) == real_numbers{0, 0});
}
TEST_CASE("EmbedLayerNormalization refuses what does not fit, and indexes that no embedding has") {
    const auto with_input = [](std::size_t k, operand x) {
        call c = embedding();
        c.inputs.resize(9);
        c.inputs[k] = std::move(x);
        return c;
    };
    for (double id : {-1., 3.}) {
        CHECK(embedded(with_input(0, ints({2, 2}, {0, 1, id, 0}))).detail == "a word is not in word_embedding");
        CHECK(embedded(with_input(8, ints({1, 2}, {0, id}))).detail == "a position is not in position_embedding");
        CHECK(embedded(with_input(1, ints({2, 2}, {0, 0, 0, id}))).detail == "a segment is not in segment_embedding");
    }
    CHECK(embedded(with_input(0, ints({1, 4}, {0, 0, 0, 0}))).answer.reason ==
          "segment_ids and mask must be as input_ids");
    CHECK(refusal_of(with_input(1, {})) == "segment_ids and segment_embedding must come together");
    CHECK(refusal_of(with_input(3, of({3, 3}, real_numbers(9)))) == "the embeddings must be matrices of one width");
    CHECK(refusal_of(with_input(4, of({3, 3}, real_numbers(9)))) == "the embeddings must be matrices of one width");
    CHECK(refusal_of(with_input(5, of({3}, {0, 0, 0}))) == "gamma and beta must be as long as an embedding");
    CHECK(refusal_of(with_input(5, {})) == "an input is missing");
    CHECK(refusal_of(with_input(8, ints({2}, {0, 0}))) == "position_ids must be [batch or 1, words]");
    CHECK(refusal_of(with_input(8, of({1, 2}, {0, 0}))) == "ids and mask must be int32");
    CHECK(refusal_of(with_input(6, of({2}, {0, 0}, element::f16))) == "embeddings, gamma and beta must have one type");
    // more places than the table has
    call c = embedding();
    c.inputs[0] = c.inputs[1] = ints({1, 4}, {0, 0, 0, 0});
    CHECK(embedded(c).detail == "a position is not in position_embedding");
}
TEMPLATE_TEST_CASE("EmbedLayerNormalization on the CPU agrees with the reference kernel at every width", "", float,
                   float16) {
    using T = TestType;
    for (std::int64_t n = 1; n <= 70; ++n)
        for (bool segments : {false, true}) {
            CAPTURE(n, segments);
            call c{.inputs = {ints({2, 3}, {0, 4, 2, 2, 1, 3}),
                              {},
                              random_tensor<T>({5, n}, 1),
                              random_tensor<T>({4, n}, 2),
                              {},
                              random_tensor<T>({n}, 4),
                              random_tensor<T>({n}, 5),
                              ints({2, 3}, {1, 1, 0, 1, 0, 0}),
                              ints({1, 3}, {3, 0, 1})},
                   .outputs = {element_of<T>, element::i32, element_of<T>}};
            if (segments) {
                c.inputs[1] = ints({2, 3}, {0, 1, 0, 0, 1, 1});
                c.inputs[4] = random_tensor<T>({2, n}, 3);
            }
            if (n % 3 == 0) c.outputs[2] = element::undefined;
            c.with = [](graph_data& g) { return std::vector{g.make("epsilon", 1e-3)}; };
            const outcome plain = embedded(c);
            REQUIRE(plain.code == status::ok);
            for (isa::level l : tested_levels())
                for (int threads : {1, 3}) {
                    c.level = l;
                    c.threads = threads;
                    const outcome y = run<op::embed_layer_normalization, device::cpu>(c);
                    INFO(y.answer.reason << y.detail);
                    REQUIRE(y.code == status::ok);
                    CHECK(same<T>(y[0], plain[0], std::is_same_v<T, float16> ? 2e-3 : 2e-5));
                    CHECK(numbers(y[1]) == numbers(plain[1]));
                    if (n % 3 != 0) CHECK(same<T>(y[2], plain[2], std::is_same_v<T, float16> ? 1e-3 : 1e-6));
                }
        }
    call c = embedding(element_of<T>);
    c.inputs[0] = ints({2, 2}, {0, 3, 1, 1});
    CHECK(run<op::embed_layer_normalization, device::cpu>(c).detail == "a word is not in word_embedding");
}
