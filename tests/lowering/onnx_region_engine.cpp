// The engine of libraries that read ONNX: what it serialises and queries, keeps, compiles and runs. The library is
// Inlay itself, by its reference kernels, without the operator Neg.
#include "../model_constants.hpp"
#include "../models.hpp"
#include "../provider_conformance/checked.hpp"
#include <boost/hana/adapt_struct.hpp>
#include <lowering/onnx_region_engine.hpp>
#include <set>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::lowering;

namespace {
struct activity {
    std::mutex mutex;
    std::vector<std::vector<int>> serialized;  // nodes
    std::vector<std::vector<int>> queried;
    int parsed = 0;
    std::vector<std::size_t> inputs;  // of what was compiled
    bool refuses_to_compile = false, fails_to_run = false;
};
activity library_activity;
struct counting_writer {
    result<std::string> operator()(const region& r) const {
        const std::lock_guard lock(library_activity.mutex);
        library_activity.serialized.emplace_back(r.nodes.begin(), r.nodes.end());
        return to_onnx(r);
    }
};
model read_by_library(std::string_view onnx) {
    const std::lock_guard lock(library_activity.mutex);
    ++library_activity.parsed;
    return model::from_memory(std::as_bytes(std::span(onnx)));
}

struct compiled_model {
    std::shared_ptr<const session<reference>> of;
    struct one_run {
        std::shared_ptr<const session<reference>> of;
        std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) const {
            if (library_activity.fails_to_run) refuse("the library fails");
            std::vector<std::string> names;  // which feeds refer to
            for (std::size_t k = 0; k < inputs.size(); ++k) names.push_back("i" + std::to_string(k));
            std::vector<feed> feeds;
            for (std::size_t k = 0; k < inputs.size(); ++k)
                feeds.push_back({names[k], tensor::borrow(inputs[k].type, inputs[k].dims, inputs[k].data)});
            const fetched results = of->run(feeds);
            for (std::size_t k = 0; k < outputs.size(); ++k)
                std::memcpy(outputs[k].data, results[k].data(), std::size_t(results[k].bytes()));
            return {};
        }
    };
    one_run instance() const { return {of}; }
};
// WithElements: it is queried with the elements of constants, however many they are.
template <bool WithElements> struct machine {
    static constexpr elements_in elements = elements_in::bytes;
    static constexpr bool queries_elements = WithElements;
    static auto node_refusal(const graph_view&) {
        return [](const node_view& n) {
            return refusal_of_tensors(n, element_set::of({element::f32, element::i64}), "the machine has no",
                                      "the machine gets no tensors without elements");
        };
    }
    static model parse(const std::string& onnx) { return read_by_library(onnx); }
    static refused_nodes query(const region& r, const model& m) {
        {
            const std::lock_guard lock(library_activity.mutex);
            library_activity.queried.emplace_back(r.nodes.begin(), r.nodes.end());
        }
        if (queries_elements) CHECK(m.inputs().size() == r.inputs.size());
        for (const int i : r.nodes)
            if (r.graph.nodes[std::size_t(i)].op == "Neg") refuse("the machine does not read Neg");
        return {};
    }
    static auto compile(const region&, const model& m) {
        if (library_activity.refuses_to_compile) refuse("the machine refuses");
        session_options quiet;
        quiet.log = [](severity, std::string_view) {};
        {
            const std::lock_guard lock(library_activity.mutex);
            library_activity.inputs.push_back(m.inputs().size());
        }
        return std::make_shared<const compiled_model>(
            compiled_model{std::make_shared<const session<reference>>(m, quiet, reference{})});
    }
    static region_result restore(const region&, std::string_view) { refuse("these bytes are no machine's"); }
    static std::vector<std::pair<std::string, std::string>> identity() { return {{"library", "1"}}; }
};
template <bool WithElements> struct provider_of {
    int most_kept_bytes = int(most_proposed_bytes);
    static constexpr std::string_view name = "OnnxMachineExecutionProvider";
    result<std::shared_ptr<engine>> open() const {
        return std::make_shared<onnx_region_engine<machine<WithElements>, counting_writer>>(
            machine<WithElements>(), counting_writer(), std::size_t(most_kept_bytes));
    }
};
using plain_machine = provider_of<false>;
using machine_of_elements = provider_of<true>;

void forget() {
    const std::lock_guard lock(library_activity.mutex);
    library_activity.serialized.clear();
    library_activity.queried.clear();
    library_activity.inputs.clear();
    library_activity.parsed = 0;
}
std::string numbers_of(int count, double step = .25) {
    std::string list;
    for (int k = 0; k < count; ++k) list += (k ? ", " : "") + std::to_string(step * (k % 7) - .5);
    return list;
}
// Weights of 1,600 bytes, which the graph itself does not have.
model weighted(const std::string& rows, const std::string& op = "Abs") {
    return model_of("g (float[" + rows + ",20] x) => (float[" + rows + ",20] y) <float[20,20] w = {" + numbers_of(400) +
                    "}> { r = Relu (x) p = MatMul (r, w) n = " + op + " (p) q = MatMul (n, w) y = Exp (q) }");
}
session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
template <provider P> void check_run(const session<P, cpu>& s, const model& m, std::int64_t rows) {
    tensor x(element::f32, {rows, 20});
    for (int k = 0; float& element : x.as<float>()) element = .1f * float(k++ % 11) - .4f;
    const session plain{m, quiet(), reference{}};
    const auto y = floats(s.run({{"x", x}})[0]), expected = floats(plain.run({{"x", x}})[0]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).epsilon(2e-5));
}
}  // namespace
BOOST_HANA_ADAPT_STRUCT(plain_machine, most_kept_bytes);
BOOST_HANA_ADAPT_STRUCT(machine_of_elements, most_kept_bytes);

TEST_CASE("An engine over a library that reads ONNX passes the conformance tests of providers", "[threads]") {
    for (auto counts : {check_passes(factory_of<plain_machine>()), check_passes(factory_of<machine_of_elements>())}) {
        CHECK(counts[conformance_outcome::unavailable] == 0);
        CHECK(counts[conformance_outcome::passed] > 15);
    }
}
TEMPLATE_TEST_CASE("A region is serialised and parsed once for a session and a set of shapes", "", plain_machine,
                   machine_of_elements) {
    const model m = weighted("2");
    forget();
    const inlay::session s{m, quiet(), TestType{}, cpu{}};
    for (int run = 0; run < 3; ++run) check_run(s, m, 2);
    CHECK(s.plan().steps == 1);
    CHECK(library_activity.serialized.size() == 1);
    CHECK(library_activity.queried.size() == 1);
    CHECK(library_activity.parsed == 1);
    CHECK(library_activity.inputs == std::vector<std::size_t>{1});  // the weights are no input of what was compiled

    const model any = weighted("N");
    const inlay::session sizes{any, quiet(), TestType{}, cpu{}};
    forget();
    for (const std::int64_t rows : {1, 3, 1, 2, 3, 1}) check_run(sizes, any, rows);
    CHECK(library_activity.serialized.size() == 3);
    CHECK(library_activity.queried.size() == 3);
    CHECK(library_activity.parsed == 3);
    CHECK(library_activity.inputs.size() == 3);
}
TEMPLATE_TEST_CASE("A region whose constants are too many to be kept is serialised once, and parsed twice", "",
                   plain_machine, machine_of_elements) {
    const model m = weighted("2");
    forget();
    const inlay::session s{m, quiet(), TestType{.most_kept_bytes = 1590}, cpu{}};
    check_run(s, m, 2);
    CHECK(s.plan().steps == 1);
    CHECK(library_activity.serialized.size() == 1);
    CHECK(library_activity.parsed == 2);
    CHECK(library_activity.inputs == std::vector<std::size_t>{1});
}
TEMPLATE_TEST_CASE("Each set of nodes is serialised, parsed and queried once, also where the library refuses one", "",
                   plain_machine, machine_of_elements) {
    const model m = weighted("2", "Neg");
    forget();
    const inlay::session s{m, quiet(), TestType{}, cpu{}};
    check_run(s, m, 2);
    const plan_report plan = s.plan();
    CHECK(plan.count(TestType::name) == 4);
    for (const auto& a : line_of(plan, "Neg").answers)
        if (a.provider == TestType::name) CHECK(a.text == "the machine does not read Neg");
    // All five, each alone, and the two sets that are left.
    CHECK(library_activity.serialized.size() == 8);
    CHECK(library_activity.serialized == library_activity.queried);
    CHECK(library_activity.parsed == 8);
    CHECK(std::set(library_activity.serialized.begin(), library_activity.serialized.end()).size() == 8);
    CHECK(library_activity.inputs == std::vector<std::size_t>{1, 1});
}
TEST_CASE("Regions that differ in the elements of large constants alone are compiled each with its own") {
    const auto branch = [](const std::string& name, double step) {
        return name + " = of_it () => (float[400] a) <float[400] w = {" + numbers_of(400, step) +
               "}> { b = Add (x, w) a = Abs (b) }";
    };
    const model m = model_of("g (bool c, float[400] x) => (float[400] y) { y = If (c) <" + branch("then_branch", .25) +
                             ", " + branch("else_branch", .5) + "> }");
    const inlay::session s{m, quiet(), plain_machine{}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    forget();
    for (const bool c : {true, false, true}) {
        tensor condition(element::boolean, {});
        condition.as<bool>()[0] = c;
        const std::vector<feed> in{{"c", condition}, {"x", ones({400})}};
        CHECK(floats(s.run(in)[0]) == floats(plain.run(in)[0]));
    }
    CHECK(library_activity.inputs.size() == 2);  // each branch has been compiled
    CHECK(library_activity.parsed == 0);         // of what was parsed when it was proposed
}
TEST_CASE("The structure of a region is that of its nodes, shapes and small constants") {
    const auto structure = [](const std::string& text) {
        const model m = model_of(text, {.optimize = false});
        std::vector<int> nodes;
        for (int i = 0; i < int(m.view().nodes.size()); ++i) nodes.push_back(i);
        const region_values ends = ends_of(m.view(), nodes);
        return structure_of({m.view(), nodes, ends.inputs, ends.outputs}).value();
    };
    const std::string text = "g (float[2] x) => (float[2] y) <float one = {1}> { y = LeakyRelu <alpha = 0.5> (x) }";
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        return changed.replace(changed.find(from), from.size(), to);
    };
    const auto added = [](const std::string& addend) {
        return "g (float[2] x) => (float[2] y) <float one = {" + addend + "}> { y = Add (x, one) }";
    };
    CHECK(structure(text) == structure(text));
    CHECK(structure(text) != structure(with("0.5", "0.25")));
    CHECK(structure(text) != structure(with("[2] x", "[N] x")));
    CHECK(structure(text) != structure(with("LeakyRelu <alpha = 0.5>", "Abs")));
    CHECK(structure(added("1")) == structure(added("1")));
    CHECK(structure(added("1")) != structure(added("2")));
}
TEST_CASE("What is proposed is returned once, and the oldest is dropped where it becomes too much") {
    proposed_regions<std::string> regions(10);
    regions.keep("a", "A", 1);
    CHECK(regions.take("a") == "A");
    CHECK_FALSE(regions.take("a"));
    for (const char* name : {"a", "b", "c"}) regions.keep(name, name, 4);
    CHECK_FALSE(regions.take("a"));
    CHECK(regions.take("b") == "b");
    CHECK(regions.take("c") == "c");
    regions.keep("d", "D", 10);
    CHECK_FALSE(regions.take("d"));
}
TEST_CASE("What the library refuses when it compiles is refused with its reason, and a run that fails has one") {
    const model m = weighted("2");
    {
        library_activity.refuses_to_compile = true;
        const inlay::session s{m, quiet(), plain_machine{}, cpu{}};
        check_run(s, m, 2);
        library_activity.refuses_to_compile = false;
        CHECK(s.plan().count(plain_machine::name) == 0);
        CHECK(has_text(text_of(s.plan()), "the machine refuses"));
    }
    const inlay::session s{m, quiet(), plain_machine{}, cpu{}};
    library_activity.fails_to_run = true;
    const std::vector<feed> in{{"x", ones({2, 20})}};
    const auto failed = s.try_run(in);
    library_activity.fails_to_run = false;
    REQUIRE_FALSE(failed);
    CHECK(has_text(failed.why().text, "the library fails"));
    const auto restored = (*plain_machine{}.open())->restore({m.view(), {}, {}, {}}, "x");
    REQUIRE_FALSE(restored);
    CHECK(restored.why().code == error_code::provider_failed);
    CHECK(restored.why().text == "these bytes are no machine's");
}
