// MRotaryEmbedding (com.microsoft, since 1): RotaryEmbedding with three positions for each row, of time, height and
// width: each pair of a head is rotated by the angle of one of them. mrope_section is how many pairs each has:
// mrope_layout 0: one section after the other; 1: pair 3 i + 1 is of height and 3 i + 2 of width for i below their
// sections, all others of time. Cosines and sines are multiplied by `scale` first. X is [batch, rows, heads * size] or
// [batch, heads, rows, size]. Inputs: X, position_ids [3, batch, rows], cos_cache, sin_cache.
#pragma once
#include <inlay/microsoft/rotary_embedding.hpp>

namespace inlay {
inline namespace v1 {
struct mrotary_params {
    std::int64_t batches = 0, rows = 0, heads = 0, size = 0, positions = 0, pairs = 0;
    std::array<std::int64_t, 3> sections{};
    bool by_heads = false, alternating = false, neighbours = false;
    double scale = 1;

    constexpr verdict read(const node_view& n) {
        const auto section_list = n.integers("mrope_section");
        if (section_list.size() != 3) return no("mrope_section must have three numbers");
        for (std::size_t i = 0; i < 3; ++i)
            if ((sections[i] = section_list[i]) < 0 || sections[i] > std::int64_t(1) << 31)
                return no("mrope_section must not be negative");
        const std::int64_t layout = n.integer("mrope_layout", 0);
        if (layout != 0 && layout != 1) return no("mrope_layout must be 0 or 1");
        alternating = layout == 1;
        neighbours = n.integer("interleaved", 0) != 0;
        scale = n.real("scale", 1);
        return yes();
    }
    constexpr verdict read_shapes(const node_view& n) {  // where all of them are known
        const shape &x = n.input(0).dims, &table = n.input(2).dims;
        if (x.rank != 3 && x.rank != 4) return no("X must have three or four axes");
        by_heads = x.rank == 4;
        batches = x[0];
        rows = x[by_heads ? 2 : 1];
        heads = by_heads ? x[1] : n.integer("num_heads", 0);
        if (!by_heads && heads < 1) return no("X of three axes needs num_heads");
        if (!by_heads && x[2] % heads != 0) return no("X does not divide into heads");
        size = by_heads ? x[3] : x[2] / heads;
        const std::int64_t turned = n.integer("rotary_embedding_dim", 0);
        if (turned < 0 || turned > size) return no("rotary_embedding_dim is out of range");
        pairs = (turned > 0 ? turned : size) / 2;
        if (table.rank != 2 || table[1] != pairs || table != n.input(3).dims)
            return no("cos_cache and sin_cache must be [positions, half of what is rotated of a head]");
        positions = table[0];
        if (n.input(1).dims != shape{3, batches, rows}) return no("position_ids must be [3, batch, rows]");
        return sections[0] + sections[1] + sections[2] == pairs
                   ? yes()
                   : no("mrope_section must add up to half of what is rotated of a head");
    }
    constexpr int axis_of(std::int64_t pair) const {  // 0 to 2: time, height, width
        if (!alternating) return pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2;
        const auto axis = std::size_t(pair % 3);
        return axis > 0 && pair / 3 < sections[axis] ? int(axis) : 0;
    }
};
namespace op {
struct mrotary_embedding : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MRotaryEmbedding";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 4;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = four_rotary_inputs(n); !v) return v;
        y[0] = n.input(0).dims;
        mrotary_params p;
        if (const verdict v = p.read(n); !v) return v;
        for (int k = 0; k < 4; ++k)
            if (!n.input(k).dims.known()) return yes();
        return p.read_shapes(n);
    }
};
}  // namespace op

template <class T> struct kernel<op::mrotary_embedding, device::reference, types<T>> : simple_kernel {
    using params = mrotary_params;
    static constexpr verdict supports(const node_view& n) { return rotary_types(n); }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        (void)p.read_shapes(n);
        return p;
    }
    static constexpr std::int64_t numbers(const params& p) { return 2 * p.pairs; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float) + sizeof(T)) * numbers(p) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t* ids = a.in<std::int64_t>(1);
        for (std::int64_t i = 0; i < 3 * p.batches * p.rows; ++i)
            if (ids[i] < 0 || ids[i] >= p.positions) return c.fail("a position is not in cos_cache");
        c.split(p.batches * p.rows * p.heads, 64, [&](std::int64_t first, std::int64_t end, int part) {
            float* pairs = reinterpret_cast<float*>(c.scratch) + part * numbers(p);
            T* table =
                reinterpret_cast<T*>(reinterpret_cast<float*>(c.scratch) + c.threads * numbers(p)) + part * numbers(p);
            for (std::int64_t i = first; i < end; ++i) {  // heads in the order of memory
                const std::int64_t batch = i / (p.rows * p.heads), row = p.by_heads ? i % p.rows : i / p.heads % p.rows;
                make_table(p, a, batch * p.rows + row, table);
                turn_head(a.in<T>(0) + i * p.size, table, table + p.pairs, p.size, p.pairs, p.neighbours, pairs,
                          a.out<T>(0) + i * p.size);
            }
        });
        return status::ok;
    }

  private:
    static void make_table(const params& p, const arguments& a, std::int64_t row, T* table) noexcept {
        for (std::int64_t pair = 0; pair < p.pairs; ++pair) {
            const std::int64_t id = a.in<std::int64_t>(1)[p.axis_of(pair) * p.batches * p.rows + row];
            for (int k : {0, 1})
                table[k * p.pairs + pair] = static_cast<T>(static_cast<float>(a.in<T>(2 + k)[id * p.pairs + pair]) *
                                                           static_cast<float>(p.scale));
        }
    }
};
}  // namespace v1
}  // namespace inlay
