// The branches of a hyper-connection's streams: [..., branches, size], or with the attribute num_branches
// [..., branches * size]; and the gates of branches or of their elements.
#pragma once
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
struct stream_branches {
    std::int64_t rows = 0, count = 0, size = 0;  // count: branches of a row
    int lead = 0;                                // axes of rows
    bool flat = false;

    constexpr verdict read(const node_view& n) {  // input 0, whose shape is known
        const shape& x = n.input(0).dims;
        const std::int64_t branches = n.integer("num_branches", 0);
        if (branches < 0) return no("num_branches must not be negative");
        flat = branches > 0;
        lead = x.rank - (flat ? 1 : 2);
        if (lead < 0) return no("the streams have too few axes");
        count = flat ? branches : x[lead];
        if (flat && (x[lead] < 1 || x[lead] % count != 0))
            return no("the last axis is no positive multiple of num_branches");
        size = flat ? x[lead] / count : x[lead + 1];
        if (count < 1 || size < 1) return no("the streams have an empty axis");
        rows = x.elements(0, lead);
        return yes();
    }
    // Whether s has the rows' axes first, then these.
    constexpr bool fits(const node_view& n, const shape& s, std::initializer_list<std::int64_t> tail) const {
        if (s.rank != lead + int(tail.size())) return false;
        int i = 0;
        for (; i < lead; ++i)
            if (s[i] != n.input(0).dims[i]) return false;
        for (std::int64_t d : tail)
            if (s[i++] != d) return false;
        return true;
    }
    // Gates: one per branch, or one per element of a branch; where streams are flat these may be flat too.
    struct gates {
        bool by_element = false;
        constexpr std::int64_t at(const stream_branches& b, std::int64_t branch, std::int64_t i) const {
            return by_element ? branch * b.size + i : branch;  // branch: of all rows
        }
    };
    constexpr verdict read_gates(const node_view& n, int k, bool may_be_flat, gates& g) const {
        const shape& s = n.input(k).dims;
        g.by_element = false;
        if (fits(n, s, {count}) || fits(n, s, {count, 1})) return yes();
        g.by_element = true;
        return fits(n, s, {count, size}) || (may_be_flat && flat && fits(n, s, {count * size}))
                   ? yes()
                   : no("the gates must be [..., branches], [..., branches, 1] or [..., branches, size]");
    }
};
}  // namespace v1
}  // namespace inlay
