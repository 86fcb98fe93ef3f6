// The CPU: its fast kernels first, then the operators' reference kernels, so that it runs every stock operator. Needs
// no driver.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/operators.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct cpu {          // the members are the options; the object is the configured provider
    int threads = 0;  // of one session's pool, the caller's included; 0: one per core that the process may use
    std::optional<inlay::isa::level> isa{};  // else INLAY_ISA from the environment, else the best that the machine has
    bool flush_denormals = false;            // treat denormal float32 as zero while running
    inlay::precision precision =
        inlay::precision::standard;  // of a session's matmuls and convolutions; an embedded model has its own

    static constexpr std::string_view name = "CPUExecutionProvider";
    static constexpr provider_check checked_on = provider_check::device;
    static constexpr auto devices = hana::tuple_t<device::cpu, device::reference>;
    static constexpr auto kernels = stock_operators;
};
#define INLAY_EXTERN(name, file) \
    extern template std::span<const row> rows<op::name, device::cpu>(); \
    extern template std::span<const row> rows<op::name, device::reference>();
INLAY_OPERATORS(INLAY_EXTERN)  // compiled once, in inlay::kernels
#undef INLAY_EXTERN
extern template const kernel_table& kernels_of<cpu>();
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::cpu, threads, isa, flush_denormals, precision);
namespace inlay {
inline namespace v1 {
static_assert(provider<cpu>);
}  // namespace v1
}  // namespace inlay
