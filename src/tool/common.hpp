// Shared by the commands: exit statuses, the options that choose providers, and how things are printed.
#pragma once
#include "built_providers.hpp"
#include "command_line.hpp"
#include "engine/comparison.hpp"
#include <inlay/inlay.hpp>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace inlay::tool {
using json = nlohmann::ordered_json;

namespace exit_status {
enum : int { done = 0, differs = 1, bad_input = 2, load_failed = 10, run_failed = 11, unsupported = 77 };
}
struct failure {  // thrown: ends the program with this status
    int status;
    error cause;
};
failure bad_usage(std::string text, std::string hint = {});
int status_of(
    error_code,
    int otherwise);  // for what is wrong on the command line or what no provider can do, it is the same at any stage
// Errors of `f` end the program with this status, unless their code has its own.
template <class F> auto or_exit(int status, F&& f) {
    try {
        return f();
    } catch (const error& e) {
        throw failure{status_of(e.code, status), e};
    }
}
int report(const failure&);  // one line on standard error; returns the status

// A command adds itself to the program; the function to run is stored in `chosen` if the user named it.
using action = std::function<int()>;
template <class Arguments>
void choose(command& c, action& task, int (*run)(const Arguments&), std::shared_ptr<Arguments> arguments) {
    c.on_choice([&task, run, arguments] { task = [run, arguments] { return run(*arguments); }; });
}
void add_demo(command&, action& task);
void add_inspect(command&, action& task);
void add_run(command&, action& task);
void add_plan(command&, action& task);
void add_profile(command&, action& task);
void add_memory(command&, action& task);
void add_bench(command&, action& task);
void add_check(command&, action& task);
void add_optimize(command&, action& task);
void add_diff(command&, action& task);
void add_extract(command&, action& task);
void add_quantize(command&, action& task);
void add_compare(command&, action& task);
void add_shapes(command&, action& task);
void add_advise(command&, action& task);
void add_doctor(command&, action& task);
void add_completion(command&, action& task);
void add_providers(command&, action& task);
void add_operators(command&, action& task);
void add_devices(command&, action& task);
void add_test(command&, action& task);
void add_serve_bench(command&, action& task);
void add_compile(command&, action& task);
void add_size(command&, action& task);

struct session_arguments {
    std::string providers, fallback = "implicit_cpu", partition = "order", contexts = "recompile",
                           determinism = "machine";
    std::optional<int> threads;
    bool quiet = false;
};
void add_json(command&, bool&);
void add_quiet(command&, bool&);
void add_plugin_option(command&);  // of every command with providers by name
void load_named_plugins();         // before the command that was chosen
// All but --threads; with --quiet. `name`: of the option for the providers.
void add_provider_arguments(command&, session_arguments&, const std::string& name = "--providers");
void add_session_arguments(command&, session_arguments&, const std::string& name = "--providers");
std::vector<provider_choice> provider_list(const std::string& text);  // cpu:threads=2;isa=avx2,reference
session_options options_from(const session_arguments&);
any_session make_session(const model&, const session_arguments&);
any_session make_planning_session(const model&, const session_arguments&);  // whether or not it could run here
model load_model(const std::string& file, bool quiet, model_options = {});  // with its progress; or exit

// --shape INPUT=1,3,224,224 or SYMBOL=8, any number of times.
using named_shapes = std::vector<std::pair<std::string, shape>>;
using symbol_sizes = std::map<std::string, std::int64_t>;
struct given_shapes {
    named_shapes inputs;
    symbol_sizes symbols;
    bool empty() const { return inputs.empty() && symbols.empty(); }
};
// random: of generated inputs; ranges: SYMBOL=1..8 too.
option add_shape_option(command&, std::vector<std::string>& texts, bool random = false, bool ranges = false);
// Bad usage: neither an input nor a symbol, no shape or no single size.
given_shapes shapes_from(const std::vector<std::string>& texts, const model&);
// The shapes of all inputs: those given, and in the others the sizes that these give to a symbol, else 1.
std::vector<shape> complete_shapes(const model&, const given_shapes&);
std::vector<std::pair<std::string_view, shape>> all_shapes(const model&,
                                                           const given_shapes&);  // with the inputs' names
std::string assumed_sizes();  // the last sizes that complete_shapes() assumed because nothing gives them; empty: none

std::string shape_text(const port&);                        // [batch,3,224,224]
std::string short_name(std::string_view provider);          // cpu
std::string plural(std::int64_t n, std::string_view noun);  // 1 node, 2 nodes
void print(const json&);
void print_written(const std::string& file);  // FILE: written
void check_written(const std::string& file);  // that it is a model; of a device or a pipe this is unknown
void add_manual(command& app);                // to the help of all commands: examples, exit statuses, environment

using shadows::comparison;
using shadows::mismatch;
using shadows::text_of;
using shadows::tolerance;
using shadows::widened;
using shadows::with_type;
}  // namespace inlay::tool
