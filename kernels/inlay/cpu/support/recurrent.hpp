// LSTM, GRU and RNN of float32 on the CPU, with the standard's default activations: W x of many steps as one matmul,
// then R h step by step.
#pragma once
#include "dense.hpp"
#include "lockstep.hpp"
#include "packs_at_run.hpp"
#include <inlay/cpu/isa/rnn_f32.hpp>
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
// One direction's part of a step: rows of the batch by panels of hidden units.
struct recurrent_f32_step {
    const gemm_f32_table* gemm;
    const rnn_f32_table* cell;
    isa::level level;
    const float *r, *bias;  // packed, a matrix for each gate; bias: of R's last gate, where it cannot join that of W
    std::int64_t r_gate;    // float32 elements of such a matrix
    float* copy;            // where the state is rounded before it is multiplied, or null
    std::int64_t hidden, rows, panel, panel_end;
    float* sums;  // W x + b of all gates of a row; here the accumulators are completed
    std::int64_t sums_row;
    const float* h;           // of the step before
    float *next, *c, *extra;  // [rows][hidden]
    bool turn;  // every other step walks through R in reverse order, so that its end is still in the cache

    void multiply(int gate, const float* a, const float* start, const float* add, std::int64_t add_row, float* y,
                  std::int64_t y_row) const noexcept {
        const gemm_f32_call call{a,     0,   hidden,  rows, {1, 1, hidden}, 0,  0,    {r + gate * r_gate}, hidden,
                                 start, add, add_row, y,    y_row,          {}, copy, copy != nullptr};
        gemm->run(call, {0, 1, 0, rows, panel, panel_end});
    }
    void add_gate(int gate, const float* a) const noexcept {
        multiply(gate, a, nullptr, sums + gate * hidden, sums_row, sums + gate * hidden, sums_row);
    }
    template <class F>
    void each_row(F f) const noexcept {  // f(row, where its units begin in a state, their accumulators, how many)
        const std::int64_t first = panel * gemm_f32_width(level),
                           end = std::min(hidden, panel_end * gemm_f32_width(level));
        for (std::int64_t i = 0; i < rows; ++i) f(i, i * hidden + first, sums + i * sums_row + first, end - first);
    }
};

// `Cell`: a plain cell's constants; `Steps`: phases(params), and run(step, phase, params).
template <class Cell, class Steps> struct recurrent_f32_kernel : simple_kernel {
    struct params : recurrent_params {
        bool bf16 = false;  // W and R are kept as bf16
        constexpr std::int64_t gate_rows() const { return Cell::gates * hidden; }
        constexpr std::int64_t block() const {  // steps whose W x are computed together
            const std::int64_t blocks = std::max<std::int64_t>((steps * batch + 255) / 256, 1);
            return std::max<std::int64_t>((steps + blocks - 1) / blocks, 1);
        }
        // Of one direction, in float32 elements: what bind() packs...
        constexpr std::int64_t w_room(isa::level l) const { return packed_floats(bf16, l, {1, 1, input}, gate_rows()); }
        constexpr std::int64_t r_gate(isa::level l) const { return packed_floats(bf16, l, {1, 1, hidden}, hidden); }
        constexpr std::int64_t r_room(isa::level l) const { return Cell::gates * r_gate(l); }
        constexpr std::int64_t bias_room() const { return padded_floats(gate_rows()); }
        constexpr std::int64_t packed_room(isa::level l) const {
            return w_room(l) + r_room(l) + bias_room() + padded_floats(hidden);
        }
        // ... and what a run needs: accumulators, h twice, c, and one more row.
        constexpr std::int64_t sums_room() const { return padded_floats(block() * batch * gate_rows()); }
        constexpr std::int64_t state_room() const { return padded_floats(batch * hidden); }
        constexpr std::int64_t run_room() const { return sums_room() + 4 * state_room(); }
        // ... and each of the parts that share it out
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l); }  // X and h
        constexpr std::int64_t part_room(isa::level l) const {
            const auto of_x = [&](std::int64_t row) {
                return gemm_f32_scratch(l, {1, 1, input}, row, block() * batch, rounds(l));
            };
            const std::int64_t of_h =
                rounds(l)
                    ? padded_floats(gemm_f32_copy(l, gemm_f32_depth{1, 1, hidden}.in_groups(gemm_bf16_group(l)), batch))
                    : 0;
            return std::max({of_x(x_row()), of_x(x_step()), of_h});
        }
        // How many parts share the units of each step: of half a microsecond at least, and 1 where there are enough
        // directions and rows, which need not wait for each other.
        constexpr int parts_of_step(isa::level l, int threads, std::int64_t rows) const {
            if (directions * rows >= threads) return 1;
            return int(std::clamp<std::int64_t>(
                gate_rows() * hidden * rows / 25'000, 1,
                std::min<std::int64_t>({threads, gemm_f32_panels(l, hidden), most_in_lockstep})));
        }
    };
    struct state {
        const gemm_f32_table* gemm;
        const rnn_f32_table* cell;
        isa::level level;
        const float* packed;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 3;

    static constexpr verdict supports(const node_view& n) {
        params p;
        if (const verdict v = p.template read_node<Cell>(n); !v) return v;
        if (!p.usual_activations(Cell::functions)) return no("fast only with Sigmoid and Tanh in their usual places");
        if (p.clips()) return no("fast only without clip");
        return Steps::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.template read_node<Cell>(n);
        p.bf16 = n.graph.precision == precision::bfloat16;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.directions * p.packed_room(l), 4 * (p.directions * p.run_room() + threads * p.part_room(l))};
    }
    static constexpr bool reduced(const params& p) { return p.bf16; }
    static constexpr weight_formats needs(const params& p) { return {!p.bf16, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&gemm_table<Linked>(p.bf16, u.level), &rnn_f32(u.level), u.level,
             reinterpret_cast<const float*>(u.storage)};
        const std::int64_t h = p.hidden, rows = p.gate_rows();
        for (int d = 0; d < p.directions; ++d) {
            float* to = reinterpret_cast<float*>(u.storage) + d * p.packed_room(u.level);
            pack(s, w.in<float>(1) + d * rows * p.input, rows, p.input, to, u);
            to += p.w_room(u.level);
            for (int g = 0; g < Cell::gates; ++g)
                pack(s, w.in<float>(2) + (d * rows + g * h) * h, h, h, to + g * p.r_gate(u.level), u);
            to += p.r_room(u.level);
            const float* bias = p.has.has_in(3) ? w.in<float>(3) + d * 2 * rows : nullptr;
            const std::int64_t joined =
                Steps::bias_of_r(p) ? rows - h : rows;  // where R's bias may be added before the matmul
            for (std::int64_t i = 0; i < rows; ++i) to[i] = !bias ? 0 : i < joined ? bias[i] + bias[rows + i] : bias[i];
            for (std::int64_t i = 0; i < h; ++i)
                to[p.bias_room() + i] = bias && joined < rows ? bias[rows + joined + i] : 0;
        }
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const presence& has = p.has;
        const std::int32_t* lengths = has.in<std::int32_t>(a, 4);
        bool even = true;
        for (std::int64_t b = 0; lengths && b < p.batch; ++b) {
            if (lengths[b] < 0 || lengths[b] > p.steps)
                return c.fail("sequence_lens: a length is negative or larger than the sequence");
            even &= lengths[b] == p.steps;
        }
        if (even)
            run_rows(p, s, a, c, 0, p.batch, p.steps);
        else
            for (std::int64_t b = 0; b < p.batch; ++b) {
                run_rows(p, s, a, c, b, 1, lengths[b]);
                for (std::int64_t t = lengths[b]; has.has_out(0) && t < p.steps; ++t)
                    for (int d = 0; d < p.directions; ++d)
                        std::fill_n(a.out<float>(0) + p.y_at(t, d, b), p.hidden, 0.f);
            }
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void pack(const state& s, const float* w, std::int64_t rows, std::int64_t columns, float* to,
                     const setup& u) noexcept {
        const gemm_f32_depth depth{1, 1, columns};
        u.split(gemm_f32_panels(u.level, rows), packing_grain(u.level, depth),
                [&](std::int64_t first, std::int64_t end, int) {
                    s.gemm->pack({w, rows, columns, 0, 1}, depth, first, end, to);
                });
    }
    // Rows [b, b + count) of the batch, which all have `steps` steps.
    struct sequence {
        const params& p;
        const state& s;
        const arguments& a;
        context& c;
        std::int64_t b, count, steps;

        float* part(int d, std::int64_t offset) const noexcept {
            return reinterpret_cast<float*>(c.scratch) + d * p.run_room() + offset;
        }
        float* state_of(int d, int k) const noexcept {  // 0, 1: h of even and odd steps, 2: c, 3: extra
            return part(d, p.sums_room() + k * p.state_room());
        }
        float* copy_of(int i) const noexcept {  // in part i of the work
            return p.rounds(s.level) ? part(p.directions, i * p.part_room(s.level)) : nullptr;
        }
        void read_states() const noexcept {
            for (int d = 0; d < p.directions; ++d)
                for (int k = 0; k < Cell::states; ++k)
                    for (std::int64_t i = 0; i < count; ++i) {
                        float* to = state_of(d, 2 * k) + i * p.hidden;
                        if (const float* from = p.has.template in<float>(a, 5 + k))
                            std::copy_n(from + p.state_at(d, b + i), p.hidden, to);
                        else
                            std::fill_n(to, p.hidden, 0.f);
                    }
        }
        void write_states() const noexcept {
            for (int d = 0; d < p.directions; ++d)
                for (int k = 0; k < Cell::states; ++k)
                    for (std::int64_t i = 0; p.has.has_out(1 + k) && i < count; ++i)
                        std::copy_n(state_of(d, k == 0 ? int(steps % 2) : 2) + i * p.hidden, p.hidden,
                                    a.out<float>(1 + k) + p.state_at(d, b + i));
        }
    };
    // Steps [first, first + length) of a sequence, whose W x are computed together.
    struct block_of_steps {
        const sequence& q;
        std::int64_t first, length;

        // As X and Y count.
        std::int64_t begin(int d) const noexcept { return q.p.backward(d) ? q.steps - first - length : first; }
        void multiply_inputs() const noexcept {
            for (int d = 0; d < q.p.directions; ++d)
                recurrent_f32_kernel::multiply_inputs(q.p, q.s, q.a.template in<float>(0) + q.p.x_at(begin(d), q.b), d,
                                                      length, q.count, q.part(d, 0), q.c);
        }
        // Rows [row, row_end) by panels [panel, panel_end) of one phase of step first + k in direction d, as part i of
        // the work.
        void advance(int d, std::int64_t row, std::int64_t row_end, std::int64_t panel, std::int64_t panel_end,
                     std::int64_t k, int phase, int i) const noexcept {
            const params& p = q.p;
            const float* const r = q.s.packed + d * p.packed_room(q.s.level) + p.w_room(q.s.level);
            const std::int64_t t = p.backward(d) ? length - 1 - k : k, at = row * p.hidden;
            const int now = int((first + k) % 2);
            const recurrent_f32_step step{q.s.gemm,
                                          q.s.cell,
                                          q.s.level,
                                          r,
                                          r + p.r_room(q.s.level) + p.bias_room(),
                                          p.r_gate(q.s.level),
                                          q.copy_of(i),
                                          p.hidden,
                                          row_end - row,
                                          panel,
                                          panel_end,
                                          q.part(d, (t * q.count + row) * p.gate_rows()),
                                          p.gate_rows(),
                                          q.state_of(d, now) + at,
                                          q.state_of(d, 1 - now) + at,
                                          q.state_of(d, 2) + at,
                                          q.state_of(d, 3) + at,
                                          now != 0};
            Steps::run(step, phase, p);
            if (p.has.has_out(0) && phase + 1 == Steps::phases(p))
                step.each_row([&](std::int64_t j, std::int64_t from, float*, std::int64_t units) {
                    std::copy_n(
                        step.next + from, units,
                        q.a.template out<float>(0) + p.y_at(begin(d) + t, d, q.b + row + j) + from - j * p.hidden);
                });
        }
        // All steps: panels are shared out within each, or rows and directions, which need not wait for each other.
        void advance_all() const noexcept {
            const std::int64_t panels = gemm_f32_panels(q.s.level, q.p.hidden), count = q.count;
            const int phases = Steps::phases(q.p);
            if (const int parts = q.p.parts_of_step(q.s.level, q.c.threads, count); parts > 1)
                for (int d = 0; d < q.p.directions; ++d)
                    in_lockstep(length * phases, parts, q.c, [&](std::int64_t turn, int i) {
                        advance(d, 0, count, panels * i / parts, panels * (i + 1) / parts, turn / phases,
                                int(turn % phases), i);
                    });
            else
                q.c.split(q.p.directions * count, 1, [&](std::int64_t from, std::int64_t to, int i) {
                    for (int d = 0; d < q.p.directions; ++d) {
                        const std::int64_t row = std::max(from, d * count) - d * count,
                                           row_end = std::min(to, (d + 1) * count) - d * count;
                        for (std::int64_t k = 0; row < row_end && k < length && !q.c.stopped(); ++k)
                            for (int phase = 0; phase < phases; ++phase)
                                advance(d, row, row_end, 0, panels, k, phase, i);
                    }
                });
        }
    };
    static void run_rows(const params& p, const state& s, const arguments& a, context& c, std::int64_t b,
                         std::int64_t count, std::int64_t steps) noexcept {
        const sequence rows{p, s, a, c, b, count, steps};
        rows.read_states();
        for (std::int64_t first = 0; first < steps && !c.stopped(); first += p.block()) {
            const block_of_steps block{rows, first, std::min(p.block(), steps - first)};
            block.multiply_inputs();
            block.advance_all();
        }
        rows.write_states();
    }
    // W x + b for `step_count` steps of `count` rows: [step][row][gate][unit]. One matmul where the rows of X are
    // equally far apart.
    static void multiply_inputs(const params& p, const state& s, const float* x, int d, std::int64_t step_count,
                                std::int64_t count, float* sums, context& c) noexcept {
        const float* const packed = s.packed + d * p.packed_room(s.level);
        const std::int64_t n = p.gate_rows();
        float* const room = reinterpret_cast<float*>(c.scratch) + p.directions * p.run_room();
        const auto multiply = [&](std::int64_t rows, const float* from, std::int64_t row, float* to,
                                  std::int64_t to_row) {
            gemm_f32_call call = plain_product(from, row, rows, {1, 1, p.input}, {packed}, n, to, to_row);
            call.bias = packed + p.w_room(s.level) + p.r_room(s.level);
            call.rounds = p.rounds(s.level);
            multiply_all(*s.gemm, s.level, std::span(&call, 1), rows, room, p.part_room(s.level), c);
        };
        if (count == 1)
            multiply(step_count, x, p.x_step(), sums, n);
        else if (p.x_step() == count * p.x_row())
            multiply(step_count * count, x, p.x_row(), sums, n);
        else if (count >= step_count)
            for (std::int64_t t = 0; t < step_count; ++t)
                multiply(count, x + t * p.x_step(), p.x_row(), sums + t * count * n, n);
        else
            for (std::int64_t i = 0; i < count; ++i)
                multiply(step_count, x + i * p.x_row(), p.x_step(), sums + i * n, count * n);
    }
};
}  // namespace v1
}  // namespace inlay
