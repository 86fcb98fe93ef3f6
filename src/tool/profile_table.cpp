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
profile_table make_table(run_profile p, const peaks& limits) {
    profile_table t{std::move(p), limits, {}, {}, {}, 0};
    std::map<std::string, cost> sums;
    for (const step_profile& s : t.profile.steps) {
        cost c{1, median_seconds(s.runs), s.flop, double(s.bytes), 0, 0};
        const bool elsewhere = s.kernel == "region" || s.op == "(transfer)" || s.provider == "(control flow)";  // other hardware, or steps of its own
        if (!elsewhere && (c.flop > 0 || c.bytes > 0)) {
            c.least = std::max(c.flop / limits.flop, c.bytes / limits.bytes);
            c.bound = c.seconds;
        }
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
std::string arguments_text(const std::vector<step_profile::argument>& all) {
    std::string text;
    for (const step_profile::argument& a : all) text += (text.empty() ? "" : " ") + (a.dims.known() ? to_string(a.dims) : "[...]");
    return text;
}

json trace_of(const run_profile& p) {
    json events = json::array();
    const auto add = [&](const std::string& name, std::string_view category, const time_span& at, json about) {
        events.push_back({{"name", name}, {"cat", category}, {"ph", "X"}, {"ts", at.start * 1e6}, {"dur", at.seconds * 1e6}, {"pid", 1}, {"tid", 1}, {"args", std::move(about)}});
    };
    for (std::size_t r = 0; r < p.runs.size(); ++r) {
        add(fmt::format("run {}", r), "run", p.runs[r], json::object());
        for (const step_profile& s : p.steps)
            add(s.node, s.op, s.runs[r], {{"provider", s.provider}, {"kernel", s.kernel}, {"inputs", arguments_text(s.inputs)}, {"outputs", arguments_text(s.outputs)}, {"flop", s.flop}, {"bytes", s.bytes}});
    }
    return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}
}  // namespace inlay::tool
