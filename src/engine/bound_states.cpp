// Pages of the model's files and of copies, given back to the system.
#include "bound_states.hpp"
#include "pages.hpp"
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace inlay {
inline namespace v1 {
void bound_states::add_file(std::span<const std::byte> data, std::shared_ptr<void> keep) {
    files_.push_back({data, std::move(keep)});
    give_back(data.data(), std::int64_t(data.size()));  // what loading has read
}
#if defined(__unix__) || defined(__APPLE__)
void drop_pages(const void* data, std::int64_t bytes) {
    static const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page,
               end = (reinterpret_cast<std::uintptr_t>(data) + std::uintptr_t(bytes)) / page * page;
    if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}
#else
void drop_pages(const void*, std::int64_t) {}
#endif
void bound_states::give_back(const void* data, std::int64_t bytes) const {
    const auto inside = [&](const file& f) {
        return std::less_equal<>()(static_cast<const void*>(f.data.data()), data) &&
               std::less<>()(data, static_cast<const void*>(f.data.data() + f.data.size()));
    };
    if (std::ranges::any_of(files_, inside)) drop_pages(data, bytes);  // a clean private mapping
}
}  // namespace v1
}  // namespace inlay
