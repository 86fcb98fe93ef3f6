// What all runs of a region share: steps, compiled functions and constants. Made of a program and what TVM compiled of
// it, or of a saved region's bytes.
#pragma once
#include "library.hpp"
#include "program.hpp"
#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
constexpr std::size_t line = 64;  // compiled code relies on addresses that are multiples of it
inline bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % line == 0; }
struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(line)); }
};
using block = std::unique_ptr<std::byte, aligned_delete>;
inline block allocate(std::int64_t bytes) {
    const auto size = std::size_t(std::max<std::int64_t>(bytes, 1));
    return block(static_cast<std::byte*>(::operator new(size, std::align_val_t(line))));
}

// What a step without TVM does.
struct rows_step {
    std::int64_t outer = 1;
    std::vector<std::int64_t> sizes{};            // join, copy: bytes of each input's row
    std::int64_t length = 0, count = 0, row = 0;  // lookup: of the axis, of indices, in bytes
    bool wide = false;                            // lookup: indices of 64 bits
};
struct code_step {
    kind what = kind::copy;
    int axis = 0;               // join, lookup
    std::vector<int> inputs{};  // tensors
    int output = -1;
    int function = -1;             // its number in the module; -1: none
    tvm_calls::object compiled{};  // that function
    rows_step rows{};              // where there is none
};
rows_step rows_of(std::span<const slot>, const code_step&);

struct code {
    std::vector<slot> tensors{};
    std::vector<code_step> steps{};
    std::int64_t scratch = 0;                   // bytes
    std::vector<const std::byte*> constants{};  // of each tensor that is one
    std::vector<block> own{};                   // of constants that nobody lends as they are
    tvm_calls::object module{};
    std::string_view library{};  // the module's bytes, of a restored region
    int threads = 1;
};
result<std::shared_ptr<code>> code_of(const program&, const region&);  // all but the functions
void find_functions(code&);                                            // throws tvm_calls::failure

std::string saved(const code&, std::string_view library);
struct not_saved_code : std::runtime_error {  // why bytes are not a saved region, or not this one
    using std::runtime_error::runtime_error;
};
std::shared_ptr<code> restored(const region&, std::string_view bytes);  // throws not_saved_code, tvm_calls::failure

std::unique_ptr<executable> make_run(std::shared_ptr<const code>);
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
