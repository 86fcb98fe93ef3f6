// Unique (since 11): the different slices along an axis, or the different elements of all where there is none, in
// ascending order, or in that of their first occurrence if not `sorted`; with the index of each one's first occurrence,
// for every slice the index of its equal in the result, and how often each occurs. Slices are compared element by
// element, complex numbers by their real parts first; NaN equals NaN and comes last, and a complex number with a NaN is
// one.
#pragma once
#include <inlay/support/bit_order.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <numeric>

namespace inlay {
inline namespace v1 {
namespace op {
struct unique : standard {
    static constexpr std::string_view onnx_name = "Unique";
    static constexpr version_range versions{11, 28};
    static constexpr auto elements = whole_byte_types;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        for (shape& output : y) output = {-1};
        if (x.rank < 0) {
            if (n.has("axis")) y[0] = shape::unknown();
            return yes();
        }
        if (!countable(x)) return no("the input is too large");
        if (!n.has("axis")) return yes();
        const int axis = normal_axis(n.integer("axis", 0), x.rank);
        if (axis < 0) return no("axis is out of range");
        y[0] = x;
        y[0][axis] = -1;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 0 ? n.input_type(0) : element::i64; }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        const shape& x = n.input(0).dims;
        const bool slices = n.has("axis");
        for (shape& output : y) output = {slices ? x[normal_axis(n.integer("axis", 0), x.rank)] : x.elements()};
        if (slices) y[0] = x;
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct unique_params {
    std::int64_t outer, length, inner;  // element (o, s, i) of slice s at (o * length + s) * inner + i
    shape dims;                         // of output 0, but for the axis
    int axis;
    bit_order order;               // of a number, or of a part of a complex one
    bool complex, sorted, has[4];  // has: outputs
    static constexpr bit_order order_of(element e) {
        return bit_order::of(e == element::c64 ? element::f32 : e == element::c128 ? element::f64 : e);
    }
    static constexpr unique_params of(const node_view& n) {
        const shape& x = n.input(0).dims;
        unique_params p{1,
                        x.elements(),
                        1,
                        {0},
                        0,
                        order_of(n.input(0).type),
                        n.input(0).type == element::c64 || n.input(0).type == element::c128,
                        n.integer("sorted", 1) != 0,
                        {}};
        for (int k = 0; k < 4; ++k) p.has[k] = n.has_output(k);
        if (!n.has("axis")) return p;
        p.axis = normal_axis(n.integer("axis", 0), x.rank);
        p.dims = x;
        p.outer = x.elements(0, p.axis);
        p.length = x[p.axis];
        p.inner = x.elements(p.axis + 1);
        return p;
    }
};
template <class T> struct kernel<op::unique, device::reference, types<T>> : simple_kernel {
    using params = unique_params;
    static constexpr verdict supports(const node_view& n) {
        return std::is_same_v<T, std::string> || params::order_of(n.input(0).type).is_ordered
                   ? yes()
                   : no("its elements have no order");
    }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    struct group {  // of equal slices, in their order
        std::int64_t first, end;
    };
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.length * std::int64_t(sizeof(std::int64_t) + sizeof(group))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        auto* const order = reinterpret_cast<std::int64_t*>(c.scratch);  // of the slices
        auto* const groups = reinterpret_cast<group*>(order + p.length);
        std::iota(order, order + p.length, std::int64_t(0));
        if (!sort(p, a, order, reinterpret_cast<std::int64_t*>(groups), c)) return c.fail("", status::stopped);
        std::int64_t count = 0;
        for (std::int64_t s = 0; s < p.length; ++s) {
            if (s == 0 || compare(p, a, order[s - 1], order[s]) != 0) groups[count++].first = s;
            groups[count - 1].end = s + 1;
        }
        if (!p.sorted)
            std::sort(groups, groups + count,
                      [&](const group& g, const group& h) { return order[g.first] < order[h.first]; });

        shape dims = p.dims;
        dims[p.axis] = count;
        const auto make = [&]<class Y>(int k, const shape& s, Y*& y) {
            return !p.has[k] || (y = c.output<Y>(k, s)) || s.elements() == 0;
        };
        std::byte* y = nullptr;
        std::int64_t *indices = nullptr, *inverse = nullptr, *counts = nullptr;
        if (!make(0, dims, y) || !make(1, {count}, indices) || !make(2, {p.length}, inverse) ||
            !make(3, {count}, counts))
            return c.fail("no memory for the results", status::out_of_memory);
        for (std::int64_t o = 0; o < p.outer && y; ++o)
            for (std::int64_t g = 0; g < count; ++g)
                movable<T>::copy(y, (o * count + g) * p.inner, a.inputs[0],
                                 (o * p.length + order[groups[g].first]) * p.inner, p.inner);
        for (std::int64_t g = 0; g < count; ++g) {
            if (indices) indices[g] = order[groups[g].first];
            if (counts) counts[g] = groups[g].end - groups[g].first;
            for (std::int64_t s = groups[g].first; s < groups[g].end && inverse; ++s) inverse[order[s]] = g;
        }
        return status::ok;
    }

  private:
    // Piece by piece, then neighbours merged, so that a run may stop in between; `room` is as long. False: stopped.
    static bool sort(const params& p, const arguments& a, std::int64_t* order, std::int64_t* room,
                     const context& c) noexcept {
        const auto before = [&](std::int64_t s, std::int64_t t) {
            const int difference = compare(p, a, s, t);
            return difference ? difference < 0 : s < t;
        };
        stop_check ends(c);
        std::int64_t piece = 4096;
        const auto end_of = [&](std::int64_t i) { return std::min(i + piece, p.length); };
        for (std::int64_t i = 0; i < p.length; i += piece) {
            if (ends(20 * piece)) return false;
            std::sort(order + i, order + end_of(i), before);
        }
        for (; piece < p.length; piece *= 2) {
            for (std::int64_t i = 0; i < p.length; i += 2 * piece) {
                if (ends(2 * piece)) return false;
                std::merge(order + i, order + end_of(i), order + end_of(i), order + end_of(end_of(i)), room + i,
                           before);
            }
            std::copy_n(room, p.length, order);
        }
        return true;
    }
    static int compare(const params& p, const arguments& a, std::int64_t s, std::int64_t t) noexcept {
        for (std::int64_t o = 0; o < p.outer; ++o)
            for (std::int64_t i = 0; i < p.inner; ++i)
                if (const int d =
                        compare_elements(p, a, (o * p.length + s) * p.inner + i, (o * p.length + t) * p.inner + i))
                    return d;
        return 0;
    }
    static int compare_elements(const params& p, const arguments& a, std::int64_t s, std::int64_t t) noexcept {
        if constexpr (std::is_same_v<T, std::string>)
            return a.in<T>(0)[s].compare(a.in<T>(0)[t]);
        else if constexpr (std::is_same_v<T, raw<128>>)
            return compare_complex<std::uint64_t>(p, a, s, t);
        else {
            using word = word_of<T>;
            if (std::is_same_v<T, raw<64>> && p.complex) return compare_complex<std::uint32_t>(p, a, s, t);
            const word x = p.order.key(a.in<word>(0)[s]), y = p.order.key(a.in<word>(0)[t]);
            return (x > y) - (x < y);
        }
    }
    template <class Word>
    static int compare_complex(const params& p, const arguments& a, std::int64_t s, std::int64_t t) noexcept {
        const auto keys = [&](std::int64_t i) {
            constexpr Word nan = Word(~Word(0));
            const Word real = p.order.key(a.in<Word>(0)[2 * i]), imaginary = p.order.key(a.in<Word>(0)[2 * i + 1]);
            return real == nan || imaginary == nan ? std::pair(nan, nan) : std::pair(real, imaginary);
        };
        const auto x = keys(s), y = keys(t);
        return (x > y) - (x < y);
    }
};
}  // namespace v1
}  // namespace inlay
