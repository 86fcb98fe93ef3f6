// Options as text, progress, logs, deadlines.
#include "owned.hpp"
#include <new>
#include <set>
using namespace inlay::testing;

namespace {
options model_options() {
    options o;
    good(inlay_model_options_new(&o));
    return o;
}
options session_options() {
    options o;
    good(inlay_session_options_new(&o));
    return o;
}
options run_options() {
    options o;
    good(inlay_run_options_new(&o));
    return o;
}
inlay_failure* load_with(const options& o, const char* name, model& m) {
    return inlay_model_load(file_of(name).c_str(), o, &m);
}
inlay_failure* make_with(const options& o, const char* name) {
    session s;
    return inlay_session_new(load(name), nullptr, o, &s);
}
}  // namespace

TEST_CASE("Options in C are text; what is unknown or no value of one is a failure with what would be right", "[c]") {
    const options m = model_options(), s = session_options(), r = run_options();
    for (const char* limit : {"file_bytes", "total_bytes", "copied_bytes", "elements_per_tensor", "nodes", "inference",
                              "nesting", "run_bytes"}) {
        const std::string name = std::string("limits.") + limit;
        CAPTURE(name);
        good(inlay_options_set(m, name.c_str(), "1000000"));
        bad(inlay_options_set(m, name.c_str(), "-1"), INLAY_FAILURE_INVALID_OPTION, "a number from 0");
        bad(inlay_options_set(m, name.c_str(), "many"), INLAY_FAILURE_INVALID_OPTION, "`many`");
    }
    good(inlay_options_set(m, "limits.strict", "true"));
    good(inlay_options_set(m, "optimize", "false"));
    bad(inlay_options_set(m, "optimize", "perhaps"), INLAY_FAILURE_INVALID_OPTION, "true or false");
    bad(inlay_options_set(m, "dimension.N", "-3"), INLAY_FAILURE_INVALID_OPTION, "a number from 0");
    bad(inlay_options_set(m, "dimension.N", "three"), INLAY_FAILURE_INVALID_OPTION, "`three`");
    bad(inlay_options_set(m, "plans", "3"), INLAY_FAILURE_UNKNOWN_OPTION, "options of a model: no option `plans`");
    for (const char* text : {"implicit_cpu", "never", "any", "only:Relu,Add"})
        good(inlay_options_set(s, "fallback", text));
    bad(inlay_options_set(s, "fallback", "sometimes"), INLAY_FAILURE_INVALID_OPTION, "only:Op1,Op2");
    good(inlay_options_set(s, "partition", "cost"));
    bad(inlay_options_set(s, "partition", "luck"), INLAY_FAILURE_INVALID_OPTION, "order or cost");
    good(inlay_options_set(s, "contexts", "refuse"));
    bad(inlay_options_set(s, "contexts", ""), INLAY_FAILURE_INVALID_OPTION, "recompile or refuse");
    good(inlay_options_set(s, "determinism", "portable"));
    bad(inlay_options_set(s, "determinism", "always"), INLAY_FAILURE_INVALID_OPTION, "machine or portable");
    good(inlay_options_set(s, "plan_only", "1"));
    bad(inlay_options_set(s, "intra_op_num_threads", "-1"), INLAY_FAILURE_INVALID_OPTION, "a number from 0");
    bad(inlay_options_set(s, "plans", "0"), INLAY_FAILURE_INVALID_OPTION, "a number from 1");
    bad(inlay_options_set(s, "plans", "few"), INLAY_FAILURE_INVALID_OPTION, "`few`");
    bad(inlay_options_set(s, "log_severity_level", "5"), INLAY_FAILURE_INVALID_OPTION, "0 (verbose) to 4 (fatal)");
    bad(inlay_options_set(s, "plan", "3"), INLAY_FAILURE_UNKNOWN_OPTION, "did you mean `plans`?");
    bad(inlay_options_set(r, "deadline", "3"), INLAY_FAILURE_UNKNOWN_OPTION, "options of runs");
}
TEST_CASE("Options of another kind than a C function takes are a failure", "[c]") {
    const options m = model_options(), s = session_options(), r = run_options();
    model loaded;
    bad(load_with(s, "two", loaded), INLAY_FAILURE_INVALID_ARGUMENT, "these are options of a session");
    bad(make_with(m, "two"), INLAY_FAILURE_INVALID_ARGUMENT, "takes options of a session");
    binding b;
    good(inlay_session_bind(session_of("fixed"), nullptr, nullptr, nullptr, 0, &b));
    bad(inlay_binding_run(b, s), INLAY_FAILURE_INVALID_ARGUMENT, "takes options of runs");
    bad(inlay_options_set_log(m, nullptr, nullptr), INLAY_FAILURE_INVALID_ARGUMENT, "these are options of a model");
    bad(inlay_options_set_progress(r, nullptr, nullptr), INLAY_FAILURE_INVALID_ARGUMENT, "options of runs");
    bad(inlay_options_set_deadline(s, 1), INLAY_FAILURE_INVALID_ARGUMENT, "options of a session");
    bad(inlay_options_set_cancelled(s, 1), INLAY_FAILURE_INVALID_ARGUMENT, "options of a session");
}
TEST_CASE("Options of a model in C reach the loader", "[c]") {
    model m;
    options few = model_options();
    good(inlay_options_set(few, "limits.nodes", "1"));
    bad(load_with(few, "two", m), INLAY_FAILURE_LIMIT_EXCEEDED, "nodes");
    const options eight = model_options();
    good(inlay_options_set(eight, "dimension.N", "8"));
    good(load_with(eight, "two", m));
    CHECK(inlay_port_dims(inlay_model_input(m, 0))[0] == 8);
    const options pass = model_options();
    good(inlay_options_set(pass, "without", "fold_constant"));
    bad(load_with(pass, "two", m), INLAY_FAILURE_UNKNOWN_OPTION, "no pass `fold_constant`");
}
TEST_CASE("Options of a session in C reach it", "[c]") {
    const options never = session_options();
    good(inlay_options_set(never, "fallback", "never"));
    good(make_with(never, "two"));
    const options single_thread = session_options();
    good(inlay_options_set(single_thread, "intra_op_num_threads", "1"));
    text plan;
    good(inlay_session_plan(session_of("fixed", single_thread), nullptr, nullptr, nullptr, 0, &plan));
    CHECK(std::string(plan).find("\"threads\":1,") != std::string::npos);
    const options only = session_options();
    good(inlay_options_set(only, "plan_only", "true"));
    good(make_with(only, "fixed"));
}

TEST_CASE("A progress callback in C receives the stages, and ends the work", "[c]") {
    struct stage_log {
        std::set<int> stages{};
        int calls = 0, call_limit = 1000;
        static std::int32_t tell(void* data, std::int32_t stage, std::int64_t count, std::int64_t total) {
            auto& s = *static_cast<stage_log*>(data);
            s.stages.insert(stage);
            CHECK((count >= 0 && count <= total));
            return ++s.calls < s.call_limit;
        }
    };
    stage_log loading, making, ending;
    ending.call_limit = 2;
    const options m = model_options(), s = session_options();
    model loaded;
    good(inlay_options_set_progress(m, stage_log::tell, &loading));
    good(load_with(m, "fixed", loaded));
    CHECK(loading.stages == std::set<int>{INLAY_STAGE_LOAD, INLAY_STAGE_PASSES});
    good(inlay_options_set_progress(s, stage_log::tell, &making));
    good(make_with(s, "fixed"));
    CHECK(making.stages.contains(INLAY_STAGE_PARTITION));
    CHECK(making.stages.contains(INLAY_STAGE_PLAN));
    good(inlay_options_set_progress(m, stage_log::tell, &ending));
    bad(load_with(m, "fixed", loaded), INLAY_FAILURE_STOPPED, "");
    CHECK(ending.calls == 2);
    good(inlay_options_set_progress(m, nullptr, nullptr));
    good(load_with(m, "fixed", loaded));
    CHECK(ending.calls == 2);
}
TEST_CASE("No exception leaves a C function, whatever code threw it", "[c]") {
    const options m = model_options();
    model loaded;
    good(inlay_options_set_progress(
        m, [](void*, std::int32_t, std::int64_t, std::int64_t) -> std::int32_t { throw std::bad_alloc(); }, nullptr));
    bad(load_with(m, "two", loaded), INLAY_FAILURE_OUT_OF_MEMORY, "memory");
    good(inlay_options_set_progress(
        m, [](void*, std::int32_t, std::int64_t, std::int64_t) -> std::int32_t { throw 7; }, nullptr));
    bad(load_with(m, "two", loaded), INLAY_FAILURE_PROVIDER_FAILED, "a type that is not known");
    good(inlay_options_set_progress(
        m, [](void*, std::int32_t, std::int64_t, std::int64_t) -> std::int32_t { throw std::runtime_error("mine"); },
        nullptr));
    bad(load_with(m, "two", loaded), INLAY_FAILURE_PROVIDER_FAILED, "mine");
}
TEST_CASE("A log callback in C gets the lines of a session, from the requested severity on", "[c]") {
    std::vector<std::pair<int, std::string>> lines;
    const inlay_log keep = [](void* data, std::int32_t severity, const char* text) {
        static_cast<decltype(lines)*>(data)->emplace_back(severity, text);
    };
    const options s = session_options();
    good(inlay_options_set_log(s, keep, &lines));
    good(make_with(s, "fixed"));
    CHECK(lines.empty());
    good(inlay_options_set(s, "log_severity_level", "0"));
    good(make_with(s, "fixed"));
    REQUIRE(!lines.empty());
    bool node = false;
    for (const auto& [severity, text] : lines) {
        CHECK((severity == 0 || severity == 1));
        node |= severity == 0 && text.find("Relu") != std::string::npos;
    }
    CHECK(node);
}
TEST_CASE("Runs in C end at a deadline, and where they are cancelled", "[c]") {
    const options r = run_options();
    binding b;
    good(inlay_session_bind(session_of("fixed"), nullptr, nullptr, nullptr, 0, &b));
    good(inlay_options_set_deadline(r, 0));
    bad(inlay_binding_run(b, r), INLAY_FAILURE_DEADLINE_PASSED, "deadline");
    good(inlay_options_set_deadline(r, INT64_MAX));
    good(inlay_binding_run(b, r));
    good(inlay_options_set_deadline(r, -1));
    good(inlay_binding_run(b, r));
    good(inlay_options_set_cancelled(r, 1));
    bad(inlay_binding_run(b, r), INLAY_FAILURE_STOPPED, "stopped");
    good(inlay_options_set_cancelled(r, 0));
    good(inlay_binding_run(b, r));
}
