#include "run_on.hpp"
#include <inlay/core/schedule.hpp>
#include <inlay/cuda/support/fault.hpp>
#include <algorithm>
#include <cstring>

namespace inlay::testing {
constexpr std::int64_t before_slice = 3, around_slice = 5;  // around: before and after

outcome run(const tested_operator& op, std::span<const row> kernels, const call& c) {
    graph_data g;
    std::vector<int> in, out;
    for (std::size_t k = 0; k < c.inputs.size(); ++k) {
        const operand& o = c.inputs[k];
        if (!o.value) {
            in.push_back(-1);
            continue;
        }
        in.push_back(o.constant ? g.add_constant("", o.value) : g.add_value("", o.value.type(), o.value.shape()));
    }
    // Input values that a shape rule may read are known here, as they are in a session while it runs.
    for (std::size_t k = 0; k < in.size(); ++k)
        if (in[k] >= 0 && !c.inputs[k].constant) read_contents(g.values[in[k]], c.inputs[k].value, g.integers, g.reals);
    const auto kinds = c.outputs.empty() ? std::vector{c.inputs[0].value.type()} : c.outputs;
    for (element e : kinds) out.push_back(e == element::undefined ? -1 : g.add_value("", e, shape::unknown()));
    const auto list = c.with(g);
    g.add_node(op.domain, op.name, c.version ? c.version : op.versions.through, "node", list, in, out);

    outcome result;
    std::vector<shape> dims(out.size(), shape::unknown());
    {
        const graph_view v = g.view();
        result.answer = op.shapes(node_view{v, v.nodes[0]}, dims);
        if (!result.answer) return result;
    }
    for (std::size_t k = 0; k < out.size(); ++k)
        if (out[k] >= 0) g.values[out[k]].dims = dims[k];
    graph_view v = g.view();
    v.precision = c.precision;
    std::vector<layout> layouts(in.size() + out.size(), layout::plain);
    std::vector<std::int64_t> pixels(layouts.size(), 0);
    const node_view n{v, v.nodes[0], layouts.data(), pixels.data()};
    const row* chosen = nullptr;
    result.answer = no("no kernel for these types");
    for (const row& r : kernels) {
        bool same = c.version == 0 || (r.e.versions.since <= c.version && c.version <= r.e.versions.through);
        for (int k = 0; k < r.e.constraint_count; ++k) {
            const int at = r.e.constraints[k];
            if (at >= 0 ? n.has_input(at) : n.has_output(~at))
                same &= r.e.elements[k].has((at < 0 ? n.output(~at) : n.input(at)).type);
        }
        if (same && !chosen)
            if ((result.answer = r.e.supports(n))) chosen = &r;
    }
    if (!chosen) return result;
    const layout_rule rule = chosen->e.layouts(n);
    layout here = rule.in == layout::any ? c.in : rule.in;
    const auto movable = [&](int id) { return id >= 0 && has_layout_choice(v.values[id]); };
    const auto relayout = [](const tensor& t, layout to) {  // plain to channels_last, or back
        tensor y(t.type(), t.shape());
        const std::int64_t size = bits_of(t.type()) / 8, channels = t.shape()[1], pixels = t.shape().elements(2),
                           image = channels * pixels;
        for (std::int64_t i = 0; i < t.elements(); ++i) {
            const std::int64_t plain = i, last = i / image * image + i % pixels * channels + i / pixels % channels;
            std::memcpy(static_cast<std::byte*>(y.data()) + size * (to == layout::plain ? plain : last),
                        static_cast<const std::byte*>(t.data()) + size * (to == layout::plain ? last : plain),
                        std::size_t(size));
        }
        return y;
    };
    // A slice: [pixel][channel], what lies around it filled with a pattern.
    const auto wider = [](const tensor& t) {
        tensor y(t.type(), {t.elements() / t.shape()[1], t.shape()[1] + around_slice});
        std::memset(y.data(), 0xa5, std::size_t(y.bytes()));
        return y;
    };
    const auto rows = [](tensor narrow, tensor wide, auto f) {
        const std::int64_t size = bits_of(narrow.type()) / 8, row = narrow.shape()[1] * size,
                           all = wide.shape()[1] * size;
        for (std::int64_t r = 0; r < wide.shape()[0]; ++r)
            f(static_cast<std::byte*>(narrow.data()) + r * row,
              static_cast<std::byte*>(wide.data()) + r * all + before_slice * size, std::size_t(row));
    };
    const auto is_slice = [&](std::size_t k, int argument, int id) {
        return c.slices && layouts[k] == layout::channels_last && v.values[id].dims.elements() > 0 &&
               chosen->e.strided(n, argument);
    };
    std::vector<tensor> held;
    std::vector<const void*> inputs, known;
    for (std::size_t k = 0; k < in.size(); ++k) {
        tensor t = c.inputs[k].value;
        if (movable(in[k]) && here == layout::channels_last) {
            layouts[k] = here;
            t = relayout(t, here);
        }
        if (t && is_slice(k, int(k), in[k])) {
            const tensor wide = wider(t);
            rows(t, wide, [](std::byte* x, std::byte* y, std::size_t bytes) { std::memcpy(y, x, bytes); });
            pixels[k] = wide.shape()[1];
            t = wide;
        }
        held.push_back(t);
        inputs.push_back(t ? static_cast<const std::byte*>(t.data()) +
                                 (pixels[k] ? before_slice * bits_of(t.type()) / 8 : 0)
                           : nullptr);
        known.push_back(c.inputs[k].constant ? t.data() : nullptr);
    }
    const layout outside = rule.out == layout::any ? (here == layout::any ? layout::plain : here) : rule.out;
    for (std::size_t k = 0; k < out.size(); ++k)
        if (movable(out[k])) layouts[in.size() + k] = outside;
    for (std::size_t k = 0; k < out.size(); ++k)
        if (out[k] >= 0 && is_slice(in.size() + k, output(int(k)), out[k]))
            pixels[in.size() + k] = dims[k][1] + around_slice;

    result.slices = int(std::ranges::count_if(pixels, [](std::int64_t p) { return p > 0; }));
    std::vector<std::byte> params(chosen->f.params_bytes);
    chosen->f.prepare(n, params.data());
    const bytes_needed need = chosen->e.footprint(n, c.threads);
    tensor storage(element::u8, {need.constant}), scratch(element::u8, {need.scratch});
    if (need.scratch)
        std::memset(scratch.data(), 0xff, std::size_t(need.scratch));  // NaN, to whoever reads what nobody wrote
    std::unique_ptr<void, void (*)(void*) noexcept> state(chosen->f.make_state(), chosen->f.drop_state);
    result.done = chosen->f.bind(params.data(), {known.data()},
                                 {c.level, c.threads, static_cast<std::byte*>(storage.data())}, state.get());
    if (result.done != status::ok) return result;
    for (std::size_t k = 0; k < out.size(); ++k)
        result.outputs.push_back(out[k] < 0 || !dims[k].known() ? tensor() : tensor(kinds[k], dims[k]));
    std::vector<void*> outputs;
    std::vector<tensor> wide(result.outputs.size());
    for (std::size_t k = 0; k < wide.size(); ++k) {
        tensor& t = result.outputs[k];
        if (pixels[in.size() + k]) wide[k] = wider(t);
        outputs.push_back(wide[k] ? static_cast<std::byte*>(wide[k].data()) + before_slice * bits_of(t.type()) / 8
                          : t     ? t.data()
                                  : nullptr);
    }
    struct owner {
        std::vector<tensor>& outputs;
        const std::vector<element>& kinds;
    } grower{result.outputs, kinds};
    serial alone;
    context x = make_context(alone, static_cast<std::byte*>(scratch.data()));
    x.threads = c.threads;
    x.owner = &grower;
    unsigned faults = 0;
    x.faults = &faults;
    x.grow = [](void* o, int k, const shape& s) noexcept -> void* {
        auto& w = *static_cast<owner*>(o);
        w.outputs[k] = tensor(w.kinds[k], s);
        return w.outputs[k].data();
    };
    result.done = chosen->f.run(params.data(), state.get(), {inputs.data(), outputs.data()}, x);
    result.detail = x.detail;
    for (std::size_t k = 0; k < wide.size(); ++k)
        if (wide[k]) {
            const std::int64_t size = bits_of(wide[k].type()) / 8, channels = dims[k][1];
            rows(result.outputs[k], wide[k], [&](std::byte* y, std::byte* x, std::size_t bytes) {
                std::memcpy(y, x, bytes);
                for (std::int64_t i = 0; i < around_slice * size; ++i)
                    if ((i < before_slice * size ? x - before_slice * size + i
                                                 : x + channels * size + i - before_slice * size)[0] != std::byte{0xa5})
                        result.done = status::failed;  // it wrote beside its slice
            });
        }
    if (result.done == status::ok && faults) {
        result.done = status::invalid_value;
        result.detail = text_of(fault(faults));
    }
    for (std::size_t k = 0; k < out.size(); ++k)
        if (layouts[in.size() + k] == layout::channels_last)
            result.outputs[k] = relayout(result.outputs[k], layout::plain);
    return result;
}
}  // namespace inlay::testing
