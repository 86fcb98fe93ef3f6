// SparseAttention (com.microsoft, since 1): softmax(scale Q K') V, where a row of Q sees of the rows of K up to its own
// those in the blocks that its layout lists. Head h has layout h % layouts, in CSR form: block_row_indices and
// block_col_indices. It sees all of them alike where a row of blocks lists none. New keys and values follow those of
// former calls in the caches, key_total_sequence_lengths of each batch in all; where there are as many rows as
// total_sequence_length, there is nothing former. Q and K may be rotated first, and several heads of Q share one of K
// and V. Inputs: query (or all three side by side), key, value, past_key, past_value, block_row_indices,
// block_col_indices, total_sequence_length, key_total_sequence_lengths, cos_cache, sin_cache.
#pragma once
#include <inlay/support/attention_rows.hpp>
#include <inlay/support/grouped_heads.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct sparse_attention_params : grouped_heads {
    std::int64_t present = 0, layouts = 1, block_rows = 0, listed = 0, block = 0;  // block_rows, listed: of a layout

    constexpr verdict read(const node_view& n) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        if (const verdict v = read_heads(n, 9); !v) return v;
        block = n.integer("sparse_block_size", 0);
        if (block < 1 || block > most) return no("sparse_block_size must be positive");
        for (int k : {0, 3, 4, 5, 6, 7, 8})
            if (!has.has_in(k)) return no("an input is missing");
        return yes();
    }
    // Where all shapes are known.
    constexpr verdict read_shapes(const node_view& n) {
        const shape& cache = n.input(3).dims;
        if (const verdict v = divide(n.input(0).dims); !v) return v;
        for (int k : {1, 2})
            if (has.has_in(k) && n.input(k).dims != shape{batches, rows, groups * size})
                return no("key and value must be [batch, rows of query, heads * size]");
        if (cache.rank != 4 || cache != shape{batches, groups, cache[2], size} || n.input(4).dims != cache)
            return no("past_key and past_value must be [batch, heads, rows, size]");
        present = cache[2];
        return read_rest(n);
    }
    constexpr verdict read_rest(const node_view& n) {
        const shape &by_row = n.input(5).dims, &by_column = n.input(6).dims;
        if (by_row.rank != 2 || by_row[0] < 1 || by_row[1] < 2 || heads % by_row[0] != 0 || by_column.rank != 2 ||
            by_column[0] != by_row[0])
            return no(
                "block_row_indices and block_col_indices must have a row for each layout, of which num_heads is "
                "a multiple");
        layouts = by_row[0];
        block_rows = by_row[1] - 1;
        listed = by_column[1];
        if (n.input(7).dims.elements() != 1) return no("total_sequence_length must be one number");
        if (n.input(8).dims != shape{batches}) return no("key_total_sequence_lengths must have one number per batch");
        return rotary ? read_cosines(n.input(9).dims, n.input(10).dims) : yes();
    }
    std::int64_t former(const arguments& a, std::int64_t batch) const noexcept {
        return *a.in<std::int32_t>(7) == rows ? 0 : a.in<std::int32_t>(8)[batch] - rows;
    }
    status check(const arguments& a, context& c) const noexcept {
        for (std::int64_t b = 0; b < batches; ++b) {
            const std::int64_t old = former(a, b), end = old + rows;
            if (old < 0 || end > present)
                return c.fail("key_total_sequence_lengths does not fit past_key and the new rows");
            if (end > block_rows * block) return c.fail("block_row_indices has too few rows of blocks");
            if (rotary && end > positions) return c.fail("a position is not in cos_cache");
        }
        for (std::int64_t i = 0; i < layouts; ++i) {
            const std::int32_t* by_row = a.in<std::int32_t>(5) + i * (block_rows + 1);
            for (std::int64_t row = 0; row < block_rows; ++row)
                if (by_row[row] < 0 || by_row[row] > by_row[row + 1] || by_row[row + 1] > listed)
                    return c.fail("block_row_indices does not ascend within block_col_indices");
            for (std::int64_t k = by_row[0]; k < by_row[block_rows]; ++k)
                if (const std::int32_t at = a.in<std::int32_t>(6)[i * listed + k]; at < 0 || at >= block_rows)
                    return c.fail("block_col_indices: a block is out of range");
        }
        return status::ok;
    }
};
namespace op {
struct sparse_attention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "SparseAttention";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 1;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 11) return no("there are too many inputs");
        sparse_attention_params p;
        if (const verdict v = p.read(n); !v) return v;
        for (std::size_t k = 1; k < std::min<std::size_t>(y.size(), 3); ++k) y[k] = n.input(int(2 + k)).dims;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        const verdict v = p.read_shapes(n);
        if (v) y[0] = {p.batches, p.rows, p.heads * p.size};
        return v;
    }
};
}  // namespace op

template <class T> struct kernel<op::sparse_attention, device::reference, types<T>> : simple_kernel {
    using params = sparse_attention_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 3, 4, 9, 10})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        for (int k : {5, 6, 7, 8})
            if (n.input(k).type != element::i32) return no("indices and lengths must be int32");
        return n.has_output(0) && n.has_output(1) && n.has_output(2) ? yes() : no("the outputs must all be there");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        (void)p.read_shapes(n);
        return p;
    }
    static constexpr std::int64_t scratch(const params& p) { return 2 * p.size + p.present; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * scratch(p) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const status s = p.check(a, c); s != status::ok) return s;
        c.split(p.batches * p.groups, 1, [&](std::int64_t first, std::int64_t end, int part) {
            float* x = reinterpret_cast<float*>(c.scratch) + part * scratch(p);
            for (std::int64_t i = first; i < end; ++i) extend(p, a, i / p.groups, i % p.groups, x);
        });
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            for (std::int64_t i = first; i < end; ++i)
                for (std::int64_t row = 0; row < p.rows; ++row) {
                    if (stops(2 * p.present * p.size)) return;
                    attend(p, a, i / p.heads, i % p.heads, row,
                           reinterpret_cast<float*>(c.scratch) + part * scratch(p));
                }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void load_row(const params& p, const arguments& a, const T* from, std::int64_t position, bool turns,
                         float* x) noexcept {
        for (std::int64_t d = 0; d < p.size; ++d) x[d] = static_cast<float>(from[d]);
        if (turns && p.rotary)
            turn_pairs(x, a.in<T>(9) + position * p.turned, a.in<T>(10) + position * p.turned, p.turned, p.interleaved);
    }
    static void extend(const params& p, const arguments& a, std::int64_t batch, std::int64_t group, float* x) noexcept {
        const std::int64_t cache = (batch * p.groups + group) * p.present * p.size, old = p.former(a, batch);
        for (int k : {0, 1}) {
            T* present = a.out<T>(1 + k) + cache;
            if (a.in<T>(3 + k) != a.out<T>(1 + k)) std::copy_n(a.in<T>(3 + k) + cache, p.present * p.size, present);
            const T* from = p.packed ? a.in<T>(0) + (p.heads + k * p.groups) * p.size : a.in<T>(1 + k);
            for (std::int64_t i = 0; i < p.rows; ++i) {
                load_row(p, a, from + (batch * p.rows + i) * p.other_width() + group * p.size, old + i, k == 0, x);
                for (std::int64_t d = 0; d < p.size; ++d) present[(old + i) * p.size + d] = static_cast<T>(x[d]);
            }
        }
    }
    static void attend(const params& p, const arguments& a, std::int64_t batch, std::int64_t head, std::int64_t row,
                       float* q) noexcept {
        float *sums = q + p.size, *scores = sums + p.size;
        const std::int64_t at = batch * p.rows + row, position = p.former(a, batch) + row, end = position + 1,
                           cache = (batch * p.groups + head / (p.heads / p.groups)) * p.present * p.size,
                           layout = head % p.layouts;
        const T *keys = a.out<T>(1) + cache, *values = a.out<T>(2) + cache;
        load_row(p, a, a.in<T>(0) + at * p.row_width() + head * p.size, position, true, q);
        std::fill_n(scores, end, std::numeric_limits<float>::lowest());  // finite: they share where there is no other
        const std::int32_t* listed = a.in<std::int32_t>(5) + layout * (p.block_rows + 1) + position / p.block;
        for (std::int64_t k = listed[0]; k < listed[1]; ++k) {
            const std::int64_t first = a.in<std::int32_t>(6)[layout * p.listed + k] * p.block;
            for (std::int64_t j = first; j < std::min(first + p.block, end); ++j) {
                float sum = 0;
                for (std::int64_t d = 0; d < p.size; ++d) sum += q[d] * static_cast<float>(keys[j * p.size + d]);
                scores[j] = sum * float(p.scale);
            }
        }
        soften(scores, end, false, 0);
        std::fill_n(sums, p.size, 0.f);
        for (std::int64_t j = 0; j < end; ++j)
            for (std::int64_t d = 0; d < p.size; ++d) sums[d] += scores[j] * static_cast<float>(values[j * p.size + d]);
        T* y = a.out<T>(0) + (at * p.heads + head) * p.size;
        for (std::int64_t d = 0; d < p.size; ++d) y[d] = static_cast<T>(sums[d]);
    }
};
}  // namespace v1
}  // namespace inlay
