// TopK (since 1): the k largest elements along an axis, or since 11 the smallest, in order, and their indices; of equal
// ones the first come first. NaN counts as larger than every number. k is an attribute before version 10. What need not
// be `sorted` is so nevertheless.
#pragma once
#include <inlay/support/bit_order.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace op {
struct top_k : standard {
    static constexpr std::string_view onnx_name = "TopK";
    static constexpr version_range versions{1, 24};
    static constexpr auto elements = each_type<raw<8>, raw<16>, raw<32>, raw<64>>;
    static constexpr std::optional<std::int64_t> k(const node_view& n) {
        if (n.version() < 10) return n.integer("k", -1);
        const auto count = n.input_integers(1);
        return count && count->size() == 1 ? std::optional<std::int64_t>((*count)[0]) : std::nullopt;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.version() >= 10) {
            if (!n.has_input(1) || n.input(1).type != element::i64) return no("k is missing, or not int64");
            if (n.input(1).dims.known() && n.input(1).dims.elements() != 1) return no("k is not one number");
        }
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        const int axis = normal_axis(n.integer("axis", -1), x.rank);
        if (axis < 0) return no("axis is out of range");
        shape s = x;
        s[axis] = k(n).value_or(-1);
        if (k(n) && s[axis] < 0) return no("k is negative");
        if (x[axis] >= 0 && s[axis] > x[axis]) return no("k is larger than the axis");
        if (!countable(s)) return no("the output is too large");
        for (shape& output : y) output = s;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 0 ? n.input_type(0) : element::i64; }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct top_k_params {
    std::int64_t outer, length, inner, k;  // element (o, j, i) at (o * length + j) * inner + i
    bit_order order;
    bool largest;
    static constexpr top_k_params of(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = normal_axis(n.integer("axis", -1), x.rank);
        return {x.elements(0, axis),
                x[axis],
                x.elements(axis + 1),
                *op::top_k::k(n),
                bit_order::of(n.input(0).type),
                n.integer("largest", 1) != 0};
    }
};
struct ranked {  // greater keys come first
    std::uint64_t key;
    std::int64_t index;
    friend constexpr bool operator<(const ranked& a, const ranked& b) {
        return a.key > b.key || (a.key == b.key && a.index < b.index);
    }
};
template <int Bits> struct kernel<op::top_k, device::reference, types<raw<Bits>>> : simple_kernel {
    using params = top_k_params;
    using word = bits_as<Bits>;
    static constexpr std::int64_t room(const params& p) { return 2 * p.k + 64; }  // candidates of one row at a time
    static constexpr verdict supports(const node_view& n) {
        if (!op::top_k::k(n)) return no("k is not known");
        return bit_order::of(n.input(0).type).is_ordered ? yes() : no("its elements have no order");
    }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * room(p) * std::int64_t(sizeof(ranked))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.k == 0) return status::ok;
        c.split(p.outer * p.inner, 1 + (1 << 13) / p.length,
                [&](std::int64_t first, std::int64_t end, int part) noexcept {
                    auto* const best = reinterpret_cast<ranked*>(c.scratch) + part * room(p);
                    stop_check ends(c);
                    for (std::int64_t row = first; row < end && !ends(p.length); ++row) {
                        const std::int64_t o = row / p.inner, i = row % p.inner;
                        choose(p, a.in<word>(0) + o * p.length * p.inner + i, best);
                        for (std::int64_t r = 0; r < p.k; ++r) {
                            const std::int64_t to = (o * p.k + r) * p.inner + i;
                            if (a.outputs[0])
                                a.out<word>(0)[to] = a.in<word>(0)[(o * p.length + best[r].index) * p.inner + i];
                            if (a.outputs[1]) a.out<std::int64_t>(1)[to] = best[r].index;
                        }
                    }
                });
        return c.stopped() ? c.fail("", status::stopped) : status::ok;
    }

  private:
    static void choose(const params& p, const word* x, ranked* best) noexcept {
        std::int64_t count = 0;
        bool full = false;  // then only what beats the k-th so far is a candidate
        for (std::int64_t j = 0; j < p.length; ++j) {
            const word key = p.order.key(x[j * p.inner]);
            const ranked next{p.largest ? key : word(~key), j};
            if (full && next.key <= best[p.k - 1].key) continue;
            best[count++] = next;
            if (count < room(p)) continue;
            std::nth_element(best, best + p.k - 1, best + count);
            count = p.k;
            full = true;
        }
        if (count > p.k) std::nth_element(best, best + p.k - 1, best + count);
        std::sort(best, best + p.k);
    }
};
}  // namespace v1
}  // namespace inlay
