#pragma once
#include "grown_values.hpp"

namespace inlay {
inline namespace v1 {
struct kv_cache::impl : grown_values {
    std::shared_ptr<session_core> core;
    void allocate(one&, shape dims);  // memory for the past of this shape, whatever its rows are
    void feed_pasts(std::span<const feed> feeds,
                    std::span<const any_value*> in);  // what the other inputs tell of its shapes
};
}  // namespace v1
}  // namespace inlay
