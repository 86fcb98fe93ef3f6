// libFuzzer: bytes as one node with its inputs; the operator's shape rule, and every kernel's verdict, parameters and
// memory.
#include "../nonsense.hpp"
#include "every_kernel.hpp"
#include <inlay/provider/cpu.hpp>

using namespace inlay;

namespace {
template <class Op, class Device> void add(std::vector<entry>& kernels) {
    for_each_kernel<Op, Device>(
        [&]<class K, class Types>(int t) { kernels.push_back(describe<K, Op, Device>(Types{}, t)); });
}
template <class... Op> std::vector<entry> entries(pack<Op...>) {
    std::vector<entry> kernels;
    const int in_turn[] = {
        (add<Op, device::cpu>(kernels), add<Op, device::reference>(kernels), 0)...};  // clang nests a fold
    static_cast<void>(in_turn);
    std::ranges::stable_sort(kernels, {}, &entry::key);
    return kernels;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<entry> kernels = entries(pack_of<decltype(cpu::kernels)>{});
    testing::nonsense({data, size}, kernels).ask(kernels);
    return 0;
}
