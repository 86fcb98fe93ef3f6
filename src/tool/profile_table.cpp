// From the times of steps to rates, shares and sums.
#include "profile.hpp"

namespace inlay::tool {
cost& cost::operator+=(const cost& c) {
    steps += c.steps;
    seconds += c.seconds;
    flop += c.flop;
    bytes += c.bytes;
    least += c.least;
    bound += c.bound;
    return *this;
}
namespace {
cost cost_of(const step_profile& s, const peaks& limits, double times, double seconds) {
    cost c{1, seconds, s.flop * times, double(s.bytes) * times, 0, 0};
    const bool elsewhere = s.kernel == "region" || s.op == "(transfer)" ||
                           s.provider == "(control flow)";  // other hardware, or steps of its own
    if (!elsewhere && (c.flop > 0 || c.bytes > 0)) {
        c.least = std::max(c.flop / limits.flop, c.bytes / limits.bytes);
        c.bound = c.seconds;
    }
    return c;
}
}  // namespace
cost cost_in_body(const profile_table& t, const step_profile& s) {
    const auto runs = double(t.profile.runs.size());
    double seconds = 0;
    for (const time_span& one : s.runs) seconds += one.seconds;
    return cost_of(s, t.limits, double(s.runs.size()) / runs, seconds / runs);
}
profile_table make_table(run_profile p, const peaks& limits) {
    profile_table t{std::move(p), limits, {}, {}, {}, 0};
    std::map<std::string, cost> sums;
    for (const step_profile& s : t.profile.steps) {
        const cost c = cost_of(s, limits, 1, median_seconds(s.runs));
        t.steps.push_back(c);
        t.in_steps += c;
        sums[s.op] += c;
    }
    for (const auto& [op, sum] : sums) t.operators.push_back({op, sum});
    std::ranges::stable_sort(t.operators, std::greater(), [](const operator_cost& o) { return o.sum.seconds; });
    std::vector<double> outside;
    for (std::size_t r = 0; r < t.profile.runs.size(); ++r) {
        outside.push_back(t.profile.runs[r].seconds);
        for (const step_profile& s : t.profile.steps) outside.back() -= s.runs[r].seconds;
    }
    t.outside = median(std::move(outside));
    return t;
}
}  // namespace inlay::tool
