// The loops that profiles measure.
#include "../../catch.hpp"
#include <inlay/cpu/isa/peak_f32.hpp>
#include <cmath>
#include <vector>
using namespace inlay;

TEST_CASE("The reading loop reads every element, and none beyond", "[peak]") {
    int levels = 0;
    for (const isa::level l : isa::linked) {
        if (!isa::available(l)) continue;
        ++levels;
        CAPTURE(isa::name_of(l));
        for (const std::int64_t n : {0, 1, 15, 16, 47, 191, 192, 193, 400}) {
            CAPTURE(n);
            const std::vector<float> x(std::size_t(n), 1.f);
            CHECK(peak_f32(l).read(x.data(), n) == float(n));
        }
    }
    CHECK(levels > 0);
}
TEST_CASE("The loop of multiply-adds runs as many chains as it counts", "[peak]") {
    for (const isa::level l : isa::linked) {
        if (!isa::available(l)) continue;
        CAPTURE(isa::name_of(l));
        const double chains = double(peak_f32(l).flop) / 2;
        CHECK(peak_f32(l).multiply_add(100, 1.f) == Approx(2 * chains));  // each comes to 2: x = x / 2 + 1
        CHECK(peak_f32(l).multiply_add(1, 0.f) != Approx(0));             // and takes its rounds to come there
    }
}
