#include "blocks.hpp"
#include "compare_integer.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::compare_integer {
template <class T> INLAY_LOCAL void less(const T* a, const T* b, bool* y, std::int64_t n, bool opposite) noexcept {
    auto* to = reinterpret_cast<std::uint8_t*>(y);  // g++ does not vectorize bool
    in_blocks(n, [=](std::int64_t i) INLAY_INLINED { to[i] = (a[i] < b[i]) != opposite; });
}
template <class T> INLAY_LOCAL void equal(const T* a, const T* b, bool* y, std::int64_t n, bool opposite) noexcept {
    auto* to = reinterpret_cast<std::uint8_t*>(y);
    in_blocks(n, [=](std::int64_t i) INLAY_INLINED { to[i] = (a[i] == b[i]) != opposite; });
}
}  // namespace INLAY_LEVEL::compare_integer
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(compare_integer,
            {{less<std::int8_t>},
             {less<std::int16_t>},
             {less<std::int32_t>},
             {less<std::int64_t>},
             {less<std::uint8_t>},
             {less<std::uint16_t>},
             {less<std::uint32_t>},
             {less<std::uint64_t>}},
            {{equal<std::uint8_t>}, {equal<std::uint16_t>}, {equal<std::uint32_t>}, {equal<std::uint64_t>}})
