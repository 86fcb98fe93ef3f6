// GatherPacked (com.microsoft, since 1): rows of a table of K columns that is stored in blocks of quantized values,
// dequantized. data is [rows, bytes of a row] in the format of GGUF that packed_type numbers, of whose blocks K is a
// multiple. An index out of range, a negative one too, stands for row 0. Inputs: data, indices. The output has the type
// output_dtype: float32, float16 or bfloat16, which is the default.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/packed_formats.hpp>

namespace inlay {
inline namespace v1 {
struct packed_table {
    std::int64_t rows = -1, columns = 0, row_bytes = 0;
    int format = 0;  // its number

    constexpr verdict read(const node_view& n) {
        constexpr std::int64_t most = std::int64_t(1) << 48;  // so that nothing here overflows
        const packed_format* f = packed_format::numbered(n.integer("packed_type", -1));
        if (!f)
            return no("packed_type must be one of the formats 0, 1, 2, 6, 8, 13, 14, 16, 17, 18, 20, 22, 23, 30, 42");
        columns = n.integer("K", 0);
        if (columns < 1 || columns > most || columns % f->elements != 0)
            return no("K must be a positive multiple of the elements in a block of packed_type");
        format = f->number;
        row_bytes = columns / f->elements * f->bytes;
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank != 2) return no("data must be [rows, bytes of a row]");
        if (x[1] >= 0 && x[1] != row_bytes) return no("the rows of data must hold K elements of packed_type");
        rows = x[0];
        return rows == 0 && n.input(1).dims.known() && n.input(1).dims.elements() > 0 ? no("data has no rows") : yes();
    }
};
namespace op {
struct gather_packed : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GatherPacked";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<std::uint8_t, float>, types<std::uint8_t, float16>, types<std::uint8_t, bfloat16>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.reads = reading::selected};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 2 || !n.has_input(0) || !n.has_input(1)) return no("GatherPacked has two inputs");
        packed_table t;
        if (const verdict v = t.read(n); !v) return v;
        const shape& indices = n.input(1).dims;
        if (indices.rank < 0) return yes();
        if (indices.rank >= max_rank) return no("the output has more than 8 dimensions");
        y[0] = indices;
        y[0].push_back(t.columns);
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) {
        return element_numbered(n.integer("output_dtype", std::int64_t(element::bf16)));
    }
};
}  // namespace op

template <class T> struct kernel<op::gather_packed, device::reference, types<std::uint8_t, T>> : simple_kernel {
    struct params {
        packed_table table;
        std::int64_t count;  // of indices
        bool wide;           // they are int64
        std::int64_t row(const arguments& a, std::int64_t i) const {
            const std::int64_t k = wide ? a.in<std::int64_t>(1)[i] : a.in<std::int32_t>(1)[i];
            return k < 0 || k >= table.rows ? 0 : k;
        }
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).type != element::i32 && n.input(1).type != element::i64)
            return no("the indices are neither int32 nor int64");
        return op::gather_packed::output_type(n, 0) == n.output(0).type ? yes()
                                                                        : no("the output's type is not output_dtype");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        (void)p.table.read(n);
        p.count = n.input(1).dims.elements();
        p.wide = n.input(1).type == element::i64;
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.count, 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i)
                dequantize_row(p.table, a.in<std::uint8_t>(0) + p.row(a, i) * p.table.row_bytes,
                               a.out<T>(0) + i * p.table.columns);
        });
        return status::ok;
    }

  private:
    static void dequantize_row(const packed_table& t, const std::uint8_t* x, T* y) noexcept {
        const packed_format& f = *packed_format::numbered(t.format);
        for (std::int64_t j = 0; j < t.columns; j += f.elements, x += f.bytes) {
            if constexpr (std::is_same_v<T, float>)
                f.dequantize(x, y + j);
            else {
                float numbers[256];
                f.dequantize(x, numbers);
                for (int i = 0; i < f.elements; ++i) y[j + i] = static_cast<T>(numbers[i]);
            }
        }
    }
};
}  // namespace v1
}  // namespace inlay
