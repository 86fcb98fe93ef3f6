#include "blocks.hpp"
#include "choose.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::choose {
template <class T>
INLAY_LOCAL void either(const std::uint8_t* c, const T* a, const T* b, T* y, std::int64_t n) noexcept {
    in_blocks(n, [=](std::int64_t i) INLAY_INLINED {
        const T first = a[i], second = b[i];  // both are read, so that there is no branch
        y[i] = c[i] ? first : second;
    });
}
}  // namespace INLAY_LEVEL::choose
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(choose, either<std::uint8_t>, either<std::uint16_t>, either<std::uint32_t>, either<std::uint64_t>)
