// A region as steps over tensors in memory, which all its runs share: made by the writer and TVM's compiler, or from a
// saved region's bytes.
#pragma once
#include "library.hpp"
#include <inlay/sdk/engine.hpp>
#include <inlay/tensor.hpp>
#include <deque>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
constexpr std::size_t line = 64;  // compiled code relies on addresses that are multiples of it
inline bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % line == 0; }
// Memory at such an address, as tensors have it.
inline tensor block_of(std::int64_t bytes) {
    return tensor::uninitialized(element::u8, {std::max<std::int64_t>(bytes, 1)});
}
struct slot {  // of a tensor
    enum class place : std::uint8_t {
        constant,
        input,
        output,
        scratch,
        alias
    };  // alias: of another; none when it runs
    element type = element::undefined;
    shape dims;  // as they lie in memory, at least one
    place location = place::scratch;
    std::int64_t index = -1;         // input, output: which one; scratch: where it begins, in bytes; alias: the tensor
    const void* elements = nullptr;  // of a constant
    std::int64_t bytes() const { return bytes_of(type, dims.elements()); }
};
struct step {
    enum class action : std::uint8_t {
        compute,  // by TVM's code
        join,     // copies rows
        lookup    // the same, by indices that it checks
    };
    action does = action::compute;
    int axis = 0;  // join, lookup
    std::vector<int> inputs{};
    int output = -1;
    int function = -1;             // compute: its number in the module
    tvm_calls::object compiled{};  // that function
};
class program_run;
struct program {
    std::vector<slot> tensors{};
    std::vector<step> steps{};
    std::int64_t scratch = 0;     // bytes
    std::deque<tensor> blocks{};  // of constants that are not borrowed as they are
    tvm_calls::object module{};
    std::string_view library{};  // the module's bytes, of a restored region
    int threads = 1;

    const void* keep(const void* elements, std::int64_t bytes);  // a copy at an aligned address
    void find_functions();
    program_run instance() const;
    std::string saved() const;
};
std::shared_ptr<program> restored(const region&, std::string_view bytes);  // all but the module
std::string shared_object(const tvm_calls::object& module);                // its bytes
tvm_calls::object load_module(std::string_view shared_object);

// One run at a time of a region.
class program_run {
    const program* program_;
    tensor scratch_;
    std::vector<DLTensor> tensors_;
    std::vector<std::vector<TVMFFIAny>> arguments_;  // of each step
    std::vector<tensor> straight_;                   // of each tensor: memory for one that is not aligned

    std::byte* at(int t) const { return static_cast<std::byte*>(tensors_[std::size_t(t)].data); }
    void set(int t, const buffer&, bool copy_in);
    void bind(std::span<const buffer> inputs, std::span<const buffer> outputs);
    void copy_out(std::span<const buffer> outputs) const;
    void join(const step&) const;
    bool look_up(const step&) const;

  public:
    explicit program_run(const program&);
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&);
};
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
