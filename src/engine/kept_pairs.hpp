// What a cache of a decoder may hold: pairs of an input and an output.
#pragma once
#include <inlay/plan/growths.hpp>
#include <inlay/sdk/graph.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
// What a cache may hold: an input that the model gives back as an output.
struct kept_pair : growth {
    enum class form : std::uint8_t {
        rows,    // the past is the rows held, and the present has the new ones behind them
        buffer,  // both are all of the cache's memory: the operator is told which of its rows are there
        state    // the present takes the past's place
    } how = form::rows;
    int node = -1;  // that reads the past
    int tokens = -1,
        tokens_axis = -1;  // its input with one row for each that a run adds; with `rows`, the present tells
    int total = -1;        // its input that tells how many rows there are afterwards, if it has one
};
std::vector<kept_pair> find_kept_pairs(const graph_view&);  // states last
// Inputs whose rows are only summed, or tell GroupQueryAttention of these pairs how long they are: zeros behind them
// change nothing but the shape, and with the cache's room in every run there is one plan for all tokens.
std::vector<int> find_counting_masks(const graph_view&, std::span<const kept_pair>);
}  // namespace v1
}  // namespace inlay
