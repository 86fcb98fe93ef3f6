// GatherBlockQuantized (com.microsoft, since 1): Gather of dequantized data, (data - zero point) * scale, one scale
// and zero point per block_size elements along quantize_axis. Data is int4 or uint4, whose zero point is 0 where none
// are given; or uint8 that holds values of 2, 4 or 8 bits along its last axis, the first in the lowest bits, whose zero
// point is then 2^(bits - 1); or float8 or float4e2m1, which have none, may have one block for the whole axis
// (block_size 0), and scales that broadcast along the other axes. An index out of range gives zeros.
// Inputs: data, indices, scales, zero_points, packed as data is.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
struct block_codes {};
template <>
inline constexpr element_set elements_of<block_codes> = {
    quantized::small_reals.bits | element_set::of({element::i4, element::u4, element::u8, element::f4e2m1}).bits};

struct block_table {
    shape dims{}, steps{};  // of the quantized values; between the scales of neighbours, 0 where they repeat
    int gathered = 0, quantised = 1, bits = 4;
    std::int64_t block = 0, scales_row = 0;  // scales_row: along the last axis
    element type{};
    bool integers = true;

    static constexpr verdict read(const node_view& n, block_table& t) {
        t.type = n.input_type(0);
        t.integers = !quantized::small_reals.has(t.type) && t.type != element::f4e2m1;
        const std::int64_t bits = n.integer("bits", 4);
        if (t.type == element::u8 && bits != 2 && bits != 4 && bits != 8) return no("bits must be 2, 4 or 8");
        t.bits = t.type == element::u8 ? int(bits) : 4;
        t.block = n.integer("block_size", 128);
        if (t.block == 0 ? t.integers : t.block < 16 || (t.block & (t.block - 1)))
            return no("block_size must be a power of two from 16 on, or 0 for numbers that are no integers");
        if (n.has_input(3) && !t.integers) return no("zero_points are for integers");
        t.dims = n.input(0).dims;
        if (t.dims.rank < 0) return yes();
        t.gathered = normal_axis(n.integer("gather_axis", 0), t.dims.rank);
        t.quantised = normal_axis(n.integer("quantize_axis", 1), t.dims.rank);
        if (t.gathered < 0 || t.quantised < 0) return no("an axis is out of range");
        if (t.type == element::u8) {
            if (t.gathered != 0) return no("gather_axis must be 0 for uint8");
            if (t.bits < 8 && t.quantised == 0)
                return no("packed data cannot be gathered along the axis of its blocks");
            if (std::int64_t& last_size = t.dims[t.dims.rank - 1]; last_size > 0 && !multiplied(last_size, 8 / t.bits))
                return no("data is too large");
        }
        return countable(t.dims) ? yes() : no("data is too large");
    }
    constexpr verdict read_scales(const shape& s) {  // all dimensions are known
        if (s.rank < 0 || s.rank > max_rank || s.rank != dims.rank) return no("scales must have the rank of data");
        steps = strides_of(s, layout::plain);
        if (block == 0) block = std::max<std::int64_t>(dims[quantised], 1);
        for (int i = 0; i < s.rank; ++i) {
            const std::int64_t expected = i == quantised ? (dims[i] + block - 1) / block : dims[i];
            if (s[i] != expected && (integers || i == quantised || s[i] != 1))
                return no("scales must have the shape of data, but one element per block along quantize_axis");
            if (i != quantised && s[i] == 1) steps[i] = 0;
        }
        scales_row = s[s.rank - 1];
        return yes();
    }
    constexpr std::int64_t zeros_row() const { return (scales_row * bits + 7) / 8; }  // in bytes, of uint8
    // Where the scale of element i lies, for how many elements from there on, and its step from one to the next.
    struct stretch {
        std::int64_t scale, count, step;
    };
    constexpr stretch scale_of(std::int64_t i) const {
        const int last_axis = dims.rank - 1;
        stretch s{0, 0, last_axis == quantised ? 0 : steps[last_axis]};
        for (int a = last_axis; a >= 0; --a) {
            const std::int64_t at = i % dims[a];
            i /= dims[a];
            s.scale += (a == quantised ? at / block : at) * steps[a];
            if (a == last_axis) s.count = std::min(dims[a] - at, a == quantised ? block - at % block : dims[a]);
        }
        return s;
    }
    // Of integers.
    int plain_code(const void* x, std::int64_t i) const {
        const std::uint8_t byte = static_cast<const std::uint8_t*>(x)[i * bits / 8];
        return byte >> (i * bits % 8) & ((1 << bits) - 1);
    }
    constexpr int flip() const { return type == element::i4 ? 8 : 0; }  // a value is (stored bits ^ flip) - flip
    int code(const void* x, std::int64_t i) const { return (plain_code(x, i) ^ flip()) - flip(); }
};

namespace op {
struct gather_block_quantized : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GatherBlockQuantized";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<block_codes, float>, types<block_codes, float16>, types<block_codes, bfloat16>>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.reads = reading::selected};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("data, indices or scales is missing");
        if (n.input_count() > 4) return no("there are too many inputs");
        block_table t;
        if (const verdict v = block_table::read(n, t); !v) return v;
        const shape& indices = n.input(1).dims;
        if (t.dims.rank < 0 || indices.rank < 0) return yes();
        if (t.dims.rank - 1 + indices.rank > max_rank) return no("the output has more than 8 dimensions");
        shape s;
        for (int i = 0; i < t.gathered; ++i) s.push_back(t.dims[i]);
        for (const std::int64_t d : indices) s.push_back(d);
        for (int i = t.gathered + 1; i < t.dims.rank; ++i) s.push_back(t.dims[i]);
        y[0] = s;
        if (!countable(s)) return no("the output is too large");
        if (!n.input(0).dims.known() || !n.input(2).dims.known()) return yes();
        if (const verdict v = t.read_scales(n.input(2).dims); !v) return v;
        if (!n.has_input(3) || !n.input(3).dims.known()) return yes();
        shape zeros = n.input(2).dims;
        if (t.type == element::u8) zeros[zeros.rank - 1] = t.zeros_row();
        return n.input(3).dims == zeros ? yes() : no("zero_points must have the shape of scales, packed as data is");
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(2); }
};
}  // namespace op

template <class T> struct kernel<op::gather_block_quantized, device::reference, types<block_codes, T>> : simple_kernel {
    struct params {
        block_table table;
        std::int64_t outer, length, inner, count;  // length: of the axis; inner: elements of a row; count: of indices
        bool wide, has_zeros;                      // wide: int64 indices
        std::int64_t index(const arguments& a, std::int64_t i) const {  // -1: out of range
            const std::int64_t k = wide ? a.in<std::int64_t>(1)[i] : a.in<std::int32_t>(1)[i];
            return k < -length || k >= length ? -1 : k < 0 ? k + length : k;
        }
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).type != element::i32 && n.input(1).type != element::i64)
            return no("the indices are neither int32 nor int64");
        if (n.input(2).type != n.output(0).type) return no("scales and the output must have one type");
        if (n.has_input(3) && n.input(3).type != n.input(0).type) return no("data and zero_points must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        (void)block_table::read(n, p.table);
        (void)p.table.read_scales(n.input(2).dims);
        const shape& x = p.table.dims;
        const int axis = p.table.gathered;
        p.outer = x.elements(0, axis);
        p.length = x[axis];
        p.inner = x.elements(axis + 1);
        p.count = n.input(1).dims.elements();
        p.wide = n.input(1).type == element::i64;
        p.has_zeros = n.has_input(3);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return gather(p, a, c, [&](std::int64_t from, std::int64_t count, int zero, float scale, T* y) noexcept {
            decode_block(p.table, a.inputs[0], from, count, zero, scale, y);
        });
    }

  protected:
    // of_block(from, count, zero, scale, y): integers that share a scale and a zero point, which lie one after the
    // other.
    template <class F> static status gather(const params& p, const arguments& a, context& c, F of_block) noexcept {
        c.split(p.outer * p.count, 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                T* y = a.out<T>(0) + i * p.inner;
                if (const std::int64_t k = p.index(a, i % p.count); k < 0)
                    std::fill_n(y, p.inner, T(0));
                else
                    decode(p, a, (i / p.count * p.length + k) * p.inner, y, of_block);
            }
        });
        return status::ok;
    }

  private:
    template <class F>
    static void decode(const params& p, const arguments& a, std::int64_t from, T* y, F of_block) noexcept {
        const block_table& t = p.table;
        const int last_axis = t.dims.rank - 1;
        for (std::int64_t offset = 0; offset < p.inner;) {
            block_table::stretch s = t.scale_of(from + offset);
            if (t.integers && last_axis == t.quantised) {  // to the end of the row, block by block
                const std::int64_t end =
                    std::min(p.inner, offset + t.dims[last_axis] - (from + offset) % t.dims[last_axis]);
                for (; offset < end; offset += s.count, s = {s.scale + t.steps[last_axis], t.block, 0}) {
                    s.count = std::min(s.count, end - offset);
                    of_block(from + offset, s.count, zero(p, a, s.scale), static_cast<float>(a.in<T>(2)[s.scale]),
                             y + offset);
                }
                continue;
            }
            const std::int64_t count = std::min(s.count, p.inner - offset);
            for (std::int64_t j = 0; j < count; ++j, ++offset) {
                const std::int64_t at = s.scale + j * s.step;
                const float x = t.integers ? float(t.code(a.inputs[0], from + offset) - zero(p, a, at))
                                           : float(quantized::load(t.type, a.inputs[0], from + offset));
                y[offset] = static_cast<T>(x * static_cast<float>(a.in<T>(2)[at]));
            }
        }
    }
    static void decode_block(const block_table& t, const void* x, std::int64_t from, std::int64_t count, int zero,
                             float scale, T* y) noexcept {
        const int flip = t.flip(), less = zero + flip;
        const auto number = [=](int code) { return static_cast<T>(float((code ^ flip) - less) * scale); };
        const auto* bytes = static_cast<const std::uint8_t*>(x);
        if (t.bits == 8)
            for (std::int64_t j = 0; j < count; ++j) y[j] = number(bytes[from + j]);
        else if (t.bits == 4 && from % 2 == 0) {
            bytes += from / 2;
            for (std::int64_t i = 0; i < count / 2; ++i) {
                y[2 * i] = number(bytes[i] & 15);
                y[2 * i + 1] = number(bytes[i] >> 4);
            }
            if (count % 2) y[count - 1] = number(bytes[count / 2] & 15);
        } else
            for (std::int64_t j = 0; j < count; ++j) y[j] = number(t.plain_code(x, from + j));
    }
    static int zero(const params& p, const arguments& a, std::int64_t scale) noexcept {
        const block_table& t = p.table;
        if (!p.has_zeros) return t.type == element::u8 ? 1 << (t.bits - 1) : 0;
        if (t.type != element::u8) return t.code(a.inputs[3], scale);
        const std::uint8_t* row = a.in<std::uint8_t>(3) + scale / t.scales_row * t.zeros_row();
        return t.code(row, scale % t.scales_row);
    }
};
}  // namespace v1
}  // namespace inlay
