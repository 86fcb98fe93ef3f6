// What the tests of LSTM and GRU share.
#pragma once
#include "elementwise.hpp"

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
            std::vector all{g.make("direction", std::string_view(o.direction)), g.make("layout", o.layout), g.make("input_forget", o.flag), g.make("linear_before_reset", o.flag)};
            if (o.hidden) all.push_back(g.make("hidden_size", o.hidden));
            if (o.clip > 0) all.push_back(g.make("clip", o.clip));
            if (!o.activations.empty()) all.push_back(g.make("activations", std::span<const std::string_view>(o.activations)));
            if (!o.alpha.empty()) all.push_back(g.make("activation_alpha", std::span<const double>(o.alpha)));
            if (!o.beta.empty()) all.push_back(g.make("activation_beta", std::span<const double>(o.beta)));
            return all;
        };
    }
};
template <class T> tensor of(const shape& dims, std::initializer_list<double> values) { return list<T>(values).reshaped(dims); }
inline tensor lengths(std::initializer_list<std::int32_t> values) { return tensor({std::int64_t(values.size())}, std::vector<std::int32_t>(values)); }

struct problem {  // random inputs of Op's `gates`, and `states` initial states
    std::int64_t steps = 1, batch = 1, input = 1, hidden = 1, directions = 1, layout = 0;
    std::vector<operand> inputs(int gates, int states, bool bias, bool initial, unsigned seed) const {
        std::vector<operand> all{random_tensor(layout ? shape{batch, steps, input} : shape{steps, batch, input}, seed, -1, 1),
                                 operand::weight(random_tensor({directions, gates * hidden, input}, seed + 1, -1, 1)), operand::weight(random_tensor({directions, gates * hidden, hidden}, seed + 2, -0.5, 0.5)),
                                 bias ? operand::weight(random_tensor({directions, 2 * gates * hidden}, seed + 3, -1, 1)) : operand(), operand()};
        for (int k = 0; k < states; ++k) all.push_back(initial ? operand(random_tensor(layout ? shape{batch, directions, hidden} : shape{directions, batch, hidden}, seed + 4 + unsigned(k), -1, 1)) : operand());
        return all;
    }
};
// All outputs on CUDA, as the host runs its threads, are those of the plain loop.
template <class Op> void agree_on_cuda(const call& c, double tolerance = 2e-5) {
    const outcome expected = run<Op, device::reference>(c), o = run<Op, device::cuda>(c);
    INFO("on CUDA: " << o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.done == status::ok);
    for (std::size_t k = 0; k < c.outputs.size(); ++k) if (c.outputs[k] != element::undefined) CHECK(same<float>(o[k], expected[k], tolerance));
}
// And all of the CPU's kernel: at every level, with one thread and with three.
template <class Op> void agree_in_all(call c, double tolerance = 2e-5) {
    const outcome expected = run<Op, device::reference>(c);
    INFO(expected.answer.reason << expected.detail);
    REQUIRE(expected.answer);
    REQUIRE(expected.done == status::ok);
    agree_on_cuda<Op>(c, tolerance);
    for (isa::level level : isa::linked) for (int threads : {1, 3}) {
        if (!isa::available(level)) continue;
        CAPTURE(isa::name_of(level), threads);
        c.level = level;
        c.threads = threads;
        const outcome o = run<Op, device::cpu>(c);
        INFO(o.answer.reason);
        REQUIRE(o.answer);
        REQUIRE(o.done == status::ok);
        for (std::size_t k = 0; k < c.outputs.size(); ++k) if (c.outputs[k] != element::undefined) CHECK(same<float>(o[k], expected[k], tolerance));
    }
}
// Binds for one batch and length, runs with another: what bind() makes must not depend on them.
template <class Op> void bind_once_run_twice(const std::vector<operand>& first, const std::vector<operand>& second) {
    using K = kernel<Op, device::cpu, types<float>>;
    const auto prepared = [](const std::vector<operand>& inputs) {
        graph_data g;
        std::vector<int> in, out{g.add_value("", element::f32, shape::unknown())};
        for (const operand& o : inputs) in.push_back(!o.value ? -1 : o.constant ? g.add_constant("", o.value) : g.add_value("", o.value.type(), o.value.shape()));
        g.add_node("", Op::onnx_name, 14, "n", {}, in, out);
        const graph_view v = g.view();
        return K::prepare({v, v.nodes[0]});
    };
    const auto p = prepared(first), q = prepared(second);
    std::vector<const void*> known, given;
    for (const operand& o : first) known.push_back(o.constant ? o.value.data() : nullptr);
    for (const operand& o : second) given.push_back(o.value ? o.value.data() : nullptr);
    const isa::level level = *isa::choose(std::nullopt);
    tensor storage(element::u8, {K::footprint(p, level, 1).constant}), scratch(element::u8, {K::footprint(q, level, 1).scratch});
    typename K::state s{};
    REQUIRE(K::bind(p, {known.data()}, {level, 1, static_cast<std::byte*>(storage.data())}, s) == status::ok);
    const tensor expected = on_reference<Op>({second});
    tensor y(element::f32, expected.shape());
    void* outputs[] = {y.data()};
    serial alone;
    context c = make_context(alone, static_cast<std::byte*>(scratch.data()));
    REQUIRE(K::run(q, s, {given.data(), outputs}, c) == status::ok);
    CHECK(same<float>(y, expected, 2e-5));
}
}  // namespace inlay::testing::recurrent
