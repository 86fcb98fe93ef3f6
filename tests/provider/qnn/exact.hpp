// Results that are those of the reference kernels to the last bit, of QNN alone.
#pragma once
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>

namespace inlay::testing {
template <class T> void check_exact(const inlay::qnn& p, const std::string& text, const shape& x) {
    INFO(text);
    const model m = model_of(text);
    const inlay::session s{m, quiet(), p, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    for (int run = 0; run < 2; ++run) CHECK(elements<T>(s.run(in)[0]) == elements<T>(plain.run(in)[0]));
    CHECK(s.plan().count(cpu::name) == 0);
}
}  // namespace inlay::testing
