// A model's constants, as engines get them.
#pragma once
#include <inlay/model.hpp>
#include <inlay/sdk/engine.hpp>

namespace inlay::testing {
inline auto model_constants(const model& m) {  // what is made on demand lives as long as the result
    return constants_of(m.view(), [&m, tensors = std::vector<tensor>()](int k) mutable {
        return tensors.emplace_back(m.graph().constants[std::size_t(k)].get()).data();
    });
}
}  // namespace inlay::testing
