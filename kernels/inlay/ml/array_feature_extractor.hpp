// ArrayFeatureExtractor (since 1): the elements of the last axis at the given places; a list becomes one row.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct array_feature_extractor : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "ArrayFeatureExtractor";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = each_type<raw<32>, raw<64>, std::string>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &x = n.input(0).dims, &places = n.input(1).dims;
        if (n.input(1).type != element::i64) return no("the places are not int64");
        if (x.rank == 0) return no("the input has no axis");
        if (places.rank >= 0 && !countable(places)) return no("too many places");
        if (x.rank < 0) return yes();
        y[0] = x.rank == 1 ? shape{1, -1} : x;
        y[0][y[0].rank - 1] = places.known() ? places.elements() : -1;
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::array_feature_extractor, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, length, places;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x.elements(0, x.rank - 1), x[x.rank - 1], n.input(1).dims.elements()};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto* places = a.in<std::int64_t>(1);
        for (std::int64_t k = 0; k < p.places; ++k)
            if (places[k] < 0 || places[k] >= p.length) return c.fail("a place is outside the last axis");
        if (p.places == 0) return status::ok;
        c.split(p.rows, 1 + 16384 / p.places, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t r = first; r < end; ++r)
                for (std::int64_t k = 0; k < p.places; ++k)
                    movable<T>::move(a.outputs[0], r * p.places + k, a.inputs[0], r * p.length + places[k]);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
