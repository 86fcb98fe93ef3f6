// What the tests of LSTM and GRU share.
#pragma once
#include "bf16.hpp"
#include "elementwise.hpp"
#include <inlay/cpu/isa/gemm_bf16.hpp>
#include <inlay/thread_pool.hpp>

namespace inlay::testing::recurrent {
using namespace elementwise;
struct options {
    std::string direction = "forward";
    std::int64_t hidden = 0, layout = 0, flag = 0;  // flag: input_forget of LSTM, linear_before_reset of GRU
    double clip = 0;
    std::vector<std::string_view> activations{};
    std::vector<double> alpha{}, beta{};
    operator attributes() const {
        return [o = *this](graph_data& g) {
            std::vector entries{g.make("direction", std::string_view(o.direction)), g.make("layout", o.layout),
                                g.make("input_forget", o.flag), g.make("linear_before_reset", o.flag)};
            if (o.hidden) entries.push_back(g.make("hidden_size", o.hidden));
            if (o.clip > 0) entries.push_back(g.make("clip", o.clip));
            if (!o.activations.empty())
                entries.push_back(g.make("activations", std::span<const std::string_view>(o.activations)));
            if (!o.alpha.empty()) entries.push_back(g.make("activation_alpha", std::span<const double>(o.alpha)));
            if (!o.beta.empty()) entries.push_back(g.make("activation_beta", std::span<const double>(o.beta)));
            return entries;
        };
    }
};
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) {
    return list<T>(values).reshaped(dims);
}
inline tensor lengths(std::initializer_list<std::int32_t> values) {
    return tensor({std::int64_t(values.size())}, std::vector<std::int32_t>(values));
}

struct problem {  // random inputs of Op's `gates`, and `states` initial states
    std::int64_t steps = 1, batch = 1, input = 1, hidden = 1, directions = 1, layout = 0;
    std::vector<operand> inputs(int gates, int states, bool bias, bool initial, unsigned seed) const {
        std::vector<operand> operands{
            random_tensor(layout ? shape{batch, steps, input} : shape{steps, batch, input}, seed, -1, 1),
            operand::weight(random_tensor({directions, gates * hidden, input}, seed + 1, -1, 1)),
            operand::weight(random_tensor({directions, gates * hidden, hidden}, seed + 2, -0.5, 0.5)),
            bias ? operand::weight(random_tensor({directions, 2 * gates * hidden}, seed + 3, -1, 1)) : operand(),
            operand()};
        for (int k = 0; k < states; ++k)
            operands.push_back(initial ? operand(random_tensor(layout ? shape{batch, directions, hidden}
                                                                      : shape{directions, batch, hidden},
                                                               seed + 4 + unsigned(k), -1, 1))
                                       : operand());
        return operands;
    }
};
// All outputs on the devices of packages are those of the reference kernel.
template <class Op, class T = float> void agree_on_devices(const call& c, double tolerance = 2e-5) {
    const outcome expected = run<Op, device::reference>(c);
    for (const device_runner& d : on_test_devices<Op>()) {
        const outcome o = d.run(c);
        INFO("on " << d.device << ": " << o.answer.reason << o.detail);
        REQUIRE(o.answer);
        REQUIRE(o.code == status::ok);
        for (std::size_t k = 0; k < c.outputs.size(); ++k)
            if (c.outputs[k] != element::undefined) CHECK(same<T>(o[k], expected[k], tolerance));
    }
}
// And in 16 bits, but for the last rounding.
template <class T, class Op> void agree_on_devices_in(call c, int outputs) {
    for (operand& o : c.inputs)
        if (o.value) {
            tensor t(element_of<T>, o.value.shape());
            for (std::int64_t i = 0; i < t.elements(); ++i)
                t.as<T>()[std::size_t(i)] = static_cast<T>(o.value.as<float>()[std::size_t(i)]);
            o.value = t;
        }
    c.outputs.assign(std::size_t(outputs), element_of<T>);
    agree_on_devices<Op, T>(c, std::is_same_v<T, float16> ? 1e-3 : 8e-3);
}
// check(outcome) of the CPU's kernel at every level, with one thread and with three; the call says which.
template <class Op, class F> void at_every_level(call& c, F check) {
    for (isa::level level : tested_levels())
        for (int threads : {1, 3}) {
            CAPTURE(isa::name_of(level), threads);
            c.level = level;
            c.threads = threads;
            const outcome o = run<Op, device::cpu>(c);
            INFO(o.answer.reason);
            REQUIRE(o.answer);
            REQUIRE(o.code == status::ok);
            check(o);
        }
}
// And all of the CPU's kernel.
template <class Op> void agree_in_all(call c, double tolerance = 2e-5) {
    const outcome expected = run<Op, device::reference>(c);
    INFO(expected.answer.reason << expected.detail);
    REQUIRE(expected.answer);
    REQUIRE(expected.code == status::ok);
    agree_on_devices<Op>(c, tolerance);
    at_every_level<Op>(c, [&](const outcome& o) {
        for (std::size_t k = 0; k < c.outputs.size(); ++k)
            if (c.outputs[k] != element::undefined) CHECK(same<float>(o[k], expected[k], tolerance));
    });
}
// In bfloat16, at every level, on one thread and on three: the reference kernel over rounded X, W, R and states.
// `exact`: where no other numbers are rounded; else h is, before it is multiplied, where the level multiplies bfloat16.
template <class Op> void agree_in_bf16(call c, bool exact) {
    for (std::size_t k : {0, 1, 2, 5, 6})
        if (k < c.inputs.size() && c.inputs[k].value) c.inputs[k].value = rounded(c.inputs[k].value);
    const outcome expected = run<Op, device::reference>(c);
    REQUIRE(expected.code == status::ok);
    c.precision = precision::bfloat16;
    at_every_level<Op>(c, [&](const outcome& o) {
        for (std::size_t k = 0; k < c.outputs.size(); ++k)
            CHECK(same<float>(o[k], expected[k], exact || !gemm_bf16_pairs(c.level) ? 2e-5 : 2e-2));
    });
}
// Binds for one batch and length, runs with another.
template <class Op>
tensor run_bound(const std::vector<operand>& first, const std::vector<operand>& second, isa::level level,
                 auto& executor, const options& o = {}, precision mode = precision::standard) {
    using K = kernel<Op, device::cpu, types<float>>;
    const auto prepared = [&](const std::vector<operand>& inputs) {
        graph_data g;
        std::vector<int> in, out{g.add_value("", element::f32, shape::unknown())};
        for (const operand& x : inputs)
            in.push_back(!x.value     ? -1
                         : x.constant ? g.add_constant("", x.value)
                                      : g.add_value("", x.value.type(), x.value.shape()));
        g.add_node("", Op::onnx_name, 14, "n", attributes(o)(g), in, out);
        graph_view v = g.view();
        v.precision = mode;
        return K::prepare({v, v.nodes[0]});
    };
    const auto p = prepared(first), q = prepared(second);
    std::vector<const void*> constants, inputs;
    for (const operand& x : first) constants.push_back(x.constant ? x.value.data() : nullptr);
    for (const operand& x : second) inputs.push_back(x.value ? x.value.data() : nullptr);
    tensor storage(element::u8, {K::footprint(p, level, executor.size()).constant}),
        scratch(element::u8, {K::footprint(q, level, executor.size()).scratch});
    typename K::state s{};
    REQUIRE(K::bind(p, {constants.data()}, {level, executor.size(), static_cast<std::byte*>(storage.data())}, s) ==
            status::ok);
    std::array<shape, 1> dims{};
    REQUIRE(q.base.outputs(dims));
    tensor y(element::f32, dims[0]);
    void* outputs[] = {y.data()};
    context c = make_context(executor, static_cast<std::byte*>(scratch.data()));
    REQUIRE(K::run(q, s, {inputs.data(), outputs}, c) == status::ok);
    return y;
}
// What bind() makes must not depend on batch and length.
template <class Op> void bind_once_run_twice(const std::vector<operand>& first, const std::vector<operand>& second) {
    serial alone;
    CHECK(
        same<float>(run_bound<Op>(first, second, *isa::choose(std::nullopt), alone), on_reference<Op>({second}), 2e-5));
}
// The result is the same to the bit, however many threads share out the units, directions and rows.
template <class Op> void same_with_threads(const problem& p, int gates, int states, const options& o = {}) {
    const std::vector<operand> in = p.inputs(gates, states, true, true, 1);
    for (isa::level level : tested_levels())
        for (precision mode : {precision::standard, precision::bfloat16}) {
            CAPTURE(isa::name_of(level), mode, p.steps, p.batch, p.hidden);
            serial alone;
            const tensor expected = run_bound<Op>(in, in, level, alone, o, mode);
            if (mode == precision::standard)
                CHECK(same<float>(expected, on_reference<Op>({.inputs = in, .with = o}), 5e-5));
            for (int threads : {2, 3, 6}) {
                thread_pool pool(threads);
                CHECK(same<float>(run_bound<Op>(in, in, level, pool, o, mode), expected, 0));
            }
        }
}
}  // namespace inlay::testing::recurrent
