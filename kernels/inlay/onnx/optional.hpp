// Optional (since 15): an optional that holds the input, or an empty one of `type`; OptionalHasElement (15): whether it
// holds a value; OptionalGetElement (15): that value. A value of another type stands for an optional that holds it.
#pragma once
#include <inlay/support/objects.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct optional : standard {
    static constexpr std::string_view onnx_name = "Optional";
    static constexpr version_range versions{15, 28};
    static constexpr auto elements = each_type<any_element, any_value>;
    static constexpr int required_inputs = 0;
    static constexpr element output_type(const node_view&, int) { return element::object; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        y[0] = {};
        return n.has_input(0) || n.has("type") ? yes() : no("there is neither an input nor a type");
    }
};
struct optional_has_element : standard {
    static constexpr std::string_view onnx_name = "OptionalHasElement";
    static constexpr version_range versions{15, 28};
    static constexpr auto elements = each_type<any_element, any_value>;
    static constexpr int required_inputs = 0;
    static constexpr element output_type(const node_view&, int) { return element::boolean; }
    static constexpr verdict shapes(const node_view&, std::span<shape> y) noexcept {
        y[0] = {};
        return yes();
    }
};
struct optional_get_element : standard {
    static constexpr std::string_view onnx_name = "OptionalGetElement";
    static constexpr version_range versions{15, 28};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<any_element, any_element>, types<any_value, any_element>, types<any_value, any_value>>;
    static constexpr bool data_dependent = true;
    static constexpr bool holds_tensor(const node_view& n) {  // an optional, of a tensor as far as it is known
        const value_type t = type_of_input(n, 0);
        return t.depth == 0 || (t.depth == 1 && t.kind() == value_kind::optional);
    }
    static constexpr element output_type(const node_view& n, int) {
        const value_type t = type_of_input(n, 0);
        return t.is_tensor() || (t.depth > 0 && holds_tensor(n)) ? t.type : element::object;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const element from = n.input(0).type, to = n.has_output(0) ? n.output(0).type : element::undefined;
        if (from != element::object) {
            y[0] = n.input(0).dims;
            return to == from || to == element::undefined ? yes() : no("the output has another type than the input");
        }
        if (to == element::object) y[0] = {};
        return to == element::object || holds_tensor(n) ? yes() : no("the optional holds no tensor");
    }
    static constexpr bool passes_through(const node_view& n) { return type_of_input(n, 0).is_tensor(); }
};
}  // namespace op

// The content of an optional; null: none. An absent value is a tensor without a type.
inline const any_value* contents_of_optional(const any_value& v) {
    if (const optional_value* o = v.as_optional()) return o->contents ? &*o->contents : nullptr;
    return v.as_tensor() && !*v.as_tensor() ? nullptr : &v;
}

template <> struct kernel<op::optional, device::reference, types<any_element>> : simple_kernel {
    using params = tensor_argument;  // without an input: of no type
    static constexpr params prepare(const node_view& n) { return tensor_argument::input(n, 0); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.type != element::undefined && !p.take_copy(c, a.inputs[0]))
            return c.fail(no_memory_left, status::out_of_memory);
        return make_values(c, [&] {
            optional_value y;
            if (p.type != element::undefined) y.contents = p.copy(a.inputs[0]);
            *a.out<any_value>(0) = std::move(y);
            return status::ok;
        });
    }
};
template <> struct kernel<op::optional, device::reference, types<any_value>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments& a, context& c) noexcept {
        return make_values(c, [&] {
            *a.out<any_value>(0) = optional_value{*a.in<any_value>(0)};
            return status::ok;
        });
    }
};

template <> struct kernel<op::optional_has_element, device::reference, types<any_element>> : simple_kernel {
    struct params {
        bool has_element;
    };
    static constexpr params prepare(const node_view& n) { return {n.has_input(0)}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        *a.out<bool>(0) = p.has_element;
        return status::ok;
    }
};
template <> struct kernel<op::optional_has_element, device::reference, types<any_value>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments& a, context&) noexcept {
        *a.out<bool>(0) = contents_of_optional(*a.in<any_value>(0)) != nullptr;
        return status::ok;
    }
};

template <>
struct kernel<op::optional_get_element, device::reference, types<any_element, any_element>> : simple_kernel {
    using params = tensor_argument;
    static constexpr reuse shares = reuse::view;
    static constexpr params prepare(const node_view& n) { return tensor_argument::input(n, 0); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (a.outputs[0] == a.inputs[0]) return status::ok;
        return copy_all(c, p.type, a.outputs[0], a.inputs[0], p.dims.elements());
    }
};
template <> struct kernel<op::optional_get_element, device::reference, types<any_value, any_element>> : simple_kernel {
    struct params {
        element type;
    };
    static constexpr params prepare(const node_view& n) { return {n.output(0).type}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const any_value* contents = contents_of_optional(*a.in<any_value>(0));
        if (!contents) return c.fail("the optional is empty");
        const tensor* t = contents->as_tensor();
        return t ? give_copy(c, 0, *t, p.type) : c.fail("the optional holds no tensor");
    }
};
template <> struct kernel<op::optional_get_element, device::reference, types<any_value, any_value>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments& a, context& c) noexcept {
        const any_value* contents = contents_of_optional(*a.in<any_value>(0));
        if (!contents) return c.fail("the optional is empty");
        if (contents->as_tensor()) return c.fail("the optional holds a tensor");
        *a.out<any_value>(0) = *contents;
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
