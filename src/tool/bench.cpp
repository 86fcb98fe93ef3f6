// inlay bench: what runs take, and whether that is more or less than before.
#include "bench.hpp"
#include "terminal.hpp"
#include <fstream>

namespace inlay::tool {
namespace {
struct arguments {
    std::vector<std::string> models;
    std::vector<int> threads;
    std::string data, baseline;
    bench_plan plan;
    input_arguments inputs;
    session_arguments session;
    bool as_json = false, roofline = false;
};

json read_baseline(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw bad_usage("cannot read the baseline `" + file + "`");
    const json j = json::parse(in, nullptr, false);
    if (!j.is_object() || j.value("schema", "") != "inlay.bench" || !j.contains("results") || !j["results"].is_array()) throw bad_usage("`" + file + "` is no report of inlay bench --json");
    if (j.value("version", 0) != 1) throw bad_usage("`" + file + "` is a report of another version", "measure the baseline anew with inlay bench --json");
    return j["results"];
}
std::optional<ratio> against(const json& baseline, const bench_result& r) {
    for (const json& one : baseline) {
        if (!one.is_object() || one.value("model", "") != r.model || one.value("threads", 0) != r.threads || !one.contains("slices") || !one["slices"].is_array()) continue;
        std::vector<double> slices;
        for (const json& t : one["slices"]) if (t.is_number()) slices.push_back(t);
        if (!slices.empty()) return compare_slices(slices, r.slices());
    }
    return std::nullopt;
}
std::string_view verdict_of(const ratio& r) { return r.low > 1 ? "faster" : r.high < 1 ? "slower" : "no difference"; }

void show(const bench_result& r, std::size_t width, const json& baseline) {
    const auto ms = [](double seconds) { return fmt::format("{:>10.4f}", seconds * 1e3); };
    fmt::print("{:<{}} {:>7}{}{}{}{}{}{}{:>11.1f}{}{}{:>9.1f}{:>7}", printable(r.model), width, r.threads, ms(r.at(0.5)), ms(r.at(0.1)), ms(r.at(0.9)), ms(r.at(0.99)), ms(r.at(0)), ms(r.at(1)), r.mean() > 0 ? 1 / r.mean() : 0,
               ms(r.first), ms(r.load), r.peak_mib, r.heap_calls ? fmt::format("{:.4g}", *r.heap_calls) : "-");
    if (!baseline.is_null()) {
        if (const auto b = against(baseline, r)) fmt::print("  {:.3f} [{:.3f}, {:.3f}] {}", b->median, b->low, b->high, painted(verdict_of(*b), b->low > 1 ? tint::good : b->high < 1 ? tint::bad : tint::faint));
        else fmt::print("  not in the baseline");
    }
    fmt::print("\n");
    std::fflush(stdout);
}
int bench(const arguments& a) {
    const json baseline = a.baseline.empty() ? json(nullptr) : read_baseline(a.baseline);
    std::size_t width = 5;
    for (const std::string& m : a.models) width = std::max(width, m.size());
    if (!a.as_json)
        fmt::print("{:<{}} {:>7}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>11}{:>10}{:>10}{:>9}{:>7}{}\n", "model", width, "threads", "median", "p10", "p90", "p99", "min", "max", "runs/s", "first", "load", "peak MiB", "heap", baseline.is_null() ? "" : "  against the baseline");
    json report{{"schema", "inlay.bench"}, {"version", 1}, {"inlay", INLAY_VERSION}, {"results", json::array()}};
    progress line(a.session.quiet);
    for (const std::string& file : a.models)
        for (const std::optional<int> threads : a.threads.empty() ? std::vector<std::optional<int>>{std::nullopt} : std::vector<std::optional<int>>(a.threads.begin(), a.threads.end())) {
            session_arguments s = a.session;
            if (threads) s.threads = threads;
            input_arguments in = a.inputs;
            if (a.data.empty()) in.random = true;
            else in.folder = (fs::path(file).parent_path() / a.data).string();
            const bench_result r = measure(file, in, s, a.plan, a.roofline, line);
            json one = to_json(r);
            if (const auto b = baseline.is_null() ? std::nullopt : against(baseline, r)) one["baseline"] = {{"ratio", b->median}, {"low", b->low}, {"high", b->high}, {"verdict", verdict_of(*b)}};
            report["results"].push_back(std::move(one));
            if (a.as_json) continue;
            show(r, width, baseline);
            if (r.profile) show(*r.profile);
        }
    if (a.as_json) print(report);
    return exit_status::done;
}
}  // namespace

void add_bench(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("bench", "Time the runs of one model or several, and compare with former times");
    command->add_option("MODEL", a->models, "The .onnx files")->required();
    command->add_option("--data", a->data, "Take the inputs from the folder of this name beside each model, as test_data_set_0; else they are random")->type_name("DIR");
    command->add_option("--seed", a->inputs.seed, "Of random inputs")->capture_default_str()->type_name("N");
    add_shape_option(*command, a->inputs.shapes, true);
    command->add_option("--threads", a->threads, "Threads of the CPU, this one included, one measure for each; 0: one per core")->delimiter(',')->check(CLI::NonNegativeNumber)->type_name("N,N...")->allow_extra_args(false);
    command->add_option("--warm-up", a->plan.warm_up, "Runs that are not timed, the first one included")->check(CLI::Range(1, 100'000))->capture_default_str()->type_name("N");
    command->add_option("--seconds", a->plan.seconds, "To go on for, with 15 runs at least")->check(CLI::Range(0., 3600.))->capture_default_str()->type_name("S");
    command->add_option("--runs", a->plan.runs, "A fixed number of timed runs instead")->check(CLI::Range(1, 1'000'000))->type_name("N");
    command->add_option("--baseline", a->baseline, "Compare with a former report of inlay bench --json")->type_name("FILE.json");
    command->add_flag("--roofline", a->roofline, "Add the table of inlay profile: each step's part of what the machine can do");
    command->add_flag("--json", a->as_json, "As JSON");
    add_provider_arguments(*command, a->session);
    command->footer("Times are milliseconds. first: the first run; load: until the session is ready; peak MiB: memory of this process while it loaded and ran the model, beyond what it had before;\n"
                    "heap: heap calls per run. Against a baseline: the former time over this one, above 1 where this one is faster, and the band that holds 10 to 90 % of the ratios of\n"
                    "slices; `no difference` where that band holds 1. Only times of an otherwise idle machine mean something. The status is 0 whatever was faster.");
    choose(command, chosen, bench, a);
}
}  // namespace inlay::tool
