// AMD's GPUs, through HIP, on kernels of Inlay's own: those of device::cuda, compiled for them. Deprecated, as the
// provider of that name is in ONNX Runtime, whose last version with it was 1.22. HIP's library, libamdhip64, is opened
// when the first session needs it, so that the same program runs where it is missing; link inlay::rocm.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/cuda/device.hpp>
#include <inlay/operators.hpp>
#include <inlay/sdk/arena_extend.hpp>
#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/device_session.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
namespace memory {
struct hip {};         // of one GPU
struct hip_pinned {};  // of the host, which a GPU may read
}  // namespace memory
template <>
struct memory_space<memory::hip> {  // of the session that the thread works for on that device, if there is one
    static constexpr std::string_view name = "hip";
    static void* allocate(std::size_t bytes, int device) noexcept;
    static void release(void* p, int device) noexcept;
    static error refused(std::size_t bytes, int device);
};
template <> struct memory_space<memory::hip_pinned> {
    static constexpr std::string_view name = "hip_pinned";
    static void* allocate(std::size_t bytes) noexcept;
    static void release(void* p) noexcept;
    static error refused(std::size_t bytes);
};
template <> struct transfer<memory::host, memory::hip> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept;
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept;
};
template <>
struct transfer<memory::hip, memory::host> : transfer<memory::host, memory::hip> {};  // addresses give the direction
template <> struct transfer<memory::hip, memory::hip> : transfer<memory::host, memory::hip> {};  // of two GPUs
template <> struct transfer<memory::host, memory::hip_pinned> : transfer<memory::host, memory::host> {};
template <> struct transfer<memory::hip_pinned, memory::host> : transfer<memory::host, memory::host> {};

struct rocm_provider {  // names and defaults as in ONNX Runtime
    int device_id = 0;
    std::size_t gpu_mem_limit = SIZE_MAX;                                // of the session's device memory, in bytes
    arena_extend arena_extend_strategy = arena_extend::kNextPowerOfTwo;  // by how much that memory grows
    bool do_copy_in_default_stream =
        true;  // false: copies have a stream of their own, ordered with the run's by events
    std::uintptr_t user_compute_stream = 0;  // a hipStream_t that all runs of the session use
    bool enable_hip_graph = false;           // steps between two transfers are recorded once and replayed

    using memory = inlay::memory::hip;
    static constexpr std::string_view name = "ROCMExecutionProvider";
    static constexpr provider_status status = provider_status::deprecated;
    static constexpr provider_check checked_on = provider_check::stand_in;
    static constexpr auto devices = hana::tuple_t<device::cuda>;
    static constexpr auto kernels = stock_operators;  // those that kernels/inlay/cuda has
    using conversions = device::cuda;
    result<std::shared_ptr<device_session>> open() const;  // provider_unavailable, with the reason
    static device_inventory inventory();                   // queried from the driver on demand
};
using rocm [[deprecated("ROCMExecutionProvider is deprecated; inlay::migraphx is for AMD's GPUs too")]] = rocm_provider;

#define INLAY_EXTERN(name, file) extern template std::span<const row> rows<op::name, device::cuda>();
INLAY_OPERATORS(INLAY_EXTERN)  // compiled once, in inlay::rocm
#undef INLAY_EXTERN
extern template const kernel_table& kernels_of<rocm_provider>();
extern template conversion_functions conversion_of<device::cuda>(int bits);
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::rocm_provider, device_id, gpu_mem_limit, arena_extend_strategy,
                        do_copy_in_default_stream, user_compute_stream, enable_hip_graph);
namespace inlay {
inline namespace v1 {
static_assert(provider<rocm_provider> && device_provider<rocm_provider>);
}  // namespace v1
}  // namespace inlay
