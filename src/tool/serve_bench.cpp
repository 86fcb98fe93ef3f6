// inlay serve-bench: runs a model as often as standard input asks; the peer that bench/zoo_reference.py times beside other runtimes.
#include "data.hpp"
#include <fstream>
#include <iostream>

namespace inlay::tool {
namespace {
struct arguments {
    std::string model, folder;
    int threads = 1;
    session_arguments session;
};
class stopwatch {
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
};
double peak_mib() {  // of memory in use by this process
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    return 0;
}

// One run with the inputs given: through a binding, unless an input is no tensor.
struct runner {
    any_session session;
    values inputs;
    std::vector<feed> feeds;
    std::optional<binding> bound;
    runner(const arguments& a, const model& m, values v) : session(make_session(m, a.session)), inputs(std::move(v)), feeds(feeds_of(m.inputs(), inputs)) {
        std::vector<std::pair<std::string_view, shape>> shapes;
        for (const feed& f : feeds) if (const tensor* t = f.value.as_tensor()) shapes.emplace_back(f.name, t->shape());
        if (shapes.size() != m.inputs().size()) return;
        bound = session.bind(shapes);
        for (const feed& f : feeds) bound->set_input(f.name, *f.value.as_tensor());
    }
    void operator()() {
        if (!bound) { session.run(feeds); return; }
        if (const status s = bound->run(); s != status::ok) raise({error_code::provider_failed, "the run failed: " + std::string(name_of(s)) + " " + std::string(bound->why())});
    }
};

int serve(const arguments& given) {
    arguments a = given;
    a.session.threads = a.threads;
    const double base = peak_mib();
    stopwatch loading;
    const model m = or_exit(exit_status::load_failed, [&] { return model(a.model); });
    double load = loading.seconds();
    values inputs = or_exit(exit_status::bad_input, [&] { return read_folder(a.folder, "input", m.inputs()); });
    stopwatch preparing;
    runner run = or_exit(exit_status::load_failed, [&] { return runner(a, m, std::move(inputs)); });
    load += preparing.seconds();

    stopwatch first;
    or_exit(exit_status::run_failed, [&] { run(); });
    const double first_run = first.seconds();
    std::cout << json{{"import_s", 0.}, {"load_s", load}, {"first_run_s", first_run}, {"base_mib", base}, {"peak_mib", peak_mib()}, {"bound", run.bound.has_value()},
                      {"instruction_set", isa::name_of(run.session.level())}, {"version", INLAY_VERSION}} << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        int count = 0;
        if (!from_text(line, count) || count < 0) throw bad_usage("`" + line + "` is no number of runs");
        std::vector<double> times(std::size_t(count), 0.);
        for (double& t : times) {
            stopwatch one;
            or_exit(exit_status::run_failed, [&] { run(); });
            t = one.seconds();
        }
        std::cout << json(times) << std::endl;
    }
    return exit_status::done;
}
}  // namespace

void add_serve_bench(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("serve-bench", "Answer each line \"N\" on standard input with the seconds that each of N runs took, for bench/zoo_reference.py --cmd");
    command->add_option("MODEL", a->model, "The .onnx file")->required();
    command->add_option("DATA_DIR", a->folder, "Holds input_0.pb and so on")->required();
    command->add_option("THREADS", a->threads, "Threads, this one included")->required()->check(CLI::NonNegativeNumber);
    add_session_arguments(*command, a->session);
    choose(command, chosen, serve, a);
}
}  // namespace inlay::tool
