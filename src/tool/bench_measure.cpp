// Measures for inlay bench and inlay advise.
#include "bench.hpp"
#include "heap_counter.hpp"
#include "terminal.hpp"

namespace inlay::tool {
namespace {
double quantile(std::vector<double> all, double q) {  // between the two nearest
    if (all.empty()) return 0;
    std::ranges::sort(all);
    const double at = q * double(all.size() - 1);
    const auto below = std::size_t(at), above = std::min(below + 1, all.size() - 1);
    return all[below] + (at - double(below)) * (all[above] - all[below]);
}
constexpr std::size_t slice_count = 15;
}  // namespace
double bench_result::at(double q) const { return quantile(times, q); }
double bench_result::mean() const {
    double sum = 0;
    for (double t : times) sum += t;
    return times.empty() ? 0 : sum / double(times.size());
}
std::vector<double> bench_result::slices() const {
    const std::size_t count = std::min(slice_count, times.size());
    std::vector<double> all;
    for (std::size_t k = 0; k < count; ++k) all.push_back(median({times.begin() + std::ptrdiff_t(times.size() * k / count), times.begin() + std::ptrdiff_t(times.size() * (k + 1) / count)}));
    return all;
}
ratio compare_slices(std::span<const double> former, std::span<const double> now) {
    std::vector<double> all;
    for (double f : former) for (double n : now) if (n > 0) all.push_back(f / n);
    return {quantile(all, 0.5), quantile(all, 0.1), quantile(all, 0.9)};
}

bench_result measure(const std::string& file, const input_arguments& in, const session_arguments& s, const bench_plan& plan, bool roofline, progress& line) {
    bench_result r;
    r.model = file;
    const std::string name = file + (s.threads ? fmt::format(", {}", plural(*s.threads, "thread")) : "");
    line.show("loading " + name);
    forget_peak();
    const double base = memory_mib("VmRSS");
    stopwatch loading;
    const model m = or_exit(exit_status::load_failed, [&] { return model(file); });
    r.load = loading.seconds();
    values inputs = or_exit(exit_status::bad_input, [&] { return gather_inputs(in, m, true); });
    stopwatch preparing;
    runner run = or_exit(exit_status::load_failed, [&] { return runner(s, m, std::move(inputs)); });
    r.load += preparing.seconds();
    r.level = isa::name_of(run.session.level());
    r.threads = run.session.plan().threads;
    or_exit(exit_status::run_failed, [&] {
        line.show("first run of " + name);
        stopwatch first;
        run();
        r.first = first.seconds();
        for (int k = 1; k < plan.warm_up; ++k) run();
        stopwatch all;
        double told = 0;
        for (int k = 0; plan.runs ? k < plan.runs : (k < int(slice_count) || all.seconds() < plan.seconds); ++k) {
            stopwatch one;
            run();
            r.times.push_back(one.seconds());
            if (const double now = all.seconds(); now - told > 0.2) {
                told = now;
                const double part = plan.runs ? double(k + 1) / plan.runs : std::min(now / plan.seconds, double(k + 1) / double(slice_count));
                line.show("running " + name, part, now / part - now);
            }
        }
        r.resident_mib = memory_mib("VmRSS");
        r.peak_mib = std::max(0., memory_mib("VmHWM") - base);
        if (can_count_heap_calls) {
            constexpr int counted = 3;
            count_heap_calls(true);
            for (int k = 0; k < counted; ++k) run();
            const long calls = heap_calls();
            count_heap_calls(false);
            r.heap_calls = double(calls) / counted;
        }
        if (!roofline) return;
        if (!run.bound) throw failure{exit_status::unsupported, {error_code::invalid_argument, "only models whose inputs are tensors have a roofline"}};
        line.show("roofline of " + name);
        run_profile steps = run.bound->profile(20);
        const peaks limits = measure_peaks(run.session.level(), steps.threads);
        r.profile = make_table(std::move(steps), limits);
    });
    line.done();
    return r;
}
json to_json(const bench_result& r) {
    json j{{"model", r.model}, {"threads", r.threads}, {"instruction_set", r.level}, {"runs", r.times.size()}};
    j["seconds"] = {{"load", r.load}, {"first", r.first}, {"median", r.at(0.5)}, {"mean", r.mean()}, {"p10", r.at(0.1)}, {"p90", r.at(0.9)}, {"p99", r.at(0.99)}, {"min", r.at(0)}, {"max", r.at(1)}};
    j["runs_per_second"] = r.mean() > 0 ? 1 / r.mean() : 0;
    j["mib"] = {{"resident", r.resident_mib}, {"peak", r.peak_mib}};
    j["heap_calls_per_run"] = r.heap_calls ? json(*r.heap_calls) : json(nullptr);
    j["slices"] = r.slices();
    if (r.profile) j["profile"] = to_json(*r.profile);
    return j;
}
}  // namespace inlay::tool
