// What a cache of a decoder may hold: pairs of an input and an output.
#pragma once
#include <inlay/plan/growths.hpp>
#include <inlay/sdk/operator.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
// What a cache may hold: an input that the model gives back as an output.
struct kept_pair : growth {
    using form = cached_pair::form;
    form how = form::rows;
    int node = -1;                                  // that reads the past
    int tokens = -1, tokens_axis = -1, total = -1;  // as those of cached_pair
};
std::vector<kept_pair> find_kept_pairs(const graph_view&);  // states last
// Inputs whose rows are only summed, or tell GroupQueryAttention of these pairs how long they are: zeros behind them
// change nothing but the shape, and with the cache's room in every run there is one plan for all tokens.
std::vector<int> find_counting_masks(const graph_view&, std::span<const kept_pair>);
}  // namespace v1
}  // namespace inlay
