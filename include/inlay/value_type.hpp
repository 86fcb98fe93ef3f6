// The type of a value: a tensor, or sequences, maps and optionals around one.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "element.hpp"
#include "shape.hpp"

namespace inlay {
inline namespace v1 {
enum class value_kind : std::uint8_t { tensor, sequence, map, optional };
constexpr std::string_view name_of(value_kind k) {
    constexpr std::string_view names[] = {"tensor", "sequence", "map", "optional"};
    return names[int(k)];
}

// As ONNX nests types: optional(seq(tensor(float))) has the containers optional and sequence, and the element f32.
struct value_type {
    struct container {
        value_kind kind = value_kind::sequence;
        element key = element::undefined;  // of a map
        friend constexpr bool operator==(const container&, const container&) = default;
    };
    static constexpr int max_depth = 4;

    element type = element::undefined;  // of the innermost tensor. undefined: nothing is known of what is innermost;
                                        // object: it is no tensor
    inlay::shape shape = shape::unknown();  // of the innermost tensor, as far as it is declared
    int depth = 0;
    std::array<container, max_depth> containers{};  // the outermost first

    constexpr value_kind kind() const { return depth > 0 ? containers[0].kind : value_kind::tensor; }
    constexpr bool is_tensor() const { return depth == 0 && type != element::object; }
    constexpr bool known() const { return depth > 0 || type != element::undefined; }
    constexpr value_type within(container c) const {  // a container of such values; depth < max_depth
        value_type t = *this;
        for (int i = t.depth++; i > 0; --i) t.containers[std::size_t(i)] = t.containers[std::size_t(i - 1)];
        t.containers[0] = c;
        return t;
    }
    constexpr value_type contents() const {  // the type of what a container holds; depth > 0
        value_type t = *this;
        --t.depth;
        for (int i = 0; i < t.depth; ++i) t.containers[std::size_t(i)] = t.containers[std::size_t(i + 1)];
        t.containers[std::size_t(t.depth)] = {};
        return t;
    }
    // Adds what `facts` knows of the same value's type, apart from shapes. False: they contradict each other.
    constexpr bool refine(const value_type& facts) {
        for (int i = 0; i < depth && i < facts.depth; ++i)
            if (containers[std::size_t(i)] != facts.containers[std::size_t(i)]) return false;
        const bool vague = type == element::undefined || (type == element::object && facts.depth > depth);
        const bool facts_vague =
            facts.type == element::undefined || (facts.type == element::object && depth > facts.depth);
        if (facts_vague && depth >= facts.depth) return true;
        if (vague && facts.depth >= depth) {
            type = facts.type;
            depth = facts.depth;
            containers = facts.containers;
            return true;
        }
        return depth == facts.depth && type == facts.type;
    }
};

// As ONNX writes it: tensor(float), seq(map(int64,tensor(float))), with ? for what is not known.
inline std::string to_string(const value_type& t) {
    std::string text, end;
    for (int i = 0; i < t.depth; ++i) {
        const auto [kind, key] = t.containers[std::size_t(i)];
        text += kind == value_kind::sequence ? "seq("
                : kind == value_kind::map    ? "map(" + std::string(name_of(key)) + ","
                                             : "optional(";
        end += ')';
    }
    const bool has_type = t.type != element::undefined;
    return text + (t.type == element::object ? "?" : "tensor(" + std::string(has_type ? name_of(t.type) : "?") + ")") +
           end;
}
}  // namespace v1
}  // namespace inlay
