// Mirrors kernels/inlay/microsoft/hyper_connection.hpp.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/hyper_connection.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
constexpr std::size_t branches = 2, size = 3;
call pre(const shape& x, const shape& gates, std::int64_t flat, element e = element::f32, element m = element::f32) {
    return {.inputs = {ramp(x, 7, 13, .25, 6, e), ramp(gates, 3, 7, .5, 2, m)},
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("num_branches", flat), g.make("reduction_scale", .5)};
                },
            .outputs = {e}};
}
call post(const shape& x, const shape& gates, bool mixed, std::int64_t flat, element e = element::f32) {
    call c{.inputs = {ramp(x, 7, 13, .25, 6, e), ramp({2, 3}, 5, 11, .25, 5, e), ramp(gates, 3, 7, .5, 2)},
           .with = quantization::with({{"num_branches", flat}}),
           .outputs = {e}};
    if (mixed) c.inputs.push_back(ramp({2, 2, 2}, 2, 5, .5, 1));
    return c;
}
double gate(const call& c, std::size_t k, std::size_t branch, std::size_t i) {
    const real_numbers g = numbers(c.inputs[k].value);
    return g.size() == 2 * branches ? g[branch] : g[branch * size + i];
}
real_numbers reduced(const call& c) {
    const real_numbers x = numbers(c.inputs[0].value);
    real_numbers y(2 * size);
    for (std::size_t branch = 0; branch < 2 * branches; ++branch)
        for (std::size_t i = 0; i < size; ++i)
            y[branch / branches * size + i] += .5 * x[branch * size + i] * gate(c, 1, branch, i);
    return y;
}
real_numbers mixed(const call& c) {
    const real_numbers x = numbers(c.inputs[0].value), block = numbers(c.inputs[1].value);
    real_numbers y(x.size());
    for (std::size_t to = 0; to < 2 * branches; ++to)
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t row = to / branches;
            double sum = gate(c, 2, to, i) * block[row * size + i];
            for (std::size_t from = row * branches; from < (row + 1) * branches; ++from)
                sum += x[from * size + i] * (c.inputs.size() > 3
                                                 ? numbers(c.inputs[3].value)[from * branches + to % branches]
                                                 : double(from == to));
            y[to * size + i] = sum;
        }
    return y;
}
}  // namespace

TEST_CASE("HyperConnectionPreMix adds up branches by their gates") {
    for (element e : {element::f32, element::f16, element::bf16})
        for (element m : {element::f32, element::bf16}) {
            const double margin = e == element::f32 ? 1e-6 : 2e-2;
            for (const shape& gates : {shape{2, 2}, shape{2, 2, 1}, shape{2, 2, 3}, shape{2, 6}})
                for (std::int64_t flat : {0, 2}) {
                    if (flat == 0 && gates == shape{2, 6}) continue;
                    const call c = pre(flat ? shape{2, 6} : shape{2, 2, 3}, gates, flat, e, m);
                    check_outputs(on_plain<op::hyper_connection_pre_mix>(c), {reduced(c)}, margin);
                }
        }
}
TEST_CASE("HyperConnectionPostMix mixes branches and adds a block's output to each") {
    for (element e : {element::f32, element::f16})
        for (const shape& gates : {shape{2, 2}, shape{2, 2, 1}, shape{2, 2, 3}})
            for (bool by_matrix : {false, true})
                for (std::int64_t flat : {0, 2}) {
                    const call c = post(flat ? shape{2, 6} : shape{2, 2, 3}, gates, by_matrix, flat, e);
                    check_outputs(on_plain<op::hyper_connection_post_mix>(c), {mixed(c)},
                                  e == element::f32 ? 1e-6 : 2e-3);
                }
}
TEST_CASE("Hyper-connections refuse what does not fit") {
    CHECK(reason_of<op::hyper_connection_pre_mix>(pre({2, 2, 3}, {2, 6}, 0)) ==
          "the gates must be [..., branches], [..., branches, 1] or [..., branches, size]");
    CHECK(reason_of<op::hyper_connection_pre_mix>(pre({2, 2, 3}, {1, 2}, 0)) ==
          "the gates must be [..., branches], [..., branches, 1] or [..., branches, size]");
    CHECK(reason_of<op::hyper_connection_post_mix>(post({2, 6}, {2, 6}, false, 2)) ==
          "the gates must be [..., branches], [..., branches, 1] or [..., branches, size]");
    call c = post({2, 2, 3}, {2, 2}, true, 0);
    c.inputs[3] = ramp({2, 2}, 1, 5, 1, 0);
    CHECK(reason_of<op::hyper_connection_post_mix>(c) == "stream_mix must be [..., branches, branches]");
    c.inputs[1] = ramp({2, 2}, 1, 5, 1, 0);
    CHECK(reason_of<op::hyper_connection_post_mix>(c) == "block_output must be [..., size]");
}
