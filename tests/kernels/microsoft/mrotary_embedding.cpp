// Mirrors kernels/inlay/microsoft/mrotary_embedding.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/mrotary_embedding.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
const tensor ids({3, 1, 2}, std::vector<std::int64_t>{0, 2, 1, 3, 2, 0});
call turned(const shape& x, std::int64_t pairs, std::vector<std::int64_t> sections, std::int64_t layout = 0,
            std::int64_t neighbours = 0, double scale = 1, element e = element::f32) {
    const auto table = [&](int by, int period, int offset) {  // the first columns of one of three
        const real_numbers wide = numbers(ramp({4, 3}, by, period, .25, offset));
        real_numbers t;
        for (std::size_t i = 0; i < 12; ++i)
            if (std::int64_t(i % 3) < pairs) t.push_back(wide[i]);
        return numbers(e, {4, pairs}, t);
    };
    return {.inputs = {ramp(x, 7, 13, .25, 6, e), ids, table(3, 7, 3), table(5, 9, 4)},
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("mrope_section", std::span<const std::int64_t>(sections)),
                                       g.make("mrope_layout", layout),
                                       g.make("num_heads", std::int64_t(2)),
                                       g.make("rotary_embedding_dim", pairs == 3 ? std::int64_t(0) : 2 * pairs),
                                       g.make("interleaved", neighbours),
                                       g.make("scale", scale)};
                },
            .outputs = {e}};
}
std::string_view refusal_of(const call& c) { return reason_of<op::mrotary_embedding>(c); }
}  // namespace

TEST_CASE("MRotaryEmbedding turns pairs by the positions of their sections") {
    const real_numbers expected{1.625, -0.375,  0,      1.125,  -0.625,  0,       1.8125,  0.375,
                                0,     -0.1875, -0.625, 0,      -0.3125, 0.25,    -0.5625, -0.3125,
                                -0.5,  -0.9375, 0.0625, -0.125, 0.5625,  -0.3125, -0.5,    -0.9375};
    for (element e : {element::f32, element::f16, element::bf16})
        check_outputs(on_plain<op::mrotary_embedding>(turned({1, 2, 12}, 3, {1, 1, 1}, 0, 0, 1, e)), {expected},
                      e == element::bf16 ? 1e-2 : 1e-3);
}
TEST_CASE("MRotaryEmbedding alternates between positions, turns neighbours, and scales the tables") {
    check_outputs(
        on_plain<op::mrotary_embedding>(turned({1, 2, 12}, 3, {1, 1, 1}, 1, 1, .5)),
        {{0.6875,  0.65625, -0.1875, 0.4375, 0,       0,       0.78125, 0,       0.1875,  0.4375, 0,     0,
          -0.1875, -0.1875, 0.125,   0.1875, -0.1875, -0.5625, 0,       -0.1875, -0.0625, 0.1875, 0.375, -0.5625}});
}
TEST_CASE("MRotaryEmbedding leaves the end of a head as it is, and takes heads before rows") {
    check_outputs(on_plain<op::mrotary_embedding>(turned({1, 2, 2, 6}, 2, {0, 1, 1}, 1)),
                  {{-0.125, 0.375,  2.4375,  0.125, -1,  0.75, -0.3125, -0.5625, 0.0625, -0.0625, -0.25, 1.5,
                    0.25,   -1.375, -0.1875, 0.125, 0.5, -1,   0.4375,  0.3125,  0.0625, -0.0625, 1.25,  -0.25}});
}
TEST_CASE("MRotaryEmbedding refuses what does not fit") {
    CHECK(refusal_of(turned({1, 2, 12}, 3, {1, 1})) == "mrope_section must have three numbers");
    CHECK(refusal_of(turned({1, 2, 12}, 3, {1, 1, -1})) == "mrope_section must not be negative");
    CHECK(refusal_of(turned({1, 2, 12}, 3, {1, 1, 2})) ==
          "mrope_section must add up to half of what is rotated of a head");
    CHECK(refusal_of(turned({1, 2, 12}, 3, {1, 1, 1}, 2)) == "mrope_layout must be 0 or 1");
    CHECK(refusal_of(turned({1, 2, 13}, 3, {1, 1, 1})) == "X does not divide into heads");
    CHECK(refusal_of(turned({1, 3, 12}, 3, {1, 1, 1})) == "position_ids must be [3, batch, rows]");
    call c = turned({1, 2, 12}, 3, {1, 1, 1});
    for (std::int64_t id : {-1, 4}) {
        c.inputs[1] = tensor({3, 1, 2}, std::vector<std::int64_t>{0, 0, 0, 0, 0, id});
        CHECK(on_plain<op::mrotary_embedding>(c).detail == "a position is not in cos_cache");
    }
}
