// Measures for inlay bench and inlay advise: of one model, and of two interleaved ones.
#include "bench.hpp"
#include "heap_counter.hpp"

namespace inlay::tool {
namespace {
double quantile(std::vector<double> values, double q) {  // between the two nearest
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const double at = q * double(values.size() - 1);
    const auto below = std::size_t(at), above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - double(below)) * (values[above] - values[below]);
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
    std::vector<double> medians;
    for (std::size_t k = 0; k < count; ++k)
        medians.push_back(median({times.begin() + std::ptrdiff_t(times.size() * k / count),
                                  times.begin() + std::ptrdiff_t(times.size() * (k + 1) / count)}));
    return medians;
}
ratio ratio_of(const std::vector<double>& ratios) {
    return {quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9)};
}
ratio compare_slices(std::span<const double> former, std::span<const double> now) {
    std::vector<double> ratios;
    for (double f : former)
        for (double n : now)
            if (n > 0) ratios.push_back(f / n);
    return ratio_of(ratios);
}

namespace {
// A model that is ready to run, and its measurements so far.
class contestant {
    std::optional<runner> run_;
    std::string name_;

  public:
    bench_result result;
    double last_seconds = 0;  // seconds of the last run

    contestant(const bench_subject& b, const bench_plan& plan, progress& line)
        : name_(b.model + (b.session.threads ? fmt::format(", {}", plural(*b.session.threads, "thread")) : "")) {
        result.model = b.model;
        result.providers = b.session.providers;
        line.show("loading " + name_);
        forget_peak();
        const double base = memory_mib("VmRSS");
        stopwatch loading;
        const model m = or_exit(exit_status::load_failed, [&] { return model(b.model); });
        result.load = loading.seconds();
        values inputs = or_exit(exit_status::bad_input, [&] { return gather_inputs(b.inputs, m, true); });
        stopwatch preparing;
        or_exit(exit_status::load_failed, [&] { run_.emplace(b.session, m, std::move(inputs)); });
        result.load += preparing.seconds();
        result.level = isa::name_of(run_->session.level());
        result.threads = run_->session.plan().threads;
        line.show("first run of " + name_);
        result.first = once();
        for (int k = 1; k < plan.warm_up; ++k) once();
        result.resident_mib = memory_mib("VmRSS");
        result.peak_mib = std::max(0., memory_mib("VmHWM") - base);
    }
    const std::string& name() const { return name_; }
    double once() {
        stopwatch watch;
        or_exit(exit_status::run_failed, [&] { (*run_)(); });
        return last_seconds = watch.seconds();
    }
    double turn(int runs) {  // their median
        for (int k = 0; k < runs; ++k) result.times.push_back(once());
        return median({result.times.end() - runs, result.times.end()});
    }
    void count_heap() {
        if (!can_count_heap_calls()) return;
        constexpr int counted = 3;
        count_heap_calls(true);
        for (int k = 0; k < counted; ++k) once();
        result.heap_calls = double(heap_calls()) / counted;
        count_heap_calls(false);
    }
    void add_profile(progress& line) {
        if (!run_->bound)
            throw failure{exit_status::unsupported,
                          {error_code::invalid_argument, "only models whose inputs are tensors have a roofline"}};
        line.show("roofline of " + name_);
        run_profile steps = or_exit(exit_status::run_failed, [&] { return run_->bound->profile(20); });
        const profile_peaks limits = measure_peaks(run_->session.level(), steps.threads);
        result.profile = make_table(std::move(steps), limits);
    }
};
// Turns until there are enough, and enough seconds: plan.seconds for each contestant.
template <class F>
void repeat(const bench_plan& plan, int turns, int contestants, const std::string& name, progress& line, F turn) {
    stopwatch watch;
    double report_time = 0;
    const double seconds = plan.seconds * contestants;
    for (int k = 0; plan.runs ? k < turns : (k < turns || watch.seconds() < seconds); ++k) {
        turn(k);
        if (const double now = watch.seconds(); now - report_time > 0.2) {
            report_time = now;
            const double part = plan.runs ? double(k + 1) / turns : std::min(now / seconds, double(k + 1) / turns);
            line.show("running " + name, part, now / part - now);
        }
    }
}
}  // namespace

bench_result measure(const bench_subject& b, const bench_plan& plan, bool roofline, progress& line) {
    contestant c(b, plan, line);
    repeat(plan, plan.runs ? plan.runs : int(slice_count), 1, c.name(), line, [&](int) { c.turn(1); });
    c.count_heap();
    if (roofline) c.add_profile(line);
    line.done();
    return std::move(c.result);
}
duel measure_in_turns(const bench_subject& a, const bench_subject& b, const bench_plan& plan, progress& line) {
    contestant first(a, plan, line), second(b, plan, line);
    duel d;
    // Long enough to be timed well, and for caches to hold the model whose turn it is.
    d.runs_per_turn = std::clamp(int(1e-3 / std::max(1e-9, std::min(first.last_seconds, second.last_seconds))), 1,
                                 plan.runs ? std::max(1, plan.runs / int(slice_count)) : 1000);
    const int rounds = plan.runs ? (plan.runs + d.runs_per_turn - 1) / d.runs_per_turn : int(slice_count);
    repeat(plan, rounds, 2, first.name() + " and " + second.name(), line, [&](int round) {
        double first_seconds = 0, second_seconds = 0;
        if (round % 2) second_seconds = second.turn(d.runs_per_turn);
        first_seconds = first.turn(d.runs_per_turn);
        if (round % 2 == 0) second_seconds = second.turn(d.runs_per_turn);
        if (first_seconds > 0) d.rounds.push_back(second_seconds / first_seconds);
    });
    first.count_heap();
    second.count_heap();
    line.done();
    d.first = std::move(first.result);
    d.second = std::move(second.result);
    return d;
}
json to_json(const bench_result& r) {
    json j{{"model", r.model},
           {"providers", r.providers},
           {"threads", r.threads},
           {"instruction_set", r.level},
           {"runs", r.times.size()}};
    j["seconds"] = {{"load", r.load},   {"first", r.first}, {"median", r.at(0.5)}, {"mean", r.mean()},
                    {"p10", r.at(0.1)}, {"p90", r.at(0.9)}, {"p95", r.at(0.95)},   {"p99", r.at(0.99)},
                    {"min", r.at(0)},   {"max", r.at(1)}};
    j["runs_per_second"] = r.mean() > 0 ? 1 / r.mean() : 0;
    j["mib"] = {{"resident", r.resident_mib}, {"peak", r.peak_mib}};
    j["heap_calls_per_run"] = r.heap_calls ? json(*r.heap_calls) : json(nullptr);
    j["slices"] = r.slices();
    if (r.profile) j["profile"] = json::parse(json_of(*r.profile));
    return j;
}
}  // namespace inlay::tool
