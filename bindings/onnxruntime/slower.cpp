#include "slower.hpp"
#include <algorithm>

namespace inlay::ep {
namespace {
// Of the node's largest output, where dimensions that are not known are 1.
std::int64_t most_elements(const node_view& n) {
    std::int64_t most = 0;
    for (int k = 0; k < n.output_count(); ++k) {
        if (!n.has_output(k)) continue;
        std::int64_t count = 1;
        for (std::int64_t d : n.output(k).dims) count *= std::max<std::int64_t>(d, 1);
        most = std::max(most, count);
    }
    return most;
}
bool takes_types(const entry& e, const node_view& n) {
    for (int c = 0; c < e.constraint_count; ++c) {
        const int at = e.constraints[std::size_t(c)];
        if (at < 0 ? !n.has_output(~at) : !n.has_input(at)) continue;
        if (!e.elements[std::size_t(c)].has((at < 0 ? n.output(~at) : n.input(at)).type)) return false;
    }
    return true;
}
}  // namespace

std::string slower_kernel(const kernel_table& table, const node_view& n) {
    constexpr std::int64_t some_size = 4096;
    const node& r = n.record;
    const entry* plain = nullptr;
    for (const entry& e : table.entries) {
        if (e.name != r.op || e.domain != r.domain || r.version < e.versions.since || r.version > e.versions.through ||
            !takes_types(e, n))
            continue;
        if (e.device == 0) return {};  // the first device's kernels are the fast ones
        plain = &e;
    }
    if (!plain || plain->shares == reuse::view) return {};
    const bool product = plain->about->flop != nullptr;
    if (!product && most_elements(n) < some_size) return {};
    return "Inlay has a plain loop for it, which is slower than ONNX Runtime; the option `all_nodes` takes it";
}

std::vector<char> quantised_units(std::span<const node_outline> nodes, const std::vector<char>& constants) {
    std::vector<int> maker(constants.size(), -1);
    std::vector<std::vector<int>> readers(constants.size());
    for (int i = 0; i < int(nodes.size()); ++i) {
        for (int v : nodes[std::size_t(i)].outputs)
            if (v >= 0) maker[std::size_t(v)] = i;
        for (int v : nodes[std::size_t(i)].inputs)
            if (v >= 0) readers[std::size_t(v)].push_back(i);
    }
    const auto is = [&](int i, std::string_view op) { return i >= 0 && nodes[std::size_t(i)].op == op; };
    const auto first = [](const std::vector<int>& list) { return list.empty() ? -1 : list.front(); };
    const auto readers_of = [&](int i) {
        const int y = first(nodes[std::size_t(i)].outputs);
        return y < 0 ? std::vector<int>() : readers[std::size_t(y)];
    };
    const auto quantises = [&](int i) { return is(i, "QuantizeLinear"); };
    std::vector<char> units(nodes.size());
    for (int i = 0; i < int(nodes.size()); ++i) {
        const node_outline& n = nodes[std::size_t(i)];
        const int x = first(n.inputs), from = x < 0 ? -1 : maker[std::size_t(x)];
        if (is(i, "QuantizeLinear") || !is(from, "DequantizeLinear")) continue;
        const int whole = first(nodes[std::size_t(from)].inputs);
        if (whole < 0 || constants[std::size_t(whole)]) continue;  // weights: Inlay computes with floats
        std::vector<int> after = readers_of(i), activation;
        if (after.size() == 1 && (is(after.front(), "Relu") || is(after.front(), "Clip"))) {
            activation = after;
            after = readers_of(activation.front());
        }
        if (after.empty() || !std::ranges::all_of(after, quantises)) continue;
        units[std::size_t(i)] = true;
        for (int j : activation) units[std::size_t(j)] = true;
        for (int j : after) units[std::size_t(j)] = true;
        for (int v : n.inputs)
            if (const int j = v < 0 ? -1 : maker[std::size_t(v)]; is(j, "DequantizeLinear"))
                units[std::size_t(j)] = true;
    }
    return units;
}
}  // namespace inlay::ep
