// Programs in Core ML's intermediate language (MIL): operations and constants, one after another, and the model that
// has them.
#pragma once
#include "package.hpp"
#include "wire.hpp"
#include <inlay/shape.hpp>
#include <lowering/primitive.hpp>
#include <map>
#include <set>

namespace inlay {
inline namespace v1 {
namespace mil {
using lowering::integers;
using lowering::is_float;
struct tensor_info {  // f32, f16, i32 or boolean; a scalar has one dimension of 1
    shape dims;
    element type;
};
struct variable {  // a value inside a program
    tensor_info info;
    std::string name;
};
struct scalar {
    double value;
    element type;
};
// Of an operation, by name: variables, or what the program has as a constant.
struct argument {
    std::string_view name;
    std::variant<variable, std::vector<variable>, bool, std::int64_t, std::string_view, integers, scalar> value;
};
using arguments = std::vector<argument>;

class program {
    weight_file& weights_;
    message block_{};
    std::vector<variable> inputs_{}, outputs_{};
    std::set<std::string> names_{};
    int operations_ = 0;

    std::string fresh(std::string name);
    std::string add_constant(std::string name, const message& value_type, const message& value);
    message bindings(const std::string& operation, const argument&);

  public:
    explicit program(weight_file& w) : weights_(w) {}

    // What is true or false goes as 0 and 1 between programs.
    variable input(std::string_view name, const tensor_info&);
    void output(std::string_view name, const variable&);
    variable constant(std::string_view name, const tensor_info&, std::span<const std::byte> floats);
    variable constant(std::string_view name, const tensor_info&, const integers&);
    variable operation(std::string_view type, const arguments&, const tensor_info& result);
    // As package::model has it. settings: entries for those who load it.
    std::string model(const std::map<std::string, std::string>& settings) const;
};
}  // namespace mil
}  // namespace v1
}  // namespace inlay
