// Turns float32 kernels into kernels of fp16 and bf16 on the CPU: inputs are widened in scratch, and results are
// rounded from there, once. Where this header is included, every kernel<Op, device::cpu, types<float, ...>> serves 16
// bits too, as far as Op has the types. Its bind() keeps no pointer to a constant. If it handles the element type of an
// input itself, and reads it unconverted, it says which in `reads_as_is`, a bit per input; of an output, in
// `writes_as_is`.
#pragma once
#include <inlay/cpu/isa/half_f32.hpp>
#include <inlay/sdk/catalogue.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
constexpr bool is_half(element e) { return e == element::f16 || e == element::bf16; }

struct widened_arguments {
    static constexpr int most_inputs = 16, most_outputs = 4;
    struct argument {
        element type = element::undefined;  // of those that are widened
        std::int64_t count = 0,
                     room = -1;  // elements, and where they lie in scratch, in float32; -1: run() does not need them
    };
    std::array<argument, most_inputs> inputs{};
    std::array<argument, most_outputs> outputs{};
    int input_count = 0, output_count = 0;
    std::int64_t floats = 0;  // of scratch, so that what follows is aligned to 64 bytes

    static constexpr bool fit(const node_view& n) {
        return n.input_count() <= most_inputs && n.output_count() <= most_outputs;
    }
    // `shares`: the float32 kernel may write output 0 where input 0 is, if they have one shape; they have one layout.
    [[gnu::noinline]] static constexpr widened_arguments of(const node_view& n, unsigned packs, unsigned as_is,
                                                            unsigned made_as_is, bool shares) {
        widened_arguments w;
        w.input_count = n.input_count();
        w.output_count = n.output_count();
        const auto place = [&](argument& a, const value& v, bool needed) {
            a = {v.type, v.dims.elements(), needed ? w.floats : -1};
            if (needed) w.floats += (a.count + 15) / 16 * 16;
        };
        for (int k = 0; k < w.input_count; ++k)
            if (n.has_input(k) && is_half(n.input(k).type) && !(as_is >> k & 1))
                place(w.inputs[std::size_t(k)], n.input(k), !(packs >> k & 1 && n.are_constant(packs)));
        for (int k = 0; k < w.output_count; ++k) {
            if (!n.has_output(k) || !is_half(n.output(k).type) || made_as_is >> k & 1) continue;
            argument& y = w.outputs[std::size_t(k)];
            const argument& x = w.inputs[0];
            if (k == 0 && shares && x.room >= 0 && !n.is_constant(0) && n.input(0).dims == n.output(0).dims)
                y = {n.output(0).type, x.count, x.room};
            else
                place(y, n.output(k), true);
        }
        return w;
    }
    // The common code around bind() and run() of the float32 kernel, which are called as a session calls them: so this
    // code exists once.
    [[gnu::noinline]] status bind(const half_f32_table& t, constants w, const setup& u,
                                  decltype(kernel_functions::bind) bind, const void* params,
                                  void* state) const noexcept {
        const auto is_wide = [&](int k) { return inputs[std::size_t(k)].count > 0 && w.data[k]; };
        std::int64_t total = 0;
        for (int k = 0; k < input_count; ++k)
            if (is_wide(k)) total += inputs[std::size_t(k)].count;
        float* const room =
            total ? new (std::nothrow) float[std::size_t(total)] : nullptr;  // float32 weights, until packed
        if (total && !room) return status::out_of_memory;
        const void* data[most_inputs];
        float* next = room;
        for (int k = 0; k < input_count; ++k) {
            data[k] = w.data[k];
            if (!is_wide(k)) continue;
            const argument& x = inputs[std::size_t(k)];
            format(t, x.type).widen(w.in<std::uint16_t>(k), next, x.count);
            data[k] = next;
            next += x.count;
        }
        const status s = bind(params, {data}, u, state);
        delete[] room;
        return s;
    }
    [[gnu::noinline]] status run(const half_f32_table& t, const arguments& a, context& c,
                                 decltype(kernel_functions::run) run, const void* params,
                                 const void* state) const noexcept {
        std::byte* const scratch = c.scratch;
        float* const room = reinterpret_cast<float*>(scratch);
        const void* x[most_inputs];
        void* y[most_outputs];
        for (int k = 0; k < input_count; ++k)
            x[k] = inputs[std::size_t(k)].room < 0 ? a.inputs[k] : room + inputs[std::size_t(k)].room;
        for (int k = 0; k < output_count; ++k)
            y[k] = outputs[std::size_t(k)].room < 0 ? a.outputs[k] : room + outputs[std::size_t(k)].room;
        share_out(inputs, c, [&](int k, const argument& w, std::int64_t first, std::int64_t end) {
            format(t, w.type).widen(a.in<std::uint16_t>(k) + first, room + w.room + first, end - first);
        });
        c.scratch += 4 * floats;
        const status result = run(params, state, {x, y}, c);
        c.scratch = scratch;
        if (result == status::ok)
            share_out(outputs, c, [&](int k, const argument& w, std::int64_t first, std::int64_t end) {
                format(t, w.type).narrow(room + w.room + first, a.out<std::uint16_t>(k) + first, end - first);
            });
        return result;
    }

  private:
    // f(k, argument, first, end) for the elements of all arguments that run() needs: each thread has the same part of
    // each.
    template <class F> static void share_out(std::span<const argument> list, context& c, F f) noexcept {
        std::int64_t total = 0;
        for (const argument& w : list)
            if (w.room >= 0) total += w.count;
        const int parts = int(std::clamp<std::int64_t>(total >> 14, 1, c.threads));
        const auto part = [&](int p) {
            for (std::size_t k = 0; k < list.size(); ++k)
                if (const argument& w = list[k]; w.room >= 0)
                    f(int(k), w, w.count * p / parts, w.count * (p + 1) / parts);
        };
        if (parts == 1)
            part(0);
        else
            c.for_each(parts, part);
    }
    static const half_f32_table::format& format(const half_f32_table& t, element type) noexcept {
        return type == element::f16 ? t.float16 : t.bfloat16;
    }
};

template <class K> struct widened_kernel : simple_kernel {
    struct params {
        widened_arguments wide;
        typename K::params base;
    };
    struct state {
        const half_f32_table* formats;
        typename K::state base;
    };
    static constexpr reuse shares = reuse::in_place;  // all is read before anything is written
    static constexpr unsigned packs = K::packs;
    [[gnu::noinline]] static constexpr verdict supports(const node_view& n) {
        return widened_arguments::fit(n) ? as_seen(n, K::supports)
                                         : no("it has more inputs or outputs than are widened");
    }
    static constexpr layout_rule layouts(const node_view& n) { return K::layouts(n); }
    [[gnu::noinline]] static constexpr params prepare(const node_view& n) {
        unsigned as_is = 0, made_as_is = 0;
        if constexpr (requires { K::reads_as_is; }) as_is = K::reads_as_is;
        if constexpr (requires { K::writes_as_is; }) made_as_is = K::writes_as_is;
        const layout_rule rule = K::layouts(n);
        return {widened_arguments::of(n, packs, as_is, made_as_is,
                                      K::shares == reuse::in_place && (rule.out == rule.in || rule.out == layout::any)),
                as_seen(n, K::prepare)};
    }
    [[gnu::noinline]] static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const bytes_needed bytes = K::footprint(p.base, l, threads);
        return {bytes.constant, bytes.scratch + 4 * p.wide.floats};
    }
    static constexpr bool reduced(const params& p) requires requires { K::reduced(p.base); }
    { return p.wide.inputs[0].type != element::bf16 && K::reduced(p.base); }
    static constexpr auto needs(const params& p) requires requires { K::needs(p.base); }
    { return K::needs(p.base); }
    template <auto... Linked> static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.formats = &half_f32(u.level);
        if constexpr (sizeof...(Linked) == 0)
            return p.wide.bind(*s.formats, w, u, erased.bind, &p.base, &s.base);
        else
            return p.wide.bind(
                *s.formats, w, u,
                [](const void* q, constants x, const setup& v, void* t) noexcept {
                    return K::template bind<Linked...>(*static_cast<const typename K::params*>(q), x, v,
                                                       *static_cast<typename K::state*>(t));
                },
                &p.base, &s.base);
    }
    template <auto... Linked>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if constexpr (sizeof...(Linked) == 0)
            return p.wide.run(*s.formats, a, c, erased.run, &p.base, &s.base);
        else
            return p.wide.run(
                *s.formats, a, c,
                [](const void* q, const void* t, const arguments& b, context& x) noexcept {
                    return K::template run<Linked...>(*static_cast<const typename K::params*>(q),
                                                      *static_cast<const typename K::state*>(t), b, x);
                },
                &p.base, &s.base);
    }

  private:
    static constexpr kernel_functions erased = erase<K>();
    // f of the node as the float32 kernel sees it: bf16 matmuls are no less exact where that is the precision, and
    // faster.
    template <class F> static constexpr auto as_seen(const node_view& n, F f) {
        graph_view g = n.graph;
        if (n.input(0).type == element::bf16 && g.precision == precision::standard) g.precision = precision::bfloat16;
        return f(node_view{g, n.record, n.layouts});
    }
};
template <class T> using as_float = std::conditional_t<half_float<T>, float, T>;
template <class Op, half_float T, class... Others>
requires written<kernel<Op, device::cpu, types<float, as_float<Others>...>>>
struct kernel<Op, device::cpu, types<T, Others...>>
    : widened_kernel<kernel<Op, device::cpu, types<float, as_float<Others>...>>> {
};
}  // namespace v1
}  // namespace inlay
