// The first output of an operator on one device, which must run there.
#pragma once
#include "../catch.hpp"
#include "../run_on.hpp"

namespace inlay::testing {
using runner = outcome (*)(const call&);  // of one operator on one device
inline tensor result_of(runner run, const call& c) {
    const outcome o = run(c);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.done == status::ok);
    return o[0];
}
template <class Op> tensor on_reference(const call& c) { return result_of(run<Op, device::reference>, c); }
}  // namespace inlay::testing
