// inlay serve-bench: runs a model as often as standard input requests; the peer that bench/zoo_reference.py times next
// to other runtimes.
#include "runner.hpp"
#include <iostream>

namespace inlay::tool {
namespace {
struct serve_bench_arguments {
    std::string model, folder;
    int threads = 1;
    session_arguments session;
    bool on_device = false;
};
int serve(const serve_bench_arguments& arguments) {
    serve_bench_arguments a = arguments;
    a.session.threads = a.threads;
    const double base = memory_mib("VmHWM");
    stopwatch loading;
    const model m = or_exit(exit_status::load_failed, [&] { return model(a.model); });
    double load = loading.seconds();
    values inputs = or_exit(exit_status::bad_input, [&] { return read_folder(a.folder, "input", m.inputs()); });
    stopwatch preparing;
    runner run = or_exit(exit_status::load_failed, [&] { return runner(a.session, m, std::move(inputs)); });
    load += preparing.seconds();
    json copied(nullptr);
    if (a.on_device) copied = or_exit(exit_status::load_failed, [&] { return run.stay_on_devices(); });

    stopwatch first;
    or_exit(exit_status::run_failed, [&] { run(); });
    const double first_run = first.seconds();
    std::cout << json{{"import_s", 0.},
                      {"load_s", load},
                      {"first_run_s", first_run},
                      {"base_mib", base},
                      {"peak_mib", memory_mib("VmHWM")},
                      {"bound", run.bound.has_value()},
                      {"copied_values", copied},
                      {"instruction_set", isa::name_of(run.session.level())},
                      {"version", INLAY_VERSION}}
              << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        int count = 0;
        if (!from_text(line, count) || count < 0) throw bad_usage("`" + line + "` is no number of runs");
        std::vector<double> times(std::size_t(count), 0.);
        for (double& t : times) {
            stopwatch watch;
            or_exit(exit_status::run_failed, [&] { run(); });
            t = watch.seconds();
        }
        std::cout << json(times) << std::endl;
    }
    return exit_status::done;
}
}  // namespace

void add_serve_bench(command& app, action& task) {
    auto a = std::make_shared<serve_bench_arguments>();
    command c = app.add_command("serve-bench",
                                "Answer each line \"N\" on standard input with the seconds that each of N "
                                "runs took, for bench/zoo_reference.py --cmd");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("DATA_DIR", a->folder, "Holds input_0.pb and so on").required();
    c.add_option("THREADS", a->threads, "Threads, this one included").required().non_negative();
    c.add_flag("--on-device", a->on_device,
               "Inputs and outputs stay in the memory of the provider that reads and makes them: no run copies them");
    add_session_arguments(c, a->session);
    choose(c, task, serve, a);
}
}  // namespace inlay::tool
