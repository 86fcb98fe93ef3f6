// An operator's own description: plain data and a shape rule, no device. Kernels are specialised separately.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "kernel.hpp"
#include <inlay/sdk/type_list.hpp>
#include <limits>

namespace inlay {
inline namespace v1 {
struct version_range {
    int since, through;
};                                        // schema versions, both included
constexpr int input(int k) { return k; }  // where the type of a constraint is read
constexpr int output(int k) { return ~k; }

// Type lists for operators: one constraint each.
template <class... T> inline constexpr auto each_type = hana::tuple_t<types<T>...>;
inline constexpr auto float_types = each_type<float, double, float16, bfloat16>;
inline constexpr auto number_types =
    each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
              std::uint16_t, std::uint32_t, std::uint64_t>;
inline constexpr auto movable_types =
    each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, raw<4>, raw<2>, std::string>;  // every tensor, by size

// How expensive an operator is to compute when a model is loaded, where all its inputs are constants.
enum class fold_cost : std::uint8_t {
    windowed,   // its windows, or labels, may be of any size: its bytes do not bound its work
    unknown,    // worth it for tiny values only
    of_inputs,  // as its inputs, and its results are not much larger
    of_result   // as its inputs and its results
};
enum class reading : std::uint8_t { whole, selected, shape_only };  // of input 0; selected: as much as is written
// Whether a row of the results depends on how many other rows there are, or on these.
enum class row_mixing : std::uint8_t {
    none,
    range,   // all rows are quantized by one range
    kernels  // the CPU's fast kernels compute one row differently from several; the reference kernel does not
};
// An output that is returned as an input of the next call: what a cache keeps between them.
struct cached_pair {
    enum class form : std::uint8_t {
        rows,    // the past is the rows held, and the present has the new ones after them
        buffer,  // both are the whole cache buffer: the operator gets the range of valid rows
        state    // the present replaces the past
    };
    int input = -1, output = -1;  // -1: there is no pair
    int axis = -1;                // that grows, of rows and buffer
    form kind = form::rows;
    int tokens = -1, tokens_axis = -1;  // an input with one row for each that a run adds; of rows, the output shows it
    int total = -1;                     // an input with the number of rows afterwards, if there is one
};
using cached_pairs = std::array<cached_pair, 2>;  // keys and values; of others the first one

// What passes, planner and reports query of an operator. `passes_through`, `bounds`, `flop`, `output_type` and
// `caches`, which an operator may also have, are described below: operator_record.
struct operator_facts {
    bool pure = true;  // equal inputs give equal outputs
    fold_cost folding = fold_cost::unknown;
    // Its outputs are another form of an input, as dequantized weights are. Those of constants are computed when a
    // model is loaded, however large they are, and the node stays for providers that use the input's form.
    bool decodes = false;
    bool keeps_names = false;  // shapes() copies names of dimensions, and needs no unknown sizes
    bool moves = false;        // every element of the outputs is one of the inputs: kernels of all devices agree
    reading reads = reading::whole;
    row_mixing mixes_rows = row_mixing::none;
    int required_outputs = std::numeric_limits<int>::max();  // the first ones; kernels may omit the others
};

// The shapes of a node's arguments in a run; unknown where one is absent.
struct argument_shapes {
    std::span<const shape> inputs{}, outputs{};
    constexpr shape input(int k) const { return k < int(inputs.size()) ? inputs[k] : shape::unknown(); }
    constexpr shape output(int k) const { return k < int(outputs.size()) ? outputs[k] : shape::unknown(); }
};
constexpr double count_of(const shape& s) { return s.known() ? double(s.elements()) : 0; }
// How operators count their flop: every element of x is multiplied by the weights of one row of w; every element of the
// outputs is a sum over the last axis of input 0.
constexpr double flop_of_windows(const shape& x, const shape& w) {
    return w.rank > 0 && w[0] > 0 ? 2 * count_of(x) * count_of(w) / double(w[0]) : 0;
}
constexpr double flop_of_products(const argument_shapes& s) {
    const shape a = s.input(0);
    double sums = 0;
    for (const shape& y : s.outputs) sums += count_of(y);
    return a.rank > 0 && a.known() ? 2 * sums * double(a[a.rank - 1]) : 0;
}

namespace op {
struct standard {  // a standard operator with one type constraint, read from input 0
    static constexpr std::string_view domain = "";
    static constexpr std::array constraints{v1::input(0)};
    static constexpr auto elements = float_types;
    static constexpr int required_inputs = 1;      // the first ones must be there; shape rules check what follows
    static constexpr bool data_dependent = false;  // output shapes depend on input values that a shape rule cannot read
    static constexpr operator_facts facts{};
};
}  // namespace op

// An operator's facts, and the functions among its static members that it need not have.
struct operator_record {
    operator_facts facts{};
    // The element type of output k; undefined: not known. Null: that of the constraint that names the output,
    // or of the first one.
    element (*output_type)(const node_view&, int k) = nullptr;
    // Output 0 is input 0, where both have one type and nothing uses the other outputs. Null: never.
    bool (*passes_through)(const node_view&) = nullptr;
    // The largest shapes of the outputs, where they depend on data; left unknown where there is no bound. Null: none.
    void (*bounds)(const node_view&, std::span<shape>) = nullptr;
    // Multiplications and additions of matmuls, convolutions, recurrences and attention. Null: 0, as for most that
    // only move or map elements.
    double (*flop)(const node_view&, const argument_shapes&) = nullptr;
    // What a cache may keep for it. Null: nothing.
    cached_pairs (*caches)(const node_view&) = nullptr;
};
template <class Op>
inline constexpr operator_record record_of = [] {
    operator_record r{Op::facts};
    if constexpr (requires { &Op::output_type; }) r.output_type = &Op::output_type;
    if constexpr (requires { &Op::passes_through; }) r.passes_through = &Op::passes_through;
    if constexpr (requires { &Op::bounds; }) r.bounds = &Op::bounds;
    if constexpr (requires { &Op::flop; }) r.flop = &Op::flop;
    if constexpr (requires { &Op::caches; }) r.caches = &Op::caches;
    return r;
}();

template <class Op>
concept operation = requires(const node_view& n, std::span<shape> y) {
    { Op::onnx_name } -> std::convertible_to<std::string_view>;
    { Op::versions } -> std::convertible_to<version_range>;
    { Op::shapes(n, y) }
    noexcept
        ->std::same_as<verdict>;  // y: one per output, unknown at first; left unknown where an input value is missing
};

constexpr verdict same_shape(const node_view& n,
                             std::span<shape> y) noexcept {  // the shape rule of element-wise operators of one input
    y[0] = n.input(0).dims;
    return yes();
}
constexpr verdict broadcast_shape(const node_view& n,
                                  std::span<shape> y) noexcept {  // of element-wise operators of several inputs
    shape s = n.input(0).dims;
    for (int k = 1; k < n.input_count(); ++k)
        if (n.has_input(k) && !broadcast(s, n.input(k).dims, s)) return no("the inputs' shapes do not broadcast");
    y[0] = s;
    return yes();
}
// An axis attribute in [0, rank), or -1 where it is out of range.
constexpr int normal_axis(std::int64_t axis, int rank) {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? int(axis) : -1;
}
}  // namespace v1
}  // namespace inlay
