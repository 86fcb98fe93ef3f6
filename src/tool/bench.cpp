// inlay bench: times of runs, and whether they are faster or slower than before.
#include "bench.hpp"
#include <fstream>

namespace inlay::tool {
namespace {
struct bench_arguments {
    std::vector<std::string> models;
    std::vector<int> threads;
    std::string data, baseline, against, against_providers, against_partition;
    bench_plan plan;
    input_arguments inputs;
    session_arguments session;  // of which --threads are above
    bool as_json = false, roofline = false;
};

json read_baseline(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw bad_usage("cannot read the baseline `" + file + "`");
    const json j = json::parse(in, nullptr, false);
    if (!j.is_object() || j.value("schema", "") != "inlay.bench" || !j.contains("results") || !j["results"].is_array())
        throw bad_usage("`" + file + "` is no report of inlay bench --json");
    if (j.value("version", 0) != 1)
        throw bad_usage("`" + file + "` is a report of another version",
                        "measure the baseline again with inlay bench --json");
    return j["results"];
}
std::optional<ratio> against(const json& baseline, const bench_result& r) {
    for (const json& entry : baseline) {
        if (!entry.is_object() || entry.value("model", "") != r.model || entry.value("threads", 0) != r.threads ||
            !entry.contains("slices") || !entry["slices"].is_array())
            continue;
        std::vector<double> slices;
        for (const json& t : entry["slices"])
            if (t.is_number()) slices.push_back(t);
        if (!slices.empty()) return compare_slices(slices, r.slices());
    }
    return std::nullopt;
}
std::string_view verdict_of(const ratio& r) { return r.low > 1 ? "faster" : r.high < 1 ? "slower" : "no difference"; }
json to_json(const ratio& r) {
    return {{"ratio", r.median}, {"low", r.low}, {"high", r.high}, {"verdict", verdict_of(r)}};
}
std::string text_of(const ratio& r) {
    return fmt::format("{:.3f} [{:.3f}, {:.3f}] {}", r.median, r.low, r.high,
                       painted(verdict_of(r), r.low > 1    ? tint::good
                                              : r.high < 1 ? tint::bad
                                                           : tint::faint));
}

class table {  // as text; nothing where nothing is required
    const bool is_shown_;
    std::size_t width_ = 5;

  public:
    table(const bench_arguments& a) : is_shown_(!a.as_json && !a.session.quiet) {
        for (const std::string& m : a.models) width_ = std::max(width_, m.size());
        width_ = std::max(width_, a.against.size());
        if (is_shown_)
            fmt::print("{:<{}} {:>7}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>11}{:>10}{:>10}{:>9}{:>10}{}\n", "model",
                       width_, "threads", "median ms", "p10 ms", "p90 ms", "p99 ms", "min ms", "max ms", "runs/s",
                       "first ms", "load ms", "peak MiB", "heap/run",
                       a.baseline.empty() ? "" : "  against the baseline");
    }
    void row(const bench_result& r, const std::string& words = {}) const {
        if (!is_shown_) return;
        const auto ms = [](double seconds) { return fmt::format("{:>10.4f}", seconds * 1e3); };
        fmt::print("{:<{}} {:>7}{}{}{}{}{}{}{:>11.1f}{}{}{:>9.1f}{:>10}{}{}\n", printable(r.model), width_, r.threads,
                   ms(r.at(0.5)), ms(r.at(0.1)), ms(r.at(0.9)), ms(r.at(0.99)), ms(r.at(0)), ms(r.at(1)),
                   r.mean() > 0 ? 1 / r.mean() : 0, ms(r.first), ms(r.load), r.peak_mib,
                   r.heap_calls ? fmt::format("{:.4g}", *r.heap_calls) : "-", words.empty() ? "" : "  ", words);
        if (r.profile) show(*r.profile);
        std::fflush(stdout);
    }
    void line(const std::string& words) const {
        if (is_shown_) fmt::print("  {}\n", words);
    }
};
bench_subject subject(const bench_arguments& a, const std::string& file, const std::string& providers,
                      std::optional<int> threads) {
    bench_subject b{file, a.inputs, a.session};
    b.session.providers = providers;
    b.session.threads = threads;
    if (a.data.empty())
        b.inputs.random = true;
    else
        b.inputs.folder = (fs::path(file).parent_path() / a.data).string();
    return b;
}
// The subject that is interleaved with it: options not given for it are the same.
bench_subject other_than(const bench_subject& base, const bench_arguments& a) {
    bench_subject b =
        subject(a, a.against.empty() ? base.model : a.against,
                a.against_providers.empty() ? base.session.providers : a.against_providers, base.session.threads);
    if (!a.against_partition.empty()) b.session.partition = a.against_partition;
    return b;
}
json bench_one(const bench_arguments& a, const bench_subject& base, const json& baseline, const table& text,
               progress& line) {
    const bool turns = !a.against.empty() || !a.against_providers.empty() || !a.against_partition.empty();
    duel d;
    if (turns)
        d = measure_in_turns(base, other_than(base, a), a.plan, line);
    else
        d.first = measure(base, a.plan, a.roofline, line);
    json j = to_json(d.first);
    const std::optional<ratio> former = baseline.is_null() ? std::nullopt : against(baseline, d.first);
    if (former) j["baseline"] = to_json(*former);
    text.row(d.first, baseline.is_null() ? "" : former ? text_of(*former) : "not in the baseline");
    if (!turns) return j;
    const ratio now = ratio_of(d.rounds);
    j["against"] = to_json(now);
    j["against"].update(
        {{"rounds", d.rounds.size()}, {"runs_per_turn", d.runs_per_turn}, {"result", to_json(d.second)}});
    text.row(d.second);
    std::string description = printable(a.against);
    for (const auto& [words, value] : {std::pair("on ", a.against_providers), std::pair("by ", a.against_partition)})
        if (!value.empty()) description += (description.empty() ? "" : " ") + (words + printable(value));
    text.line(fmt::format("against {}, interleaved: {} ({} of {})", description, text_of(now),
                          plural(std::int64_t(d.rounds.size()), "round"), plural(d.runs_per_turn, "run")));
    return j;
}
int bench(const bench_arguments& a) {
    const json baseline = a.baseline.empty() ? json(nullptr) : read_baseline(a.baseline);
    const table text(a);
    json report{{"schema", "inlay.bench"}, {"version", 1}, {"inlay", INLAY_VERSION}, {"results", json::array()}};
    progress line(a.session.quiet);
    std::vector<std::optional<int>> threads(a.threads.begin(), a.threads.end());
    if (threads.empty()) threads.emplace_back();
    for (const std::string& file : a.models)
        for (const std::optional<int>& count : threads)
            report["results"].push_back(
                bench_one(a, subject(a, file, a.session.providers, count), baseline, text, line));
    if (a.as_json) print(report);
    return exit_status::done;
}
void add_plan(command& c, bench_plan& plan) {
    c.add_option("--warm-up", plan.warm_up, "Runs that are not timed, the first one included")
        .range(1, 100'000)
        .capture_default_str()
        .type_name("N");
    c.add_option("--seconds", plan.seconds, "To go on for, with 15 runs at least")
        .range(0., 3600.)
        .capture_default_str()
        .type_name("S");
    c.add_option("--runs", plan.runs, "A fixed number of timed runs instead").range(1, 1'000'000).type_name("N");
}
void add_comparisons(command& c, bench_arguments& a) {
    c.add_option("--baseline", a.baseline, "Compare with a former report of inlay bench --json").type_name("FILE.json");
    c.add_option("--against", a.against,
                 "Interleave the runs of each model with those of this one, and report the ratio of their times")
        .type_name("OTHER.onnx");
    c.add_option("--against-providers", a.against_providers,
                 "Interleave the runs of each model with those of the other, or of itself, on these providers")
        .type_name("LIST");
    c.add_option(
         "--against-partition", a.against_partition,
         "Interleave the runs of each model with those of the other, or of itself, partitioned by order or by cost")
        .member_of({"order", "cost"})
        .type_name("HOW");
    c.add_flag("--roofline", a.roofline, "Add the table of inlay profile: each step's part of what the machine can do")
        .excludes("--against")
        .excludes("--against-providers")
        .excludes("--against-partition");
}
}  // namespace

void add_bench(command& app, action& task) {
    auto a = std::make_shared<bench_arguments>();
    command c = app.add_command("bench", "Time the runs of one model or several, and compare with former times");
    c.add_option("MODEL", a->models, "The .onnx files").required();
    c.add_option(
         "--data", a->data,
         "Take the inputs from the folder of this name next to each model, as test_data_set_0; else they are random")
        .type_name("DIR");
    c.add_option("--seed", a->inputs.seed, "Of random inputs").capture_default_str().type_name("N");
    add_shape_option(c, a->inputs.shapes, true);
    c.add_option("--threads", a->threads,
                 "Threads of the CPU, this one included, one measure for each; 0: one per core")
        .delimiter(',')
        .non_negative()
        .type_name("N,N...")
        .one_value_each();
    add_plan(c, a->plan);
    add_comparisons(c, *a);
    add_json(c, a->as_json);
    add_provider_arguments(c, a->session);
    c.footer(
        "Times are milliseconds (ms). first: the first run; load: until the session is ready; peak MiB: memory of this "
        "process while it loaded, first ran and warmed up the model,\n"
        "beyond what it had before; heap/run: heap calls of a run.\n"
        "--against: each round runs the one for about a millisecond, or once, then the other, and every second round "
        "the other way round. The ratio is the other's time over\n"
        "this one's, above 1 where this one is faster: the median over the rounds, and in brackets the band that holds "
        "10 to 90 % of them; `no difference` where that band\n"
        "holds 1. What else runs on the machine slows both.\n"
        "--baseline: the same of a former report's time, with the band of the ratios of slices. Those times were not "
        "taken together: only those of an otherwise idle machine\n"
        "mean something. The status is 0 whatever was faster.");
    choose(c, task, bench, a);
}
}  // namespace inlay::tool
