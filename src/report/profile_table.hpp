// A profile as numbers: medians, rates, shares and totals by operator.
#pragma once
#include <inlay/report_json.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
struct profile_peaks {  // per second, of so many threads at a level
    double flop, bytes;
};
struct profile_cost {
    int steps = 0;
    double seconds = 0;  // sum of the steps' medians
    double flop = 0, bytes = 0;
    double least = 0, bound = 0;  // seconds that the peaks allow, and measured ones, of the steps that the peaks bound
    double gflop_per_s() const { return seconds > 0 ? flop / seconds / 1e9 : 0; }
    double gb_per_s() const { return seconds > 0 ? bytes / seconds / 1e9 : 0; }
    std::optional<double> roofline() const {
        return bound > 0 ? std::optional(least / bound) : std::nullopt;
    }  // over 1: data from caches, or fewer operations than the shapes suggest
    profile_cost& operator+=(const profile_cost&);
};
struct operator_cost {
    std::string op;
    profile_cost sum;
};
struct profile_table {
    run_profile profile;
    std::optional<profile_peaks> peaks;    // without them there is no roofline
    std::vector<profile_cost> steps;       // of profile.steps
    std::vector<operator_cost> operators;  // the most expensive first
    profile_cost in_steps;
    double outside = 0;  // median over the runs of the time not spent in steps
    double total() const { return in_steps.seconds + outside; }
    double share(double seconds) const { return total() > 0 ? seconds / total() : 0; }
};
profile_table make_table(run_profile, const std::optional<profile_peaks>&);
profile_cost cost_in_body(const profile_table&, const step_profile&);  // on average over the runs
std::string json_of(const profile_table&);                             // schema inlay.profile
}  // namespace v1
}  // namespace inlay
