// From functions of TVM to code, in this process and in a file.
#pragma once
#include "library.hpp"
#include <inlay/error.hpp>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
struct compiler {
    tvm_calls::object target;  // bound to itself as its host
    std::string target_text;
    int opt_level = 3;
};
compiler make_compiler(const std::string& target, int opt_level);  // throws tvm_calls::failure
int vector_bits(const compiler&);

tvm_calls::object build(const compiler&, std::span<const tvm_calls::object> functions);  // a module
tvm_calls::object function_of(const tvm_calls::object& module, std::size_t number);
result<std::string> shared_object(const tvm_calls::object& module);  // its bytes
result<tvm_calls::object> load(std::string_view shared_object);      // a module
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
