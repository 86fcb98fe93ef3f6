// Libraries of earlier feature levels: each file that includes this runs with one of its own.
#pragma once
#include "host_counts.hpp"

namespace inlay::testing {
// The results are right, and so many nodes are NNAPI's.
inline plan_report checked_plan(const model& m, const shape& x, const nnapi& p = {}) {
    const session s{m, quiet(), p, cpu{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return s.plan();
}
inline std::string unavailable_with(const nnapi& p) {
    const auto result = session<nnapi, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? "" : result.why().text;
}
inline model relu_and_exp() {
    return model_of({4}, [](graph_maker& g, int x) { return g.node("Exp", {g.node("Relu", {x})}); });
}
}  // namespace inlay::testing
