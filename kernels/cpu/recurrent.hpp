// LSTM and GRU of float on the CPU, with the functions that the standard names first: W x of many steps as one product, then R h step by step.
#pragma once
#include "../recurrent.hpp"
#include "dense.hpp"
#include "isa/rnn_f32.hpp"

namespace inlay::inline v1 {
// One direction's part of a step: rows of the batch by panels of hidden units.
struct recurrent_f32_step {
    const gemm_f32_table* gemm;
    const rnn_f32_table* cell;
    const float *r, *bias;      // packed, a matrix for each gate; bias: of R's last gate, where it cannot join that of W
    isa::level level;
    std::int64_t hidden, rows, panel, panel_end;
    float* sums;                // W x + b of all gates of a row side by side; here the sums are completed
    std::int64_t sums_row;
    const float* h;             // of the step before
    float *next, *c, *extra;    // [rows][hidden]
    bool turn;                  // every other step goes through R the other way round, so that its end is still in the cache

    void multiply(int gate, const float* a, const float* start, const float* add, std::int64_t add_row, float* y, std::int64_t y_row) const noexcept {
        const gemm_f32_call call{a, 0, hidden, rows, {1, 1, hidden}, 0, 0, {r + gate * gemm_f32_padded(level, hidden) * hidden}, hidden, start, add, add_row, y, y_row, {}};
        gemm->run(call, {0, 1, 0, rows, panel, panel_end});
    }
    void add_gate(int gate, const float* a) const noexcept { multiply(gate, a, nullptr, sums + gate * hidden, sums_row, sums + gate * hidden, sums_row); }
    template <class F> void each_row(F f) const noexcept {  // f(row, where its units begin in a state, their sums, how many)
        const std::int64_t first = panel * gemm_f32_width(level), last = std::min(hidden, panel_end * gemm_f32_width(level));
        for (std::int64_t i = 0; i < rows; ++i) f(i, i * hidden + first, sums + i * sums_row + first, last - first);
    }
};

// `Cell`: a plain cell's constants; `Steps`: phases(params), and run(step, phase, params).
template <class Cell, class Steps> struct recurrent_f32_kernel : simple_kernel {
    struct params : recurrent_params {
        constexpr std::int64_t gate_rows() const { return Cell::gates * hidden; }
        constexpr std::int64_t block() const {  // steps whose W x are made together
            const std::int64_t blocks = std::max<std::int64_t>((steps * batch + 255) / 256, 1);
            return std::max<std::int64_t>((steps + blocks - 1) / blocks, 1);
        }
        // Of one direction, in floats: what bind() packs...
        constexpr std::int64_t w_room(isa::level l) const { return align_floats(gemm_f32_padded(l, gate_rows()) * input); }
        constexpr std::int64_t r_room(isa::level l) const { return align_floats(Cell::gates * gemm_f32_padded(l, hidden) * hidden); }
        constexpr std::int64_t bias_room() const { return align_floats(gate_rows()); }
        constexpr std::int64_t packed_room(isa::level l) const { return w_room(l) + r_room(l) + bias_room() + align_floats(hidden); }
        // ... and what a run needs: sums, h twice, c, and one more row.
        constexpr std::int64_t sums_room() const { return align_floats(block() * batch * gate_rows()); }
        constexpr std::int64_t state_room() const { return align_floats(batch * hidden); }
        constexpr std::int64_t run_room() const { return sums_room() + 4 * state_room(); }
        constexpr std::int64_t part_room(isa::level l) const {
            return std::max(gemm_f32_scratch(l, {1, 1, input}, x_row(), block() * batch), gemm_f32_scratch(l, {1, 1, input}, x_step(), block() * batch));
        }
    };
    struct state { const gemm_f32_table* gemm; const rnn_f32_table* cell; isa::level level; const float* packed; };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 3;

    static constexpr verdict supports(const node_view& n) {
        params p;
        if (const verdict v = p.read(n, Cell::gates, Cell::states, Cell::peepholes); !v) return v;
        if (const verdict v = p.read_attributes(n, Cell::functions); !v) return v;
        if (!n.is_constant(1) || !n.is_constant(2) || (n.has_input(3) && !n.is_constant(3))) return no("W, R or B is no constant, so it cannot be packed");
        if (!p.usual_activations(Cell::functions)) return no("fast only with Sigmoid and Tanh in their usual places");
        if (n.has("clip")) return no("fast only without clip");
        return Steps::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n, Cell::gates, Cell::states, Cell::peepholes);
        (void)p.read_attributes(n, Cell::functions);
        p.flag = n.integer(Cell::flag, 0) != 0;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.directions * p.packed_room(l), 4 * (p.directions * p.run_room() + threads * p.part_room(l))};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&gemm_f32(u.level), &rnn_f32(u.level), u.level, reinterpret_cast<const float*>(u.storage)};
        const std::int64_t h = p.hidden, rows = p.gate_rows();
        for (int d = 0; d < p.directions; ++d) {
            float* to = reinterpret_cast<float*>(u.storage) + d * p.packed_room(u.level);
            s.gemm->pack({w.in<float>(1) + d * rows * p.input, rows, p.input, 0, 1}, {1, 1, p.input}, 0, gemm_f32_panels(u.level, rows), to);
            to += p.w_room(u.level);
            for (int g = 0; g < Cell::gates; ++g)
                s.gemm->pack({w.in<float>(2) + (d * rows + g * h) * h, h, h, 0, 1}, {1, 1, h}, 0, gemm_f32_panels(u.level, h), to + g * gemm_f32_padded(u.level, h) * h);
            to += p.r_room(u.level);
            const float* bias = p.has.has_in(3) ? w.in<float>(3) + d * 2 * rows : nullptr;
            const std::int64_t joined = Steps::bias_of_r(p) ? rows - h : rows;  // where R's bias may be added before the product
            for (std::int64_t i = 0; i < rows; ++i) to[i] = !bias ? 0 : i < joined ? bias[i] + bias[rows + i] : bias[i];
            for (std::int64_t i = 0; i < h; ++i) to[p.bias_room() + i] = bias && joined < rows ? bias[rows + joined + i] : 0;
        }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const presence& has = p.has;
        const std::int32_t* lengths = has.in<std::int32_t>(a, 4);
        bool even = true;
        for (std::int64_t b = 0; lengths && b < p.batch; ++b) {
            if (lengths[b] < 0 || lengths[b] > p.steps) return c.fail("sequence_lens: a length is negative or larger than the sequence");
            even &= lengths[b] == p.steps;
        }
        if (even) run_rows(p, s, a, c, 0, p.batch, p.steps);
        else for (std::int64_t b = 0; b < p.batch; ++b) {
            run_rows(p, s, a, c, b, 1, lengths[b]);
            for (std::int64_t t = lengths[b]; has.has_out(0) && t < p.steps; ++t)
                for (int d = 0; d < p.directions; ++d) std::fill_n(a.out<float>(0) + p.y_at(t, d, b), p.hidden, 0.f);
        }
        return c.stopped() ? status::stopped : status::ok;
    }
private:
    // Rows [b, b + count) of the batch, which all have `steps` steps.
    static void run_rows(const params& p, const state& s, const arguments& a, context& c, std::int64_t b, std::int64_t count, std::int64_t steps) noexcept {
        const presence& has = p.has;
        float* const scratch = reinterpret_cast<float*>(c.scratch);
        const auto part = [&](int d, std::int64_t offset) { return scratch + d * p.run_room() + offset; };
        const auto state_of = [&](int d, int k) { return part(d, p.sums_room() + k * p.state_room()); };  // 0, 1: h of even and odd steps, 2: c, 3: extra
        const std::int64_t rows = p.gate_rows();
        for (int d = 0; d < p.directions; ++d) for (int k = 0; k < Cell::states; ++k) for (std::int64_t i = 0; i < count; ++i) {
            float* to = state_of(d, 2 * k) + i * p.hidden;
            if (const float* from = has.in<float>(a, 5 + k)) std::copy_n(from + p.state_at(d, b + i), p.hidden, to);
            else std::fill_n(to, p.hidden, 0.f);
        }
        for (std::int64_t first = 0; first < steps && !c.stopped(); first += p.block()) {
            const std::int64_t some = std::min(p.block(), steps - first);
            const auto begin = [&](int d) { return p.backward(d) ? steps - first - some : first; };  // as X and Y count
            for (int d = 0; d < p.directions; ++d) multiply_inputs(p, s, a.in<float>(0) + p.x_at(begin(d), b), d, some, count, part(d, 0), c);

            // Steps [first, first + some) for rows [row, row_end) of direction d; `shared`: all threads share out the units.
            const auto sweep = [&](int d, std::int64_t row, std::int64_t row_end, bool shared) {
                const float* const packed = s.packed + d * p.packed_room(s.level) + p.w_room(s.level);
                for (std::int64_t k = 0; k < some && !c.stopped(); ++k) {
                    const std::int64_t t = p.backward(d) ? some - 1 - k : k, at = row * p.hidden, panels = gemm_f32_panels(s.level, p.hidden);
                    const int now = int((first + k) % 2);
                    recurrent_f32_step step{s.gemm, s.cell, packed, packed + p.r_room(s.level) + p.bias_room(), s.level, p.hidden, row_end - row, 0, panels, part(d, (t * count + row) * rows), rows,
                                            state_of(d, now) + at, state_of(d, 1 - now) + at, state_of(d, 2) + at, state_of(d, 3) + at, now != 0};
                    for (int phase = 0; phase < Steps::phases(p); ++phase) {
                        if (!shared) { Steps::run(step, phase, p); continue; }
                        c.split(panels, 1 + 100'000 / std::max<std::int64_t>(gemm_f32_width(s.level) * rows * (row_end - row), 1), [&](std::int64_t from, std::int64_t to, int) {
                            recurrent_f32_step own = step;
                            own.panel = from;
                            own.panel_end = to;
                            Steps::run(own, phase, p);
                        });
                    }
                    for (std::int64_t i = row; has.has_out(0) && i < row_end; ++i)
                        std::copy_n(state_of(d, 1 - now) + i * p.hidden, p.hidden, a.out<float>(0) + p.y_at(begin(d) + t, d, b + i));
                }
            };
            if (p.directions * count < c.threads) for (int d = 0; d < p.directions; ++d) sweep(d, 0, count, true);
            else c.split(p.directions * count, 1, [&](std::int64_t from, std::int64_t to, int) {
                for (int d = 0; d < p.directions; ++d) {
                    const std::int64_t row = std::max(from, d * count) - d * count, row_end = std::min(to, (d + 1) * count) - d * count;
                    if (row < row_end) sweep(d, row, row_end, false);
                }
            });
        }
        for (int d = 0; d < p.directions; ++d) for (int k = 0; k < Cell::states; ++k) for (std::int64_t i = 0; has.has_out(1 + k) && i < count; ++i)
            std::copy_n(state_of(d, k == 0 ? int(steps % 2) : 2) + i * p.hidden, p.hidden, a.out<float>(1 + k) + p.state_at(d, b + i));
    }
    // W x + b for `some` steps of `count` rows: [step][row][gate][unit]. One product where the rows of X are equally far apart.
    static void multiply_inputs(const params& p, const state& s, const float* x, int d, std::int64_t some, std::int64_t count, float* sums, context& c) noexcept {
        const float* const packed = s.packed + d * p.packed_room(s.level);
        const std::int64_t n = p.gate_rows();
        float* const room = reinterpret_cast<float*>(c.scratch) + p.directions * p.run_room();
        const auto multiply = [&](std::int64_t rows, const float* from, std::int64_t row, float* to, std::int64_t to_row) {
            const gemm_f32_call call{from, 0, row, rows, {1, 1, p.input}, 0, 0, {packed}, n, packed + p.w_room(s.level) + p.r_room(s.level), nullptr, 0, to, to_row, {}};
            multiply_all(*s.gemm, s.level, call, rows, room, p.part_room(s.level), c);
        };
        if (count == 1) multiply(some, x, p.x_step(), sums, n);
        else if (p.x_step() == count * p.x_row()) multiply(some * count, x, p.x_row(), sums, n);
        else if (count >= some) for (std::int64_t t = 0; t < some; ++t) multiply(count, x + t * p.x_step(), p.x_row(), sums + t * count * n, n);
        else for (std::int64_t i = 0; i < count; ++i) multiply(some, x + i * p.x_row(), p.x_step(), sums + i * n, count * n);
    }
};
}  // namespace inlay::inline v1
