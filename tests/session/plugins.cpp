// Plugins: libraries that are built alone stand in lists of providers, and are unloaded after the last use.
#include "../models.hpp"
#include "../plugin/loaded.hpp"
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string relu_file = PLUGIN_RELU, faulty_file = PLUGIN_FAULTY, machine_file = PLUGIN_IMAGINARY;
constexpr std::string_view three_nodes = "g (float[4] x) => (float[4] y) { a = Relu(x) b = Sub(a, x) y = Relu(b) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
const std::vector<float> y4{0.f, 2.f, 0.f, 4.f};  // by hand

session_options quiet(fallback f = {}) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
std::string reason(const plan_report::line& l, std::string_view provider) {
    for (const auto& a : l.answers)
        if (a.provider == provider) return a.text;
    return "no answer";
}
std::vector<float> run(const session_base& s, const tensor& x = x4) { return floats(s.run({{"x", x}})[0]); }
// An error of the code and with the words.
void check_error(const error& e, error_code code, std::string_view words) {
    CHECK(name_of(e.code) == name_of(code));
    INFO(e.text);
    CHECK(has_text(e.text, words));
}
class table_fault {  // of the plugin that is loaded while this lives
  public:
    explicit table_fault(const char* name) { setenv("FAULTY_TABLE", name, 1); }
    table_fault(const table_fault&) = delete;
    table_fault& operator=(const table_fault&) = delete;
    ~table_fault() { unsetenv("FAULTY_TABLE"); }
};
error error_of_table(const char* fault) {
    const table_fault f(fault);
    const auto p = plugin::try_load(faulty_file);
    return p ? error(error_code::invalid_argument, "it was loaded") : p.why();
}
any_session with_fault(const std::string& fault, fallback f = {}) {
    return any_session(model_of(three_nodes), {plugin(faulty_file).with({{"fault", fault}}), "cpu"}, quiet(f));
}
}  // namespace

TEST_CASE("A plugin in C is loaded by path, and reports its name, version and options", "[plugins]") {
    const plugin p(relu_file);
    CHECK(p.path() == relu_file);
    CHECK(p.name() == "RectifierExecutionProvider");
    CHECK(p.short_name() == "relu_in_c");
    CHECK(p.version() == "1.0");
    CHECK(p.status() == provider_status::preview);
    CHECK(p.options() == option_list{{"largest", "1000000"}});
}

TEST_CASE("A plugin stands before or after the providers of the program", "[plugins]") {
    const plugin p(relu_file);
    const model m = model_of(three_nodes);
    const any_session leading(m, {p, "cpu"});
    CHECK(run(leading) == y4);
    CHECK(leading.providers() == std::vector<std::string>{"RectifierExecutionProvider", "CPUExecutionProvider"});
    CHECK(leading.plan().count(p.name()) == 2);
    CHECK(leading.plan().count("CPUExecutionProvider") == 1);
    const any_session trailing(m, {"cpu", p});
    CHECK(run(trailing) == y4);
    CHECK(trailing.plan().count(p.name()) == 0);
    const any_session middle(m, {"reference", p, "cpu"});
    CHECK(run(middle) == y4);
    CHECK(middle.providers()[1] == p.name());
}

TEST_CASE("Options of a plugin are its own, and the plan shows its refusals", "[plugins]") {
    const any_session s(model_of(three_nodes), {plugin(relu_file).with({{"largest", "003"}}), "cpu"}, quiet());
    CHECK(run(s) == y4);
    const plan_report plan = s.plan();
    CHECK(plan.count("RectifierExecutionProvider") == 0);
    CHECK(reason(line_of(plan, "Relu"), "RectifierExecutionProvider") == "it has more elements than `largest` allows");
    CHECK(reason(line_of(plan, "Sub"), "RectifierExecutionProvider") == "it has Relu only");
    CHECK(s.provider_options()[0].second == option_list{{"largest", "3"}});
}

TEST_CASE("Misspelt options of a plugin are refused, with the right one", "[plugins]") {
    const plugin p(faulty_file);
    const error misspelt = p.handle({{"larges", "3"}}).why();
    check_error(misspelt, error_code::unknown_option, "FaultyExecutionProvider: no option `larges`");
    CHECK(misspelt.hint == "did you mean `largest`?");
    CHECK(misspelt.provider == p.name());
    check_error(p.handle({{"largest", "many"}}).why(), error_code::invalid_option, "`largest` cannot be `many`");
    check_error(p.handle({{"mode", "slow"}}).why(), error_code::invalid_option, "`mode` cannot be `slow`");
    check_error(p.handle({{"largest", "13"}}).why(), error_code::invalid_option,
                "FaultyExecutionProvider: 13 brings bad luck");
    CHECK(p.handle({{"mode", "exact"}}));
}

TEST_CASE("Runs of several threads over a plugin are right", "[plugins][threads]") {
    for (const std::string& file : {relu_file, machine_file}) {
        const any_session s(model_of("g (float[N] x) => (float[N] y) { a = Relu(x) y = Neg(a) }"),
                            {plugin(file), "cpu"}, quiet());
        std::atomic<int> wrong{0};
        std::vector<std::thread> workers;
        for (int t = 1; t <= 4; ++t)
            workers.emplace_back([&, t] {
                const tensor x({2}, {float(t), -1.f});
                for (int k = 0; k < 20; ++k) wrong += run(s, x) != std::vector{-float(t), 0.f};
            });
        for (std::thread& t : workers) t.join();
        CHECK(wrong == 0);
        CHECK(s.plan().count("CPUExecutionProvider") == (file == relu_file ? 1 : 0));
    }
}

TEST_CASE("A plugin shares its work out to the threads of the session", "[plugins][threads]") {
    session_options o = quiet();
    o.intra_op_num_threads = 3;
    const any_session s(model_of("g (float[1000] x) => (float[1000] y) { y = Relu(x) }"),
                        {plugin(faulty_file).with({{"fault", "tasks"}}), "cpu"}, o);
    tensor x(element::f32, {1000});
    for (std::size_t k = 0; k < 1000; ++k) x.as<float>()[k] = float(k % 7) - 3;
    const std::vector<float> y = run(s, x);
    for (std::size_t k = 0; k < 1000; ++k) CHECK(y[k] == std::max(x.as<float>()[k], 0.f));
}

TEST_CASE("A run over a plugin stops on request, and at its deadline", "[plugins]") {
    for (const std::string& file : {relu_file, machine_file}) {
        const any_session s(model_of("g (float[4] x) => (float[4] y) { y = Relu(x) }"), {plugin(file)}, quiet());
        std::atomic<bool> stop{true};
        run_options o;
        o.stop = &stop;
        const std::vector<feed> in{{"x", x4}};
        const auto outcome = s.try_run(in, {}, o);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.why().code == error_code::stopped);
        stop = false;
        CHECK(s.try_run(in, {}, o));
        run_options late;
        late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
        const auto passed = s.try_run(in, {}, late);
        REQUIRE_FALSE(passed);
        CHECK(passed.why().code == error_code::deadline_passed);
        late.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
        CHECK(s.try_run(in, {}, late));
    }
}

TEST_CASE("A plugin learns while it runs that it is to stop", "[plugins][threads]") {
    const any_session s = with_fault("wait");
    const std::vector<feed> in{{"x", x4}};
    std::atomic<bool> stop{false};
    run_options o;
    o.stop = &stop;
    std::thread worker([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop = true;
    });
    CHECK(s.try_run(in, {}, o).why().code == error_code::stopped);
    worker.join();
    run_options late;
    late.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    CHECK(s.try_run(in, {}, late).why().code == error_code::deadline_passed);
}

TEST_CASE("A provider in C++ is a plugin of one macro: regions, refusals, options and errors are its own",
          "[plugins]") {
    const plugin p(machine_file);
    CHECK(p.name() == "ImaginaryExecutionProvider");
    CHECK(p.version() == "2.1");
    CHECK(p.options() == option_list{{"longest", "16"}});
    const any_session s(model_of("g (float[4] x) => (float[4] y) { a = Abs(x) b = Neg(a) c = Add(b, x) y = Relu(c) }"),
                        {p, "cpu"}, quiet());
    CHECK(run(s) == std::vector{0.f, 0.f, 0.f, 0.f});
    const plan_report plan = s.plan();
    CHECK(plan.count(p.name()) == 3);
    CHECK(plan.steps == 3);
    CHECK(reason(line_of(plan, "Add"), p.name()) == "the machine has no Add");
    check_error(raised([&] {
                    any_session(model_of(three_nodes), {p.with({{"longest", "0"}})});
                }),
                error_code::provider_unavailable, "ImaginaryExecutionProvider: its chains need a link");
    check_error(p.handle({{"longest", "99999999999"}}).why(), error_code::invalid_option, "cannot be `99999999999`");
}

TEST_CASE("Errors of a plugin cross as text with their code", "[plugins]") {
    check_error(raised([] { with_fault("open"); }), error_code::provider_unavailable,
                "FaultyExecutionProvider: the diode is missing");
    check_error(raised([] { with_fault("nothing"); }), error_code::provider_failed,
                "neither what was requested nor an error");
    check_error(raised([] { with_fault("compile"); }), error_code::provider_failed, "the solder is cold");
    check_error(raised([] { with_fault("code"); }), error_code::provider_failed, "gives no reason");
    check_error(raised([] { run(with_fault("instance")); }), error_code::provider_failed, "no socket is free");
    check_error(raised([] { run(with_fault("run")); }), error_code::device_lost, "the diode is burnt");
    check_error(raised([] { run(with_fault("value")); }), error_code::invalid_value, "a number that it does not like");
    check_error(raised([] { run(with_fault("memory")); }), error_code::out_of_memory, "out of memory");
    check_error(raised([] { run(with_fault("stop")); }), error_code::provider_failed, "it does not want to");
}

TEST_CASE("Under fallback::any the next providers take over from a plugin that fails", "[plugins]") {
    for (const char* fault : {"open", "compile", "instance", "run"}) {
        CAPTURE(fault);
        const any_session s = with_fault(fault, fallback::any());
        CHECK(run(s) == y4);
        CHECK(s.plan().count("FaultyExecutionProvider") == 0);
    }
}

TEST_CASE("A plugin that answers badly takes nothing, and the plan shows why", "[plugins]") {
    const std::pair<const char*, const char*> faults[] = {
        {"propose", "it does not know itself"},
        {"stranger", "its plugin answered for node -1, which it was not queried about"},
        {"mute", "its plugin gives no reason"},
        {"unsupported", "not on a Tuesday"}};
    for (const auto& [fault, expected] : faults) {
        const any_session s = with_fault(fault);
        CHECK(run(s) == y4);
        CHECK(s.plan().count("FaultyExecutionProvider") == 0);
        const std::string refusal = reason(line_of(s.plan(), "Relu"), "FaultyExecutionProvider");
        INFO(fault << ": " << refusal);
        CHECK(has_text(refusal, expected));
    }
}

TEST_CASE("A plugin gets nodes as ONNX, where the program has a writer of it", "[plugins]") {
    const auto answer_of = [](plugin::onnx_writer writer) {
        const plugin p = plugin::try_load(faulty_file, writer).value_or_raise();
        const any_session s(model_of(three_nodes), {p.with({{"fault", "onnx"}}), "cpu"}, quiet());
        return reason(line_of(s.plan(), "Relu"), p.name());
    };
    const std::string written = answer_of(&to_onnx);
    CHECK(has_text(written, " bytes"));
    CHECK(std::atoi(written.c_str()) > 20);
    CHECK(has_text(answer_of(nullptr), "this program loads plugins without a writer of ONNX"));
}

TEST_CASE("A plugin is queried about the nodes of bodies, not about nodes with bodies or about sequences",
          "[plugins]") {
    const plugin p(relu_file);
    const any_session s(model_of("g (bool c, float[4] x) => (float[4] y) { y = If(c) "
                                 "<then_branch = t () => (float[4] p) { p = Relu(x) }, "
                                 "else_branch = e () => (float[4] q) { q = Neg(x) }> }"),
                        {p, "cpu"}, quiet());
    const fetched y = s.run({{"c", tensor(shape{}, {true})}, {"x", x4}});
    CHECK(floats(y[0]) == std::vector{1.f, 0.f, 3.f, 0.f});
    CHECK(y.executed()[0].nodes == 1);
    const model sequences = model_of("g (float[4] x) => (seq(float[4]) y) { y = SequenceConstruct(x, x) }");
    const any_session on_cpu(sequences, {p, "cpu"}, quiet());
    const plan_report plan = on_cpu.plan();
    CHECK(has_text(reason(line_of(plan, "SequenceConstruct"), p.name()),
                   "plugins are not queried about sequences, maps and optionals"));
    graph_data g;
    g.inputs = {g.add_value("x", element::f32, {4})};
    g.outputs = {g.add_value("y", element::f32, {4})};
    const attribute body[] = {g.make("body", graph_data())};
    g.add_node("vendor", "Repeat", 1, "again", body, g.inputs, g.outputs);
    check_error(raised([&] {
                    any_session(model::from_graph(std::move(g)), {p, "cpu"}, quiet());
                }),
                error_code::no_provider, "plugins are not queried about nodes with bodies");
}

TEST_CASE("What is no plugin for this program is refused with the reason", "[plugins]") {
    const auto failure_of = [](const std::string& file) { return plugin::try_load(file).why(); };
    check_error(failure_of("/no/such/plugin.so"), error_code::not_found, "there is no plugin `/no/such/plugin.so`");
    check_error(failure_of(PLUGIN_NONE), error_code::provider_unavailable, "it has no function inlay_plugin_entry()");
    const auto text = std::filesystem::temp_directory_path() / ("inlay_no_plugin_" + std::to_string(getpid()));
    std::ofstream(text) << "this is no library";
    check_error(failure_of(text), error_code::provider_unavailable, "cannot be used: " + text.string());
    std::filesystem::remove(text);
    const std::pair<const char*, const char*> tables[] = {
        {"null", "it needs a newer version of the plugin interface than this program has, 1"},
        {"newer", "it has version 2 of the plugin interface, and this program the versions 1 to 1"},
        {"older", "it has version 0 of the plugin interface"},
        {"small", "bytes, and version 1 has"},
        {"tiny", "bytes and no version"},
        {"name", "its name `faulty` is not SomethingExecutionProvider"},
        {"function", "its table has no function close()"},
        {"option", "the value `many` of its option `wrong` is not of the type integer"}};
    for (const auto& [fault, words] : tables) {
        CAPTURE(fault);
        check_error(error_of_table(fault), error_code::provider_unavailable, words);
    }
    CHECK_FALSE(is_loaded(faulty_file));
    CHECK_FALSE(is_loaded(PLUGIN_NONE));
}

TEST_CASE("A table that ends before what a plugin may leave out is whole", "[plugins]") {
    const table_fault f("short");
    const plugin p(faulty_file);
    const any_session s(model_of(three_nodes), {p, "cpu"}, quiet());
    CHECK(run(s) == y4);
    CHECK(s.plan().count(p.name()) == 2);
}

TEST_CASE("Two plugins of one name cannot be distinguished: the list is refused", "[plugins]") {
    const error e = raised([] {
        any_session(model_of(three_nodes), {plugin(relu_file), plugin(relu_file), "cpu"}, quiet());
    });
    check_error(e, error_code::duplicate_provider, "stands twice");
}

TEST_CASE("What a plugin compiled is saved in a model's file, and restored", "[plugins]") {
    const auto file = std::filesystem::temp_directory_path() / ("inlay_plugin_" + std::to_string(getpid()) + ".onnx");
    const plugin p(relu_file);
    {
        const any_session s(model_of(three_nodes), {p, "cpu"}, quiet());
        CHECK(s.save(file).regions == 2);
    }
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const model saved(file);
    CHECK(run(any_session(saved, {p, "cpu"}, o)) == y4);
    check_error(raised([&] {
                    any_session(saved, {p.with({{"largest", "5"}}), "cpu"}, o);
                }),
                error_code::unsupported_model, "`option largest` is `1000000` in the file and `5` here");
    std::filesystem::remove(file);
}

TEST_CASE("A plugin is unloaded when the last that was made of it is gone", "[plugins]") {
    for (const std::string& file : {relu_file, machine_file}) {
        CAPTURE(file);
        REQUIRE_FALSE(is_loaded(file));
        std::optional<provider_handle> handle;
        {
            std::optional<any_session> s;
            {
                const plugin p(file);
                s.emplace(model_of(three_nodes), std::vector<provider_choice>{p, "cpu"}, quiet());
                handle = p.handle().value_or_raise();
            }
            CHECK(run(*s) == y4);
            binding b = s->bind();
            CHECK(b.run() == status::ok);
            CHECK(is_loaded(file));
        }
        CHECK(is_loaded(file));
        handle.reset();
        CHECK_FALSE(is_loaded(file));
        CHECK(run(any_session(model_of(three_nodes), {plugin(file), "cpu"}, quiet())) == y4);  // and again
        CHECK_FALSE(is_loaded(file));
    }
}
