// What the tests of attention share.
#pragma once
#include "dense.hpp"

namespace inlay::testing::attention {
using namespace dense;
struct sizes {
    std::int64_t batch, heads, rows, keys, size, value_size;
};
struct places {
    std::int64_t q = 0, k = 0, v = 0;
};
inline attributes with(const sizes& s, double scale = 1, double fill = 0, places at = {}, bool fills = false) {
    return [=](graph_data& g) {
        return list_of_attributes{
            g.make("heads", s.heads), g.make("size", s.size), g.make("value_size", s.value_size),
            g.make("scale", scale),   g.make("fill", fill),   g.make("q_at", at.q),
            g.make("k_at", at.k),     g.make("v_at", at.v),   g.make("fills", std::int64_t(fills))};
    };
}
struct projections {
    tensor q, k, v;
};
inline projections columns(const sizes& s, unsigned seed = 1) {
    return {fractions({s.batch, s.rows, s.heads * s.size}, seed),
            fractions({s.batch, s.keys, s.heads * s.size}, seed + 1),
            fractions({s.batch, s.keys, s.heads * s.value_size}, seed + 2)};
}
inline tensor truths(const shape& dims, unsigned seed) {
    tensor t(element::boolean, dims);
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < t.elements(); ++i)
        static_cast<std::uint8_t*>(t.data())[i] =
            std::uint8_t(random() % 3 ? 1 + random() % 200 : 0);  // a caller's true need not be 1
    return t;
}
}  // namespace inlay::testing::attention
