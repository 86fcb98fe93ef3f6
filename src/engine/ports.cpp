#include "ports.hpp"
#include <inlay/sdk/options.hpp>

namespace inlay {
inline namespace v1 {
std::string names_in(std::span<const port> ports) {
    std::string text;
    for (const port& p : ports) text += (text.empty() ? "" : ", ") + p.name;
    return text.empty() ? "none" : text;
}
int find_port(std::span<const port> ports, std::string_view name, std::string_view what, std::size_t likely) {
    if (likely < ports.size() && ports[likely].name == name) return int(likely);
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (ports[k].name == name) return int(k);
    std::vector<std::string> names;
    for (const port& p : ports) names.push_back(p.name);
    error e(error_code::not_found, "inlay: the model has no " + std::string(what) + " named `" + std::string(name) +
                                       "`; it has: " + names_in(ports));
    if (const std::string near = nearest_name(name, names); !near.empty()) e.hint = "did you mean `" + near + "`?";
    raise(std::move(e));
}
void shape_check::operator()(const port& p, const shape& dims) {
    const auto wrong = [&](const std::string& why) {
        error e(error_code::shape_mismatch,
                "inlay: input `" + p.name + "` has shape " + to_string(dims) + ", but " + why);
        e.shapes = to_string(dims);
        raise(std::move(e));
    };
    if (!dims.known()) wrong("every dimension must be known");
    if (p.shape.rank < 0) return;
    if (dims.rank != p.shape.rank) wrong("the model wants " + to_string(p.shape));
    for (int i = 0; i < dims.rank; ++i) {
        const std::int64_t size = p.shape[i];
        if (size >= 0 && size != dims[i]) wrong("the model wants " + to_string(p.shape));
        if (const std::int64_t symbol = -2 - size; size < -1 && symbol < std::int64_t(seen_.size())) {
            std::int64_t& known = seen_[std::size_t(symbol)];
            if (known >= 0 && known != dims[i])
                wrong("`" + p.dim_names[std::size_t(i)] + "` is " + std::to_string(known) + " in another input");
            known = dims[i];
        }
    }
}
// What of `v` is not of the type; empty: all is. An optional may be its contents, and an empty one is of any type.
static std::string misfit(const any_value& v, const value_type& t) {
    if (t.depth == 0) {
        const tensor* x = v.as_tensor();
        if (!x || !*x) return "something that is no tensor";
        return t.type == element::undefined || t.type == element::object || x->type() == t.type
                   ? ""
                   : "a tensor of " + std::string(name_of(x->type()));
    }
    const value_type inner = t.contents();
    std::string why;
    const auto add = [&](const any_value& one) {
        if (why.empty()) why = misfit(one, inner);
    };
    switch (t.kind()) {
        case value_kind::sequence:
            if (!v.as_sequence()) return "something that is no sequence";
            for (const any_value& one : *v.as_sequence()) add(one);
            return why;
        case value_kind::map:
            if (!v.as_map()) return "something that is no map";
            for (const auto& [key, one] : *v.as_map()) {
                if (std::holds_alternative<std::string>(key) != (t.containers[0].key == element::string))
                    return std::holds_alternative<std::string>(key) ? "a key that is a string"
                                                                    : "a key that is a number";
                add(one);
            }
            return why;
        default:
            if (const optional_value* o = v.as_optional()) return o->contents ? misfit(*o->contents, inner) : "";
            return misfit(v, inner);
    }
}
void check_value(const port& p, const any_value& v, shape_check& check) {
    const tensor* t = v.as_tensor();
    const bool fits = p.kind == value_kind::tensor     ? t && *t
                      : p.kind == value_kind::sequence ? v.as_sequence() != nullptr
                      : p.kind == value_kind::map      ? v.as_map() != nullptr
                                                       : true;  // the contents of the optional are enough
    if (!fits)
        raise({error_code::type_mismatch,
               "inlay: input `" + p.name + "` must be a " + std::string(name_of(p.kind)) + ": " + p.type_text});
    if (p.kind != value_kind::tensor) {
        if (const std::string found = misfit(v, p.value_type); !found.empty())
            raise({error_code::type_mismatch,
                   "inlay: input `" + p.name + "` has " + found + "; the model wants " + p.type_text});
        return;
    }
    if (t->type() != p.type)
        raise({error_code::type_mismatch, "inlay: input `" + p.name + "` has elements of type " +
                                              std::string(name_of(t->type())) + ", the model wants " +
                                              std::string(name_of(p.type))});
    check(p, t->shape());
}
}  // namespace v1
}  // namespace inlay
