// Einsum of float32 on the CPU: by matmuls where its loops allow, step by step.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/cpu/support/einsum_steps.hpp>
#include <inlay/cpu/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
// Scratch of one part of a matmul, in float32 elements: copies of its matrices, of B's panels, of rows of A.
struct einsum_rooms {
    std::int64_t a, b, y, packed, rows;
    static constexpr einsum_rooms of(const einsum_step& s, isa::level l) {
        return {s.copies_a ? padded_floats(s.m * s.k) : 0, s.copies_b ? padded_floats(s.k * s.n) : 0,
                s.copies_y ? padded_floats(s.m * s.n) : 0, gemm_f32_room(l, s.m, s.n, s.k, s.b_column),
                gemm_f32_scratch(l, {1, 1, s.k}, s.a_row, s.m)};
    }
    constexpr std::int64_t one() const { return a + b + y + packed; }
    // Threads compute matrices, or share each.
    static constexpr bool by_matrix(const einsum_step& s, int threads) { return s.outer.steps() >= threads; }
    constexpr std::int64_t all(const einsum_step& s, int threads) const {
        return by_matrix(s, threads) ? threads * (one() + rows) : one() + threads * rows;
    }
};

// A position in some loops: the offsets of the operands.
struct einsum_position {
    std::array<std::int64_t, einsum_loops::most> index{};
    std::int64_t a = 0, b = 0, y = 0;
    einsum_position() = default;
    einsum_position(const einsum_loops& loops, int count, std::int64_t at) noexcept {
        for (int i = count - 1; i >= 0; --i) {
            const std::int64_t k = at % loops[i].count;
            at /= loops[i].count;
            index[std::size_t(i)] = k;
            a += k * loops[i].a;
            b += k * loops[i].b;
            y += k * loops[i].y;
        }
    }
    bool next(const einsum_loops& loops, int count) noexcept {  // false, and back at the first, after the last
        for (int i = count - 1; i >= 0; --i) {
            const einsum_loop& l = loops[i];
            a += l.a;
            b += l.b;
            y += l.y;
            if (++index[std::size_t(i)] < l.count) return true;
            a -= l.a * l.count;
            b -= l.b * l.count;
            y -= l.y * l.count;
            index[std::size_t(i)] = 0;
        }
        return false;
    }
};

// y[e] = a[e] b[e], whatever the steps; added to what is there if `Adds`.
template <bool Adds>
void put_products(const float* a, std::int64_t i, const float* b, std::int64_t j, std::int64_t n, float* y) noexcept {
    const auto put = [](float& to, float product) { to = Adds ? to + product : product; };
    if (i == 1 && j == 1)
        for (std::int64_t e = 0; e < n; ++e) put(y[e], a[e] * b[e]);
    else if (const float same = i == 0 ? *a : *b; i == 1 && j == 0)
        for (std::int64_t e = 0; e < n; ++e) put(y[e], a[e] * same);
    else if (i == 0 && j == 1)
        for (std::int64_t e = 0; e < n; ++e) put(y[e], same * b[e]);
    else
        for (std::int64_t e = 0; e < n; ++e) put(y[e], a[e * i] * b[e * j]);
}
template <bool A, bool B> float dot_of(const float* a, const float* b, std::int64_t n) noexcept {
    constexpr std::int64_t wide = 16;  // accumulators in registers
    float parts[wide] = {}, sum = 0;
    std::int64_t e = 0;
    for (; e + wide <= n; e += wide)
        for (std::int64_t i = 0; i < wide; ++i) parts[i] += a[A ? e + i : 0] * b[B ? e + i : 0];
    for (; e < n; ++e) sum += a[A ? e : 0] * b[B ? e : 0];
    for (float part : parts) sum += part;
    return sum;
}
inline float dot(const float* a, std::int64_t i, const float* b, std::int64_t j, std::int64_t n) noexcept {
    if (i == 1 && j == 1) return dot_of<true, true>(a, b, n);
    if (i == 1 && j == 0) return dot_of<true, false>(a, b, n);
    if (i == 0 && j == 1) return dot_of<false, true>(a, b, n);
    float sum = 0;
    for (std::int64_t e = 0; e < n; ++e) sum += a[e * i] * b[e * j];
    return sum;
}

// One step of a node with its operands.
struct einsum_run {
    const einsum_step& s;
    const gemm_f32_table& table;
    isa::level level;
    const float *a, *b;
    float* y;

    void multiply(float* room, context& c) const noexcept {
        const einsum_rooms rooms = einsum_rooms::of(s, level);
        const std::int64_t matrices = s.outer.steps();
        const auto multiply_range = [&](std::int64_t first, std::int64_t end, float* scratch, context& threads) {
            einsum_position at(s.outer, s.outer.count, first);
            for (; first < end && !threads.stopped(); ++first, at.next(s.outer, s.outer.count))
                multiply_one(a + at.a, b + at.b, y + at.y, rooms, scratch, threads);
        };
        if (!einsum_rooms::by_matrix(s, c.threads)) return multiply_range(0, matrices, room, c);
        const double work = double(s.m) * double(s.n) * double(s.k);
        c.split(matrices, 1 + std::int64_t(50'000 / work), [&](std::int64_t first, std::int64_t end, int part) {
            context alone = c;
            alone.fork = context{}.fork;
            alone.threads = 1;
            multiply_range(first, end, room + part * (rooms.one() + rooms.rows), alone);
        });
    }
    void add_up(context& c) const noexcept {
        if (s.b == einsum_step::unit_operand && s.sums.count == 0) return copy(c);
        einsum_loops sums = s.sums;
        int rows = s.outer.count;
        const einsum_loop inner = rows > 0 ? s.outer[rows - 1] : einsum_loop{1, 0, 0, 1};
        const auto dense = [](const einsum_loop& l) { return l.a <= 1 && l.b <= 1; };
        bool dots = false;  // the innermost loop is reduced, else of y
        if (rows == 0 || inner.y != 1 || inner.count < 8 || !dense(inner))
            for (int i = 0; i < sums.count && !dots; ++i)
                if (dense(sums[i])) {
                    std::swap(sums[i], sums[sums.count - 1]);
                    dots = true;
                }
        if (!dots && rows > 0) --rows;
        std::int64_t count = 1;
        for (int i = 0; i < rows; ++i) count *= s.outer[i].count;
        const auto work = std::int64_t(std::min(1e9, double(sums.steps()) * double(dots ? 1 : inner.count)));
        c.split(count, 1 + 16384 / work, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            einsum_position at(s.outer, rows, first);
            for (; first < end && !ends(work); ++first, at.next(s.outer, rows))
                dots ? add_dots(at, sums) : add_rows(at, inner, sums);
        });
    }

  private:
    void multiply_one(const float* x, const float* w, float* to, const einsum_rooms& rooms, float* room,
                      context& c) const noexcept {
        float *const a_room = room, *const b_room = a_room + rooms.a, *const y_room = b_room + rooms.b,
                     *const packed = y_room + rooms.y, *const copies = packed + rooms.packed;
        if (s.copies_a) run_copy<32>(s.a_copy, x, a_room, c);
        if (s.copies_b) run_copy<32>(s.b_copy, w, b_room, c);
        const gemm_f32_source source{s.copies_b ? b_room : w, s.n, s.b_column, 0, s.b_row};
        const gemm_f32_depth depth{1, 1, s.k};
        const std::int64_t panels = gemm_f32_panels(level, s.n);
        const bool in_place = gemm_f32_in_place(level, s.m, s.n, s.k, s.b_column);
        if (in_place)
            table.pack_tail(source, depth, packed);
        else
            c.split(panels, 1,
                    [&](std::int64_t first, std::int64_t end, int) { table.pack(source, depth, first, end, packed); });
        const gemm_f32_panels_of_b of_b =
            in_place ? gemm_f32_panels_of_b{source.b, s.b_row, packed} : gemm_f32_panels_of_b{packed};
        const gemm_f32_call call =
            plain_product(s.copies_a ? a_room : x, s.a_row, s.m, depth, of_b, s.n, s.copies_y ? y_room : to, s.y_row);
        multiply_all(table, level, std::span(&call, 1), s.m, rooms.rows ? copies : nullptr, rooms.rows, c);
        if (s.copies_y) run_copy<32>(s.y_copy, y_room, to, c);
    }
    void copy(context& c) const noexcept {
        shape dims = shape::of_rank(0), from = dims, to = dims;
        for (int i = 0; i < s.outer.count; ++i) {
            dims.push_back(s.outer[i].count);
            from.push_back(s.outer[i].a);
            to.push_back(s.outer[i].y);
        }
        run_copy<32>(make_copy(dims, from, to), a, y, c);
    }
    void add_dots(const einsum_position& at, const einsum_loops& sums) const noexcept {
        const int outside = sums.count - 1;
        const einsum_loop& l = sums[outside];
        einsum_position in;
        float sum = 0;
        do sum += dot(a + at.a + in.a, l.a, b + at.b + in.b, l.b, l.count);
        while (in.next(sums, outside));
        y[at.y] = sum;
    }
    void add_rows(const einsum_position& at, const einsum_loop& l, const einsum_loops& sums) const noexcept {
        constexpr std::int64_t most = 512;
        for (std::int64_t offset = 0; offset < l.count; offset += most) {
            const std::int64_t n = std::min(most, l.count - offset);
            const float *const x = a + at.a + offset * l.a, *const w = b + at.b + offset * l.b;
            if (sums.count == 0 && l.y == 1) {
                put_products<false>(x, l.a, w, l.b, n, y + at.y + offset);
                continue;
            }
            float sum[most];
            std::fill_n(sum, n, 0.f);
            einsum_position in;
            do put_products<true>(x + in.a, l.a, w + in.b, l.b, n, sum);
            while (in.next(sums, sums.count));
            for (std::int64_t e = 0; e < n; ++e) y[at.y + (offset + e) * l.y] = sum[e];
        }
    }
};

template <> struct kernel<op::einsum, device::cpu, types<float>> : simple_kernel {
    using params = einsum_steps;
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
    };
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = einsum_kernel::supports(n); !v) return v;
        einsum_steps s;
        return einsum_steps::read(n, s);
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)einsum_steps::read(n, p);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        std::int64_t rooms = 0;
        for (int i = 0; i < p.count; ++i)
            if (const einsum_step& s = p.list[std::size_t(i)]; s.multiplies)
                rooms = std::max(rooms, einsum_rooms::of(s, l).all(s, threads));
        return {0, 4 * (p.results + rooms)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {&gemm_f32(u.level), u.level};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        if (p.nothing) {
            std::fill_n(args.out<float>(0), p.elements, 0.f);
            return status::ok;
        }
        constexpr float unit = 1;
        float* const results = reinterpret_cast<float*>(c.scratch);
        const auto operand = [&](int k) -> const float* {
            if (k == einsum_step::unit_operand) return &unit;
            return k < einsum_step::first_result ? args.in<float>(k)
                                                 : results + p.list[std::size_t(k - einsum_step::first_result)].place;
        };
        for (int i = 0; i < p.count && !c.stopped(); ++i) {
            const einsum_step& step = p.list[std::size_t(i)];
            float* const y = i == p.count - 1 ? args.out<float>(0) : results + step.place;
            const einsum_run run{step, *s.table, s.level, operand(step.a), operand(step.b), y};
            if (step.multiplies)
                run.multiply(results + p.results, c);
            else
                run.add_up(c);
        }
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
