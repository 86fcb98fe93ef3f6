// RNN, GRU and LSTM by their equations, a sequence and a direction after the other.
#include "host.hpp"
#include <algorithm>
#include <cmath>

namespace host {
namespace {
using function = std::function<double(double)>;
function function_of(const DML_OPERATOR_DESC& d) {
    const auto& o = *static_cast<const dml_activation*>(d.Desc);
    require(!o.InputTensor && !o.OutputTensor);
    const auto number = [&] { return double(static_cast<const dml_activation_of_one*>(d.Desc)->Alpha); };
    switch (d.Type) {
        case DML_OPERATOR_ACTIVATION_SIGMOID: return [](double x) { return 1 / (1 + std::exp(-x)); };
        case DML_OPERATOR_ACTIVATION_TANH: return [](double x) { return std::tanh(x); };
        case DML_OPERATOR_ACTIVATION_RELU: return [](double x) { return x < 0 ? 0 : x; };
        case DML_OPERATOR_ACTIVATION_SOFTSIGN: return [](double x) { return x / (1 + std::fabs(x)); };
        case DML_OPERATOR_ACTIVATION_ELU: return [a = number()](double x) { return x < 0 ? a * std::expm1(x) : x; };
        case DML_OPERATOR_ACTIVATION_LEAKY_RELU: return [a = number()](double x) { return x < 0 ? a * x : x; };
        case DML_OPERATOR_ACTIVATION_HARD_SIGMOID: {
            const auto& h = *static_cast<const dml_activation_of_two*>(d.Desc);
            return
                [a = double(h.Alpha), b = double(h.Beta)](double x) { return std::fmin(1, std::fmax(0, a * x + b)); };
        }
        default: throw bad_argument();
    }
}
struct cell_state {
    numbers h, c;
};
// A step of one direction: W x + its biases, a row for each unit of each gate; and R h + its biases of any h.
struct step_sums {
    numbers of_input;
    std::function<numbers(const numbers&)> of_state;
};
using cell = std::function<void(const std::vector<function>&, const step_sums&, cell_state&)>;
struct sizes {
    std::int64_t steps, batch, input, directions, hidden, gates;
};
// DirectML refuses tensors here that it owns.
void require_not_owned(const planned& p) {
    for (const auto& t : p.inputs) require(!t || !t->owned);
}
template <class Desc> sizes look_at(const Desc& d, planned& p, std::int64_t gates) {
    const tensor x = p.in(d.InputTensor), w = p.in(d.WeightTensor), r = p.in(d.RecurrenceTensor);
    require(is_float(x) && x.sizes.size() == 4 && w.sizes.size() == 4 && r.sizes.size() == 4);
    const sizes s{x.sizes[1], x.sizes[2], x.sizes[3], w.sizes[1], r.sizes[3], gates};
    require(x.sizes[0] == 1 && w.sizes == list{1, s.directions, gates * s.hidden, s.input});
    require(r.sizes == list{1, s.directions, gates * s.hidden, s.hidden});
    const tensor* const b = p.in_if(d.BiasTensor);
    require(!b || b->sizes == list{1, 1, s.directions, 2 * gates * s.hidden});
    require(d.Direction >= 0 && d.Direction <= 2 && s.directions == (d.Direction == 2 ? 2 : 1));
    return s;
}
void require_state(const tensor* t, const sizes& s) {
    require(!t || t->sizes == list{1, s.directions, s.batch, s.hidden});
}
template <class Desc> void look_at_results(const Desc& d, planned& p, const sizes& s) {
    require(p.out(d.OutputSequenceTensor).sizes == list{s.steps, s.directions, s.batch, s.hidden});
    const tensor last = p.out(d.OutputSingleTensor);
    require_state(&last, s);
    require_not_owned(p);
}
template <class Desc> std::vector<function> functions_of(const Desc& d, std::int64_t count) {
    require(d.ActivationDescCount == count);
    std::vector<function> all;
    for (UINT k = 0; k < d.ActivationDescCount; ++k) all.push_back(function_of(d.ActivationDescs[k]));
    return all;
}
numbers times(const numbers& matrix, std::int64_t first_row, std::int64_t rows, const double* x, std::int64_t length,
              const numbers& bias, std::int64_t first_bias) {
    numbers all;
    for (std::int64_t i = 0; i < rows; ++i) {
        double sum = bias.empty() ? 0 : bias[std::size_t(first_bias + i)];
        for (std::int64_t k = 0; k < length; ++k) sum += matrix[std::size_t((first_row + i) * length + k)] * x[k];
        all.push_back(sum);
    }
    return all;
}
// Inputs: x, W, R, bias, h, and c where there is one; results: all steps, the last h, and c.
void plan_steps(planned& p, const sizes& s, int direction, std::vector<function> functions, bool has_cell, cell step) {
    p.compute = [=](const auto& in, auto& out) {
        const std::int64_t n = s.hidden, rows = s.gates * n;
        out[0].resize(std::size_t(s.steps * s.directions * s.batch * n));
        const std::size_t each = functions.size() / std::size_t(s.directions);
        for (std::int64_t d = 0; d < s.directions; ++d)
            for (std::int64_t b = 0; b < s.batch; ++b) {
                const auto start = [&](const numbers& v) {
                    if (v.empty()) return numbers(std::size_t(n));
                    return numbers(v.begin() + (d * s.batch + b) * n, v.begin() + (d * s.batch + b + 1) * n);
                };
                cell_state state{start(in[4]), has_cell ? start(in[5]) : numbers()};
                const std::vector<function> f(functions.begin() + d * std::int64_t(each),
                                              functions.begin() + (d + 1) * std::int64_t(each));
                for (std::int64_t t = 0; t < s.steps; ++t) {
                    const std::int64_t at = direction == 1 || d == 1 ? s.steps - 1 - t : t;
                    const double* const x = in[0].data() + (at * s.batch + b) * s.input;
                    step(f,
                         {times(in[1], d * rows, rows, x, s.input, in[3], d * 2 * rows),
                          [&](const numbers& h) {
                              return times(in[2], d * rows, rows, h.data(), n, in[3], d * 2 * rows + rows);
                          }},
                         state);
                    std::copy(state.h.begin(), state.h.end(),
                              out[0].begin() + ((at * s.directions + d) * s.batch + b) * n);
                }
                out[1].insert(out[1].end(), state.h.begin(), state.h.end());
                if (has_cell) out[2].insert(out[2].end(), state.c.begin(), state.c.end());
            }
    };
}
void rnn(const dml_rnn& d, planned& p) {
    const sizes s = look_at(d, p, 1);
    require_state(p.in_if(d.HiddenInitTensor), s);
    require(!p.in_if(d.SequenceLengthsTensor));
    look_at_results(d, p, s);
    plan_steps(p, s, d.Direction, functions_of(d, s.directions), false,
               [](const auto& f, const step_sums& sums, cell_state& state) {
                   const numbers r = sums.of_state(state.h);
                   for (std::size_t u = 0; u < r.size(); ++u) state.h[u] = f[0](sums.of_input[u] + r[u]);
               });
}
// Gates: update z, reset r, hidden.
void gru(const dml_gru& d, planned& p) {
    const sizes s = look_at(d, p, 3);
    require_state(p.in_if(d.HiddenInitTensor), s);
    require(!p.in_if(d.SequenceLengthsTensor));
    look_at_results(d, p, s);
    plan_steps(p, s, d.Direction, functions_of(d, 2 * s.directions), false,
               [linear = d.LinearBeforeReset != 0](const auto& f, const step_sums& sums, cell_state& state) {
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
    const sizes s = look_at(d, p, 4);
    require_state(p.in_if(d.HiddenInitTensor), s);
    require_state(p.in_if(d.CellMemInitTensor), s);
    require(!p.in_if(d.SequenceLengthsTensor) && !p.in_if(d.PeepholeTensor) && !d.UseClipThreshold);
    look_at_results(d, p, s);
    const tensor last = p.out(d.OutputCellSingleTensor);
    require_state(&last, s);
    plan_steps(p, s, d.Direction, functions_of(d, 3 * s.directions), true,
               [coupled = d.CoupleInputForget != 0](const auto& f, const step_sums& sums, cell_state& state) {
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

bool plan_recurrent(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_RNN: rnn(*static_cast<const dml_rnn*>(d.Desc), p); return true;
        case DML_OPERATOR_GRU: gru(*static_cast<const dml_gru*>(d.Desc), p); return true;
        case DML_OPERATOR_LSTM: lstm(*static_cast<const dml_lstm*>(d.Desc), p); return true;
        default: return false;
    }
}
}  // namespace host
