// TVM: its libraries, libtvm_ffi, libtvm_runtime and libtvm_compiler, are opened when the first session needs them,
// so that the same program runs where there are none: in the folders that $INLAY_TVM_LIBRARY names, with ':' between
// them, else where the system looks. Link inlay::tvm.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct tvm {                      // named as in ONNX Runtime
    std::string target = "llvm";  // also "llvm -mcpu=NAME"; without mcpu the host's processor
    int opt_level = 3;            // of the compiler, 0 to 3
    int num_of_threads = 1;       // of a run; 0: as TVM chooses
    // Whether regions saved in a model's file may be restored: they are machine code, which runs with the program's own
    // rights. Only for files that are trusted as a program is.
    bool load_native_code = false;

    static constexpr std::string_view name = "TvmExecutionProvider";
    static constexpr provider_status status = provider_status::community;
    static constexpr provider_check checked_on = provider_check::device;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::tvm, target, opt_level, num_of_threads, load_native_code);
namespace inlay {
inline namespace v1 {
static_assert(provider<tvm> && engine_provider<tvm>);
}  // namespace v1
}  // namespace inlay
