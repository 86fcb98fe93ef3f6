// NVIDIA GPUs, through CUDA: libraries where NVIDIA has one, own kernels elsewhere. The driver and the libraries are
// opened when the first session needs them, so that the same program runs where there are none; link inlay::cuda.
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
struct cuda {};    // of one GPU
struct pinned {};  // of the host, which a GPU may read
}  // namespace memory
template <>
struct memory_space<memory::cuda> {  // of the session that the thread works for on that device, if there is one
    static constexpr std::string_view name = "cuda";
    static void* allocate(std::size_t bytes, int device) noexcept;
    static void release(void* p, int device) noexcept;
    static error refused(std::size_t bytes, int device);
};
template <> struct memory_space<memory::pinned> {
    static constexpr std::string_view name = "pinned";
    static void* allocate(std::size_t bytes) noexcept;
    static void release(void* p) noexcept;
    static error refused(std::size_t bytes);
};
template <> struct transfer<memory::host, memory::cuda> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept;
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept;
};
template <>
struct transfer<memory::cuda, memory::host> : transfer<memory::host, memory::cuda> {};  // addresses give the direction
template <> struct transfer<memory::cuda, memory::cuda> : transfer<memory::host, memory::cuda> {};  // of two GPUs
template <> struct transfer<memory::host, memory::pinned> : transfer<memory::host, memory::host> {};
template <> struct transfer<memory::pinned, memory::host> : transfer<memory::host, memory::host> {};

enum class conv_algo_search : std::uint8_t { EXHAUSTIVE, HEURISTIC, DEFAULT };  // spelt as ONNX Runtime does
enum class cuda_precision : std::uint8_t {  // of float32 matmuls and convolutions; values between nodes are float32
                                            // in each
    standard,
    strict,  // no Winograd convolutions: errors stay those of direct accumulation
    float16,
    bfloat16  // operands are rounded to 16 bits, weights when they are bound, the others before each call; so are the
              // accumulators of convolutions
};
bool from_text(std::string_view text, conv_algo_search& to);
bool from_text(std::string_view text, cuda_precision& to);
std::string to_text(conv_algo_search);
std::string to_text(cuda_precision);

struct cuda {  // names and defaults as in ONNX Runtime, but for use_tf32
    int device_id = 0;
    std::size_t gpu_mem_limit = SIZE_MAX;                                // of the session's device memory, in bytes
    arena_extend arena_extend_strategy = arena_extend::kNextPowerOfTwo;  // by how much that memory grows
    conv_algo_search cudnn_conv_algo_search =
        conv_algo_search::EXHAUSTIVE;  // times all algorithms, uses the heuristic's first, or the library's fallback
    bool do_copy_in_default_stream =
        true;  // false: copies have a stream of their own, ordered with the run's by events
    bool cudnn_conv_use_max_workspace = true;  // false: only convolution algorithms that need at most 32 MiB
    std::string cudnn_plan_cache{};            // a folder that keeps these choices, for later processes; empty: none
    std::uintptr_t user_compute_stream = 0;    // a cudaStream_t that all runs of the session use
    cuda_precision precision = cuda_precision::standard;  // of matmuls and convolutions
    bool use_tf32 = false;           // ONNX Runtime's default is true: float32 matmuls lose 13 bits
    bool enable_cuda_graph = false;  // steps between two transfers are recorded once and replayed

    using memory = inlay::memory::cuda;
    static constexpr std::string_view name = "CUDAExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::device;
    static constexpr auto devices = hana::tuple_t<device::cuda>;
    static constexpr auto kernels = stock_operators;  // those that kernels/inlay/cuda has
    using conversions = device::cuda;
    constexpr element operands(element type) const {  // what matmuls and convolutions of this type multiply
        return type != element::f32 || precision < cuda_precision::float16 ? type
               : precision == cuda_precision::float16                      ? element::f16
                                                                           : element::bf16;
    }
    result<std::shared_ptr<device_session>> open() const;  // provider_unavailable, with the reason
    static device_inventory inventory();                   // find_cuda(), in the form that every provider has
};

// What this machine has: queried from the driver on demand.
struct cuda_device {
    int id = 0;
    std::string name;
    int major = 0, minor = 0, multiprocessors = 0;
    std::size_t bytes = 0;
};
struct cuda_inventory {
    std::string unusable;         // why CUDA cannot be used; empty: it can
    int driver = 0, runtime = 0;  // as CUDA numbers them: 13000 is 13.0
    std::string cublaslt, cudnn;  // versions; empty where they could not be opened
    std::vector<cuda_device> devices;
};
cuda_inventory find_cuda();

#define INLAY_EXTERN(name, file) extern template std::span<const row> rows<op::name, device::cuda>();
INLAY_OPERATORS(INLAY_EXTERN)  // compiled once, in inlay::cuda
#undef INLAY_EXTERN
extern template const kernel_table& kernels_of<cuda>();
extern template const kernel_table& planned_kernels_of<cuda>();  // of programs without inlay::cuda
extern template conversion_functions conversion_of<device::cuda>(int bits);
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::cuda, device_id, gpu_mem_limit, arena_extend_strategy, cudnn_conv_algo_search,
                        do_copy_in_default_stream, cudnn_conv_use_max_workspace, cudnn_plan_cache, user_compute_stream,
                        precision, use_tf32, enable_cuda_graph);
namespace inlay {
inline namespace v1 {
static_assert(provider<cuda> && device_provider<cuda>);
}  // namespace v1
}  // namespace inlay
