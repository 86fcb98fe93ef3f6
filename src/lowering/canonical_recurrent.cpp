// RNN, GRU and LSTM along sequences of one length, as primitives: whole, or step by step where the library lacks them.
#include "canonical.hpp"
#include <inlay/onnx/gru.hpp>
#include <inlay/onnx/lstm.hpp>
#include <inlay/onnx/rnn.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
template <class Op, recurrence Does> void lower_recurrent(node_lowering& a) {
    if constexpr (Does == recurrence::gru)
        if (!a.library_has(kind::recurrent)) return lower_steps_of_gru(a);
    if constexpr (Does == recurrence::lstm)
        if (!a.library_has(kind::recurrent)) return lower_steps_of_lstm(a);
    recurrent_params p;
    require(p.read_node<Op>(a.n));
    if (p.batch_first) refuse("the batch is its first axis");
    if (a.n.has_input(4)) refuse("its sequences have lengths of their own");
    if (p.clips()) refuse("it clips");
    if (Op::peepholes > 0 && a.n.has_input(7)) refuse("it has peepholes");
    const shape state{p.directions, p.batch, p.hidden};
    const operand x = a.input(0);
    a.add(recurrent_prim{Does, x, a.input(1), a.input(2), a.optional_input(3), a.optional_input(5),
                         Op::states > 1 ? a.optional_input(6) : std::nullopt,
                         a.optional_result(0, {p.steps, p.directions, p.batch, p.hidden}, x.type),
                         a.optional_result(1, state, x.type),
                         Op::states > 1 ? a.optional_result(2, state, x.type) : operand{}, p, Op::functions});
}
}  // namespace

std::span<const source> recurrent_sources() {
    static constexpr auto row = [](std::string_view op, recurrence does, void (*lower)(node_lowering&)) {
        return source{op, kind::recurrent, int(does), lower, does != recurrence::rnn};
    };
    using enum recurrence;
    static constexpr source sources[] = {row("GRU", gru, lower_recurrent<op::gru, gru>),
                                         row("LSTM", lstm, lower_recurrent<op::lstm, lstm>),
                                         row("RNN", rnn, lower_recurrent<op::rnn, rnn>)};
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
