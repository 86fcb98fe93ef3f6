// From the times of steps to rates, shares and totals.
#include "report/json_writer.hpp"
#include "report/profile_table.hpp"
#include <functional>
#include <map>

namespace inlay {
inline namespace v1 {
profile_cost& profile_cost::operator+=(const profile_cost& c) {
    steps += c.steps;
    seconds += c.seconds;
    flop += c.flop;
    bytes += c.bytes;
    least += c.least;
    bound += c.bound;
    return *this;
}
namespace {
profile_cost cost_of(const step_profile& s, const std::optional<profile_peaks>& peaks, double times, double seconds) {
    profile_cost c{1, seconds, s.flop * times, double(s.bytes) * times, 0, 0};
    const bool elsewhere = s.kernel == "region" || s.op == "(transfer)" ||
                           s.provider == "(control flow)";  // other hardware, or steps of its own
    if (peaks && !elsewhere && (c.flop > 0 || c.bytes > 0)) {
        c.least = std::max(c.flop / peaks->flop, c.bytes / peaks->bytes);
        c.bound = c.seconds;
    }
    return c;
}
}  // namespace
profile_cost cost_in_body(const profile_table& t, const step_profile& s) {
    const auto runs = double(t.profile.runs.size());
    double seconds = 0;
    for (const time_span& run : s.runs) seconds += run.seconds;
    return cost_of(s, t.peaks, double(s.runs.size()) / runs, seconds / runs);
}
profile_table make_table(run_profile p, const std::optional<profile_peaks>& peaks) {
    profile_table t{std::move(p), peaks, {}, {}, {}, 0};
    std::map<std::string, profile_cost> sums;
    for (const step_profile& s : t.profile.steps) {
        const profile_cost c = cost_of(s, peaks, 1, median_seconds(s.runs));
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

namespace {
void write(json_writer& out, std::string_view name, const std::vector<step_profile::argument>& list) {
    out.key(name).open('[');
    for (const step_profile::argument& a : list) {
        out.open('{').field("name", a.name).field("type", name_of(a.type));
        if (a.dims.known())
            out.field("shape", a.dims);
        else
            out.field("shape", nullptr);
        out.field("constant", a.constant).close('}');
    }
    out.close(']');
}
void write_cost(json_writer& out, const profile_table& t, const profile_cost& c) {
    out.field("seconds", c.seconds).field("share", t.share(c.seconds)).field("gflop", c.flop / 1e9);
    out.field("gflop_per_s", c.gflop_per_s()).field("bytes", std::int64_t(c.bytes)).field("gb_per_s", c.gb_per_s());
    if (const auto roofline = c.roofline())
        out.field("roofline", *roofline);
    else
        out.field("roofline", nullptr);
}
void write_step(json_writer& out, const profile_table& t, const step_profile& s, const profile_cost& c) {
    out.field("node", s.node).field("op", s.op).field("domain", s.domain).field("version", s.version);
    out.field("sources", s.sources).field("provider", s.provider).field("kernel", s.kernel);
    write(out, "inputs", s.inputs);
    write(out, "outputs", s.outputs);
    write_cost(out, t, c);
    if (s.body.empty()) return;
    out.key("body").open('[');
    for (const step_profile& inside : s.body) {
        out.open('{');
        write_step(out, t, inside, cost_in_body(t, inside));
        out.field("times", double(inside.runs.size()) / double(t.profile.runs.size())).close('}');
    }
    out.close(']');
}
}  // namespace
std::string json_of(const profile_table& t) {
    const run_profile& p = t.profile;
    json_writer out;
    out.open('{').field("schema", "inlay.profile").field("version", 1).field("model", p.model);
    out.field("instruction_set", p.level).field("threads", p.threads).field("runs", p.runs.size()).key("peaks");
    if (t.peaks)
        out.open('{').field("gflop_per_s", t.peaks->flop / 1e9).field("gb_per_s", t.peaks->bytes / 1e9).close('}');
    else
        out.value(nullptr);
    out.key("steps").open('[');
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
        out.open('{');
        write_step(out, t, p.steps[k], t.steps[k]);
        out.close('}');
    }
    out.close(']').key("operators").open('[');
    for (const operator_cost& o : t.operators) {
        out.open('{').field("op", o.op).field("steps", o.sum.steps);
        write_cost(out, t, o.sum);
        out.close('}');
    }
    out.close(']').key("in_steps").open('{');
    write_cost(out, t, t.in_steps);
    out.close('}').key("outside_steps").open('{');
    out.field("seconds", t.outside).field("share", t.share(t.outside)).close('}');
    out.key("total").open('{').field("seconds", t.total()).field("median_of_runs", median_seconds(p.runs)).close('}');
    return out.close('}').text();
}
std::string json_of(const run_profile& p) { return json_of(make_table(p, {})); }
}  // namespace v1
}  // namespace inlay
