// A fast kernel compared with the reference kernel, wherever and however it runs.
#pragma once
#include "elementwise.hpp"

namespace inlay::testing {
// agree(the CPU kernel's result, the reference kernel's), at every instruction set and on one and three threads.
template <class Op, class F> void beside_plain(call c, F agree) {
    const outcome plain = run<Op, device::reference>(c);
    INFO(plain.answer.reason << plain.detail);
    REQUIRE(plain.code == status::ok);
    for (isa::level l : tested_levels())
        for (int threads : {1, 3}) {
            CAPTURE(isa::name_of(l), threads);
            c.level = l;
            c.threads = threads;
            const outcome y = run<Op, device::cpu>(c);
            INFO(y.answer.reason << y.detail);
            REQUIRE(y.answer);  // else another kernel ran, or none
            REQUIRE(y.code == status::ok);
            agree(y, plain);
        }
}
// The same numbers but for a difference of no more than this. `others`: of outputs after the first. Those that are
// undefined are not there.
template <class Op> void check_levels(const call& c, double tolerance = 2e-5, double rest_tolerance = 0) {
    beside_plain<Op>(c, [&](const outcome& y, const outcome& plain) {
        for (std::size_t k = 0; k < plain.outputs.size(); ++k)
            if (c.outputs.empty() || c.outputs[k] != element::undefined)
                CHECK(elementwise::same<float>(y[k], plain[k], k == 0 ? tolerance : rest_tolerance));
    });
}
}  // namespace inlay::testing
