// What a library supports of ONNX's nodes, as rows by operator: for providers whose libraries read ONNX, and for plans
// without the library.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <array>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
// What a row of the table requires of a node besides its types and its rank.
struct demand {
    enum class kind : std::uint8_t {
        nothing,
        constant,            // input `index` is a constant, where it is present
        known,               // the same, and its elements are known while planning
        no_input,            // there is no input `index`
        no_output,           // nothing uses output `index` or a later one
        integer,             // the attribute's integers are from `least` to `most`
        text,                // the attribute is one of `texts`
        input_count,         // there are `least` to `most` inputs
        input_rank,          // input `index` has `least` to `most` dimensions, where it is present
        result_rank,         // output 0 has `least` to `most` dimensions
        no_counted_padding,  // the elements of the padding are not part of a mean
        one_broadcasts,      // one of two inputs has the result's shape
        last_axis,           // `axis` is the last one
        first_axes,    // nothing is done along the first `least` axes: of Resize and Pad, whose results keep their
                       // sizes
        values,        // input `index` is known, and its integers are from `least` to `most`
        one_order,     // its elements have the same order whether channels come first or last, and the result's too
        positive_real  // the attribute is above zero
    };
    kind requirement = kind::nothing;
    int index = 0;
    std::string_view name{};  // of the attribute
    std::int64_t least = 0, most = 0;
    std::string_view texts{};  // separated by blanks; the first is ONNX's default
};
namespace demands {
constexpr demand constant(int input) { return {demand::kind::constant, input}; }
constexpr demand known(int input) { return {demand::kind::known, input}; }
constexpr demand no_input(int k) { return {demand::kind::no_input, k}; }
constexpr demand no_output(int k) { return {demand::kind::no_output, k}; }
constexpr demand integer(std::string_view name, std::int64_t least, std::int64_t most) {
    return {demand::kind::integer, 0, name, least, most};
}
constexpr demand equal(std::string_view name, std::int64_t value) { return integer(name, value, value); }
// of: first ONNX's default for an absent attribute; a `-` there says that the default is not supported.
constexpr demand text(std::string_view name, std::string_view of) { return {demand::kind::text, 0, name, 0, 0, of}; }
constexpr demand inputs(int least, int most) { return {demand::kind::input_count, 0, {}, least, most}; }
constexpr demand rank(int input, int least, int most) { return {demand::kind::input_rank, input, {}, least, most}; }
constexpr demand result_rank(int least, int most) { return {demand::kind::result_rank, 0, {}, least, most}; }
constexpr demand no_counted_padding() { return {demand::kind::no_counted_padding}; }
constexpr demand one_broadcasts() { return {demand::kind::one_broadcasts}; }
constexpr demand last_axis() { return {demand::kind::last_axis}; }
constexpr demand first_axes(int count) { return {demand::kind::first_axes, 0, {}, count}; }
constexpr demand values(int input, std::int64_t least, std::int64_t most) {
    return {demand::kind::values, input, {}, least, most};
}
constexpr demand one_order() { return {demand::kind::one_order}; }
constexpr demand positive(std::string_view name) { return {demand::kind::positive_real, 0, name}; }
}  // namespace demands

// A row: these operators, of these types and ranks. A node is supported if one row supports it.
struct capability {
    std::string_view operators;  // separated by blanks; of other domains than ai.onnx: com.microsoft:Gelu
    element_set types{};         // of the data: the first input, or the second where the first is a condition
    // Integers of 8 or 16 bits: the node is between a DequantizeLinear and a QuantizeLinear of these types.
    element_set codes{};
    int least_rank = 0, most_rank = max_rank;  // of the same input
    std::array<demand, 6> demands{};
    std::string_view since{};  // the first version of the SDK that has it; empty: all
};

// What all rows require of each tensor of a node.
struct tensor_demands {
    element_set types{~decltype(element_set::bits)(0)};  // of those that are no constants
    bool empty = true, scalars = true;                   // there are some without elements, and without dimensions
};
// The rows for one version of a library.
struct capability_table {
    std::string product;  // the library and its version, as refusals print them
    std::string version;
    std::span<const capability> rows;
    tensor_demands tensors{};
};
// The table, queried about the nodes of a graph, whose shapes are known.
class capability_reader {
    capability_table table_;
    const graph_view& graph_;
    std::vector<int> makers_;                // by value: the node that produces it, or -1
    std::vector<std::vector<int>> readers_;  // by value

    bool decoded(int value, element_set codes) const;
    bool encoded(int value, element_set codes) const;
    bool between_codes(const node_view&, element_set codes) const;
    std::string refusal_by(const capability&, const node_view&, int& progress) const;
    std::string refusal_of_tensors(const node_view&) const;

  public:
    capability_reader(capability_table, const graph_view&);
    std::string refusal(const node_view&) const;  // empty: the library supports the node
};
std::string refusal_by(const demand&, const node_view&);  // empty: it is met
std::string text_of(const demand&);                       // "input 1 constant"
}  // namespace v1
}  // namespace inlay
