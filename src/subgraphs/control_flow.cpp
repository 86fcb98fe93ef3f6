// If, Loop and Scan: their bodies are graphs of their own, with plans of their own.
#include "generation_run.hpp"
#include <inlay/onnx/control_flow.hpp>

namespace inlay {
inline namespace v1 {
namespace {
[[noreturn]] void refuse(const graph_view& g, const node& n, std::string_view reason) {
    raise_for_node(error_code::invalid_value, g, n, reason);
}

void copy_elements(const tensor& from, std::int64_t first, tensor& to, std::int64_t at, std::int64_t count) {
    if (from.type() == element::string) {
        std::copy_n(from.as<std::string>().begin() + first, count, to.as<std::string>().begin() + at);
        return;
    }
    const std::int64_t size = bits_of(from.type()) / 8;
    std::memcpy(static_cast<std::byte*>(to.data()) + at * size,
                static_cast<const std::byte*>(from.data()) + first * size, std::size_t(count * size));
}
// Slice `index` of t along `axis`, without that axis; and the way back.
tensor slice_of(const tensor& t, int axis, std::int64_t index) {
    shape dims;
    for (int i = 0; i < t.shape().rank; ++i)
        if (i != axis) dims.push_back(t.shape()[i]);
    tensor y(t.type(), dims);
    const std::int64_t outer = t.shape().elements(0, axis), inner = t.shape().elements(axis + 1),
                       length = t.shape()[axis];
    for (std::int64_t o = 0; o < outer; ++o) copy_elements(t, (o * length + index) * inner, y, o * inner, inner);
    return y;
}
tensor stack(const graph_view& g, const node& n, const std::vector<tensor>& parts, int axis) {
    const tensor& first = parts.front();
    shape dims;
    if (first.shape().rank >= max_rank || bits_of(first.type()) < 8)
        refuse(g, n, "a scan output cannot be stacked: too many dimensions, or elements of less than a byte");
    if (axis < 0) axis += first.shape().rank + 1;
    if (axis < 0 || axis > first.shape().rank) refuse(g, n, "a scan output's axis is out of range");
    for (int i = 0; i <= first.shape().rank; ++i)
        dims.push_back(i == axis ? std::int64_t(parts.size()) : first.shape()[i < axis ? i : i - 1]);
    tensor y(first.type(), dims);
    const std::int64_t outer = first.shape().elements(0, axis), inner = first.shape().elements(axis),
                       length = std::int64_t(parts.size());
    for (std::int64_t p = 0; p < length; ++p) {
        if (parts[std::size_t(p)].shape() != first.shape())
            refuse(g, n, "the iterations give scan outputs of different shapes");
        for (std::int64_t o = 0; o < outer; ++o)
            copy_elements(parts[std::size_t(p)], o * inner, y, (o * length + p) * inner, inner);
    }
    return y;
}
std::int64_t at(std::span<const std::int64_t> list, std::size_t k) { return k < list.size() ? list[k] : 0; }
}  // namespace

class control_flow_run final : public subgraph_run {
    bool truth(const any_value& v) const {
        const tensor& t = tensor_in(v);
        if (t.type() != element::boolean || t.elements() != 1) refuse("the condition must be one bool");
        return t.as<bool>()[0];
    }
    void keep(std::vector<std::vector<tensor>>& scans, std::span<const any_value> slices) const {
        for (std::size_t k = 0; k < scans.size(); ++k) {
            take_bytes(2 * size_of(slices[k]) + 256);  // in a record of its own, and stacked
            scans[k].push_back(tensor_in(slices[k]));
        }
    }
    // A scan output of zero iterations, along `axis`: slices as the body's shape rules give them for these arguments.
    // Where they cannot, the sizes are those that the body's output declares, or 0.
    tensor no_iterations(const session_core& body, std::size_t output, int axis, std::vector<shape> arguments) const {
        for (const any_value& v : captured_) arguments.push_back(shape_of(v));
        const int id = body.graph.view.outputs[output];
        const auto& declared = body.graph.data.declared;
        shape slice = output < declared.size() ? declared[output] : shape::unknown();
        try {
            const auto rule = [&](const node& n) { return body.graph.rule_for(n); };
            const shape dims =
                specialise(body.graph.data, body.graph.view, arguments, rule).graph.values[std::size_t(id)].dims;
            if (dims.known()) slice = dims;
        } catch (const error&) {  // an iteration would fail; there is none
        }
        const int slice_rank = slice.rank >= 0 ? slice.rank
                               : axis < 0      ? -1 - axis
                                               : axis,
                  rank = std::min(slice_rank, max_rank - 1);
        const int at = normal_axis(axis, rank + 1);
        if (at < 0) refuse("a scan output's axis is out of range");
        shape dims;
        for (int i = 0; i <= rank; ++i)
            dims.push_back(i == at || slice.rank < 0 ? 0 : std::max<std::int64_t>(slice[i < at ? i : i - 1], 0));
        return tensor(body.graph.view.values[std::size_t(id)].type, dims);
    }
    void run_if() {
        std::vector<any_value> results = call(body_named(truth(in_[0]) ? "then_branch" : "else_branch"), {});
        if (results.size() < out.size()) refuse("its branch has fewer outputs than the node");
        std::copy_n(results.begin(), out.size(), out.begin());
    }
    // A body may have as an optional what it passes on as a value: with zero iterations, the output is the optional's
    // contents.
    any_value without_optional(const any_value& v, std::size_t output) const {
        if (!view_.has_output(int(output))) return v;
        const value_type t = g_.type_of(view_.output_id(int(output)));
        if (t.kind() == value_kind::optional || (t.depth == 0 && t.type == element::object)) return v;
        const optional_value* o = v.as_optional();
        if (o && !o->contents) refuse("it runs no iteration, and an optional that it is given is empty");
        return o ? *o->contents : v;
    }
    void run_loop() {
        session_core& body = body_named("body");
        const std::size_t carried = unstacked = in_.size() < 2 ? 0 : in_.size() - 2;
        const bool bounded = view_.has_input(0), conditional = view_.has_input(1);
        if (bounded && tensor_at(0).elements() != 1) refuse("M is not one number");
        const std::int64_t trips = bounded ? tensor_at(0).as<std::int64_t>()[0] : 0;
        bool going = !conditional || truth(in_[1]);
        std::vector<any_value> state(in_.end() - std::ptrdiff_t(carried), in_.end());
        if (body.graph.view.outputs.size() < carried + 1 || out.size() > body.graph.view.outputs.size() - 1)
            refuse("its body has too few outputs");
        std::vector<std::vector<tensor>> scans(body.graph.view.outputs.size() - 1 - carried);
        const context x = base();
        for (std::int64_t i = 0; going && (!bounded || i < trips); ++i) {
            end_if_stopped(x);
            std::vector<any_value> arguments{tensor(shape{}, {i}), tensor(shape{}, {true})};
            arguments.insert(arguments.end(), state.begin(), state.end());
            const std::vector<any_value> results = call(body, std::move(arguments));
            going = truth(results[0]) || !conditional;
            std::copy_n(results.begin() + 1, carried, state.begin());
            keep(scans, std::span(results).subspan(1 + carried));
        }
        for (std::size_t k = 0; k < out.size(); ++k)
            if (k < carried)
                out[k] = without_optional(state[k], k);
            else if (const auto& parts = scans[k - carried]; !parts.empty())
                out[k] = stack(g_, n_, parts, 0);
            else {
                std::vector<shape> arguments{shape{}, shape{}};
                for (const any_value& v : state) arguments.push_back(shape_of(v));
                out[k] = no_iterations(body, k + 1, 0, std::move(arguments));
            }
    }
    // The axis of each scan input, and their common length.
    std::vector<int> scan_axes(std::size_t first, std::int64_t& length) const {
        std::vector<int> axes;
        for (std::size_t k = 0; first + k < in_.size(); ++k) {
            const tensor& t = tensor_at(first + k);
            axes.push_back(normal_axis(at(view_.integers("scan_input_axes"), k), t.shape().rank));
            if (axes.back() < 0) refuse("a scan input's axis is out of range");
            if (bits_of(t.type()) < 8) refuse("a scan input has elements of less than a byte");
            if (length >= 0 && t.shape()[axes.back()] != length) refuse("the scan inputs have different lengths");
            length = t.shape()[axes.back()];
        }
        return axes;
    }
    // Of the arguments of a Scan's body: the states, and slices of the scan inputs.
    std::vector<shape> shapes_of_one(std::span<const any_value> states, std::span<const int> axes) const {
        std::vector<shape> arguments;
        for (const any_value& v : states) arguments.push_back(shape_of(v));
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const shape whole = shape_of(in_[states.size() + k]);
            shape slice;
            for (int i = 0; i < whole.rank; ++i)
                if (i != axes[k]) slice.push_back(whole[i]);
            arguments.push_back(slice);
        }
        return arguments;
    }
    struct scan_parts {
        session_core& body;
        std::size_t states, inputs;  // how many
    };
    scan_parts parts_of_scan(std::size_t first) {  // first: the input that is the first state
        session_core& body = body_named("body");
        const std::int64_t scanned = view_.integer("num_scan_inputs", 0);
        if (in_.size() < first || scanned < 1 || scanned > std::int64_t(in_.size() - first))
            refuse("num_scan_inputs is out of range");
        const std::size_t states = unstacked = in_.size() - first - std::size_t(scanned);
        if (body.graph.view.outputs.size() < states || out.size() > body.graph.view.outputs.size())
            refuse("its body has too few outputs");
        return {body, states, std::size_t(scanned)};
    }
    // One sequence: slice(k, i) is the slice of scan input k for iteration i. Returns the scan outputs, unstacked.
    template <class Slice>
    std::vector<std::vector<tensor>> scan_rounds(const scan_parts& p, std::vector<any_value>& state,
                                                 std::int64_t length, Slice slice) const {
        std::vector<std::vector<tensor>> scans(p.body.graph.view.outputs.size() - p.states);
        for (std::int64_t i = 0; i < length; ++i) {
            std::vector<any_value> arguments = state;
            for (std::size_t k = 0; k < p.inputs; ++k) arguments.emplace_back(slice(k, i));
            const std::vector<any_value> results = call(p.body, std::move(arguments));
            std::copy_n(results.begin(), p.states, state.begin());
            keep(scans, std::span(results).subspan(p.states));
        }
        return scans;
    }
    void run_scan() {
        const scan_parts p = parts_of_scan(0);
        std::vector<any_value> state(in_.begin(), in_.begin() + std::ptrdiff_t(p.states));
        std::int64_t length = -1;
        const std::vector<int> axes = scan_axes(p.states, length);
        auto scans = scan_rounds(p, state, length, [&](std::size_t k, std::int64_t i) {
            const bool backward = at(view_.integers("scan_input_directions"), k);
            return slice_of(*in_[p.states + k].as_tensor(), axes[k], backward ? length - 1 - i : i);
        });
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (k < p.states) {
                out[k] = state[k];
                continue;
            }
            auto& parts = scans[k - p.states];
            const int axis = int(at(view_.integers("scan_output_axes"), k - p.states));
            if (at(view_.integers("scan_output_directions"), k - p.states)) std::ranges::reverse(parts);
            out[k] =
                parts.empty() ? no_iterations(p.body, k, axis, shapes_of_one(state, axes)) : stack(g_, n_, parts, axis);
        }
    }

    // The lengths of a batch's sequences, by sequence_lens if there is one.
    std::vector<std::int64_t> lengths_of_batch(const scan_parts& p) const {
        const shape whole = tensor_at(1 + p.states).shape();
        if (whole.rank < 2) refuse("a scan input has no axes of the batch and of its sequences");
        for (std::size_t k = 1; k < in_.size(); ++k) {
            const tensor& t = tensor_at(k);
            const bool scanned = k > p.states;
            if (t.shape().rank < 1 + scanned || t.shape()[0] != whole[0] || (scanned && t.shape()[1] != whole[1]))
                refuse("the inputs differ in the size of the batch, or in the length of its sequences");
            if (bits_of(t.type()) < 8) refuse("an input has elements of less than a byte");
        }
        if (!view_.has_input(0)) return std::vector<std::int64_t>(std::size_t(whole[0]), whole[1]);
        const tensor& lengths = tensor_at(0);
        if (lengths.type() != element::i64 || lengths.shape() != shape{whole[0]})
            refuse("sequence_lens is not one integer for each member of the batch");
        const auto list = lengths.as<std::int64_t>();
        for (std::int64_t n : list)
            if (n < 0 || n > whole[1]) refuse("sequence_lens has a length that no sequence has");
        return {list.begin(), list.end()};
    }
    // A shorter sequence of a batch is padded with zeros.
    tensor padded(const tensor& t, std::int64_t length) const {
        if (t.shape()[0] == length) return t;
        shape dims = t.shape();
        dims[0] = length;
        const std::int64_t bytes = bytes_of(t.type(), dims.elements());
        if (bytes == too_large) refuse("a scan output is too large");
        take_bytes(bytes);
        tensor y(t.type(), dims);
        copy_elements(t, 0, y, 0, t.elements());
        return y;
    }
    // Scan before version 9: all inputs and outputs have the batch as their first axis, and scanned ones have that
    // of the sequences as the second.
    void run_batched_scan() {
        const scan_parts p = parts_of_scan(1);
        unstacked = 0;
        const std::vector<std::int64_t> lengths = lengths_of_batch(p);
        const std::int64_t longest = tensor_at(1 + p.states).shape()[1];
        std::vector<std::vector<tensor>> members(out.size());  // of each output
        const auto run_member = [&](std::int64_t b, std::int64_t length) {
            std::vector<any_value> state;
            std::vector<tensor> scanned;
            for (std::size_t k = 1; k < in_.size(); ++k) {
                tensor slice = slice_of(tensor_at(k), 0, b);
                if (k > p.states)
                    scanned.push_back(std::move(slice));
                else
                    state.emplace_back(std::move(slice));
            }
            const auto scans = scan_rounds(p, state, length, [&](std::size_t k, std::int64_t i) {
                return slice_of(scanned[k], 0, at(view_.integers("directions"), k) ? length - 1 - i : i);
            });
            std::vector<shape> arguments;
            for (const any_value& v : state) arguments.push_back(shape_of(v));
            for (const tensor& t : scanned) {
                arguments.emplace_back();
                for (int i = 1; i < t.shape().rank; ++i) arguments.back().push_back(t.shape()[i]);
            }
            for (std::size_t k = 0; k < out.size(); ++k) {
                if (k < p.states) {
                    members[k].push_back(tensor_in(state[k]));
                    continue;
                }
                const auto& parts = scans[k - p.states];
                members[k].push_back(
                    padded(parts.empty() ? no_iterations(p.body, k, 0, arguments) : stack(g_, n_, parts, 0), longest));
            }
        };
        for (std::size_t b = 0; b < lengths.size(); ++b) run_member(std::int64_t(b), lengths[b]);
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (members[k].empty()) refuse("its batch is empty");
            for (const tensor& t : members[k]) take_bytes(t.bytes());
            out[k] = stack(g_, n_, members[k], 0);
        }
    }

  public:
    using subgraph_run::subgraph_run;
    void run() override {
        if (n_.op == "If")
            run_if();
        else if (n_.op == "Loop")
            run_loop();
        else if (n_.version < 9)
            run_batched_scan();
        else
            run_scan();
    }
};

std::unique_ptr<subgraph_run> make_subgraph_run(const session_setup& setup, graph_bodies& bodies, run_context& c,
                                                const exec_step& e, const run_options& o) {
    const graph_view& g = c.plan->graph.view;
    const node& n = g.nodes[std::size_t(c.plan->plan.steps[std::size_t(e.step)].unit)];
    if (is_generation(n.domain, n.op)) return std::make_unique<generation_run>(setup, bodies, c, e, o);
    return std::make_unique<control_flow_run>(setup, bodies, c, e, o);
}
}  // namespace v1
}  // namespace inlay
