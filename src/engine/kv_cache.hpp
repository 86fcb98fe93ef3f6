#pragma once
#include "grown_values.hpp"
#include "packed_memory.hpp"

namespace inlay {
inline namespace v1 {
struct kv_cache::impl : grown_values {
    std::shared_ptr<session_core> core;
    void allocate(slot&, shape dims);  // memory for the past of this shape, whatever its rows; states are zeros
    void clear_states();
    void feed_pasts(std::span<const feed> feeds,
                    std::span<const any_value*> in);   // the other inputs determine its shapes
    void widen_masks(std::span<const any_value*> in);  // the counting masks, where rows are held

  private:
    std::vector<any_value> wide_masks_;
    packed_memory memory_;
};
}  // namespace v1
}  // namespace inlay
