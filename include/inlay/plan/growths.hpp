// In-place KV cache: values that grow from run to run, past and present in one buffer with capacity. Concat appends the
// new rows and copies no old ones. With capacity 0, past and present are all of that buffer, and the operator with that
// input and output places the new rows itself, whether or not both are one buffer.
#pragma once
#include "schedule.hpp"

namespace inlay {
inline namespace v1 {
// May the two be one memory of the caller's? `apart`: with capacity between matrices, which every reader must support.
// The `detail` of a refusal is the unit that cannot, or -1.
template <provider_list L>
constexpr verdict can_grow(const graph_view& g, const schedule& s, const L& list, const growth& w, bool apart) {
    const auto decline = [](std::string_view reason, int unit = -1) {
        return verdict{false, reason, refusal::node, unit};
    };
    const value &past = g.values[w.past], &present = g.values[w.present];
    if (!past.dims.known() || !present.dims.known()) return decline("its shape is known only while it runs");
    if (s.value_spaces[w.past] != 0 || s.value_spaces[w.present] != 0 ||
        std::ranges::count(s.outputs, w.present) != 1 || std::ranges::count(s.outputs, w.past) != 0)
        return decline("it is copied to or from another memory or layout");
    const bool whole = w.room == 0;
    if (whole && past.dims != present.dims) return decline("past and present differ in shape");
    if (apart && w.axis != past.dims.rank - 2)
        return decline("more or less than one axis follows the one that it grows along");
    for (const step& t : s.steps)
        for (int k = 0; k < t.inputs.count + t.outputs.count; ++k) {
            const int id = s.arguments[t.inputs.first + k];
            if (id != w.past && id != w.present) continue;
            if (t.unit < 0) return decline("it is copied to or from another memory or layout");
            if (t.kernel < 0)
                return decline("control flow, an engine, or a kernel that is chosen while it runs, reads it", t.unit);
            const entry& e = list.view(t.provider).kernels[t.kernel];
            const bool output = k >= t.inputs.count, joins = e.shares == reuse::joins &&
                                                             s.arguments[t.inputs.first] == w.past &&
                                                             s.arguments[t.outputs.first] == w.present;
            if (whole) {
                if (std::ranges::count(s.list(t.inputs), w.past) != 1 ||
                    std::ranges::count(s.list(t.outputs), w.present) != 1)
                    return decline("it reads rows that another kernel may have written over", t.unit);
            } else if (joins ? k != 0 && k != t.inputs.count : output || id == w.past)
                return decline("the kernel copies old rows", t.unit);
            if (s.layouts[t.inputs.first + k] != layout::plain && !layouts_coincide(g.values[id].dims))
                return decline("the kernel has its channels last", t.unit);
            if (apart && !(e.spaced && e.spaced(node_view{g, g.unit(t.unit), s.layouts.data() + t.inputs.first},
                                                output ? ~(k - t.inputs.count) : k)))
                return decline("the kernel takes no matrices that lie apart", t.unit);
        }
    return yes();
}
}  // namespace v1
}  // namespace inlay
