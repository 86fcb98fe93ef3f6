// Mirrors kernels/inlay/microsoft/rotary_embedding.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/rotary_embedding.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
// Position 0 turns nothing; position 1 turns the first pair by a quarter and the second by a half.
template <class T> call turned(const tensor& x, real_numbers ids, const shape& of) {
    return {.inputs = {x, numbers(element::i64, of, ids), list<T>({1, 1, 0, -1}).reshaped({2, 2}),
                       list<T>({0, 0, 1, 0}).reshaped({2, 2})}};
}
}  // namespace

TEMPLATE_TEST_CASE("com.microsoft's RotaryEmbedding turns pairs by the angles of their positions", "", float, float16,
                   bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6, 7, 8}).reshaped({1, 2, 4});
    call c = turned<T>(x, {0, 1}, {1, 2});
    CHECK(same<T>(on_reference<op::microsoft_rotary_embedding>(c),
                  list<T>({1, 2, 3, 4, -7, -6, 5, -8}).reshaped({1, 2, 4})));
    c.with = with({{"interleaved", 1}});
    CHECK(same<T>(on_reference<op::microsoft_rotary_embedding>(c),
                  list<T>({1, 2, 3, 4, -6, 5, -7, -8}).reshaped({1, 2, 4})));
    c.inputs[0] = x.reshaped({1, 1, 2, 4});
    c.inputs[1] = numbers(element::i64, {1}, {0});
    CHECK(same<T>(on_reference<op::microsoft_rotary_embedding>(c),
                  list<T>({1, 2, 3, 4, -6, 5, -7, -8}).reshaped({1, 1, 2, 4})));
}
TEST_CASE("com.microsoft's RotaryEmbedding turns by the same angles whatever its scale is") {
    call c = turned<float>(list<float>({1, 2, 3, 4, 5, 6, 7, 8}).reshaped({1, 2, 4}), {0, 1}, {1, 2});
    c.with = [](graph_data& g) { return std::vector{g.make("scale", 3.)}; };
    CHECK(same<float>(on_reference<op::microsoft_rotary_embedding>(c),
                      list<float>({1, 2, 3, 4, -7, -6, 5, -8}).reshaped({1, 2, 4})));
}
TEST_CASE("com.microsoft's RotaryEmbedding leaves what is behind the rotated part of a head") {
    call c = turned<float>(list<float>({1, 2, 3, 4, 9, 10, 5, 6, 7, 8, 11, 12}).reshaped({1, 1, 12}), {1}, {1, 1});
    c.with = with({{"num_heads", 2}, {"rotary_embedding_dim", 4}});
    CHECK(same<float>(on_reference<op::microsoft_rotary_embedding>(c),
                      list<float>({-3, -2, 1, -4, 9, 10, -7, -6, 5, -8, 11, 12}).reshaped({1, 1, 12})));
}
TEST_CASE("com.microsoft's RotaryEmbedding refuses positions and shapes that do not fit") {
    const tensor x(element::f32, {1, 2, 4});
    for (double wrong : {-1., 2., 9e15})
        CHECK(run<op::microsoft_rotary_embedding, device::reference>(turned<float>(x, {0, wrong}, {1, 2})).detail ==
              "a position is not in cos_cache");
    CHECK(run<op::microsoft_rotary_embedding, device::reference>(turned<float>(x, {1}, {1})).detail ==
          "a position is not in cos_cache");
    const auto reason = [](const call& c) {
        return run<op::microsoft_rotary_embedding, device::reference>(c).answer.reason;
    };
    CHECK(reason(turned<float>(x, {0, 1, 0}, {1, 3})) == "position_ids must be one number, or [batch, rows]");
    CHECK(reason(turned<float>(tensor(element::f32, {1, 2, 6}), {0, 1}, {1, 2})) == "X does not divide into heads");
    call c = turned<float>(x, {0, 1}, {1, 2});
    c.with = with({{"num_heads", 2}});
    CHECK(reason(c) == "heads are smaller than what is rotated");
    c.with = with({{"rotary_embedding_dim", 4}});
    CHECK(reason(c) == "rotary_embedding_dim needs num_heads");
}
TEST_CASE("The fast RotaryEmbedding of com.microsoft agrees with the reference kernel at every number of pairs") {
    for (std::int64_t pairs = 1; pairs <= 70; ++pairs)
        for (std::int64_t interleaved : {0, 1}) {
            CAPTURE(pairs, interleaved);
            const std::int64_t size = 2 * pairs + pairs % 3;
            call c{.inputs = {random_tensor(pairs % 2 ? shape{2, 3, 2 * size} : shape{2, 2, 3, size}, 1),
                              numbers(element::i64, {2, 3}, {0, 4, 2, 1, 1, 3}), random_tensor({5, pairs}, 2),
                              random_tensor({5, pairs}, 3)},
                   .with = with({{"num_heads", 2}, {"interleaved", interleaved}, {"rotary_embedding_dim", 2 * pairs}})};
            const tensor plain = on_reference<op::microsoft_rotary_embedding>(c);
            for (isa::level l : tested_levels())
                for (int threads : {1, 3}) {
                    c.level = l;
                    c.threads = threads;
                    const outcome y = run<op::microsoft_rotary_embedding, device::cpu>(c);
                    INFO(y.answer.reason << y.detail);
                    REQUIRE(y.code == status::ok);
                    CHECK(same<float>(y[0], plain, 2e-6));
                }
        }
}
