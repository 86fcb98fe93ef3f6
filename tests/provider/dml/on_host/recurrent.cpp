// RNN, GRU and LSTM by their equations, a sequence and a direction after the other.
#include "host.hpp"
#include <algorithm>

namespace host {
namespace {
struct cell_state {
    numbers h, c;
};
// A step of one direction, a row for each unit of each gate: W x + its biases, and R h + its biases of any h.
struct step_sums {
    numbers of_input;
    std::function<numbers(const numbers&)> of_state;
};
using activations = std::vector<std::function<double(double)>>;
using cell = std::function<void(const activations&, const step_sums&, cell_state&)>;
struct sizes {
    std::int64_t steps, batch, input, directions, hidden, rows;
};
numbers times(const numbers& matrix, std::int64_t first_row, std::int64_t rows, const double* x, std::int64_t length,
              const numbers& bias, std::int64_t first_bias) {
    numbers result;
    for (std::int64_t i = 0; i < rows; ++i) {
        double sum = bias.empty() ? 0 : bias[std::size_t(first_bias + i)];
        for (std::int64_t k = 0; k < length; ++k) sum += matrix[std::size_t((first_row + i) * length + k)] * x[k];
        result.push_back(sum);
    }
    return result;
}
// All steps of sequence b in direction d, backward where that is said. Inputs: x, W, R, bias, h and c.
cell_state run(const sizes& s, std::int64_t d, std::int64_t b, bool backward, const activations& f, const cell& step,
               const values& in, numbers& sequence) {
    const auto start = [&](std::size_t k) {
        if (k >= in.size() || in[k].empty()) return numbers(std::size_t(s.hidden));
        const auto first = in[k].begin() + (d * s.batch + b) * s.hidden;
        return numbers(first, first + s.hidden);
    };
    cell_state state{start(4), start(5)};
    for (std::int64_t t = 0; t < s.steps; ++t) {
        const std::int64_t at = backward ? s.steps - 1 - t : t;
        const double* const x = in[0].data() + (at * s.batch + b) * s.input;
        const auto of_state = [&](const numbers& h) {
            return times(in[2], d * s.rows, s.rows, h.data(), s.hidden, in[3], (2 * d + 1) * s.rows);
        };
        step(f, {times(in[1], d * s.rows, s.rows, x, s.input, in[3], 2 * d * s.rows), of_state}, state);
        std::ranges::copy(state.h, sequence.begin() + ((at * s.directions + d) * s.batch + b) * s.hidden);
    }
    return state;
}
// Results: h of all steps, the last h, and the last c where there is one.
template <class Desc> void plan(const Desc& d, planned& p, std::int64_t gates, std::size_t functions, cell step) {
    constexpr bool has_cell = requires { d.CellMemInitTensor; };
    const tensor x = p.in(d.InputTensor, floats);
    const list w = p.in(d.WeightTensor).sizes, r = p.in(d.RecurrenceTensor).sizes;
    require(x.sizes.size() == 4 && x.sizes[0] == 1 && r.size() == 4 && d.Direction >= 0 && d.Direction <= 2);
    const sizes s{x.sizes[1], x.sizes[2], x.sizes[3], d.Direction == 2 ? 2 : 1, r[3], gates * r[3]};
    require(w == list{1, s.directions, s.rows, s.input} && r == list{1, s.directions, s.rows, s.hidden});
    const list state{1, s.directions, s.batch, s.hidden};
    const auto optional = [&](dml_tensor t, const list& expected) {
        const tensor* const input = p.in_if(t);
        require(!input || input->sizes == expected);
    };
    optional(d.BiasTensor, {1, 1, s.directions, 2 * s.rows});
    optional(d.HiddenInitTensor, state);
    if constexpr (has_cell) optional(d.CellMemInitTensor, state);
    require(!p.in_if(d.SequenceLengthsTensor));
    if constexpr (has_cell) require(!p.in_if(d.PeepholeTensor) && !d.UseClipThreshold);
    for (const auto& t : p.inputs) require(!t || !t->owned);  // DirectML refuses those here
    p.out(d.OutputSequenceTensor, x.same(), {s.steps, s.directions, s.batch, s.hidden});
    p.out(d.OutputSingleTensor, x.same(), state);
    if constexpr (has_cell) p.out(d.OutputCellSingleTensor, x.same(), state);
    require(d.ActivationDescCount == functions * std::size_t(s.directions));
    std::vector<activations> f(std::size_t(s.directions));
    for (UINT k = 0; k < d.ActivationDescCount; ++k) f[k / functions].push_back(function_of(d.ActivationDescs[k]));
    p.compute = [=, first_backward = d.Direction == 1](const values& in, values& out) {
        out[0].resize(std::size_t(s.steps * s.directions * s.batch * s.hidden));
        for (std::int64_t i = 0; i < s.directions; ++i)
            for (std::int64_t b = 0; b < s.batch; ++b) {
                const cell_state final_state =
                    run(s, i, b, i == 1 || first_backward, f[std::size_t(i)], step, in, out[0]);
                out[1].insert(out[1].end(), final_state.h.begin(), final_state.h.end());
                if (has_cell) out[2].insert(out[2].end(), final_state.c.begin(), final_state.c.end());
            }
    };
}
void rnn(const dml_rnn& d, planned& p) {
    plan(d, p, 1, 1, [](const activations& f, const step_sums& sums, cell_state& state) {
        const numbers r = sums.of_state(state.h);
        for (std::size_t u = 0; u < r.size(); ++u) state.h[u] = f[0](sums.of_input[u] + r[u]);
    });
}
// Gates: update z, reset r, hidden.
void gru(const dml_gru& d, planned& p) {
    plan(d, p, 3, 2,
         [linear = d.LinearBeforeReset != 0](const activations& f, const step_sums& sums, cell_state& state) {
             const std::size_t n = state.h.size();
             const numbers &x = sums.of_input, r = sums.of_state(state.h);
             numbers reset, part = state.h;
             for (std::size_t u = 0; u < n; ++u) reset.push_back(f[0](x[n + u] + r[n + u]));
             for (std::size_t u = 0; u < n; ++u) part[u] *= reset[u];
             const numbers of_part = sums.of_state(part);
             for (std::size_t u = 0; u < n; ++u) {
                 const double z = f[0](x[u] + r[u]), more = linear ? reset[u] * r[2 * n + u] : of_part[2 * n + u];
                 state.h[u] = (1 - z) * f[1](x[2 * n + u] + more) + z * state.h[u];
             }
         });
}
// Gates: input, output, forget, cell.
void lstm(const dml_lstm& d, planned& p) {
    plan(d, p, 4, 3,
         [coupled = d.CoupleInputForget != 0](const activations& f, const step_sums& sums, cell_state& state) {
             const std::size_t n = state.h.size();
             numbers gate = sums.of_state(state.h);
             for (std::size_t k = 0; k < gate.size(); ++k) gate[k] += sums.of_input[k];
             for (std::size_t u = 0; u < n; ++u) {
                 const double i = f[0](gate[u]), forget = coupled ? 1 - i : f[0](gate[2 * n + u]);
                 state.c[u] = forget * state.c[u] + i * f[1](gate[3 * n + u]);
                 state.h[u] = f[0](gate[n + u]) * f[2](state.c[u]);
             }
         });
}
}  // namespace
const planners recurrent_planners{
    {DML_OPERATOR_RNN, by<rnn>}, {DML_OPERATOR_GRU, by<gru>}, {DML_OPERATOR_LSTM, by<lstm>}};
}  // namespace host
