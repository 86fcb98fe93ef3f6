// Mirrors kernels/inlay/microsoft/branchwise_rms_norm.hpp.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/branchwise_rms_norm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
call norm(const shape& dims, const tensor& scale, std::int64_t branches = 0, element e = element::f32,
          double epsilon = 1e-5) {
    return {.inputs = {ramp(dims, 7, 13, .25, 6, e), scale},
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("num_branches", branches), g.make("epsilon", epsilon)};
                },
            .outputs = {e}};
}
// Of rows of two branches of three elements.
real_numbers expected(const call& c, int scales, double epsilon) {
    const real_numbers x = numbers(c.inputs[0].value), s = numbers(c.inputs[1].value);
    real_numbers y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t first = i / 3 * 3;
        const double mean = (x[first] * x[first] + x[first + 1] * x[first + 1] + x[first + 2] * x[first + 2]) / 3;
        y[i] = x[i] / std::sqrt(mean + epsilon) * s[i % std::size_t(scales)];
    }
    return y;
}
}  // namespace

TEST_CASE("BranchwiseRMSNorm normalises each branch, which may be an axis of its own or not") {
    for (element e : {element::f32, element::f16, element::bf16})
        for (element of_scale : {element::f32, element::f16})
            for (double epsilon : {1e-5, .5}) {
                const double margin = e == element::f32 ? 1e-6 : e == element::f16 ? 2e-3 : 2e-2;
                const tensor scale = ramp({3}, 3, 5, .5, 1, of_scale), scales = ramp({2, 3}, 3, 7, .5, 2, of_scale);
                for (const auto& [dims, branches] : {std::pair{shape{2, 2, 3}, 0}, std::pair{shape{2, 6}, 2}}) {
                    call c = norm(dims, scale, branches, e, epsilon);
                    check_outputs(on_plain<op::branchwise_rms_norm>(c), {expected(c, 3, epsilon)}, margin);
                    c.inputs[1] = scales;
                    check_outputs(on_plain<op::branchwise_rms_norm>(c), {expected(c, 6, epsilon)}, margin);
                    c.inputs[1] = scales.reshaped({6});
                    check_outputs(on_plain<op::branchwise_rms_norm>(c), {expected(c, 6, epsilon)}, margin);
                }
            }
}
TEST_CASE("BranchwiseRMSNorm needs no scale, and has an epsilon of 1e-5 where its attribute is absent") {
    call c = norm({2, 2, 3}, ramp({3}, 0, 1, 1, -1));
    const real_numbers reference = expected(c, 3, 1e-5);
    c.inputs.resize(1);
    c.with = call{}.with;
    check_outputs(on_plain<op::branchwise_rms_norm>(c), {reference});
}
TEST_CASE("BranchwiseRMSNorm refuses what does not fit") {
    const tensor scale = ramp({3}, 1, 5, 1, 0);
    const auto reason = [](const call& c) { return reason_of<op::branchwise_rms_norm>(c); };
    CHECK(reason(norm({3}, scale)) == "the streams have too few axes");
    CHECK(reason(norm({2, 6}, scale, 4)) == "the last axis is no positive multiple of num_branches");
    CHECK(reason(norm({2, 6}, scale, -1)) == "num_branches must not be negative");
    CHECK(reason(norm({2, 2, 3}, ramp({2, 1}, 1, 5, 1, 0))) ==
          "scale must have one number per element of a branch, or of all branches");
    CHECK(reason(norm({2, 2, 3}, ramp({3}, 1, 5, 1, 0, element::f64))) == "scale must be float, float16 or bfloat16");
}
