// What GroupQueryAttention and SparseAttention have in common: heads of Q, several of which share a head of K and V,
// whose rows may lie side by side in one input, and which may be rotated first. Inputs 0 to 2: query, key, value.
#pragma once
#include <inlay/support/presence.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct grouped_heads {
    std::int64_t batches = 0, rows = 0, heads = 0, groups = 0, size = 0;
    std::int64_t turned = 0, positions = 0;                    // of cos_cache: pairs of a row, and rows
    bool packed = false, rotary = false, interleaved = false;  // packed: query has keys and values too
    double scale = 0;
    presence has{};

    constexpr std::int64_t parts() const { return packed ? heads + 2 * groups : heads; }
    constexpr std::int64_t row_width() const { return parts() * size; }
    constexpr std::int64_t other_width() const { return packed ? row_width() : groups * size; }

    constexpr verdict read_heads(const node_view& n, int cosines) {  // cosines: the input cos_cache, before sin_cache
        constexpr std::int64_t most = std::int64_t(1) << 24;         // so that nothing here overflows
        heads = n.integer("num_heads", 0);
        groups = n.integer("kv_num_heads", 0);
        if (heads < 1 || groups < 1 || heads > most || heads % groups != 0)
            return no("num_heads must be a positive multiple of kv_num_heads");
        rotary = n.integer("do_rotary", 0) != 0;
        interleaved = n.integer("rotary_interleaved", 0) != 0;
        scale = n.real("scale", 0);
        has = presence(n);
        if (rotary && (!has.has_in(cosines) || !has.has_in(cosines + 1)))
            return no("do_rotary needs cos_cache and sin_cache");
        if (has.has_in(1) != has.has_in(2)) return no("key and value must come together");
        packed = !has.has_in(1);
        return yes();
    }
    constexpr verdict divide(const shape& query) {  // into heads
        if (query.rank != 3) return no("query must have three axes");
        if (query[2] < 1 || query[2] % parts() != 0) return no("query does not divide into heads");
        batches = query[0];
        rows = query[1];
        size = query[2] / parts();
        if (scale == 0) scale = 1 / std::sqrt(double(size));
        return yes();
    }
    constexpr verdict read_cosines(const shape& cosines, const shape& sines) {
        if (cosines.rank != 2 || cosines[1] < 1 || cosines[1] > size / 2 || cosines != sines)
            return no("cos_cache and sin_cache must be [positions, half of what is rotated of a head]");
        positions = cosines[0];
        turned = cosines[1];
        return yes();
    }
};
}  // namespace v1
}  // namespace inlay
