// Mirrors kernels/inlay/microsoft/moe_group_router.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/moe_group_router.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
call router(const tensor& logits, std::int64_t k, std::int64_t groups, std::int64_t top_groups,
            bool with_scores = false, std::int64_t summed = 2) {
    return {.inputs = {logits, ramp({8}, 3, 7, .0625, 3)},
            .with = quantization::with(
                {{"top_k", k}, {"n_group", groups}, {"topk_group", top_groups}, {"group_topk", summed}}),
            .outputs =
                with_scores ? std::vector{element::undefined, element::f32, element::f32} : std::vector{logits.type()}};
}
tensor logits() { return ramp({2, 8}, 7, 13, .5, 6); }
constexpr double excluded_score = -10000;
std::string_view refusal_of(const call& c) { return reason_of<op::moe_group_router>(c); }
}  // namespace

TEST_CASE("MoEGroupRouter chooses groups, and of them experts") {
    check_outputs(on_plain<op::moe_group_router>(router(logits(), 3, 4, 2)),
                  {{excluded_score, excluded_score, excluded_score, excluded_score, excluded_score, -0.2014133,
                    -1.701413, -0.126928, excluded_score, -0.07888973, -0.9740769, -0.04858734, excluded_score,
                    excluded_score, excluded_score, excluded_score}});
    check_outputs(on_plain<op::moe_group_router>(router(ramp({2, 8}, 7, 13, .5, 6, element::f16), 3, 4, 2)),
                  {{excluded_score, excluded_score, excluded_score, excluded_score, excluded_score, -0.2014133,
                    -1.701413, -0.126928, excluded_score, -0.07888973, -0.9740769, -0.04858734, excluded_score,
                    excluded_score, excluded_score, excluded_score}},
                  1e-3);
}
TEST_CASE("MoEGroupRouter ranks groups by the sum of their best experts, not by the best one") {
    call c = router(logits(), 1, 2, 1);
    c.inputs = {numbers(element::f32, {1, 4}, {3, -3, 1, 1}), ramp({4}, 0, 1, 1, 0)};
    check_outputs(on_plain<op::moe_group_router>(c), {{excluded_score, excluded_score, -0.3132617, excluded_score}});
}
TEST_CASE("MoEGroupRouter takes the first of equals, and all of a group where an attribute says so") {
    call c = router(tensor(element::f32, {1, 8}), 3, 4, 2);
    c.inputs = {ramp({1, 8}, 0, 1, 1, 0), ramp({8}, 0, 1, 1, 0)};
    check_outputs(on_plain<op::moe_group_router>(c),
                  {{std::log(.5), std::log(.5), std::log(.5), excluded_score, excluded_score, excluded_score,
                    excluded_score, excluded_score}});
    const real_numbers few = numbers(on_plain<op::moe_group_router>(router(logits(), 8, 2, 2, false, 100))[0]);
    CHECK(std::count(few.begin(), few.end(), excluded_score) == 0);
}
TEST_CASE("MoEGroupRouter reports what no expert would choose by a small number, and NaN by NaN") {
    call c = router(logits(), 2, 1, 1);
    c.inputs = {numbers(element::f32, {1, 8}, {-200, -100, -1000, -300, -400, -500, -600, -700}),
                ramp({8}, 0, 1, 1, 0)};
    CHECK(numbers(on_plain<op::moe_group_router>(c)[0])[1] == Approx(std::log(1e-20)));
    c.inputs[0] = numbers(element::f32, {1, 8}, {1, 2, 3, NAN, 4, 5, 6, 7});
    const real_numbers y = numbers(on_plain<op::moe_group_router>(c)[0]);
    CHECK(std::isnan(y[3]));
    CHECK(y[7] > -1);
}
TEST_CASE("MoEGroupRouter gives back the scores and weights of all experts") {
    const std::vector<real_numbers> expected{
        {},
        {-0.1400741, 0.6224594, 0.2633582, 0.6685586, 0.2442029, 0.6925744, 0.2449255, 0.693297, 0.08144143, 0.9241418,
         0.5650407, 0.8900741, 0.625, -0.07757413, 0.6849594, -0.1116418},
        {0.04742587, 0.6224594, 0.07585818, 0.7310586, 0.1192029, 0.8175744, 0.1824255, 0.880797, 0.2689414, 0.9241418,
         0.3775407, 0.9525741, 0.5, 0.04742587, 0.6224594, 0.07585818}};
    call c = router(logits(), 3, 1, 1, true);
    check_outputs(on_plain<op::moe_group_router>(c), expected);
    // The same logits as a matmul: tokens by a matrix that is 1 where they are.
    tensor identity(element::f32, {8, 8});
    std::fill(identity.as<float>().begin(), identity.as<float>().end(), 0.f);
    for (std::size_t i = 0; i < 8; ++i) identity.as<float>()[i * 9] = 1;
    c.inputs.push_back(identity);
    check_outputs(on_plain<op::moe_group_router>(c), expected);
}
TEST_CASE("MoEGroupRouter refuses what does not fit") {
    CHECK(refusal_of(router(logits(), 0, 1, 1)) == "top_k, n_group, topk_group and group_topk must be positive");
    CHECK(refusal_of(router(logits(), 1, 2, 3)) == "topk_group must not be larger than n_group");
    CHECK(refusal_of(router(logits(), 1, 3, 1)) == "the experts do not divide into groups");
    CHECK(refusal_of(router(logits(), 5, 2, 1)) == "top_k is larger than the groups that are chosen");
    CHECK(refusal_of(router(logits(), 1, 2, 1, true)) == "scores of all experts need one group");
    CHECK(refusal_of(router(ramp({8}, 1, 5, 1, 0), 1, 1, 1)) ==
          "logits must be [..., experts], and what is projected [tokens, width]");
    CHECK(refusal_of(router(ramp({2, 4}, 1, 5, 1, 0), 1, 1, 1)) == "expert_bias must have one number per expert");
    call c = router(logits(), 1, 1, 1);
    c.inputs.push_back(ramp({8, 8}, 1, 5, 1, 0));
    CHECK(refusal_of(c) == "projection_weight needs selection_scores and router_weights");
}
