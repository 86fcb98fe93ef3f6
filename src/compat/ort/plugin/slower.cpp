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
    return "Inlay has a reference kernel for it, which is slower than ONNX Runtime; the option `all_nodes` takes it";
}
}  // namespace inlay::ep
