// Operators of ai.onnx.ml on maps (since 1). ZipMap: each row of scores becomes a map from labels to scores.
// DictVectorizer: a map becomes a row with the value of each key of a vocabulary, 0 where the map has none.
#pragma once
#include <inlay/support/class_labels.hpp>
#include <inlay/support/objects.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct zip_map : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "ZipMap";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = each_type<float>;
    static constexpr element output_type(const node_view&, int) { return element::object; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (const verdict fits = feature_rows::check(x); !fits) return fits;
        if (const verdict named = class_labels::check(n, "classlabels_int64s"); !named) return named;
        const std::int64_t columns = feature_rows::features_of(x);
        if (columns >= 0 && columns != class_labels::count(n, "classlabels_int64s"))
            return no("labels and columns differ in number");
        y[0] = {};
        return yes();
    }
};
struct dict_vectorizer : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "DictVectorizer";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = each_type<any_value>;
    static constexpr value_type map_type(const node_view& n) {
        const int k = n.input(0).container;
        return k < 0 ? value_type{} : n.graph.containers[std::size_t(k)];
    }
    static constexpr std::int64_t keys(const node_view& n) {
        return std::int64_t(n.texts("string_vocabulary").size() + n.integers("int64_vocabulary").size());
    }
    static constexpr element output_type(const node_view& n, int) { return map_type(n).type; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const value_type t = map_type(n);
        if (t.known() && (t.depth != 1 || t.kind() != value_kind::map)) return no("the input is no map");
        if (n.texts("string_vocabulary").empty() == n.integers("int64_vocabulary").empty())
            return no("the vocabulary must be of strings or of integers");
        y[0] = {1, keys(n)};
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::zip_map, device::reference, types<float>> : simple_kernel {
    struct params {
        node_pointer node;
        feature_rows x;
    };
    struct state {
        std::vector<map_key> keys;
    };
    static constexpr params prepare(const node_view& n) { return {node_pointer(n), feature_rows::of(n)}; }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            for (std::string_view key : p.node.view().texts("classlabels_strings"))
                s.keys.emplace_back(std::string(key));
            for (std::int64_t key : p.node.view().integers("classlabels_int64s")) s.keys.emplace_back(key);
            return status::ok;
        });
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return make_values(c, [&] {
            const std::int64_t entry = sizeof(map::value_type) + bytes_of_copy(element::f32, {}, nullptr);
            if (!c.take(p.x.rows * (p.x.features * entry + std::int64_t(sizeof(map)))))
                return c.fail(no_memory_left, status::out_of_memory);
            const float* x = a.in<float>(0);
            sequence rows;
            for (std::int64_t r = 0; r < p.x.rows; ++r) {
                map row;
                for (std::int64_t k = 0; k < p.x.features; ++k)
                    row.insert_or_assign(s.keys[std::size_t(k)], tensor(shape{}, {x[r * p.x.features + k]}));
                rows.emplace_back(std::move(row));
            }
            *a.out<any_value>(0) = std::move(rows);
            return status::ok;
        });
    }
};

template <> struct kernel<op::dict_vectorizer, device::reference, types<any_value>> : simple_kernel {
    struct params {
        node_pointer node;
        element type;
    };
    struct state {
        std::vector<map_key> keys;
    };
    static constexpr verdict supports(const node_view& n) {
        switch (n.output(0).type) {
            case element::i64:
            case element::f32:
            case element::f64:
            case element::string: return yes();
            default: return no("the map has no values of a type that DictVectorizer takes");
        }
    }
    static constexpr params prepare(const node_view& n) { return {node_pointer(n), n.output(0).type}; }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            for (std::string_view key : p.node.view().texts("string_vocabulary")) s.keys.emplace_back(std::string(key));
            for (std::int64_t key : p.node.view().integers("int64_vocabulary")) s.keys.emplace_back(key);
            return status::ok;
        });
    }
    template <class T> static status fill(const state& s, const map& from, T* y, context& c) {
        for (std::size_t k = 0; k < s.keys.size(); ++k) {
            y[k] = T();
            const auto at = from.find(s.keys[k]);
            if (at == from.end()) continue;
            const tensor* t = at->second.as_tensor();
            if (!t || t->type() != element_of<T> || t->elements() != 1 || !t->on_host())
                return c.fail("a value of the map is not one element of its type");
            y[k] = *static_cast<const T*>(t->data());
        }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const map* from = a.in<any_value>(0)->as_map();
        if (!from) return c.fail("the input is no map");
        return make_values(c, [&] {
            switch (p.type) {
                case element::i64: return fill(s, *from, a.out<std::int64_t>(0), c);
                case element::f32: return fill(s, *from, a.out<float>(0), c);
                case element::f64: return fill(s, *from, a.out<double>(0), c);
                default: return fill(s, *from, a.out<std::string>(0), c);
            }
        });
    }
};
}  // namespace v1
}  // namespace inlay
