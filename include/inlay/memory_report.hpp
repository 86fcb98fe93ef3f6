// A plan's memory: where each value lives, and how long.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "element.hpp"
#include "shape.hpp"
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
struct memory_report {
    struct lifetime {
        std::string value;  // of a copy: of what it copies
        element type = element::undefined;
        shape dims = shape::unknown();
        std::string layout;                  // "plain" or "channels_last"
        std::int64_t offset = 0, bytes = 0;  // in the arena of its space
        // The steps between which the bytes hold it: -1 before the first step, steps.size() after the last.
        int first_step = 0, last_step = 0;
        int root = 0;                        // in `values`: whose bytes it uses; itself, if none
        bool input = false, output = false;  // of the graph
    };
    struct space {
        std::string name;
        std::int64_t arena_bytes = 0,
                     live_bytes = 0;     // live: the largest sum of what lives at once; no arena is smaller
        std::vector<std::int64_t> live;  // during each step
        std::vector<lifetime> values;    // by offset, then by first step
        double fragmentation() const {
            return arena_bytes > 0 ? 1 - double(live_bytes) / double(arena_bytes) : 0;
        }  // the part of the arena that a perfect plan would save
    };
    struct step {  // as in plan_report::step
        std::string name, op, provider;
    };

    std::string model;
    std::vector<std::pair<std::string, shape>> inputs;
    std::vector<step> steps;
    std::vector<space> spaces;  // the host first
    int aliased = 0;            // results computed in place of an input
    int unplanned = 0;  // values of data-dependent size, all strings, sequences and maps: each with memory of its own
    std::int64_t scratch_bytes = 0, packed_bytes = 0, constant_bytes = 0;  // as in plan_report
    std::int64_t held_bytes = 0;  // left to the session by finished runs of any shapes, for the next ones
    std::int64_t arena_bytes() const {
        std::int64_t sum = 0;
        for (const space& s : spaces) sum += s.arena_bytes;
        return sum;
    }
};
}  // namespace v1
}  // namespace inlay
