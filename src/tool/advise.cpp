// inlay advise: which providers and threads are the fastest for a model on this machine, by trying them.
#include "bench.hpp"

namespace inlay::tool {
namespace {
struct advise_arguments {
    std::string model;
    std::vector<std::string> shapes;
    bench_plan plan{2, 0, 0.5};
    bool as_json = false, quiet = false;
};
struct trial {
    session_arguments session;
    bench_result result;
    std::optional<failure> failed;
};
std::vector<session_arguments> choices_for(const std::vector<int>& threads) {
    std::vector<session_arguments> choices;
    for (const provider_factory& f : provider_factories()) {
        if (f.name == reference::name || !why_unusable(f).empty()) continue;  // reference kernels are for correctness
        for (const partition_by by : {partition_by::order, partition_by::cost})
            for (int count : threads) {
                if (by == partition_by::cost && f.name == cpu::name) continue;  // there is nothing to choose
                session_arguments& s = choices.emplace_back();
                s.providers = short_name(f.name) + (by == partition_by::cost ? "," + short_name(cpu::name) : "");
                s.partition = name_of(by);
                s.threads = count;
                s.quiet = true;
            }
    }
    return choices;
}
int advise(const advise_arguments& a) {
    std::vector<int> threads{1};
    while (threads.back() * 2 <= usable_cores()) threads.push_back(threads.back() * 2);
    if (threads.back() != usable_cores()) threads.push_back(usable_cores());
    input_arguments in;
    in.random = true;
    in.shapes = a.shapes;
    progress line(a.quiet);
    std::vector<trial> trials;
    for (const session_arguments& s : choices_for(threads)) {
        trial t{s, {}, std::nullopt};
        try {
            t.result = measure({a.model, in, s}, a.plan, false, line);
        } catch (const failure& e) {
            if (e.status == exit_status::bad_input || e.cause.code == error_code::invalid_model) throw;
            t.failed = e;
            t.result.threads = *s.threads;
        }
        trials.push_back(std::move(t));
    }
    line.done();
    std::ranges::stable_sort(trials, {}, [](const trial& t) {
        return !t.failed ? t.result.at(0.5) : std::numeric_limits<double>::infinity();
    });
    if (trials.empty()) throw failure{exit_status::unsupported, {error_code::no_provider, "no provider to try"}};
    if (trials.front().failed) throw *trials.front().failed;
    if (a.as_json) {
        json j{{"schema", "inlay.advise"}, {"version", 1}, {"model", a.model}, {"ranking", json::array()}};
        for (const trial& t : trials)
            j["ranking"].push_back({{"providers", t.session.providers},
                                    {"partition", t.session.partition},
                                    {"threads", t.result.threads},
                                    {"median_seconds", t.failed ? json(nullptr) : json(t.result.at(0.5))},
                                    {"p90_seconds", t.failed ? json(nullptr) : json(t.result.at(0.9))},
                                    {"failed", t.failed ? json(t.failed->cause.text) : json(nullptr)}});
        print(j);
    }
    if (a.as_json || a.quiet) return exit_status::done;
    fmt::print("   median ms      p90 ms  choice\n");
    for (const trial& t : trials) {
        const std::string choice = fmt::format(
            "--providers {}{} --threads {}", t.session.providers,
            t.session.partition == name_of(partition_by::order) ? "" : " --partition " + t.session.partition,
            t.result.threads);
        if (!t.failed)
            fmt::print("{:>12.4f}{:>12.4f}  {}\n", t.result.at(0.5) * 1e3, t.result.at(0.9) * 1e3, choice);
        else
            fmt::print("{:>12}{:>12}  {}: {}\n", "-", "-", choice, printable(t.failed->cause.text));
    }
    return exit_status::done;
}
}  // namespace

void add_advise(command& app, action& task) {
    auto a = std::make_shared<advise_arguments>();
    command c =
        app.add_command("advise", "Try the providers and numbers of threads on this machine, and rank them by time");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("--seconds", a->plan.seconds, "To go on for with each choice, with 15 runs at least")
        .range(0., 3600.)
        .capture_default_str()
        .type_name("S");
    add_shape_option(c, a->shapes);
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    choose(c, task, advise, a);
}
}  // namespace inlay::tool
