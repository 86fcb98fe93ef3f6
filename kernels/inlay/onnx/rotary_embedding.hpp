// RotaryEmbedding (since 23): rotates pairs of the first elements of each head by angles whose cosines and sines are
// given per position. X is [batch, rows, heads * size] or [batch, heads, rows, size]. Inputs: X, cos_cache, sin_cache,
// position_ids; without the latter the caches are [batch, rows, pairs], else [positions, pairs].
#pragma once
#include <inlay/microsoft/rotary_embedding.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct rotary_embedding : standard {
    static constexpr std::string_view onnx_name = "RotaryEmbedding";
    static constexpr version_range versions{23, 23};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict read(const node_view& n, rotary_params& p) {
        const shape &x = n.input(0).dims, &c = n.input(1).dims;
        if (x.rank != 3 && x.rank != 4) return no("X must have three or four axes");
        p.ids = n.has_input(3) ? 3 : -1;
        p.cosines = 1;
        if (c.rank != (p.ids < 0 ? 3 : 2) || c != n.input(2).dims || c[c.rank - 1] < 1)
            return no(
                "cos_cache and sin_cache must be [positions, pairs], or [batch, rows, pairs] without position_ids");
        p.positions = c.elements(0, c.rank - 1);
        p.pairs = c[c.rank - 1];
        const std::int64_t heads = n.integer("num_heads", 0), rotated = n.integer("rotary_embedding_dim", 0);
        if (rotated != 0 && rotated != 2 * p.pairs) return no("rotary_embedding_dim does not fit cos_cache");
        if (x.rank == 3 && heads == 0) return no("X of three axes needs num_heads");
        if (const verdict v = p.divide(x, heads); !v) return v;
        if (rotated == 0 && p.size != 2 * p.pairs) return no("cos_cache is not half as wide as a head");
        if (p.ids < 0 && (c[0] != p.batches || c[1] != p.rows)) return no("cos_cache is not of the rows of X");
        if (p.ids > 0 && n.input(3).dims != shape{p.batches, p.rows}) return no("position_ids must be [batch, rows]");
        p.interleaved = n.integer("interleaved", 0) != 0;
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        y[0] = n.input(0).dims;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        rotary_params p;
        return read(n, p);
    }
};
}  // namespace op

template <class T> struct kernel<op::rotary_embedding, device::reference, types<T>> : rotary_kernel<T> {
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(3) && n.input(3).type != element::i64) return no("position_ids must be int64");
        return n.input(1).type == n.input(0).type && n.input(2).type == n.input(0).type
                   ? yes()
                   : no("X, cos_cache and sin_cache must have one type");
    }
    static constexpr rotary_params prepare(const node_view& n) {
        rotary_params p;
        (void)op::rotary_embedding::read(n, p);
        return p;
    }
};
}  // namespace v1
}  // namespace inlay
