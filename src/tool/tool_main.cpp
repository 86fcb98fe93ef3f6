#include "common.hpp"
#include "manual.hpp"
#include "tool_main.hpp"
#include <csignal>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace inlay::tool {
static int run_program(int count, char** words) {
    if (count == 1) {
        std::cout << first_steps();
        return exit_status::done;
    }
    program app(
        "inlay",
        "Looks into ONNX models, explains how execution providers share them, runs them and checks what they compute.",
        "inlay " INLAY_VERSION);
    action task;
    std::vector<std::string> names;
    for (auto add : {add_demo,      add_inspect,   add_check,   add_plan,   add_memory,     add_optimize,
                     add_quantize,  add_diff,      add_extract, add_shapes, add_compare,    add_run,
                     add_test,      add_bench,     add_profile, add_advise, add_compile,    add_size,
                     add_providers, add_operators, add_devices, add_doctor, add_completion, add_serve_bench})
        add(app, task);
    add_manual(app);
    for (const command& c : app.commands()) names.push_back(c.name());
    if (const std::string first = words[1]; !first.starts_with('-') && std::ranges::find(names, first) == names.end()) {
        const std::string near = nearest_name(first, names);
        throw bad_usage("there is no command `" + first + "`",
                        near.empty() ? "see inlay --help" : "did you mean `" + near + "`?");
    }
    if (const std::optional<int> status = app.parse(count, words)) return *status;
    load_named_plugins();
    return task();
}

// A full disk for standard output shows when the last bytes are written.
static int after_output(int status) {
    errno = 0;
    std::cout.flush();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout) return status;
    // The earlier failure has left no reason: one more byte fails for the same.
    if (errno == 0 && ::write(STDOUT_FILENO, "\n", 1) == 1) errno = 0;
    throw inlay::error(
        inlay::error_code::invalid_argument,
        "cannot write standard output" + (errno ? ": " + std::generic_category().message(errno) : std::string()));
}
int tool_main(int count, char** words) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow gives an error like a full disk, not a signal
    try {
        return after_output(run_program(count, words));
    } catch (const failure& f) {
        return report(f);
    } catch (const inlay::error& e) {
        return report({status_of(e.code, exit_status::run_failed), e});
    } catch (const std::bad_alloc&) {
        return report({exit_status::run_failed, {inlay::error_code::out_of_memory, "out of memory"}});
    } catch (const std::exception& e) {
        return report({exit_status::run_failed, {inlay::error_code::invalid_argument, e.what()}});
    }
}
}  // namespace inlay::tool
