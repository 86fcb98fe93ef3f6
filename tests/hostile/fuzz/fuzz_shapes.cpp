// libFuzzer: bytes as one node with its inputs; the operator's shape rule, and every kernel's verdict, parameters and
// memory.
#include "../nonsense.hpp"
#include "every_kernel.hpp"
#include <inlay/provider/cpu.hpp>

using namespace inlay;

namespace {
template <class Op, class Device> void add(std::vector<entry>& all) {
    for_each_kernel<Op, Device>(
        [&]<class K, class Types>(int t) { all.push_back(describe<K, Op, Device>(Types{}, t)); });
}
template <class... Op> std::vector<entry> entries(pack<Op...>) {
    std::vector<entry> all;
    const int in_turn[] = {(add<Op, device::cpu>(all), add<Op, device::reference>(all), 0)...};  // clang nests a fold
    static_cast<void>(in_turn);
    std::ranges::stable_sort(all, {}, &entry::key);
    return all;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<entry> all = entries(pack_of<decltype(cpu::kernels)>{});
    testing::nonsense({data, size}, all).ask(all);
    return 0;
}
