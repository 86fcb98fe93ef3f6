// Tensors of libraries that read ONNX: their element types, and how what they give is held against ONNX.
#pragma once
#include "node_values.hpp"
#include "onnx_region.hpp"
#include "refusal.hpp"
#include <algorithm>
#include <array>

namespace inlay {
inline namespace v1 {
namespace lowering {
// A vendor's number of each element type that its library has.
template <class T, std::size_t N> struct element_numbers {
    std::array<std::pair<element, T>, N> entries;
    constexpr std::optional<T> of(element e) const {
        for (const auto& [type, number] : entries)
            if (type == e) return number;
        return {};
    }
    constexpr bool has(element e) const { return of(e).has_value(); }
};
template <class T, std::size_t N>
constexpr element_numbers<T, N> numbers_of_elements(const std::pair<element, T> (&list)[N]) {
    return {std::to_array(list)};
}

// Why a library does not get a node's tensors, by an element_set or by element_numbers: a type that it has not (`lacks`
// ends before the type), or one without elements (`empty` ends before its shape); empty: it gets them.
template <class Types>
std::string refusal_of_tensors(const node_view& n, const Types& types, std::string_view lacks, std::string_view empty) {
    return refusal_of_values(n, [&](const value& v) -> std::string {
        if (!types.has(v.type)) return std::string(lacks) + " " + std::string(name_of(v.type)) + " here";
        return has_no_elements(v) ? std::string(empty) + ", such as " + to_string(v.dims) : "";
    });
}
// They refuse what a library gives otherwise than ONNX; `count`: how many outputs.
inline void check_output_count(std::string_view library, std::size_t count, std::size_t expected) {
    if (count != expected)
        refuse(std::string(library) + " gives " + std::to_string(count) + " results, and ONNX " +
               std::to_string(expected));
}
inline void check_output(std::string_view library, const onnx_port& expected, bool same_type,
                         std::span<const std::int64_t> dims) {
    if (!same_type) refuse(std::string(library) + " gives it another type than " + std::string(name_of(expected.type)));
    if (std::ranges::equal(dims, expected.dims)) return;
    shape theirs;
    for (const std::int64_t d : dims.first(std::min(dims.size(), std::size_t(max_rank)))) theirs.push_back(d);
    refuse(std::string(library) + " gives it the shape " + to_string(theirs) + ", and ONNX " +
           to_string(expected.dims));
}

// It refuses a compiled model, which `subject` names, with other inputs or outputs than the region.
inline void check_port_counts(const region& r, std::size_t inputs, std::size_t outputs, const std::string& subject) {
    if (inputs != r.inputs.size() || outputs != r.outputs.size())
        refuse(subject + " has " + std::to_string(inputs) + " inputs and " + std::to_string(outputs) +
               " outputs, the region " + std::to_string(r.inputs.size()) + " and " + std::to_string(r.outputs.size()));
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
