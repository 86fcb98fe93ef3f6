// QLinearConcat (com.microsoft, since 1): tensors of 8-bit quantized values, (value - zero point) * scale side by side
// along an axis, quantized as Y. Inputs: scale and zero point of Y, then each tensor with its scale and zero point.
#pragma once
#include <inlay/support/linear_code.hpp>
#include <inlay/support/pieces.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_concat : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QLinearConcat";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(1)};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 5;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() < 5 || n.input_count() % 3 != 2)
            return no("each tensor must come with scale and zero point");
        for (int k = 0; k < n.input_count(); ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (!n.has("axis")) return no("there is no axis");
        for (int k = 0; k < n.input_count(); k += 3)
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(1).type); !v) return v;
        return joined(n, y);
    }

  private:
    static constexpr verdict joined(const node_view& n, std::span<shape> y) noexcept {
        shape s = shape::unknown();
        std::int64_t length = 0;
        for (int k = 2; k < n.input_count(); k += 3) {
            const shape& x = n.input(k).dims;
            if (n.input(k).type != n.input(1).type) return no("the tensors must have one type");
            if (!x.known()) return yes();
            const int a = normal_axis(n.integer("axis", 0), x.rank);
            if (a < 0) return no("axis is out of range");
            if (s.rank < 0) s = x;
            if (x.rank != s.rank) return no("the inputs have different ranks");
            for (int i = 0; i < x.rank; ++i)
                if (i != a && s[i] != x[i]) return no("the inputs differ in a dimension other than the axis");
            if (!increased(length, x[a])) return no("the output is too large");
        }
        s[normal_axis(n.integer("axis", 0), s.rank)] = length;
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::qlinear_concat, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        pieces list;
        int count;
        element type;
        presence has;
    };
    static constexpr bool read(const node_view& n, pieces& p) {
        const shape& y = n.output(0).dims;
        const int axis = normal_axis(n.integer("axis", 0), y.rank);
        for (int k = 2; k < n.input_count(); k += 3)
            if (!p.add(n.input(k).dims[axis], n.output_layout(0))) return false;
        p.finish(y, axis, n.output_layout(0));
        return true;
    }
    static constexpr verdict supports(const node_view& n) {
        pieces p;
        return read(n, p) ? yes() : no("the inputs have too many different lengths");
    }
    static constexpr params prepare(const node_view& n) {
        params p{{}, n.input_count() / 3, n.input(1).type, presence(n)};
        (void)read(n, p.list);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, 256 * tables(p)}; }
    static constexpr bool is_scaling(int input) { return input % 3 != 2; }
    static constexpr std::int64_t tables(const params& p) { return p.count; }
    static void make_tables(const params& p, const arguments& a, std::uint8_t* codes) noexcept {
        const quantized::linear_code y(p.type, a, 0, 1, p.has);
        for (int k = 0; k < p.count; ++k, codes += 256) {
            const quantized::bytes integers(p.type);
            const float scale = *a.in<float>(3 + 3 * k);
            const int zero = integers.at(a, 4 + 3 * k, 0);
            for (int code = 0; code < 256; ++code) codes[code] = y(scale * float(integers(std::uint8_t(code)) - zero));
        }
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        std::uint8_t* tables = reinterpret_cast<std::uint8_t*>(c.scratch);
        make_tables(p, a, tables);
        c.split(p.list.elements(), 1 << 15, [&](std::int64_t first, std::int64_t end, int) {
            over_pieces(p.list, first, end, [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
                const std::uint8_t *x = a.in<std::uint8_t>(2 + 3 * k) + from, *table = tables + 256 * k;
                for (std::int64_t i = 0; i < count; ++i) a.out<std::uint8_t>(0)[to + i] = table[x[i]];
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
