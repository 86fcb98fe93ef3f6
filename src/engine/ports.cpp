#include "ports.hpp"
#include <inlay/sdk/options.hpp>

namespace inlay {
inline namespace v1 {
std::string names_in(std::span<const port> ports) {
    std::string text;
    for (const port& p : ports) text += (text.empty() ? "" : ", ") + p.name;
    return text.empty() ? "none" : text;
}
int find_port(std::span<const port> ports, std::string_view name, std::string_view role, std::size_t likely) {
    if (likely < ports.size() && ports[likely].name == name) return int(likely);
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (ports[k].name == name) return int(k);
    std::vector<std::string> names;
    for (const port& p : ports) names.push_back(p.name);
    error e(error_code::not_found, "inlay: the model has no " + std::string(role) + " named `" + std::string(name) +
                                       "`; it has: " + names_in(ports));
    if (const std::string near = nearest_name(name, names); !near.empty()) e.hint = "did you mean `" + near + "`?";
    raise(std::move(e));
}
void shape_check::operator()(const port& p, const shape& dims) {
    const auto wrong = [&](const std::string& reason) {
        error e(error_code::shape_mismatch,
                "inlay: input `" + p.name + "` has shape " + to_string(dims) + ", but " + reason);
        e.shapes = to_string(dims);
        raise(std::move(e));
    };
    if (!dims.known()) wrong("every dimension must be known");
    if (p.shape.rank < 0) return;
    if (dims.rank != p.shape.rank) wrong("the model expects " + to_string(p.shape));
    for (int i = 0; i < dims.rank; ++i) {
        const std::int64_t size = p.shape[i];
        if (size >= 0 && size != dims[i]) wrong("the model expects " + to_string(p.shape));
        if (const std::int64_t symbol = -2 - size; size < -1 && symbol < std::int64_t(symbol_sizes_.size())) {
            std::int64_t& symbol_size = symbol_sizes_[std::size_t(symbol)];
            if (symbol_size >= 0 && symbol_size != dims[i])
                wrong("`" + p.dim_names[std::size_t(i)] + "` is " + std::to_string(symbol_size) + " in another input");
            symbol_size = dims[i];
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
    std::string problem;
    const auto add = [&](const any_value& item) {
        if (problem.empty()) problem = misfit(item, inner);
    };
    switch (t.kind()) {
        case value_kind::sequence:
            if (!v.as_sequence()) return "something that is no sequence";
            for (const any_value& item : *v.as_sequence()) add(item);
            return problem;
        case value_kind::map:
            if (!v.as_map()) return "something that is no map";
            for (const auto& [key, item] : *v.as_map()) {
                if (std::holds_alternative<std::string>(key) != (t.containers[0].key == element::string))
                    return std::holds_alternative<std::string>(key) ? "a key that is a string"
                                                                    : "a key that is a number";
                add(item);
            }
            return problem;
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
        if (const std::string problem = misfit(v, p.value_type); !problem.empty())
            raise({error_code::type_mismatch,
                   "inlay: input `" + p.name + "` has " + problem + "; the model expects " + p.type_text});
        return;
    }
    if (t->type() != p.type)
        raise({error_code::type_mismatch, "inlay: input `" + p.name + "` has elements of type " +
                                              std::string(name_of(t->type())) + ", the model expects " +
                                              std::string(name_of(p.type))});
    check(p, t->shape());
}
}  // namespace v1
}  // namespace inlay
