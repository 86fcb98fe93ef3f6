// What a decoder's cache can hold: pairs of an input and an output.
#pragma once
#include <inlay/plan/growths.hpp>
#include <inlay/sdk/operator.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
// One entry of a cache: an input that the model returns as an output.
struct kept_pair : growth {
    using form = cached_pair::form;
    form kind = form::rows;
    int node = -1;                                  // that reads the past
    int tokens = -1, tokens_axis = -1, total = -1;  // as those of cached_pair
};
std::vector<kept_pair> find_kept_pairs(const graph_view&);  // states last
// Inputs whose rows are only summed, or give GroupQueryAttention the lengths of these pairs: zeros after them
// change only the shape. Padded to the cache's capacity in every run, they need one plan for all tokens.
std::vector<int> find_counting_masks(const graph_view&, std::span<const kept_pair>);
}  // namespace v1
}  // namespace inlay
