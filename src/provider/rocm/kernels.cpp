// What the compiler's code for kernels calls: before main() each source registers its code for the device, and each
// launch has a configuration and a call. These are functions of HIP's library; provider.cmake gives them the names of
// those here, which keep what they are given until the library is open.
#include "hip.hpp"
#include <platform/shared_library.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace {
struct kernel_name {
    const void* host;  // what stands for the kernel in calls
    char* device;
    const char* name;
    unsigned threads;
};
struct fat_binary {  // of one source: its code for every architecture
    const void* data;
    std::vector<kernel_name> kernels;
};
std::vector<fat_binary*>& binaries() {  // never destroyed: what was registered at the start is read at any time
    static auto* const list = new std::vector<fat_binary*>;
    return *list;
}
struct launch_configuration {
    dim3 grid, block;
    std::size_t shared;
    hipStream_t stream;
};
thread_local launch_configuration next_launch{};
}  // namespace

std::string register_kernels(void* library) {
    void** (*take_binary)(const void*) = nullptr;
    void (*take_kernel)(void**, const void*, char*, const char*, unsigned, void*, void*, void*, void*, int*) = nullptr;
    std::string problem;
    find_function(library, "__hipRegisterFatBinary", take_binary, problem);
    find_function(library, "__hipRegisterFunction", take_kernel, problem);
    if (!problem.empty()) return problem;
    for (const fat_binary* b : binaries()) {
        void** const handle = take_binary(b->data);
        for (const kernel_name& k : b->kernels)
            take_kernel(handle, k.host, k.device, k.name, k.threads, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    return problem;
}
}  // namespace v1
}  // namespace inlay

extern "C" {
void** inlay_hipRegisterFatBinary(const void* data) {
    auto* const b = new inlay::fat_binary{data, {}};
    inlay::binaries().push_back(b);
    return reinterpret_cast<void**>(b);
}
void inlay_hipRegisterFunction(void** handle, const void* host, char* device, const char* name, unsigned threads, void*,
                               void*, void*, void*, int*) {
    reinterpret_cast<inlay::fat_binary*>(handle)->kernels.push_back({host, device, name, threads});
}
void inlay_hipUnregisterFatBinary(void**) {}  // at the program's end, when the library may be gone already
hipError_t inlay_hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, hipStream_t stream) {
    inlay::next_launch = {grid, block, shared, stream};
    return hipSuccess;
}
hipError_t inlay_hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, hipStream_t* stream) {
    const auto& next = inlay::next_launch;
    *grid = next.grid, *block = next.block, *shared = next.shared, *stream = next.stream;
    return hipSuccess;
}
hipError_t inlay_hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                 hipStream_t stream) {
    const auto& f = inlay::hip();
    return f.problem.empty() ? f.hipLaunchKernel(kernel, grid, block, arguments, shared, stream)
                             : hipErrorNotInitialized;
}
}
