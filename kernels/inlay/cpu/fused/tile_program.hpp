// Tile programs on the CPU, in any layout: operator by operator over tiles that stay in the first-level cache.
#pragma once
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/onnx/binary.hpp>
#include <inlay/fused/tile_program.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::tile_program, device::cpu, types<float>> : tile_program_kernel {
    static constexpr std::int64_t largest = 1024;  // elements of a tile
    struct params : tile_program_kernel::params {
        std::array<std::int8_t, tile_program::most_instructions> place{};  // of each result, among the tiles of scratch
        int places = 0;
        std::int64_t tile = largest;
    };
    struct state {
        const unary_f32_table* unary = nullptr;
        const binary_f32_table* binary = nullptr;
    };
    struct families {
        bool unary, binary;
    };

    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr bool strided(const node_view& n, int argument) {
        return argument < 0 || (!n.is_constant(argument) && n.input(argument).dims == n.output(0).dims);
    }
    static constexpr params prepare(const node_view& n) {
        params p{tile_program_kernel::prepare(n)};
        p.tile = std::min(largest, (p.loops.elements() + 15) / 16 * 16);
        const tile_program& t = p.program;
        std::array<int, tile_program::most_instructions> last_use{};
        for (int i = 0; i < t.count; ++i)
            for (int k : {t.code[i].a, t.code[i].b})
                if (k >= t.inputs) last_use[k - t.inputs] = i;
        std::array<bool, tile_program::most_instructions> occupancy{};
        for (int i = 0; i < t.count; ++i) {  // a result may lie where an operand does that is no longer needed
            for (int k = 0; k < i; ++k)
                if (last_use[k] == i) occupancy[p.place[k]] = false;
            while (occupancy[p.place[i]]) ++p.place[i];
            occupancy[p.place[i]] = true;
            p.places = std::max(p.places, p.place[i] + 1);
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, 4 * threads * p.places * p.tile};
    }
    static constexpr families needs(const params& p) {
        families f{};
        for (int i = 0; i < p.program.count; ++i)
            (tile_program::is_binary(p.program.code[i].kind) ? f.binary : f.unary) = true;
        return f;
    }
    template <families Linked = families{true, true}>
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        if constexpr (Linked.unary) s.unary = &unary_f32(u.level);
        if constexpr (Linked.binary) s.binary = &binary_f32(u.level);
        return status::ok;
    }
    template <families = families{true, true}>
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const auto& l = p.loops;
        const int inputs = p.program.inputs;
        const std::int64_t tile = p.tile;
        c.split(l.elements(), 64 * largest / p.program.count, [&](std::int64_t first, std::int64_t end, int part) {
            float* const room = reinterpret_cast<float*>(c.scratch) + part * p.places * tile;
            over_blocks(l, first, end, [&](std::int64_t, const auto& at, std::int64_t rows, std::int64_t n) {
                const std::int64_t height = n < tile ? tile / n : 1, width = std::min(n, tile);
                for (std::int64_t r = 0; r < rows; r += height)
                    for (std::int64_t e = 0; e < n; e += width) {
                        block_f32 values[tile_program::most_inputs + tile_program::most_instructions];
                        const auto offset = [&](int k) {
                            return at[std::size_t(k)] + r * l.between(k) + e * l.along(k);
                        };
                        for (int k = 0; k < inputs; ++k)
                            values[k] = {args.in<float>(k) + offset(k), l.along(k), l.between(k)};
                        run_tile(p, s, values,
                                 {args.out<float>(0) + offset(inputs), std::min(height, rows - r),
                                  std::min(width, n - e), l.along(inputs), l.between(inputs)},
                                 room);
                    }
            });
        });
        return status::ok;
    }

  private:
    struct target {
        float* y;
        std::int64_t rows, n, along, between;
    };

    // `values` begins with the inputs' blocks.
    static void run_tile(const params& p, const state& s, block_f32* values, const target& to, float* room) noexcept {
        constexpr unary_f32_table::map unary_f32_table::*functions[] = {
            &unary_f32_table::relu,       &unary_f32_table::sigmoid,      &unary_f32_table::tanh,
            &unary_f32_table::erf,        &unary_f32_table::sqrt,         &unary_f32_table::hard_sigmoid,
            &unary_f32_table::hard_swish, &unary_f32_table::clip,         &unary_f32_table::square,
            &unary_f32_table::cube,       &unary_f32_table::power_of_half};
        constexpr binary_f32_table::forms binary_f32_table::*forms[] = {&binary_f32_table::add, &binary_f32_table::sub,
                                                                        &binary_f32_table::mul, &binary_f32_table::div};
        const tile_program& t = p.program;
        const std::int64_t rows = to.rows, n = to.n;
        const auto is_dense = [&](std::int64_t along, std::int64_t between) {
            return along == 1 && (rows == 1 || between == n);
        };
        const bool in_place = is_dense(to.along, to.between);
        for (int i = 0; i < t.count; ++i) {
            const tile_program::instruction& o = t.code[std::size_t(i)];
            float* const y = i == t.count - 1 && in_place ? to.y : room + p.place[std::size_t(i)] * p.tile;
            const block_f32 a = values[o.a];
            if (tile_program::is_binary(o.kind)) {
                const block_f32 b = values[o.b];
                const auto one_row = [&](const block_f32& x) {
                    return is_dense(x.along, x.between) || (x.along == 0 && (rows == 1 || x.between == 0));
                };
                const bool joined = one_row(a) && one_row(b);
                combine(s.binary->*forms[o.kind - tile_program::add], a, b, y, joined ? 1 : rows,
                        joined ? rows * n : n);
            } else {
                const float* x = a.data;
                if (!is_dense(a.along, a.between)) {
                    for (std::int64_t r = 0; r < rows; ++r)
                        for (std::int64_t e = 0; e < n; ++e) y[r * n + e] = x[r * a.between + e * a.along];
                    x = y;
                }
                (s.unary->*functions[o.kind])(x, y, rows * n, o.p, o.q);
            }
            values[t.inputs + i] = {y, 1, n};
        }
        if (in_place) return;
        const float* const x = values[t.inputs + t.count - 1].data;
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t e = 0; e < n; ++e) to.y[r * to.between + e * to.along] = x[r * n + e];
    }
};
}  // namespace v1
}  // namespace inlay
