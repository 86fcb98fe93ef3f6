// LabelEncoder (since 1), CategoryMapper (since 1): each element is looked up in a list of keys and becomes the value
// next to its key, or the default value. Of equal keys the last one counts; NaN is any NaN, and 0 is -0.
// OneHotEncoder (since 1): each element becomes a row with a one at the place of its category.
#pragma once
#include <inlay/support/model_lists.hpp>
#include <bit>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
struct label {};
template <>
inline constexpr element_set elements_of<label> = element_set::of({element::string, element::i64, element::f32,
                                                                   element::i32, element::i16, element::f64});
struct category {};
template <>
inline constexpr element_set elements_of<category> = element_set::of({element::string, element::i64, element::i32,
                                                                      element::f32, element::f64});

// A list of texts or numbers among the attributes of a node, and its type.
struct label_list {
    element type = element::undefined;
    std::string_view name{};
    std::int64_t count = 0;
    bool is_tensor = false;

    static constexpr label_list of(const node_view& n, std::string_view texts, std::string_view integers,
                                   std::string_view reals, std::string_view as_tensor) {
        if (const value* t = n.tensor(as_tensor)) return {t->type, as_tensor, t->dims.elements(), true};
        if (const auto c = std::int64_t(n.texts(texts).size())) return {element::string, texts, c};
        if (const auto c = std::int64_t(n.integers(integers).size())) return {element::i64, integers, c};
        if (const auto c = std::int64_t(n.reals(reals).size())) return {element::f32, reals, c};
        return {};
    }
    static constexpr label_list keys(const node_view& n) {
        if (n.record.op == "CategoryMapper" || n.version() == 1) {
            const std::string_view texts =
                n.version() == 1 && n.record.op == "LabelEncoder" ? "classes_strings" : "cats_strings";
            if (n.input(0).type == element::string) return of(n, texts, "", "", "");
            if (n.record.op == "CategoryMapper") return of(n, "", "cats_int64s", "", "");
            return {element::i64, "", std::int64_t(n.texts(texts).size())};  // their positions
        }
        return of(n, "keys_strings", "keys_int64s", "keys_floats", "keys_tensor");
    }
    static constexpr label_list values(const node_view& n) {
        if (n.record.op == "CategoryMapper" || n.version() == 1) {
            const std::string_view texts = n.record.op == "LabelEncoder" ? "classes_strings" : "cats_strings";
            if (n.input(0).type != element::string) return of(n, texts, "", "", "");
            if (n.record.op == "CategoryMapper") return of(n, "", "cats_int64s", "", "");
            return {element::i64, "", std::int64_t(n.texts(texts).size())};
        }
        return of(n, "values_strings", "values_int64s", "values_floats", "values_tensor");
    }
};

namespace op {
struct mapped_labels : standard {
    static constexpr std::string_view domain = "ai.onnx.ml";
    static constexpr version_range versions{1, 28};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements = hana::tuple_t<types<label, label>>;
    static constexpr element output_type(const node_view& n, int) { return label_list::values(n).type; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const label_list keys = label_list::keys(n), values = label_list::values(n);
        if (keys.count < 1 || keys.count != values.count) return no("keys and values differ in number, or are missing");
        if (keys.type != n.input(0).type) return no("the keys are not of the input's type");
        return same_shape(n, y);
    }
};
struct label_encoder : mapped_labels {
    static constexpr std::string_view onnx_name = "LabelEncoder";
};
struct category_mapper : mapped_labels {
    static constexpr std::string_view onnx_name = "CategoryMapper";
};
struct one_hot_encoder : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "OneHotEncoder";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = each_type<category>;
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr std::int64_t categories(const node_view& n) {
        return std::int64_t(n.input(0).type == element::string ? n.texts("cats_strings").size()
                                                               : n.integers("cats_int64s").size());
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (categories(n) == 0) return no("no categories of the input's type");
        if (x.rank == max_rank) return no("the output has more than 8 dimensions");
        if (x.rank < 0) return yes();
        y[0] = x;
        y[0].push_back(categories(n));
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

// Where each of a list of keys is.
class label_index {
    std::unordered_map<std::string, std::int64_t> texts_;
    std::unordered_map<std::uint64_t, std::int64_t> numbers_;
    static std::uint64_t code(double x) {
        return std::bit_cast<std::uint64_t>(x != x ? std::numeric_limits<double>::quiet_NaN() : x + 0.);  // no -0
    }

  public:
    void add(std::string_view key, std::int64_t at) { texts_.insert_or_assign(std::string(key), at); }
    void add(double key, std::int64_t at) { numbers_.insert_or_assign(code(key), at); }
    void add(std::int64_t key, std::int64_t at) { numbers_.insert_or_assign(std::uint64_t(key), at); }
    // The place of element i, or -1.
    std::int64_t find(element type, const void* x, std::int64_t i) const noexcept {
        const auto number = [&](std::uint64_t key) {
            const auto at = numbers_.find(key);
            return at == numbers_.end() ? -1 : at->second;
        };
        switch (type) {
            case element::string: {
                const auto at = texts_.find(static_cast<const std::string*>(x)[i]);
                return at == texts_.end() ? -1 : at->second;
            }
            case element::f32: return number(code(static_cast<const float*>(x)[i]));
            case element::f64: return number(code(static_cast<const double*>(x)[i]));
            case element::i16: return number(std::uint64_t(std::int64_t(static_cast<const std::int16_t*>(x)[i])));
            case element::i32: return number(std::uint64_t(std::int64_t(static_cast<const std::int32_t*>(x)[i])));
            default: return number(std::uint64_t(static_cast<const std::int64_t*>(x)[i]));
        }
    }
};

struct label_kernel : simple_kernel {
    struct params {
        node_pointer node;
        std::int64_t count;
        element from, to;
    };
    struct state {
        label_index keys;
        std::vector<std::string> texts;
        std::vector<double> reals;
        std::vector<std::int64_t> integers;  // of these three the one of the values' type: values, then the default
    };
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n), n.input(0).dims.elements(), n.input(0).type, n.output(0).type};
    }
    static bool is_real(element e) { return e == element::f32 || e == element::f64; }
    // use(item, position) of each of a list; false where a tensor is not there to read.
    template <class F> static bool each(const node_view& n, const label_list& list, F use) {
        const auto visit_items = [&](const auto& items) {
            for (std::size_t i = 0; i < items.size(); ++i) use(items[i], std::int64_t(i));
            return std::int64_t(items.size()) == list.count;
        };
        if (list.is_tensor) {
            const value& t = *n.tensor(list.name);
            if (const auto items = n.texts_of(t)) return visit_items(*items);
            if (const auto items = n.integers_of(t)) return visit_items(*items);
            if (const auto items = n.reals_of(t)) return visit_items(*items);
            return false;
        }
        if (list.name.empty()) {
            for (std::int64_t i = 0; i < list.count; ++i) use(i, i);
            return true;
        }
        if (list.type == element::string) return visit_items(n.texts(list.name));
        return list.type == element::i64 ? visit_items(n.integers(list.name)) : visit_items(n.reals(list.name));
    }
    static void put_in(state& s, std::string_view x) { s.texts.emplace_back(x); }
    static void put_in(state& s, double x) { s.reals.push_back(x); }
    static void put_in(state& s, std::int64_t x) { s.integers.push_back(x); }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            const bool success =
                each(n, label_list::keys(n), [&](auto key, std::int64_t at) { s.keys.add(key, at); }) &&
                each(n, label_list::values(n), [&](auto item, std::int64_t) { put_in(s, item); });
            if (!success) return refused(u, "keys or values are in a tensor that cannot be read");
            if (const value* t = n.tensor("default_tensor")) {
                if (t->type != p.to ||
                    !each(n, {t->type, "default_tensor", 1, true}, [&](auto item, std::int64_t) { put_in(s, item); }))
                    return refused(u, "the default is not one value of the output's type");
            } else if (p.to == element::string)
                put_in(s, n.text("default_string", "_Unused"));
            else if (is_real(p.to))
                put_in(s, n.real("default_float", -0.));
            else
                put_in(s, n.integer("default_int64", -1));
            return status::ok;
        });
    }
    static void put(const params& p, const state& s, void* y, std::int64_t i, std::size_t at) noexcept {
        switch (p.to) {
            case element::string: static_cast<std::string*>(y)[i] = s.texts[at]; break;
            case element::f32: static_cast<float*>(y)[i] = static_cast<float>(s.reals[at]); break;
            case element::f64: static_cast<double*>(y)[i] = s.reals[at]; break;
            case element::i16: static_cast<std::int16_t*>(y)[i] = static_cast<std::int16_t>(s.integers[at]); break;
            case element::i32: static_cast<std::int32_t*>(y)[i] = static_cast<std::int32_t>(s.integers[at]); break;
            default: static_cast<std::int64_t*>(y)[i] = s.integers[at];
        }
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::size_t otherwise = std::max({s.texts.size(), s.reals.size(), s.integers.size()}) - 1;
        c.split(p.count, 2048, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t at = s.keys.find(p.from, a.inputs[0], i);
                put(p, s, a.outputs[0], i, at < 0 ? otherwise : std::size_t(at));
            }
        });
        return status::ok;
    }
};
template <> struct kernel<op::label_encoder, device::reference, types<label, label>> : label_kernel {};
template <> struct kernel<op::category_mapper, device::reference, types<label, label>> : label_kernel {};

template <> struct kernel<op::one_hot_encoder, device::reference, types<category>> : simple_kernel {
    struct params {
        node_pointer node;
        std::int64_t count, categories;
        element type;
        bool zeros;
    };
    struct state {
        label_index categories;
    };
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n), n.input(0).dims.elements(), op::one_hot_encoder::categories(n), n.input(0).type,
                n.integer("zeros", 1) != 0};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            const auto add = [&](const auto& list) {
                for (std::size_t i = list.size(); i-- > 0;) s.categories.add(list[i], std::int64_t(i));  // the first
            };
            if (p.type == element::string)
                add(p.node.view().texts("cats_strings"));
            else
                add(p.node.view().integers("cats_int64s"));
            return status::ok;
        });
    }
    static std::int64_t place(const params& p, const state& s, const void* x, std::int64_t i) noexcept {
        if (p.type != element::f32 && p.type != element::f64) return s.categories.find(p.type, x, i);
        const double v = p.type == element::f32 ? static_cast<const float*>(x)[i] : static_cast<const double*>(x)[i];
        if (!(v > -0x1p63 && v < 0x1p63)) return -1;
        const auto whole = std::int64_t(v);
        return s.categories.find(element::i64, &whole, 0);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float* y = a.out<float>(0);
        std::fill_n(y, p.count * p.categories, 0.f);
        for (std::int64_t i = 0; i < p.count; ++i) {
            const std::int64_t at = place(p, s, a.inputs[0], i);
            if (at >= 0)
                y[i * p.categories + at] = 1;
            else if (!p.zeros)
                return c.fail("an element is none of the categories");
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
