// Mirrors kernels/inlay/onnx/causal_conv_with_state.hpp.
#include "../elementwise.hpp"
#include <inlay/onnx/causal_conv_with_state.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes activation(std::string a) {
    return [=](graph_data& g) { return std::vector{g.make("activation", a)}; };
}
call of(std::vector<operand> in, std::string with = "none", int threads = 1) {
    const element e = in[0].value.type();
    return {.inputs = std::move(in), .with = activation(std::move(with)), .outputs = {e, e}, .threads = threads};
}
outcome made(const call& c) {
    const outcome o = run<op::causal_conv_with_state, device::reference>(c);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return o;
}
std::string_view why(const call& c) { return run<op::causal_conv_with_state, device::reference>(c).answer.reason; }
}  // namespace

TEMPLATE_TEST_CASE("CausalConvWithState sees what was before, in every type", "", float, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6}).reshaped({1, 2, 3}), w = list<T>({1, 10, -1, 2}).reshaped({2, 1, 2}),
                 b = list<T>({100, 0}), past = list<T>({7, 8}).reshaped({1, 2, 1});
    const outcome alone = made(of({x, w}));
    CHECK(same<T>(alone[0], list<T>({10, 21, 32, 8, 6, 7}).reshaped({1, 2, 3})));
    CHECK(same<T>(alone[1], list<T>({3, 6}).reshaped({1, 2, 1})));
    const outcome sequence = made(of({x, w, b, past}));
    CHECK(same<T>(sequence[0], list<T>({117, 121, 132, 0, 6, 7}).reshaped({1, 2, 3})));
    const auto silu = [](double v) { return v / (1 + std::exp(-v)); };
    for (const char* name : {"silu", "swish"})
        CHECK(same<T>(made(of({x, w, {}, past}, name))[0],
                      list<T>({silu(17), silu(21), silu(32), 0, silu(6), silu(7)}).reshaped({1, 2, 3}), 1e-2));
}
TEST_CASE("CausalConvWithState in pieces is that of the whole, whatever the lengths of pieces and threads") {
    const tensor x = random_tensor({2, 3, 11}, 1), w = random_tensor({3, 1, 4}, 2), b = random_tensor({3}, 3);
    const outcome whole = made(of({x, w, b}));
    for (const std::int64_t piece : {1, 2, 3, 5, 11})
        for (const int threads : {1, 3}) {
            CAPTURE(piece, threads);
            tensor state(element::f32, {2, 3, 3});
            std::ranges::fill(state.as<float>(), 0.f);
            for (std::int64_t from = 0; from < 11; from += piece) {
                const std::int64_t length = std::min(piece, 11 - from);
                tensor part(element::f32, {2, 3, length});
                for (std::int64_t i = 0; i < 6; ++i)
                    std::copy_n(x.as<float>().data() + i * 11 + from, length, part.as<float>().data() + i * length);
                const outcome y = made(of({part, w, b, state}, "none", threads));
                for (std::int64_t i = 0; i < 6 * length; ++i)
                    CHECK(y[0].as<float>()[std::size_t(i)] ==
                          whole[0].as<float>()[std::size_t(i / length * 11 + from + i % length)]);
                state = y[1];
            }
            CHECK(same<float>(state, whole[1]));
        }
}
TEST_CASE("CausalConvWithState of one tap, of nothing, and without its state") {
    const tensor x = random_tensor({1, 2, 3}, 1);
    CHECK(same<float>(made(of({x, list<float>({1, 1}).reshaped({2, 1, 1})}))[0], x));
    CHECK(made(of({x, list<float>({1, 1}).reshaped({2, 1, 1})}))[1].shape() == shape{1, 2, 0});
    const tensor past = random_tensor({1, 2, 3}, 2);
    const outcome empty = made(of({tensor(element::f32, {1, 2, 0}), random_tensor({2, 1, 4}, 1), {}, past}));
    CHECK(empty[0].shape() == shape{1, 2, 0});
    CHECK(same<float>(empty[1], past));
    CHECK(made(of({tensor(element::f32, {0, 2, 3}), random_tensor({2, 1, 4}, 1)}))[1].shape() == shape{0, 2, 3});
    CHECK(run<op::causal_conv_with_state, device::reference>(
              {.inputs = {x, random_tensor({2, 1, 2}, 1)}, .outputs = {element::f32}})
              .code == status::ok);
}
TEST_CASE("CausalConvWithState refuses what does not belong together") {
    const tensor x(element::f32, {1, 2, 3}), w(element::f32, {2, 1, 2});
    CHECK(why(of({x, w}, "relu")) == "activation is none of none, silu, swish");
    CHECK(why(of({tensor(element::f32, {2, 3}), w})) == "the input is not [batches, channels, length]");
    for (const shape& wrong : {shape{3, 1, 2}, shape{2, 2, 2}, shape{2, 1, 0}, shape{2, 2}})
        CHECK(why(of({x, tensor(element::f32, wrong)})) == "the weight is not [channels, 1, k]");
    for (const shape& wrong : {shape{3}, shape{2, 1}})
        CHECK(why(of({x, w, tensor(element::f32, wrong)})) == "the bias is not [channels]");
    CHECK(why(of({x, w, {}, tensor(element::f32, {1, 2, 2})})) == "past_state is not [batches, channels, k - 1]");
    CHECK(why(of({x, w, tensor(element::f16, {2})})) == "the inputs are of different types");
    CHECK(why(of({x, {}})) == "an input is missing");
}
