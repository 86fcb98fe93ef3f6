// Nodes as operations of Core ML's intermediate language (MIL), and regions as ML Programs. The same code asks whether
// a node can be written, and writes it.
#pragma once
#include "package.hpp"
#include "wire.hpp"
#include <map>
#include <provider/node_writer.hpp>
#include <set>
#include <unordered_map>
#include <variant>

namespace inlay {
inline namespace v1 {
namespace mil {
struct tensor_info {  // f32, f16, i32 or boolean; a scalar has one dimension of 1
    shape dims;
    element type;
};
// Refuses what Core ML has no tensors for. Integers of 64 bits are int32 there.
tensor_info info_of(const shape&, element);
inline tensor_info with_dims(const tensor_info& t, const shape& dims) { return info_of(dims, t.type); }

struct variable {  // a value inside a program
    tensor_info info;
    std::string name;  // empty while it is only asked
};
struct scalar {  // of a type of floats
    double value;
    element type;
};
using integers = std::vector<std::int64_t>;  // of 32 bits
// Of an operation, by name: variables, or what the program has as a constant.
struct argument {
    std::string_view name;
    std::variant<variable, std::vector<variable>, bool, std::int64_t, std::string_view, integers, scalar> value;
};
using arguments = std::vector<argument>;

struct feature {  // an input or output of a program
    std::string name;
    tensor_info info;
};

class program_writer {
    const graph_view& graph_;
    const constant_source* constants_;
    package* package_;
    message block_{};
    std::vector<feature> inputs_{}, outputs_{};
    std::unordered_map<int, variable> values_{};
    std::set<std::string> names_{};
    int operations_ = 0;

    std::string fresh(std::string name);
    std::string constant(std::string name, const message& value_type, const message& value);
    message constant_value(const tensor_info&, element type, const void* elements);

  public:
    static constexpr std::string_view piece = "Core ML's operation";

    // Without a package it only asks.
    explicit program_writer(const graph_view& g, const constant_source* constants = nullptr, package* p = nullptr)
        : graph_(g), constants_(constants), package_(p) {}

    // The operations of a node, whose results are values of the program after that. Throws refused_node.
    void write(const node&);
    void add_input(int value);
    void add_output(int value);
    // The model of what was written, as package::model has it. settings: what is told to those who load it.
    std::string model(const std::map<std::string, std::string>& settings) const;

    // The value, which is what a node made, an input of the region, a constant, or in a question just asked about.
    variable value(int id);
    tensor_info info_of_value(int id) const {
        const auto& v = graph_.values[std::size_t(id)];
        return info_of(v.dims, v.type);
    }
    void put(int id, variable x) { values_.insert_or_assign(id, std::move(x)); }

    std::vector<variable> operations(std::string_view type, const arguments&, const std::vector<tensor_info>& results);
    variable operation(std::string_view type, const arguments& in, const tensor_info& result) {
        return operations(type, in, {result}).front();
    }
    variable reshaped(const variable&, const tensor_info&);
    variable broadcast_to(const variable&, const shape&);
};

struct mil_node : node_writer_to<program_writer> {
    element type() const { return n.input(0).type; }
    int rank() const { return n.input(0).dims.rank; }
    scalar number(double value) const { return {value, type()}; }
    scalar number(std::string_view attribute, double otherwise) const { return {real(attribute, otherwise), type()}; }
    // One operation of the input and these, whose result is the node's.
    void put_operation(std::string_view operation, const arguments& more = {}) const {
        arguments all{{"x", input(0)}};
        all.insert(all.end(), more.begin(), more.end());
        put(to.operation(operation, all, output_info()));
    }
};
using mil_function = void (*)(const mil_node&);
struct mil_rule {
    std::string_view op;
    mil_function write;
};
// How the operators are written, a list for each file.
std::span<const mil_rule> product_rules();
std::span<const mil_rule> pool_rules();
std::span<const mil_rule> element_wise_rules();
std::span<const mil_rule> normalization_rules();
std::span<const mil_rule> movement_rules();

// --- what several of them need
inline bool is_float(element e) { return e == element::f32 || e == element::f16; }
void require_floats(const mil_node&, int k = 0);
inline void require_constant(const mil_node& a, int k, std::string_view name) {
    if (!a.n.is_constant(k)) a.refuse_not_constant(name);
}
inline void require_first_output(const mil_node& a, std::string_view others) {
    if (!a.only_first_output()) refuse(std::string(others) + ", which " + std::string(a.to.piece) + " does not give");
}
// Of two variables of one type, with the shape that they broadcast to.
variable combined(program_writer&, std::string_view operation, const variable& x, const variable& y);
// Reduced over these axes, which stay with length 1.
variable reduced(program_writer&, std::string_view operation, const variable& x, const integers& axes);
}  // namespace mil
}  // namespace v1
}  // namespace inlay
