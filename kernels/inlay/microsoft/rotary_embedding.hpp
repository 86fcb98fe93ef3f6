// RotaryEmbedding (com.microsoft, since 1): rotates pairs of the first elements of each head by angles whose cosines
// and sines are given per position. X is [batch, rows, heads * size] or [batch, heads, rows, size]; position_ids is the
// first row's position, or one per row of each batch. `scale` changes nothing, as on ONNX Runtime's CPU. Inputs: X,
// position_ids, cos_cache, sin_cache.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/attention_rows.hpp>

namespace inlay {
inline namespace v1 {
struct rotary_params {
    std::int64_t batches = 0, rows = 0, heads = 0, size = 0, positions = 0, pairs = 0;
    bool by_heads = false, interleaved = false, first_only = false;  // first_only: one position is given
    int ids = 1, cosines = 2;  // the inputs; the sines follow the cosines. ids -1: rows have their own in the cache
    const std::int64_t* ids_of(const arguments& a) const noexcept {
        return ids < 0 ? nullptr : a.in<std::int64_t>(ids);
    }
    std::int64_t position(const std::int64_t* ids, std::int64_t batch, std::int64_t row) const noexcept {  // -1: none
        if (!ids) return batch * rows + row;
        if (!first_only) return ids[batch * rows + row];
        return *ids < 0 || *ids > positions ? std::int64_t(-1) : *ids + row;
    }
    // Of head i in the order of memory.
    std::int64_t position_of(const std::int64_t* ids, std::int64_t i) const noexcept {
        return position(ids, i / (rows * heads), by_heads ? i % rows : i / heads % rows);
    }
    bool within(const std::int64_t* ids) const noexcept {  // the tables
        for (std::int64_t b = 0; b < batches; ++b)
            for (std::int64_t i = 0; i < rows; ++i)
                if (const std::int64_t at = position(ids, b, i); at < 0 || at >= positions) return false;
        return true;
    }
    static constexpr verdict read(const node_view& n, rotary_params& p) {
        const shape &x = n.input(0).dims, &c = n.input(2).dims, &ids = n.input(1).dims;
        if (x.rank != 3 && x.rank != 4) return no("X must have three or four axes");
        if (c.rank != 2 || c[1] < 1 || c != n.input(3).dims)
            return no("cos_cache and sin_cache must be [positions, half of what is rotated of a head]");
        const std::int64_t heads = n.integer("num_heads", 0), rotated = n.integer("rotary_embedding_dim", 0);
        p.positions = c[0];
        p.pairs = c[1];
        if (rotated != 0 && rotated != 2 * p.pairs) return no("rotary_embedding_dim does not fit cos_cache");
        if (rotated != 0 && x.rank == 3 && heads < 1) return no("rotary_embedding_dim needs num_heads");
        if (const verdict v = p.divide(x, heads); !v) return v;
        p.first_only = ids.elements() == 1;
        if (!p.first_only && ids != shape{p.batches, p.rows})
            return no("position_ids must be one number, or [batch, rows]");
        p.interleaved = n.integer("interleaved", 0) != 0;
        return yes();
    }
    constexpr verdict divide(const shape& x,
                             std::int64_t head_count) {  // X into heads; 0: they have 2 * pairs elements
        by_heads = x.rank == 4;
        batches = x[0];
        rows = x[by_heads ? 2 : 1];
        if (head_count < 0) return no("num_heads must not be negative");
        size = by_heads ? x[3] : head_count == 0 ? 2 * pairs : x[2] / head_count;
        if (size < 2 * pairs) return no("heads are smaller than what is rotated");
        heads = by_heads ? x[1] : x[2] / size;
        return by_heads || heads * size == x[2] ? yes() : no("X does not divide into heads");
    }
};
// X, position_ids, cos_cache and sin_cache, as com.microsoft's operators have them.
constexpr verdict four_rotary_inputs(const node_view& n) {
    for (int k = 0; k < 4; ++k)
        if (!n.has_input(k)) return no("an input is missing");
    return n.input_count() > 4 ? no("there are too many inputs") : yes();
}
constexpr verdict rotary_types(const node_view& n) {
    if (n.input(1).type != element::i64) return no("position_ids must be int64");
    for (int k : {2, 3})
        if (n.input(k).type != n.input(0).type) return no("X, cos_cache and sin_cache must have one type");
    return yes();
}
// Copies a head, of whose first elements `pairs` are rotated; `numbers` holds them meanwhile.
template <class T>
void turn_head(const T* x, const T* cosines, const T* sines, std::int64_t size, std::int64_t pairs, bool neighbours,
               float* numbers, T* y) noexcept {
    for (std::int64_t d = 0; d < 2 * pairs; ++d) numbers[d] = static_cast<float>(x[d]);
    turn_pairs(numbers, cosines, sines, pairs, neighbours);
    for (std::int64_t d = 0; d < size; ++d) y[d] = d < 2 * pairs ? static_cast<T>(numbers[d]) : x[d];
}
namespace op {
struct microsoft_rotary_embedding : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "RotaryEmbedding";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 4;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = four_rotary_inputs(n); !v) return v;
        y[0] = n.input(0).dims;
        for (int k = 0; k < 4; ++k)
            if (!n.input(k).dims.known()) return yes();
        rotary_params p;
        return rotary_params::read(n, p);
    }
};
}  // namespace op

// What both operators of the name have, of ONNX and of com.microsoft.
template <class T> struct rotary_kernel : simple_kernel {
    using params = rotary_params;
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * 2 * p.pairs * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t* ids = p.ids_of(a);
        if (!p.within(ids)) return c.fail("a position is not in cos_cache");
        c.split(p.batches * p.rows * p.heads, 64, [&](std::int64_t first, std::int64_t end, int part) {
            float* numbers = reinterpret_cast<float*>(c.scratch) + part * 2 * p.pairs;
            for (std::int64_t i = first; i < end; ++i) {  // heads in the order of memory
                const std::int64_t at = p.position_of(ids, i) * p.pairs;
                turn_head(a.in<T>(0) + i * p.size, a.in<T>(p.cosines) + at, a.in<T>(p.cosines + 1) + at, p.size,
                          p.pairs, p.interleaved, numbers, a.out<T>(0) + i * p.size);
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::microsoft_rotary_embedding, device::reference, types<T>> : rotary_kernel<T> {
    using params = rotary_params;
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = rotary_types(n); !v) return v;
        return n.integer("is_packed_batching", 0) == 0 ? yes() : no("packed batches are not supported");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)rotary_params::read(n, p);
        return p;
    }
};
}  // namespace v1
}  // namespace inlay
