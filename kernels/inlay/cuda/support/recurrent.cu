// Device code of kernels/inlay/cuda/support/recurrent.hpp.
#include "recurrent.hpp"
#include "rows.cuh"

namespace inlay {
inline namespace v1 {
namespace {
// One unit of one sequence of one direction: a row of what a step computes.
struct recurrent_place {
    std::int64_t unit, sequence;
    int direction;
};
struct recurrent_sequences {
    recurrent_params p;
    divider hidden, batch;
    const std::int32_t* lengths;
    unsigned* faults;
    INLAY_ON_DEVICE recurrent_place place(std::int64_t row) const {
        const std::int64_t unit = hidden.split(row), sequence = batch.split(row);
        return {unit, sequence, int(row)};
    }
    INLAY_ON_DEVICE std::int64_t length(std::int64_t sequence) const {
        const std::int64_t n = lengths ? lengths[sequence] : p.steps;
        return n < 0 ? 0 : n > p.steps ? p.steps : n;
    }
};
// One copy of the code of all activations.
[[gnu::noinline]] INLAY_ON_DEVICE float activated(const recurrent_params& p, const recurrent_place& at, int k,
                                                  float x) {
    return p.activations[std::size_t(at.direction)][std::size_t(k)](x);
}
template <class T> struct begin_body {  // initial states, or zeros
    recurrent_sequences s;
    const T *h0, *c0;
    float *h, *c;
    INLAY_ON_DEVICE void operator()(std::int64_t row) const {
        const auto [unit, b, d] = s.place(row);
        if (s.lengths && (s.lengths[b] < 0 || s.lengths[b] > s.p.steps)) report(s.faults, fault::sequence_length);
        const std::int64_t at = s.p.state_at(d, b) + unit;
        h[row] = h0 ? widened(h0[at]) : 0;
        if (c) c[row] = c0 ? widened(c0[at]) : 0;
    }
};
template <class T> struct end_body {
    recurrent_sequences s;
    const float *h, *c;
    T *h_last, *c_last;
    INLAY_ON_DEVICE void operator()(std::int64_t row) const {
        const auto [unit, b, d] = s.place(row);
        const std::int64_t at = s.p.state_at(d, b) + unit;
        if (h_last) h_last[at] = narrowed<T>(h[row]);
        if (c_last) c_last[at] = narrowed<T>(c[row]);
    }
};
struct four_sums {
    float of[4] = {};
    INLAY_ON_DEVICE static four_sums join(four_sums a, const four_sums& b) {
        for (int k = 0; k < 4; ++k) a.of[k] += b.of[k];
        return a;
    }
};
// Common to all steps: its place in the sequence, its weights, and the matmuls with a row of x or of the state.
template <int W, int Gates, class T> struct step_of_sequences {
    using total = four_sums;
    static constexpr int rounds = 1;
    recurrent_sequences s;
    std::int64_t step;
    const T *x, *w, *r, *bias;
    const float* before;
    float* after;
    T* y;
    INLAY_ON_DEVICE const T* input(const recurrent_place& at) const {
        const std::int64_t n = s.length(at.sequence);
        return x + s.p.x_at(s.p.backward(at.direction) ? n - 1 - step : step, at.sequence);
    }
    INLAY_ON_DEVICE const T* matrix_row(const T* m, std::int64_t columns, const recurrent_place& at, int gate) const {
        return m + ((at.direction * Gates + gate) * s.p.hidden + at.unit) * columns;
    }
    // Adds rows of m for `count` gates from `gate` on, times v, to the accumulators from `to` on.
    template <class V>
    INLAY_ON_DEVICE void multiply(const T* m, const V* v, std::int64_t columns, const recurrent_place& at, int gate,
                                  int count, int to, team t, four_sums& sums) const {
        over_row<W>(v, columns, t, [&](std::int64_t i, const lanes<V, W>& e) {
            for (int g = 0; g < count; ++g) {
                const auto row = load_lanes<W>(matrix_row(m, columns, at, gate + g) + i);
                for (int k = 0; k < W; ++k) sums.of[to + g] += widened(row.at[k]) * widened(e.at[k]);
            }
        });
    }
    INLAY_ON_DEVICE float bias_of_input(const recurrent_place& at, int gate) const {
        return bias ? widened(bias[(at.direction * 2 * Gates + gate) * s.p.hidden + at.unit]) : 0;
    }
    INLAY_ON_DEVICE float bias_of_state(const recurrent_place& at, int gate) const {
        return bias_of_input(at, Gates + gate);
    }
    INLAY_ON_DEVICE bool over(const recurrent_place& at) const { return step >= s.length(at.sequence); }
    INLAY_ON_DEVICE const float* states(const float* h, const recurrent_place& at) const {
        return h + (at.direction * s.p.batch + at.sequence) * s.p.hidden;
    }
    INLAY_ON_DEVICE four_sums part(int, std::int64_t row, team t,
                                   four_sums sums) const {  // every gate's matmuls with x and with the state
        const auto at = s.place(row);
        if (over(at)) return sums;
        multiply(w, input(at), s.p.input, at, 0, Gates, 0, t, sums);
        multiply(r, states(before, at), s.p.hidden, at, 0, Gates, 0, t, sums);
        return sums;
    }
    INLAY_ON_DEVICE void keep(std::int64_t row, const recurrent_place& at, float h) const {
        const bool is_over = over(at);
        after[row] = is_over ? before[row] : h;
        if (!y) return;
        const std::int64_t n = s.length(at.sequence),
                           position = s.p.backward(at.direction) && !is_over ? n - 1 - step : step;
        y[s.p.y_at(position, at.direction, at.sequence) + at.unit] = narrowed<T>(is_over ? 0 : h);
    }
};
template <int W, class T> struct lstm_step : step_of_sequences<W, 4, T> {
    const T* peephole;
    float* cells;
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, four_sums sums) const {
        if (t.rank != 0) return;
        const auto at = this->s.place(row);
        const recurrent_params& p = this->s.p;
        if (this->over(at)) return this->keep(row, at, 0);
        const auto f = [&](int k, float x) { return activated(p, at, k, x); };
        const auto gate = [&](int k) { return sums.of[k] + this->bias_of_input(at, k) + this->bias_of_state(at, k); };
        const auto peep = [&](int k, float c) {
            return peephole ? widened(peephole[(at.direction * 3 + k) * p.hidden + at.unit]) * c : 0;
        };
        float c = cells[row];
        const float i = f(0, p.bounded(gate(0) + peep(0, c))),
                    forget = p.flag ? 1 - i : f(0, p.bounded(gate(2) + peep(2, c)));
        c = forget * c + i * f(1, p.bounded(gate(3)));
        cells[row] = c;
        this->keep(row, at, f(0, p.bounded(gate(1) + peep(1, c))) * f(2, c));
    }
};
template <int W, class T> struct rnn_step : step_of_sequences<W, 1, T> {
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, four_sums sums) const {
        if (t.rank != 0) return;
        const auto at = this->s.place(row);
        this->keep(row, at,
                   activated(this->s.p, at, 0,
                             this->s.p.bounded(sums.of[0] + this->bias_of_input(at, 0) + this->bias_of_state(at, 0))));
    }
};
// Accumulators: z, r, and the last gate's matmuls with x and with the state. Where the reset gate comes before the
// latter, the step ends with r . h and is finished by another kernel, since it needs all units.
template <int W, class T> struct gru_step : step_of_sequences<W, 3, T> {
    float *update, *reset, *next;  // z; r . h; the last gate's matmul with x
    INLAY_ON_DEVICE four_sums part(int, std::int64_t row, team t, four_sums sums) const {
        const auto at = this->s.place(row);
        if (this->over(at)) return sums;
        this->multiply(this->w, this->input(at), this->s.p.input, at, 0, 3, 0, t, sums);
        const float* h = this->states(this->before, at);
        this->multiply(this->r, h, this->s.p.hidden, at, 0, 2, 0, t, sums);
        if (this->s.p.flag) this->multiply(this->r, h, this->s.p.hidden, at, 2, 1, 3, t, sums);
        return sums;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, four_sums sums) const {
        if (t.rank != 0) return;
        const auto at = this->s.place(row);
        const recurrent_params& p = this->s.p;
        const auto f = [&](int k, float x) { return activated(p, at, k, x); };
        const auto gate = [&](int k) {
            return f(0, p.bounded(sums.of[k] + this->bias_of_input(at, k) + this->bias_of_state(at, k)));
        };
        const float z = gate(0), r = gate(1), of_x = sums.of[2] + this->bias_of_input(at, 2), h = this->before[row];
        if (p.flag)
            return this->keep(row, at,
                              (1 - z) * f(1, p.bounded(of_x + r * (sums.of[3] + this->bias_of_state(at, 2)))) + z * h);
        update[row] = z;
        reset[row] = r * h;
        next[row] = of_x;
    }
};
template <int W, class T> struct gru_second_step : step_of_sequences<W, 3, T> {
    const float *update, *reset, *next;
    INLAY_ON_DEVICE four_sums part(int, std::int64_t row, team t, four_sums sums) const {
        const auto at = this->s.place(row);
        if (!this->over(at)) this->multiply(this->r, this->states(reset, at), this->s.p.hidden, at, 2, 1, 0, t, sums);
        return sums;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, four_sums sums) const {
        if (t.rank != 0) return;
        const auto at = this->s.place(row);
        const recurrent_params& p = this->s.p;
        const float z = update[row],
                    n = activated(p, at, 1, p.bounded(next[row] + sums.of[0] + this->bias_of_state(at, 2)));
        this->keep(row, at, (1 - z) * n + z * this->before[row]);
    }
};

template <int W, class T, class Cell>
status run_steps(const recurrent_params& p, const arguments& a, context& c) noexcept {
    const std::int64_t rows = p.directions * p.batch * p.hidden;
    const recurrent_sequences s{p, divider(p.hidden), divider(p.batch), p.has.in<std::int32_t>(a, 4), c.faults};
    float *const room = reinterpret_cast<float*>(c.scratch), *h = room,
                 *next = room + rows, *const cells = room + 2 * rows;
    constexpr bool is_lstm = Cell::states == 2;
    if (const status result = launch(
            c, rows,
            begin_body<T>{s, p.has.in<T>(a, 5), is_lstm ? p.has.in<T>(a, 6) : nullptr, h, is_lstm ? cells : nullptr});
        result != status::ok)
        return result;
    for (std::int64_t step = 0; step < p.steps; ++step, std::swap(h, next)) {
        const step_of_sequences<W, Cell::gates, T> common{
            s, step, a.in<T>(0), a.in<T>(1), a.in<T>(2), p.has.in<T>(a, 3), h, next, p.has.out<T>(a, 0)};
        status result;
        if constexpr (is_lstm)
            result = launch_rows(c, rows, p.hidden, lstm_step<W, T>{common, p.has.in<T>(a, 7), cells});
        else if constexpr (Cell::gates == 1)
            result = launch_rows(c, rows, p.hidden, rnn_step<W, T>{common});
        else {
            result = launch_rows(c, rows, p.hidden, gru_step<W, T>{common, cells, cells + rows, cells + 2 * rows});
            if (result == status::ok && !p.flag)
                result = launch_rows(c, rows, p.hidden,
                                     gru_second_step<W, T>{common, cells, cells + rows, cells + 2 * rows});
        }
        if (result != status::ok) return result;
    }
    return launch(c, rows, end_body<T>{s, h, cells, p.has.out<T>(a, 1), is_lstm ? p.has.out<T>(a, 2) : nullptr});
}
}  // namespace
template <class T, class Cell>
status recurrent_on_cuda<T, Cell>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const bool wide = p.input % 4 == 0 && p.hidden % 4 == 0 &&
                      is_aligned(a.in<T>(0), a.in<T>(1), a.in<T>(2), reinterpret_cast<const T*>(c.scratch));
    return wide ? run_steps<4, T, Cell>(p, a, c) : run_steps<1, T, Cell>(p, a, c);
}
template struct recurrent_on_cuda<float, gru_cell<float>>;
template struct recurrent_on_cuda<float16, gru_cell<float16>>;
template struct recurrent_on_cuda<bfloat16, gru_cell<bfloat16>>;
template struct recurrent_on_cuda<float, lstm_cell<float>>;
template struct recurrent_on_cuda<float16, lstm_cell<float16>>;
template struct recurrent_on_cuda<bfloat16, lstm_cell<bfloat16>>;
template struct recurrent_on_cuda<float, rnn_cell<float>>;
template struct recurrent_on_cuda<float16, rnn_cell<float16>>;
template struct recurrent_on_cuda<bfloat16, rnn_cell<bfloat16>>;
}  // namespace v1
}  // namespace inlay
