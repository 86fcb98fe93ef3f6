// The names of the packages of the build's providers.
#pragma once
#include <inlay/built_providers.hpp>
#include <iterator>
#include <sstream>

namespace inlay::testing {
inline std::vector<std::string> built_names() {  // in the order of built_providers()
    std::istringstream words(BUILT_PROVIDERS);
    return {std::istream_iterator<std::string>(words), {}};
}
}  // namespace inlay::testing
