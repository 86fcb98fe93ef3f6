// Of com.microsoft, since 1: HyperConnectionPreMix: Y[h] = reduction_scale * sum over branches c of X[c, h] gate[c, h];
// HyperConnectionPostMix: Y[k, h] = sum over c of stream_mix[c, k] X[c, h], or X[k, h] without stream_mix, + gate[k, h]
// block_output[h]. X is [..., C, H], or with num_branches C [..., C * H]; gates are [..., C], [..., C, 1], [..., C, H],
// or of PreMix, where X is flat, [..., C * H]. Inputs of PreMix: X, gates; of PostMix: X, block_output, gates,
// stream_mix. Computed in float32.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/stream_branches.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct hyper_connection_pre_mix : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "HyperConnectionPreMix";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 2 || !n.has_input(0) || !n.has_input(1))
            return no("HyperConnectionPreMix has two inputs");
        if (!n.input(0).dims.known() || !n.input(1).dims.known()) return yes();
        stream_branches b;
        if (const verdict v = b.read(n); !v) return v;
        y[0] = {};
        for (int i = 0; i < b.lead; ++i) y[0].push_back(n.input(0).dims[i]);
        y[0].push_back(b.size);
        stream_branches::gates g;
        return b.read_gates(n, 1, true, g);
    }
};
struct hyper_connection_post_mix : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "HyperConnectionPostMix";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("streams, block_output or post_mix is missing");
        if (n.input_count() > 4) return no("there are too many inputs");
        y[0] = n.input(0).dims;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        stream_branches b;
        if (const verdict v = b.read(n); !v) return v;
        if (!b.fits(n, n.input(1).dims, {b.size})) return no("block_output must be [..., size]");
        if (n.has_input(3) && !b.fits(n, n.input(3).dims, {b.count, b.count}))
            return no("stream_mix must be [..., branches, branches]");
        stream_branches::gates g;
        return b.read_gates(n, 2, false, g);
    }
};
}  // namespace op

struct hyper_connection_params {
    stream_branches branches{};
    stream_branches::gates gates{};
    double scale = 1;
    element mixing = element::undefined;  // the type of gates and stream_mix
    bool mixes = false;
    static constexpr verdict types(const node_view& n, int gates) {
        const element e = n.input(gates).type;
        if (!is_any_float(e) || e == element::f64) return no("gates must be float, float16 or bfloat16");
        if (gates == 2 && n.input(1).type != n.input(0).type) return no("streams and block_output must have one type");
        return n.has_input(3) && n.input(3).type != e ? no("post_mix and stream_mix must have one type") : yes();
    }
    static constexpr hyper_connection_params of(const node_view& n, int gates) {
        hyper_connection_params p;
        (void)p.branches.read(n);
        (void)p.branches.read_gates(n, gates, gates == 1, p.gates);
        p.scale = n.real("reduction_scale", 1);
        p.mixing = n.input(gates).type;
        p.mixes = n.has_input(3);
        return p;
    }
    // Of element i of a branch, which is counted through all rows.
    float gate(const arguments& a, int k, std::int64_t branch, std::int64_t i) const noexcept {
        return load_float<float>(mixing, a.inputs[k], gates.at(branches, branch, i));
    }
};
template <class T> struct kernel<op::hyper_connection_pre_mix, device::reference, types<T>> : simple_kernel {
    using params = hyper_connection_params;
    static constexpr verdict supports(const node_view& n) { return params::types(n, 1); }
    static constexpr params prepare(const node_view& n) { return params::of(n, 1); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const stream_branches& b = p.branches;
        c.split(b.rows * b.size, 4096 / b.count + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t j = first; j < end; ++j) {
                const std::int64_t row = j / b.size, i = j % b.size;
                float sum = 0;
                for (std::int64_t branch = row * b.count; branch < (row + 1) * b.count; ++branch)
                    sum += static_cast<float>(a.in<T>(0)[branch * b.size + i]) * p.gate(a, 1, branch, i);
                a.out<T>(0)[j] = static_cast<T>(float(p.scale) * sum);
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::hyper_connection_post_mix, device::reference, types<T>> : simple_kernel {
    using params = hyper_connection_params;
    static constexpr verdict supports(const node_view& n) { return params::types(n, 2); }
    static constexpr params prepare(const node_view& n) { return params::of(n, 2); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const stream_branches& b = p.branches;
        c.split(b.rows * b.count * b.size, 4096 / b.count + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t j = first; j < end; ++j) {
                const std::int64_t branch = j / b.size, row = branch / b.count, i = j % b.size;
                float sum = p.mixes ? 0 : static_cast<float>(a.in<T>(0)[j]);
                for (std::int64_t from = row * b.count; p.mixes && from < (row + 1) * b.count; ++from)
                    sum += load_float<float>(p.mixing, a.inputs[3], from * b.count + branch % b.count) *
                           static_cast<float>(a.in<T>(0)[from * b.size + i]);
                sum += p.gate(a, 2, branch, i) * static_cast<float>(a.in<T>(1)[row * b.size + i]);
                a.out<T>(0)[j] = static_cast<T>(sum);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
