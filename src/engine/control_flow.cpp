// If, Loop and Scan: their bodies are graphs of their own, with plans of their own.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
namespace {
[[noreturn]] void refuse(const graph_view& g, const node& n, std::string_view why) {
    raise_for_node(error_code::invalid_value, g, n, why);
}

const tensor& tensor_in(const graph_view& g, const node& n, const any_value& v) {
    if (!v.as_tensor()) refuse(g, n, "an input that must be a tensor is none");
    return *v.as_tensor();
}
bool truth(const graph_view& g, const node& n, const any_value& v) {
    const tensor& t = tensor_in(g, n, v);
    if (t.type() != element::boolean || t.elements() != 1) refuse(g, n, "the condition must be one bool");
    return t.as<bool>()[0];
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
tensor no_iterations(const value& declared) {  // what the body's type says of one slice, none times
    shape dims{0};
    for (std::int64_t d : declared.dims)
        if (dims.rank < max_rank) dims.push_back(d < 0 ? 0 : d);
    return tensor(declared.type, dims);
}
}  // namespace

void session_core::run_control_flow(run_context& c, const exec_step& e, const run_options& o) {
    const compiled_plan& p = *c.plan;
    const graph_view& g = p.graph.view;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const node& n = g.nodes[std::size_t(s.unit)];
    const node_view view{g, n};
    std::vector<any_value> in, captured, out(std::size_t(n.outputs.count));
    for (int k = 0; k < s.inputs.count; ++k)
        (k < n.inputs.count ? in : captured).push_back(value_at(c, e.in + std::size_t(k)));
    const auto size_of = [](const any_value& v) { return v.as_tensor() ? v.as_tensor()->bytes() : 0; };
    const auto call = [&](session_core& b, std::vector<any_value> arguments) {
        std::int64_t left = c.bytes_left;
        for (const any_value& v : arguments) left -= size_of(v);
        arguments.insert(arguments.end(), captured.begin(), captured.end());
        std::vector<const any_value*> pointers;
        for (const any_value& v : arguments) pointers.push_back(&v);
        if (pointers.size() != b.view_.inputs.size()) refuse(g, n, "its body takes another number of inputs");
        std::vector<int> wanted(b.view_.outputs.size());
        for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = int(k);
        std::vector<any_value> results(wanted.size());
        b.run(pointers, wanted, results, o, left, c.timed.empty() ? nullptr : c.timed[std::size_t(e.step)], nullptr,
              &c.executed);
        return results;
    };
    const auto keep = [&](std::vector<std::vector<tensor>>& scans, std::span<const any_value> slices) {
        for (std::size_t k = 0; k < scans.size(); ++k) {
            take_bytes(c, 2 * size_of(slices[k]) + 256);  // in a record of its own, and stacked
            scans[k].push_back(tensor_in(g, n, slices[k]));
        }
    };
    const auto body_named = [&](std::string_view name) -> session_core& {
        const attribute* a = view.find(name);
        if (!a || a->kind != attribute_kind::graph) refuse(g, n, "it has no body");
        return body(s.unit, int(a->integer));
    };
    std::size_t passed = out.size();  // outputs that were not stacked
    if (n.op == "If") {
        std::vector<any_value> results = call(body_named(truth(g, n, in[0]) ? "then_branch" : "else_branch"), {});
        if (results.size() < out.size()) refuse(g, n, "its branch has fewer outputs than the node");
        std::copy_n(results.begin(), out.size(), out.begin());
    } else if (n.op == "Loop") {
        session_core& b = body_named("body");
        const std::size_t carried = passed = in.size() < 2 ? 0 : in.size() - 2;
        const bool bounded = view.has_input(0), conditional = view.has_input(1);
        if (bounded && tensor_in(g, n, in[0]).elements() != 1) refuse(g, n, "M is not one number");
        const std::int64_t trips = bounded ? tensor_in(g, n, in[0]).as<std::int64_t>()[0] : 0;
        bool going = !conditional || truth(g, n, in[1]);
        std::vector<any_value> state(in.end() - std::ptrdiff_t(carried), in.end());
        if (b.view_.outputs.size() < carried + 1 || out.size() > b.view_.outputs.size() - 1)
            refuse(g, n, "its body has too few outputs");
        std::vector<std::vector<tensor>> scans(b.view_.outputs.size() - 1 - carried);
        const context x = make_base(o);
        for (std::int64_t i = 0; going && (!bounded || i < trips); ++i) {
            if (x.stopped()) raise({code_of(x.end_of_run()), describe_node(n) + ": the run was ended"});
            std::vector<any_value> arguments{tensor(shape{}, {i}), tensor(shape{}, {true})};
            arguments.insert(arguments.end(), state.begin(), state.end());
            const std::vector<any_value> results = call(b, std::move(arguments));
            going = truth(g, n, results[0]) || !conditional;
            std::copy_n(results.begin() + 1, carried, state.begin());
            keep(scans, std::span(results).subspan(1 + carried));
        }
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (k < carried)
                out[k] = state[k];
            else
                out[k] = scans[k - carried].empty() ? no_iterations(b.view_.values[std::size_t(b.view_.outputs[k + 1])])
                                                    : stack(g, n, scans[k - carried], 0);
        }
    } else {
        if (n.version < 9)
            raise_for_node(error_code::unsupported_model, g, n,
                           "Scan before version 9 (with a batch axis and sequence lengths) is not supported");
        session_core& b = body_named("body");
        const std::int64_t scanned = view.integer("num_scan_inputs", 0);
        if (scanned < 1 || scanned > std::int64_t(in.size())) refuse(g, n, "num_scan_inputs is out of range");
        const std::size_t kept = passed = in.size() - std::size_t(scanned);
        if (b.view_.outputs.size() < kept || out.size() > b.view_.outputs.size())
            refuse(g, n, "its body has too few outputs");
        const auto at = [](std::span<const std::int64_t> list, std::size_t k) { return k < list.size() ? list[k] : 0; };
        std::vector<any_value> state(in.begin(), in.begin() + std::ptrdiff_t(kept));
        std::vector<std::vector<tensor>> scans(b.view_.outputs.size() - kept);
        std::int64_t length = -1;
        std::vector<int> axes;
        for (std::size_t k = 0; k < std::size_t(scanned); ++k) {
            const tensor& t = tensor_in(g, n, in[kept + k]);
            axes.push_back(normal_axis(at(view.integers("scan_input_axes"), k), t.shape().rank));
            if (axes.back() < 0) refuse(g, n, "a scan input's axis is out of range");
            if (bits_of(t.type()) < 8) refuse(g, n, "a scan input has elements of less than a byte");
            if (length >= 0 && t.shape()[axes.back()] != length) refuse(g, n, "the scan inputs have different lengths");
            length = t.shape()[axes.back()];
        }
        for (std::int64_t i = 0; i < length; ++i) {
            std::vector<any_value> arguments = state;
            for (std::size_t k = 0; k < std::size_t(scanned); ++k)
                arguments.emplace_back(slice_of(*in[kept + k].as_tensor(), axes[k],
                                                at(view.integers("scan_input_directions"), k) ? length - 1 - i : i));
            const std::vector<any_value> results = call(b, std::move(arguments));
            std::copy_n(results.begin(), kept, state.begin());
            keep(scans, std::span(results).subspan(kept));
        }
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (k < kept) {
                out[k] = state[k];
                continue;
            }
            auto& parts = scans[k - kept];
            if (at(view.integers("scan_output_directions"), k - kept)) std::ranges::reverse(parts);
            out[k] = parts.empty() ? no_iterations(b.view_.values[std::size_t(b.view_.outputs[k])])
                                   : stack(g, n, parts, int(at(view.integers("scan_output_axes"), k - kept)));
        }
    }
    for (const attribute& a : g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
        if (a.kind == attribute_kind::graph) body(s.unit, int(a.integer)).drop_large_contexts();
    for (std::size_t k = 0; k < std::min(out.size(), passed); ++k) take_bytes(c, size_of(out[k]));
    store_outputs(c, e, s, out);
}
}  // namespace v1
}  // namespace inlay
