// A model that is a C++ type: the content of a header written by `inlay compile`, the graph as constexpr records and
// the location of the weights.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <inlay/sdk/type_list.hpp>
#include <concepts>
#include <cstddef>

namespace inlay {
inline namespace v1 {
enum class weights_place : std::uint8_t {
    embedded,  // in the program's read-only data
    file,      // read from a file into memory when they are bound
    mapped     // a file, mapped
};
struct dimension {  // a free dimension and its declared bounds
    std::string_view name;
    std::int64_t least, most;
};

template <class M>
concept embedded_model = requires(int k) {
    { M::name } -> std::convertible_to<std::string_view>;
    { M::graph } -> std::convertible_to<graph_view>;  // every shape known: free dimensions at their upper bounds
    { M::input_names[k] } -> std::convertible_to<std::string_view>;  // one per graph input, the model's own names
    { M::output_names[k] } -> std::convertible_to<std::string_view>;
    {
        M::dimensions.size()
        } -> std::convertible_to<std::size_t>;             // std::array<dimension, N>: the free ones, with bounds
    { M::input_shapes[k] } -> std::convertible_to<shape>;  // one per graph input; -2 - d stands for dimension d
    {
        M::constants[k]
        } -> std::convertible_to<std::int64_t>;  // byte offset of constant k in the weights, a multiple of 64
    { M::weight_bytes } -> std::convertible_to<std::int64_t>;
    { M::place } -> std::convertible_to<weights_place>;
    { M::weights_file } -> std::convertible_to<std::string_view>;  // file, mapped: its name next to the program
    { M::weights() }
    noexcept->std::same_as<const std::byte*>;  // embedded; else null
    typename M::operators;                     // pack<op::conv, ...>: the stock operators that the graph names
};
}  // namespace v1
}  // namespace inlay
