// Mirrors include/inlay/device.hpp.
#include "../catch.hpp"
#include <inlay/device.hpp>
#include <cstdint>

using namespace inlay;
using host = memory_space<memory::host>;

TEST_CASE("Host memory is aligned to cache lines, and large blocks to large pages") {
    for (const std::size_t bytes : {std::size_t(1), std::size_t(63), std::size_t(65), std::size_t(2 << 20) - 1,
                                    std::size_t(2 << 20), std::size_t(5 << 20) + 7}) {
        CAPTURE(bytes);
        auto* const p = static_cast<unsigned char*>(host::allocate(bytes));
        REQUIRE(p);
        CHECK(reinterpret_cast<std::uintptr_t>(p) % (bytes < 2 << 20 ? 64 : 2 << 20) == 0);
        p[0] = p[bytes - 1] = 1;
        host::release(p);
    }
}
TEST_CASE("A size of host memory that cannot be rounded up is refused") {
    CHECK(host::allocate(std::size_t(-1)) == nullptr);
    CHECK(host::allocate(std::size_t(-1) - (1 << 20)) == nullptr);
}
