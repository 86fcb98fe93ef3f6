// CastMap (since 1): the values of a map from integers, by rising key, as one row: of all that there are (DENSE), or
// each at the place of its key, for keys below max_map (SPARSE). Places without a key are 0, or, as text, "0.f", as
// ONNX Runtime writes them.
#pragma once
#include <inlay/onnx/cast.hpp>
#include <inlay/support/model_lists.hpp>
#include <inlay/support/objects.hpp>
#include <charconv>
#include <cstdlib>

namespace inlay {
inline namespace v1 {
namespace op {
struct cast_map : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "CastMap";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = each_type<any_value>;
    static constexpr bool data_dependent = true;
    static constexpr element output_type(const node_view& n, int) {
        const std::string_view to = n.text("cast_to", "TO_FLOAT");
        return to == "TO_FLOAT"    ? element::f32
               : to == "TO_INT64"  ? element::i64
               : to == "TO_STRING" ? element::string
                                   : element::undefined;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (output_type(n, 0) == element::undefined) return no("cast_to must be TO_FLOAT, TO_INT64 or TO_STRING");
        const std::string_view form = n.text("map_form", "DENSE");
        if (form != "DENSE" && form != "SPARSE") return no("map_form must be DENSE or SPARSE");
        const std::int64_t most = n.integer("max_map", 1);
        if (form == "SPARSE" && (most < 0 || most > (1 << 24))) return no("max_map is out of range");
        y[0] = {1, form == "SPARSE" ? most : -1};
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::cast_map, device::reference, types<any_value>> : simple_kernel {
    struct params {
        std::int64_t places;  // -1: as many as the map has
        element to;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.text("map_form", "DENSE") == "SPARSE" ? n.integer("max_map", 1) : -1,
                op::cast_map::output_type(n, 0)};
    }
    static bool cast(float x, float& y) { return y = x, true; }
    static bool cast(float x, std::int64_t& y) {
        const bool fits = x >= -0x1p63f && x < 0x1p63f;
        y = fits ? std::int64_t(x) : 0;
        return fits;
    }
    static bool cast(float x, std::string& y) {
        char text[64];  // as %f has it, in any locale: the largest float has 39 digits before its point
        return y.assign(text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, 6).ptr), true;
    }
    static bool cast(const std::string& x, std::string& y) { return y = x, true; }
    static bool cast(const std::string& x, float& y) { return casting::parse_real(casting::trimmed(x), y); }
    static bool cast(const std::string& x, std::int64_t& y) {
        char* end = nullptr;
        y = std::strtoll(x.c_str(), &end, 10);
        return !x.empty() && end == x.c_str() + x.size();
    }
    template <class Y> static bool cast_one(const any_value& from, Y& y) {
        const tensor* t = from.as_tensor();
        if (!t || t->elements() != 1 || !t->on_host()) return false;
        if (t->type() == element::f32) return cast(*static_cast<const float*>(t->data()), y);
        return t->type() == element::string && cast(*static_cast<const std::string*>(t->data()), y);
    }
    template <class Y> static status fill(const params& p, const map& from, const arguments& a, context& c) {
        const std::int64_t places = p.places < 0 ? std::int64_t(from.size()) : p.places;
        Y* y = c.grow ? c.output<Y>(0, {1, places}) : a.out<Y>(0);  // of SPARSE the shape is known, its memory planned
        if (!y && places > 0) return c.fail("no memory for the result", status::out_of_memory);
        if constexpr (std::is_same_v<Y, std::string>)
            std::fill_n(y, places, "0.f");
        else
            std::fill_n(y, places, Y());
        std::int64_t next = 0;
        for (const auto& [key, value] : from) {
            const auto* at = std::get_if<std::int64_t>(&key);
            if (!at || (p.places >= 0 && *at < 0)) return c.fail("a key is no integer, or negative");
            const std::int64_t place = p.places < 0 ? next++ : *at;
            if (place < places && !cast_one(value, y[place]))
                return c.fail("a value of the map is not what it is to be cast to");
        }
        return status::ok;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const map* from = a.in<any_value>(0)->as_map();
        if (!from) return c.fail("the input is no map");
        return make_values(c, [&] {
            return p.to == element::f32   ? fill<float>(p, *from, a, c)
                   : p.to == element::i64 ? fill<std::int64_t>(p, *from, a, c)
                                          : fill<std::string>(p, *from, a, c);
        });
    }
};
}  // namespace v1
}  // namespace inlay
