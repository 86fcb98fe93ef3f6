// Operators of ai.onnx.ml on each feature (since 1): Binarizer (x > threshold), Imputer (one value for another),
// Normalizer (rows by their maximum or norm), Scaler ((x - offset) * scale).
#pragma once
#include <inlay/support/model_lists.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct of_features : standard {
    static constexpr std::string_view domain = "ai.onnx.ml";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = feature_types;
    static constexpr verdict one_per_feature(const node_view& n, std::int64_t listed) noexcept {
        const shape& x = n.input(0).dims;
        const std::int64_t features = x.rank < 1 ? x.rank == 0 ? 1 : -1 : x[x.rank - 1];
        return listed <= 1 || features < 0 || listed == features
                   ? yes()
                   : no("an attribute has neither one value nor one for each feature");
    }
};
struct binarizer : of_features {
    static constexpr std::string_view onnx_name = "Binarizer";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
struct imputer : of_features {
    static constexpr std::string_view onnx_name = "Imputer";
    static constexpr std::int64_t listed(const node_view& n) {
        return std::int64_t(is_integer(n.input(0).type) ? n.integers("imputed_value_int64s").size()
                                                        : n.reals("imputed_value_floats").size());
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (listed(n) == 0) return no("no values of the input's type to put in");
        if (const verdict fits = one_per_feature(n, listed(n)); !fits) return fits;
        return same_shape(n, y);
    }
};
struct scaler : of_features {
    static constexpr std::string_view onnx_name = "Scaler";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (const char* name : {"offset", "scale"})
            if (const verdict fits = one_per_feature(n, std::int64_t(n.reals(name).size())); !fits) return fits;
        return same_shape(n, y);
    }
    static constexpr element output_type(const node_view&, int) { return element::f32; }
};
struct normalizer : of_features {
    static constexpr std::string_view onnx_name = "Normalizer";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view norm = n.text("norm", "MAX");
        if (norm != "MAX" && norm != "L1" && norm != "L2") return no("norm must be MAX, L1 or L2");
        return same_shape(n, y);
    }
    static constexpr element output_type(const node_view&, int) { return element::f32; }
};
}  // namespace op

// Numbers of any type in the precision that they are computed in.
template <class T> using wide_feature = std::conditional_t<std::is_same_v<T, float>, float, double>;

template <class T> struct kernel<op::binarizer, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count;
        double threshold;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements(), n.real("threshold", 0)}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first; i < end; ++i)
                a.out<T>(0)[i] = static_cast<double>(a.in<T>(0)[i]) > p.threshold ? T(1) : T(0);
        });
        return status::ok;
    }
};

template <class T> struct kernel<op::imputer, device::reference, types<T>> : simple_kernel {
    struct params {
        node_pointer node;
        std::int64_t count, features;
        T replaced;
    };
    struct state {
        std::vector<T> values;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        if constexpr (std::is_same_v<T, std::int32_t>) {
            constexpr std::int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
            for (std::int64_t v : n.integers("imputed_value_int64s"))
                if (v < least || v > most) return no("a value to put in does not fit the input's type");
        }
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        if constexpr (std::is_integral_v<T>) {
            const std::int64_t v = n.integer("replaced_value_int64", 0);
            return {node_pointer(n), x.elements(), x.rank < 1 ? 1 : x[x.rank - 1], static_cast<T>(v)};
        } else
            return {node_pointer(n), x.elements(), x.rank < 1 ? 1 : x[x.rank - 1],
                    static_cast<T>(n.real("replaced_value_float", 0))};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            const auto keep = [&](const auto& list) {
                for (const auto v : list) s.values.push_back(static_cast<T>(v));
            };
            if constexpr (std::is_integral_v<T>)
                keep(p.node.view().integers("imputed_value_int64s"));
            else
                keep(p.node.view().reals("imputed_value_floats"));
            return status::ok;
        });
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const bool is_single = s.values.size() == 1;
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first; i < end; ++i) {
                const T x = a.in<T>(0)[i];
                const bool same = x == p.replaced || (x != x && p.replaced != p.replaced);
                a.out<T>(0)[i] = same ? s.values[std::size_t(is_single ? 0 : i % p.features)] : x;
            }
        });
        return status::ok;
    }
};

template <class T> struct kernel<op::scaler, device::reference, types<T>> : simple_kernel {
    struct params {
        node_pointer node;
        std::int64_t count, features;
    };
    struct state {
        std::vector<double> offset, scale;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {node_pointer(n), x.elements(), x.rank < 1 ? 1 : x[x.rank - 1]};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            s.offset = real_list(p.node.view(), "offset", "");
            s.scale = real_list(p.node.view(), "scale", "");
            if (s.offset.empty()) s.offset.assign(1, 0);
            if (s.scale.empty()) s.scale.assign(1, 1);
            return status::ok;
        });
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        using W = wide_feature<T>;
        const bool one_offset = s.offset.size() == 1, one_scale = s.scale.size() == 1;
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first; i < end; ++i) {
                const auto k = std::size_t(i % p.features);
                a.out<float>(0)[i] =
                    static_cast<float>((static_cast<W>(a.in<T>(0)[i]) - static_cast<W>(s.offset[one_offset ? 0 : k])) *
                                       static_cast<W>(s.scale[one_scale ? 0 : k]));
            }
        });
        return status::ok;
    }
};

template <class T> struct kernel<op::normalizer, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, features;
        char norm;  // M, 1 or 2
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const std::string_view norm = n.text("norm", "MAX");
        return {x.rank < 1 ? 1 : x.elements(0, x.rank - 1), x.rank < 1 ? 1 : x[x.rank - 1],
                norm == "MAX" ? 'M' : norm[1]};
    }
    static double divisor(const params& p, const T* x) {
        double sum = p.norm == 'M' ? static_cast<double>(x[0]) : 0;
        for (std::int64_t k = 0; k < p.features; ++k) {
            const auto v = static_cast<double>(x[k]);
            sum = p.norm == 'M' ? std::max(sum, v) : sum + (p.norm == '1' ? std::abs(v) : v * v);
        }
        return p.norm == '2' ? std::sqrt(sum) : sum;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.features == 0) return status::ok;
        c.split(p.rows, 1 + (1 << 13) / p.features, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t r = first; r < end; ++r) {
                const T* x = a.in<T>(0) + r * p.features;
                float* y = a.out<float>(0) + r * p.features;
                const double by = divisor(p, x);
                for (std::int64_t k = 0; k < p.features; ++k)
                    y[k] = static_cast<float>(by == 0 ? static_cast<double>(x[k]) : static_cast<double>(x[k]) / by);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
