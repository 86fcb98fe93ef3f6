// Mirrors kernels/inlay/microsoft/causal_conv_with_state.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/causal_conv_with_state.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using integer_list = std::vector<std::pair<std::string_view, std::int64_t>>;
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
// Two channels, of which the second is minus the first, and has a bias of 1; weights 1, 10, 100.
call convolution(const integer_list& list = {}, std::vector<operand> more = {}, element e = element::f32) {
    call c{.inputs = {of({1, 2, 4}, {1, 2, 3, 4, -1, -2, -3, -4}, e), of({2, 1, 3}, {1, 10, 100, 1, 10, 100}, e),
                      of({2}, {0, 1}, e)},
           .with = with(list),
           .outputs = {e, e}};
    c.inputs.insert(c.inputs.end(), more.begin(), more.end());
    return c;
}
outcome convolved(const call& c) { return run<op::microsoft_causal_conv_with_state, device::reference>(c); }
void check(const call& c, const tensor& y, const tensor& state) {
    const outcome result = convolved(c);
    INFO(result.answer.reason << result.detail);
    REQUIRE(result.code == status::ok);
    CHECK(same<float>(result[0], y, 1e-6));
    CHECK(same<float>(result[1], state));
}
std::string_view refusal_of(const call& c) { return convolved(c).answer.reason; }
}  // namespace

TEST_CASE("CausalConvWithState weighs each position and those before it, which may come from a former call") {
    check(convolution(), of({1, 2, 4}, {100, 210, 321, 432, -99, -209, -320, -431}), of({1, 2, 2}, {3, 4, -3, -4}));
    check(convolution({}, {of({1, 2, 2}, {5, 6, 7, 8})}), of({1, 2, 4}, {165, 216, 321, 432, -12, -201, -320, -431}),
          of({1, 2, 2}, {3, 4, -3, -4}));
    check(convolution({{"dilation", 2}}), of({1, 2, 4}, {100, 200, 310, 420, -99, -199, -309, -419}),
          of({1, 2, 4}, {1, 2, 3, 4, -1, -2, -3, -4}));
}
TEST_CASE("CausalConvWithState keeps what it was given where few positions come") {
    call c = convolution({}, {of({1, 2, 2}, {5, 6, 7, 8})});
    c.inputs[0] = of({1, 2, 1}, {1, 2});
    check(c, of({1, 2, 1}, {165, 288}), of({1, 2, 2}, {6, 1, 8, 2}));
    c.inputs[0] = of({1, 2, 0}, {});
    check(c, of({1, 2, 0}, {}), of({1, 2, 2}, {5, 6, 7, 8}));
    c = convolution();
    c.inputs[1] = of({2, 1, 1}, {2, 3});
    check(c, of({1, 2, 4}, {2, 4, 6, 8, -2, -5, -8, -11}), of({1, 2, 0}, {}));
}
TEST_CASE("CausalConvWithState has its channels last, on several axes") {
    call c = convolution({{"channels_last", 1}}, {of({1, 2, 1, 2}, {5, 7, 6, 8})});
    c.inputs[0] = of({1, 4, 1, 2}, {1, -1, 2, -2, 3, -3, 4, -4});
    check(c, of({1, 4, 1, 2}, {165, -12, 216, -201, 321, -320, 432, -431}), of({1, 2, 1, 2}, {3, -3, 4, -4}));
}
TEST_CASE("CausalConvWithState returns the states after each of the last positions") {
    const operand past = of({3, 1, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8});
    call c = convolution({{"state_window", 3}}, {past});
    check(c, of({1, 2, 4}, {165, 216, 321, 432, -12, -201, -320, -431}),
          of({3, 1, 2, 2}, {1, 2, -1, -2, 2, 3, -2, -3, 3, 4, -3, -4}));
    c.inputs[0] = of({1, 2, 1}, {1, 2});
    check(c, of({1, 2, 1}, {165, 288}), of({3, 1, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 6, 1, 8, 2}));
}
TEST_CASE("CausalConvWithState ends with an activation, in all its types") {
    for (element e : {element::f32, element::f16, element::bf16})
        for (const char* name : {"silu", "swish"}) {
            call c{.inputs = {of({1, 1, 2}, {1, -2}, e), of({1, 1, 1}, {1}, e)},
                   .with = [=](graph_data& g) { return std::vector{g.make("activation", std::string_view(name))}; },
                   .outputs = {e, e}};
            const outcome y = convolved(c);
            REQUIRE(y.code == status::ok);
            const double expected[] = {1 / (1 + std::exp(-1.)), -2 / (1 + std::exp(2.))};
            for (int i : {0, 1})
                CHECK(numbers(y[0])[std::size_t(i)] == Approx(expected[i]).epsilon(e == element::f32 ? 1e-6 : 1e-2));
        }
}
TEST_CASE("CausalConvWithState refuses what does not fit") {
    CHECK(refusal_of(convolution({{"ndim", 2}})).substr(0, 33) == "only one axis of positions is sup");
    CHECK(refusal_of(convolution({{"dilation", 0}})) == "dilation must be positive");
    CHECK(refusal_of(convolution({{"state_window", 9}})) == "state_window must be 0 to 8");
    CHECK(refusal_of(convolution({}, {of({1, 2, 3}, {0, 0, 0, 0, 0, 0})})) == "past_state does not fit the input");
    CHECK(refusal_of(convolution({{"channels_last", 1}})) == "weight must be [channels, 1, taps]");
    call c = convolution();
    c.with = [](graph_data& g) { return std::vector{g.make("activation", std::string_view("relu"))}; };
    CHECK(refusal_of(c) == "activation must be silu, swish or none");
    c = convolution({{"state_window", 1}, {"channels_last", 1}});
    c.inputs[0] = of({1, 4, 1, 1, 1, 1, 1, 2}, real_numbers(8));
    CHECK(refusal_of(c) == "there are too many axes");
    c = convolution();
    c.inputs[2] = of({3}, {0, 0, 0});
    CHECK(refusal_of(c) == "bias must have one number per channel");
    c.inputs[2] = of({2}, {0, 0}, element::f16);
    CHECK(refusal_of(c) == "the inputs must have one type");
}
