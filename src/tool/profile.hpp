// What inlay profile shows, as numbers.
#pragma once
#include "common.hpp"

namespace inlay::tool {
struct peaks {  // per second, of so many threads at a level
    double flop, bytes;
};
peaks measure_peaks(isa::level, int threads);

struct cost {
    int steps = 0;
    double seconds = 0;  // sum of the steps' medians
    double flop = 0, bytes = 0;
    double least = 0, bound = 0;  // seconds that the peaks allow, and those taken, of the steps that the peaks bound
    double gflop_per_s() const { return seconds > 0 ? flop / seconds / 1e9 : 0; }
    double gb_per_s() const { return seconds > 0 ? bytes / seconds / 1e9 : 0; }
    std::optional<double> roofline() const {
        return bound > 0 ? std::optional(least / bound) : std::nullopt;
    }  // over 1: data from caches, or fewer operations than the shapes tell
    cost& operator+=(const cost&);
};
struct operator_cost {
    std::string op;
    cost sum;
};
struct profile_table {
    run_profile profile;
    peaks limits;
    std::vector<cost> steps;               // of profile.steps
    std::vector<operator_cost> operators;  // the most expensive first
    cost in_steps;
    double outside = 0;  // median over the runs of the time not spent in steps
    double total() const { return in_steps.seconds + outside; }
    double share(double seconds) const { return total() > 0 ? seconds / total() : 0; }
};
profile_table make_table(run_profile, const peaks&);
cost cost_in_body(const profile_table&, const step_profile&);  // on average over the runs
json to_json(const profile_table&);                            // schema inlay.profile
void show(const profile_table&);                               // as text
std::string page_of(const profile_table&);                     // one HTML file
}  // namespace inlay::tool
