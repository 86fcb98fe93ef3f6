// Mirrors kernels/inlay/microsoft/varlen_causal_conv_with_state.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/varlen_causal_conv_with_state.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
call convolved(const std::vector<std::int32_t>& cuts, element e = element::f32) {
    return {.inputs = {ramp({6, 2}, 7, 13, .25, 6, e), ramp({2, 1, 3}, 5, 11, .25, 5, e), tensor({3}, cuts),
                       numbers(e, {2}, {.5, -1}), ramp({2, 2, 4}, 3, 7, .5, 3, e),
                       tensor({2}, std::vector<std::int32_t>{2, 3})},
            .with =
                [](graph_data& g) {
                    return std::vector{g.make("dilation", std::int64_t(2)),
                                       g.make("state_update_capacity", std::int64_t(2)),
                                       g.make("activation", std::string_view("silu"))};
                },
            .outputs = {e, e, e}};
}
std::string_view refusal_of(const call& c) { return reason_of<op::varlen_causal_conv_with_state>(c); }
}  // namespace

TEST_CASE("VarlenCausalConvWithState convolves each sequence after its own state") {
    for (element e : {element::f32, element::f16, element::bf16})
        check_outputs(on_plain<op::varlen_causal_conv_with_state>(convolved({0, 1, 6}, e)),
                      {{0.3112297, -0.2574381, -0.272884, -0.1896455, -0.1773101, -0.2736383, 0.1025134, -0.2179032,
                        -0.2774932, -0.2574381, 1.490917, -0.2574381},
                       {0, 1.5, -0.5, -1.5, -1, 0.5, -1.5, 0.25, -1, -0.75, -0.5, -0.25, 0.75, 1, 1.25, 1.5},
                       {-1.5, 0.25, 0, 0, -1.25, 0.5, -1, 0.75}},
                      e == element::f32   ? 1e-6
                      : e == element::f16 ? 1e-3
                                          : 1e-2);
}
TEST_CASE("VarlenCausalConvWithState refuses what does not fit") {
    for (const std::vector<std::int32_t>& cuts :
         {std::vector<std::int32_t>{1, 2, 6}, std::vector<std::int32_t>{0, 1, 5}, std::vector<std::int32_t>{0, 0, 6}})
        CHECK(on_plain<op::varlen_causal_conv_with_state>(convolved(cuts)).detail ==
              "cumulative_sequence_length must ascend from 0 to the number of tokens");
    call c = convolved({0, 1, 6});
    c.inputs[4] = ramp({2, 2, 2}, 1, 5, 1, 0);
    CHECK(refusal_of(c) == "initial_state must be [batch, channels, (taps - 1) * dilation]");
    c = convolved({0, 1, 6});
    c.inputs.push_back(ramp({6, 2, 2}, 1, 5, 1, 0));
    CHECK(refusal_of(c) == "kernel_delta and previous_mask are not supported");
    c = convolved({0, 1, 6});
    c.inputs.resize(5);
    CHECK(refusal_of(c) == "capture_count is there exactly where state_update_capacity is positive");
}
