// Mirrors kernels/inlay/onnx/rotary_embedding.hpp.
#include "../quantized.hpp"
#include <inlay/onnx/rotary_embedding.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using numbers_given = std::vector<std::pair<std::string_view, std::int64_t>>;
// Position 0 turns nothing; position 1 turns the first pair by a quarter and the second by a half.
template <class T> call turned(const tensor& x, std::optional<tensor> ids, numbers_given values) {
    const shape cache = ids ? shape{2, 2} : shape{1, 2, 2};
    call c{.inputs = {x, list<T>({1, 1, 0, -1}).reshaped(cache), list<T>({0, 0, 1, 0}).reshaped(cache)},
           .with = with(std::move(values))};
    if (ids) c.inputs.push_back(*ids);
    return c;
}
tensor positions(std::initializer_list<std::int64_t> ids) { return tensor({1, std::int64_t(ids.size())}, ids); }
std::string_view why(const call& c) { return run<op::rotary_embedding, device::reference>(c).answer.reason; }
}  // namespace

TEMPLATE_TEST_CASE("RotaryEmbedding turns pairs by the angles of their positions, or of their rows", "", float, float16,
                   bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6, 7, 8}).reshaped({1, 2, 4}),
                 halves = list<T>({1, 2, 3, 4, -7, -6, 5, -8}).reshaped({1, 2, 4}),
                 neighbours = list<T>({1, 2, 3, 4, -6, 5, -7, -8}).reshaped({1, 2, 4});
    for (const bool has_ids : {false, true}) {
        const auto ids = has_ids ? std::optional(positions({0, 1})) : std::nullopt;
        CHECK(same<T>(on_reference<op::rotary_embedding>(turned<T>(x, ids, {{"num_heads", 1}})), halves));
        CHECK(same<T>(on_reference<op::rotary_embedding>(turned<T>(x, ids, {{"num_heads", 1}, {"interleaved", 1}})),
                      neighbours));
        CHECK(
            same<T>(on_reference<op::rotary_embedding>(turned<T>(x.reshaped({1, 1, 2, 4}), ids, {{"interleaved", 1}})),
                    neighbours.reshaped({1, 1, 2, 4})));
    }
    CHECK(same<T>(on_reference<op::rotary_embedding>(turned<T>(x, positions({1, 0}), {{"num_heads", 1}})),
                  list<T>({-3, -2, 1, -4, 5, 6, 7, 8}).reshaped({1, 2, 4})));
}
TEST_CASE("RotaryEmbedding leaves what is behind the rotated part of a head, in either order of axes") {
    const tensor x = list<float>({1, 2, 3, 4, 9, 10, 5, 6, 7, 8, 11, 12}),
                 y = list<float>({-3, -2, 1, -4, 9, 10, -7, -6, 5, -8, 11, 12});
    CHECK(same<float>(on_reference<op::rotary_embedding>(turned<float>(
                          x.reshaped({1, 1, 12}), positions({1}), {{"num_heads", 2}, {"rotary_embedding_dim", 4}})),
                      y.reshaped({1, 1, 12})));
    CHECK(same<float>(on_reference<op::rotary_embedding>(
                          turned<float>(x.reshaped({1, 2, 1, 6}), positions({1}), {{"rotary_embedding_dim", 4}})),
                      y.reshaped({1, 2, 1, 6})));
}
TEST_CASE("RotaryEmbedding on threads is that of one, and of no rows nothing") {
    const tensor x = random_tensor({3, 8, 50, 16}, 1), c = random_tensor({3, 50, 8}, 2),
                 s = random_tensor({3, 50, 8}, 3);
    const call single{.inputs = {x, c, s}};
    call many = single;
    many.threads = 5;
    CHECK(same<float>(on_reference<op::rotary_embedding>(many), on_reference<op::rotary_embedding>(single)));
    CHECK(on_reference<op::rotary_embedding>(
              {{tensor(element::f32, {3, 8, 0, 16}), tensor(element::f32, {3, 0, 8}), tensor(element::f32, {3, 0, 8})}})
              .shape() == shape{3, 8, 0, 16});
}
TEST_CASE("RotaryEmbedding refuses positions, caches and heads that do not fit") {
    const tensor x(element::f32, {1, 2, 4});
    for (const std::int64_t wrong : {std::int64_t(-1), std::int64_t(2), std::int64_t(1) << 60})
        CHECK(run<op::rotary_embedding, device::reference>(turned<float>(x, positions({0, wrong}), {{"num_heads", 1}}))
                  .detail == "a position is not in cos_cache");
    CHECK(why(turned<float>(x, {}, {})) == "X of three axes needs num_heads");
    CHECK(why(turned<float>(x, {}, {{"num_heads", -1}})) == "num_heads must not be negative");
    CHECK(why(turned<float>(x, {}, {{"num_heads", 2}})) == "heads are smaller than what is rotated");
    CHECK(why(turned<float>(tensor(element::f32, {1, 2, 9}), {}, {{"num_heads", 2}, {"rotary_embedding_dim", 4}})) ==
          "X does not divide into heads");
    CHECK(why(turned<float>(tensor(element::f32, {1, 2, 6}), {}, {{"num_heads", 1}})) ==
          "cos_cache is not half as wide as a head");
    CHECK(why(turned<float>(x, {}, {{"num_heads", 1}, {"rotary_embedding_dim", 2}})) ==
          "rotary_embedding_dim does not fit cos_cache");
    CHECK(why(turned<float>(tensor(element::f32, {1, 3, 4}), {}, {{"num_heads", 1}})) ==
          "cos_cache is not of the rows of X");
    CHECK(why(turned<float>(x, positions({0}), {{"num_heads", 1}})) == "position_ids must be [batch, rows]");
    CHECK(why(turned<float>(x, tensor({1, 2}, {0.f, 1.f}), {{"num_heads", 1}})) == "position_ids must be int64");
    CHECK(why(turned<float>(tensor(element::f32, {4}), {}, {})) == "X must have three or four axes");
    CHECK(why({{x, tensor(element::f32, {2, 2}), tensor(element::f32, {2, 3})}}) ==
          "cos_cache and sin_cache must be [positions, pairs], or [batch, rows, pairs] without position_ids");
    call c = turned<float>(x, {}, {{"num_heads", 1}});
    c.inputs[2] = tensor(element::f16, {1, 2, 2});
    CHECK(why(c) == "X, cos_cache and sin_cache must have one type");
}
TEST_CASE("The fast RotaryEmbedding agrees with the reference kernel at every number of pairs") {
    for (std::int64_t pairs = 1; pairs <= 70; ++pairs)
        for (std::int64_t interleaved : {0, 1}) {
            CAPTURE(pairs, interleaved);
            const std::int64_t size = 2 * pairs + pairs % 3;
            const bool has_ids = pairs % 4 < 2;
            const shape cache = has_ids ? shape{5, pairs} : shape{2, 3, pairs};
            call c{.inputs = {random_tensor(pairs % 2 ? shape{2, 3, 2 * size} : shape{2, 2, 3, size}, 1),
                              random_tensor(cache, 2), random_tensor(cache, 3)},
                   .with = with({{"num_heads", 2}, {"interleaved", interleaved}, {"rotary_embedding_dim", 2 * pairs}})};
            if (has_ids) c.inputs.push_back(tensor({2, 3}, std::vector<std::int64_t>{0, 4, 2, 1, 1, 3}));
            const tensor plain = on_reference<op::rotary_embedding>(c);
            for (isa::level l : tested_levels())
                for (int threads : {1, 3}) {
                    c.level = l;
                    c.threads = threads;
                    CHECK(same<float>(run<op::rotary_embedding, device::cpu>(c)[0], plain, 2e-6));
                }
        }
}
