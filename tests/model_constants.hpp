// A model's constants, as engines get them.
#pragma once
#include <inlay/model.hpp>
#include <inlay/sdk/engine.hpp>

namespace inlay::testing {
inline auto model_constants(const model& m) {
    return constants_of(m.view(), [&m](int k) { return m.graph().constants[std::size_t(k)].data(); });
}
}  // namespace inlay::testing
