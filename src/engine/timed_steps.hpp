// Times of the steps of runs.
#pragma once
#include <inlay/profile.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <chrono>
#include <map>
#include <tuple>

namespace inlay {
inline namespace v1 {
using moment = std::chrono::steady_clock::time_point;

// The times of the steps of a body of control flow, over all its runs.
struct timed_steps {
    struct entry;
    std::vector<entry> entries;
    std::map<std::tuple<const graph_data*, int, int>, std::size_t>
        places;  // by body, unit and source: its plans may differ from shape to shape
    std::vector<step_profile> since(moment) const;
};
struct timed_steps::entry {
    step_profile profile;  // its times, relative to the clock's start
    timed_steps inside;
};
}  // namespace v1
}  // namespace inlay
