// Memory for packed weights and caches.
#include "../catch.hpp"
#include "engine/packed_memory.hpp"
#include <cstring>
using namespace inlay;

TEST_CASE("What is packed beyond the first megabytes lies together, and its memory outlives the rest", "[session]") {
    packed_memory memory;
    const auto place = [](const tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data()); };
    tensor first = memory.take(8 << 20), a = memory.take(1000), b = memory.take(100), c = memory.take(31 << 20);
    CHECK(place(b) - place(a) == 1024);
    CHECK(place(a) % (2 << 20) == 0);
    CHECK(place(c) - place(b) == 128);
    tensor next = memory.take(2 << 20), large = memory.take(40 << 20);  // each more than there is left
    CHECK(place(next) % (2 << 20) == 0);
    for (tensor* t : {&first, &a, &b, &c, &next, &large}) std::memset(t->data(), 1, std::size_t(t->bytes()));
    a = b = tensor();
    CHECK(*(static_cast<const char*>(c.data()) + c.bytes() - 1) == 1);
    c = next = tensor();
    tensor later = memory.take(10);
    CHECK(place(later) % (2 << 20) == 0);
    std::memset(later.data(), 1, 10);
    CHECK(memory.take(0).bytes() == 0);
}
