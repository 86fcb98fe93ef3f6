// Memory spaces of devices other than the first. Of inlay::kernels; included with INLAY_HEADER_ONLY.
#include <inlay/isa.hpp>
#include <inlay/tensor.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
INLAY_COMPILED const space& space_of_device(const space& first, int device) {
    struct entry {
        std::string name;
        space s;
    };
    static std::mutex mutex;
    static auto* const entries =
        new std::map<std::pair<const space*, int>, entry>;  // never destroyed: tensors may be static too
    const std::lock_guard lock(mutex);
    const auto [at, isnew] =
        entries->try_emplace({&first, device}, entry{std::string(first.name) + ":" + std::to_string(device), first});
    if (isnew) {
        at->second.s.name = at->second.name;
        at->second.s.device = device;
    }
    return at->second.s;
}
}  // namespace v1
}  // namespace inlay
