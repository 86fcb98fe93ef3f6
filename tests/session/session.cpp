// Sessions: their providers, what goes in and comes out, errors, shapes that change, concurrent runs.
#include "../models.hpp"
#include <inlay/impl/compiled.hpp>
#include <inlay/onnx/unary.hpp>
#include <inlay/plan/choose_level.hpp>
#include <cstdlib>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const two_branches =
    "two_branches (float[N,2] x, float[N,2] z) => (float[N,2] sum, float[N,2] positive, float[N,2] product) {"
    " sum = Add(x, z) positive = Relu(sum) product = Mul(positive, x) }";
const tensor x22({2, 2}, {1.f, -2.f, 3.f, -4.f}), z22({2, 2}, {1.f, 1.f, -5.f, 1.f});

// As cpu, but with less work and another name.
struct adder : only<cpu, op::add> {
    static constexpr std::string_view name = "AdderExecutionProvider";
};
struct squasher {
    int device_id = 0;
    static constexpr std::string_view name = "SquasherExecutionProvider";
    static constexpr provider_status status = provider_status::preview;
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
int times_packed = 0;
struct packer {
    static constexpr std::string_view name = "PackerExecutionProvider";
    static constexpr auto devices = hana::tuple_t<packer>;
    static constexpr auto kernels = hana::tuple_t<op::sigmoid>;
};
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct kernel<op::sigmoid, packer, types<float>> : kernel<op::sigmoid, device::reference, types<float>> {
    static status bind(const params&, constants, const setup&, state&) noexcept {
        ++times_packed;
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A session without providers runs on the CPU", "[session]") {
    const inlay::session s{model_of(two_branches)};
    CHECK(s.providers() == std::vector<std::string>{"CPUExecutionProvider"});
    CHECK_FALSE(s.plan().implicit_cpu);
    const fetched y = s.run({{"x", x22}, {"z", z22}});
    REQUIRE(y.size() == 3);
    CHECK(floats(y[0]) == std::vector{2.f, -1.f, -2.f, -3.f});
    CHECK(floats(y.at("positive")) == std::vector{2.f, 0.f, 0.f, 0.f});
    CHECK(floats(y.at("product")) == std::vector{2.f, 0.f, 0.f, 0.f});
    CHECK(y[0].shape() == shape{2, 2});
}

TEST_CASE("Providers are those given, in order, and each has its nodes", "[session]") {
    const model m = model_of(two_branches);
    const inlay::session s{m, squasher{}, adder{}, cpu{.threads = 1}};
    CHECK(s.providers() ==
          std::vector<std::string>{"SquasherExecutionProvider", "AdderExecutionProvider", "CPUExecutionProvider"});
    s.run({{"x", x22}, {"z", z22}});
    const plan_report plan = s.plan();
    CHECK_FALSE(plan.implicit_cpu);
    CHECK(line_of(plan, "Add").provider == adder::name);
    CHECK(line_of(plan, "Relu").provider == squasher::name);
    CHECK(line_of(plan, "Mul").provider == cpu::name);
    CHECK(plan.count(cpu::name) == 1);
    CHECK(plan.providers == s.providers());
    CHECK(has_text(text_of(plan), "note: SquasherExecutionProvider is preview"));
    const auto& answers = line_of(plan, "Mul").answers;
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].provider == squasher::name);
    CHECK(answers[0].text == "no kernel for this operator (Mul)");
}

TEST_CASE("A list without the CPU is completed by it, and the plan says so", "[session]") {
    const inlay::session s{model_of(two_branches), squasher{}};
    CHECK(s.providers() == std::vector<std::string>{"SquasherExecutionProvider", "CPUExecutionProvider"});
    CHECK(floats(s.run({{"x", x22}, {"z", z22}}).at("positive")) == std::vector{2.f, 0.f, 0.f, 0.f});
    CHECK(s.plan().implicit_cpu);
    CHECK(has_text(text_of(s.plan()), "CPUExecutionProvider (2 nodes, implicit CPU)"));
}

TEST_CASE("Two objects of one provider need different devices", "[session]") {
    const model m = model_of(two_branches);
    const inlay::session s{m, squasher{.device_id = 0}, squasher{.device_id = 1}};
    CHECK(s.providers().size() == 3);
    CHECK(floats(s.run({{"x", x22}, {"z", z22}})[1]) == std::vector{2.f, 0.f, 0.f, 0.f});
    const auto outcome =
        session<squasher, squasher>::try_make(m, {}, squasher{.device_id = 1}, squasher{.device_id = 1});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::duplicate_provider);
    CHECK(outcome.why().provider == squasher::name);
    CHECK(outcome.why().text ==
          "inlay: SquasherExecutionProvider stands twice in the list, both for device 1; two objects of one provider "
          "need different devices");
}

TEST_CASE("Options may stand before the providers", "[session]") {
    std::vector<std::string> lines;
    session_options o;
    o.log_severity_level = 0;
    o.log = [&](severity s, std::string_view line) {
        if (s == severity::verbose) lines.emplace_back(line);
    };
    const inlay::session s{model_of("g (float[2] x) => (float[2] y) { a = Add(x, x) y = Relu(a) }"), o, squasher{},
                           cpu{}};
    CHECK(s.providers().size() == 2);
    REQUIRE(lines.size() == 2);  // one line per node, with its provider
    CHECK(has_text(lines[0], "(Add) -> CPUExecutionProvider"));
    CHECK(has_text(lines[1], "(Relu) -> SquasherExecutionProvider"));
    lines.clear();
    o.log_severity_level = int(severity::warning);
    inlay::session{model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }"), o, cpu{}};
    CHECK(lines.empty());
}

TEST_CASE("Inputs and outputs have the names, types and shapes of the file", "[session]") {
    const inlay::session s{
        model_of("g (float[batch,3] x, int64[2] k) => (float[batch,3] y, int64[2] l) { y = Relu(x) l = Identity(k) }"),
        cpu{}};
    REQUIRE(s.inputs().size() == 2);
    CHECK(s.inputs()[0].name == "x");
    CHECK(s.inputs()[0].type == element::f32);
    CHECK(s.inputs()[0].type_text == "tensor(float)");
    CHECK(s.inputs()[0].shape.rank == 2);
    CHECK(s.inputs()[0].shape[0] < 0);
    CHECK(s.inputs()[0].shape[1] == 3);
    CHECK(s.inputs()[0].dim_names == std::vector<std::string>{"batch", ""});
    CHECK(s.inputs()[1].type == element::i64);
    CHECK(s.inputs()[1].shape == shape{2});
    REQUIRE(s.outputs().size() == 2);
    CHECK(s.outputs()[0].name == "y");
    CHECK(s.outputs()[1].type == element::i64);
    CHECK(s.model().graph_name() == "g");
}

TEST_CASE("A run gives the requested outputs, in that order", "[session]") {
    const inlay::session s{model_of(two_branches), cpu{}};
    const fetched two = s.run({{"z", z22}, {"x", x22}}, {"product", "sum"});
    REQUIRE(two.size() == 2);
    CHECK(two.name(0) == "product");
    CHECK(two.name(1) == "sum");
    CHECK(floats(two[0]) == std::vector{2.f, 0.f, 0.f, 0.f});
    CHECK(floats(two[1]) == std::vector{2.f, -1.f, -2.f, -3.f});
    const fetched twice = s.run({{"x", x22}, {"z", z22}}, {"sum", "sum"});
    CHECK(floats(twice[0]) == floats(twice[1]));
    CHECK(raised([&] { (void)two.at("positive"); }).code == error_code::not_found);
    CHECK(raised([&] { (void)two[2]; }).code == error_code::not_found);
    int count = 0;
    for (const auto& [name, value] : s.run({{"x", x22}, {"z", z22}})) {
        CHECK(value.as_tensor());
        CHECK(name == s.outputs()[std::size_t(count++)].name);
    }
    CHECK(count == 3);
}

TEST_CASE("Results stay as they are when the session runs again or is gone", "[session]") {
    fetched first;
    {
        const inlay::session s{model_of(two_branches), cpu{}};
        first = s.run({{"x", x22}, {"z", z22}});
        s.run({{"x", z22}, {"z", z22}});
    }
    CHECK(floats(first[0]) == std::vector{2.f, -1.f, -2.f, -3.f});
}

TEST_CASE("Outputs may be inputs, constants and one value twice removed", "[session]") {
    const inlay::session s{
        model_of("g (float[2] x) => (float[2] x, float[2] k, float[2] y, float[1,2] r) <float[2] k = {5, 6}> { y = "
                 "Identity(x) s = Constant<value = int64[2] {1, 2}>() r = Reshape(x, s) }"),
        cpu{}};
    for (const float f : {1.f, 2.f}) {
        const fetched y = s.run({{"x", tensor({2}, {f, -f})}});
        CHECK(floats(y[0]) == std::vector{f, -f});
        CHECK(floats(y[1]) == std::vector{5.f, 6.f});
        CHECK(floats(y[2]) == std::vector{f, -f});
        CHECK(floats(y[3]) == std::vector{f, -f});
        CHECK(y[3].shape() == shape{1, 2});
    }
}

TEST_CASE("What is fed wrongly is refused with names, types and shapes", "[session]") {
    const inlay::session s{model_of("g (float[N,2] image, float[N,2] mask, int64[1] k) => (float[N,2] y, int64[1] l) { "
                                    "y = Add(image, mask) l = Identity(k) }"),
                           cpu{}};
    const tensor two = ones({2, 2}), three = ones({3, 2}), k({1}, {std::int64_t(7)});
    const auto run = [&](std::vector<feed> in, std::vector<std::string_view> out = {}) {
        return raised([&] { (void)s.run(std::span<const feed>(in), std::span<const std::string_view>(out)); });
    };
    error e = run({{"imaeg", two}, {"mask", two}, {"k", k}});
    CHECK(e.code == error_code::not_found);
    CHECK(e.text == "inlay: the model has no input named `imaeg`; it has: image, mask, k");
    CHECK(e.hint == "did you mean `image`?");
    e = run({{"image", two}, {"mask", two}, {"k", k}}, {"z"});
    CHECK(e.code == error_code::not_found);
    CHECK(e.text == "inlay: the model has no output named `z`; it has: y, l");
    e = run({{"image", two}, {"k", k}});
    CHECK(e.code == error_code::invalid_argument);
    CHECK(e.text == "inlay: input `mask` is missing; the model expects: image, mask, k");
    e = run({{"image", two}, {"image", two}, {"mask", two}, {"k", k}});
    CHECK(e.text == "inlay: input `image` is given twice");
    e = run({{"image", tensor({2, 2}, std::vector<double>(4))}, {"mask", two}, {"k", k}});
    CHECK(e.code == error_code::type_mismatch);
    CHECK(e.text == "inlay: input `image` has elements of type double, the model expects float");
    e = run({{"image", ones({2, 3})}, {"mask", two}, {"k", k}});
    CHECK(e.code == error_code::shape_mismatch);
    CHECK(e.text == "inlay: input `image` has shape [2,3], but the model expects [?,2]");
    CHECK(e.shapes == "[2,3]");
    CHECK(run({{"image", ones({2, 2, 1})}, {"mask", two}, {"k", k}}).text ==
          "inlay: input `image` has shape [2,2,1], but the model expects [?,2]");
    e = run({{"image", two}, {"mask", three}, {"k", k}});
    CHECK(e.code == error_code::shape_mismatch);
    CHECK(e.text == "inlay: input `mask` has shape [3,2], but `N` is 2 in another input");
    e = run({{"image", sequence{any_value(two)}}, {"mask", two}, {"k", k}});
    CHECK(e.code == error_code::type_mismatch);
    CHECK(e.text == "inlay: input `image` must be a tensor: tensor(float)");
    CHECK(run({{"image", tensor()}, {"mask", two}, {"k", k}}).code == error_code::type_mismatch);
    // Nothing of this harms the session.
    CHECK(floats(s.run({{"image", two}, {"mask", two}, {"k", k}})[0]) == std::vector(4, 2.f));
    const std::vector<feed> wrong{{"image", two}};
    const auto tried = s.try_run(wrong);
    REQUIRE_FALSE(tried);
    CHECK(tried.why().code == error_code::invalid_argument);
}

TEST_CASE("Each set of input shapes has its plan and its outputs' shapes", "[session]") {
    const inlay::session s{
        model_of("g (float[N,M] x, float[M,K] w) => (float[N,K] y, int64[2] d, float[L] flat) {"
                 " y = MatMul(x, w) d = Shape(y) all = Constant<value = int64[1] {-1}>() flat = Reshape(y, all) }"),
        cpu{.threads = 1}};
    for (const auto& [n, m, k] : {std::array{1, 2, 3}, {4, 1, 2}, {1, 2, 3}, {0, 2, 2}, {3, 5, 1}, {1, 2, 3}}) {
        CAPTURE(n, m, k);
        const fetched y = s.run({{"x", ones({n, m})}, {"w", ones({m, k})}});
        CHECK(y[0].shape() == shape{n, k});
        CHECK(floats(y[0]) == std::vector(std::size_t(n * k), float(m)));
        CHECK(elements<std::int64_t>(y[1]) == std::vector<std::int64_t>{n, k});
        CHECK(y[2].shape() == shape{n * k});
    }
    CHECK(s.plan().inputs[0].second == shape{1, 2});  // of the last run
    CHECK(s.plan({{"x", {7, 8}}, {"w", {8, 9}}}).inputs[1].second == shape{8, 9});
    CHECK(raised([&] { (void)s.run({{"x", ones({2, 3})}, {"w", ones({4, 2})}}); }).code == error_code::shape_mismatch);
}

TEST_CASE("Shapes that only the values tell are found while the model runs", "[session]") {
    const inlay::session s{
        model_of("g (float[1,N,4] boxes, float[1,1,N] scores) => (int64[K,3] kept, int64[K,3] twice, int64[2] d) {"
                 " most = Constant<value = int64[1] {3}>() overlap = Constant<value = float[1] {0.5}>()"
                 " kept = NonMaxSuppression(boxes, scores, most, overlap) twice = Add(kept, kept) d = Shape(twice) }"),
        cpu{}};
    const auto boxes = [](std::vector<float> lefts) {  // unit squares
        std::vector<float> corners;
        for (float l : lefts)
            for (float f : {0.f, l, 1.f, l + 1.f}) corners.push_back(f);
        return tensor({1, std::int64_t(lefts.size()), 4}, corners);
    };
    fetched y = s.run({{"boxes", boxes({0.f, 0.1f, 5.f})}, {"scores", tensor({1, 1, 3}, {0.9f, 0.8f, 0.7f})}});
    CHECK(y[0].shape() == shape{2, 3});
    CHECK(elements<std::int64_t>(y[1]) == std::vector<std::int64_t>{0, 0, 0, 0, 0, 4});
    CHECK(elements<std::int64_t>(y[2]) == std::vector<std::int64_t>{2, 3});
    y = s.run({{"boxes", boxes({0.f, 3.f, 5.f})},
               {"scores", tensor({1, 1, 3}, {0.1f, 0.8f, 0.9f})}});  // the same shapes, other values
    CHECK(y[0].shape() == shape{3, 3});
    CHECK(elements<std::int64_t>(y[1]) == std::vector<std::int64_t>{0, 0, 4, 0, 0, 2, 0, 0, 0});
    y = s.run({{"boxes", boxes({1.f})}, {"scores", tensor({1, 1, 1}, {0.3f})}});
    CHECK(y[0].shape() == shape{1, 3});
    CHECK(line_of(s.plan(), "Add").kernel == "chosen at run");
}

TEST_CASE("A value that an operator forbids ends the run with node and reason", "[session]") {
    const inlay::session s{model_of("g (float[3] table, int64[2] at) => (float[2] y) { [pick] y = Gather(table, at) }"),
                           cpu{}};
    const tensor table({3}, {1.f, 2.f, 3.f});
    CHECK(floats(s.run({{"table", table}, {"at", tensor({2}, {std::int64_t(2), std::int64_t(-3)})}})[0]) ==
          std::vector{3.f, 1.f});
    const error e = raised([&] {
        (void)s.run({{"table", table}, {"at", tensor({2}, {std::int64_t(0), std::int64_t(3)})}});
    });
    CHECK(e.code == error_code::invalid_value);
    CHECK(e.op == "Gather");
    CHECK(has_text(e.text, "(Gather, version 13): "));
    CHECK(has_text(e.text, "; inputs: float[3], int64[2]"));
    CHECK(floats(s.run({{"table", table}, {"at", tensor({2}, {std::int64_t(1), std::int64_t(1)})}})[0]) ==
          std::vector{2.f, 2.f});
}

TEST_CASE("An input value that requires what no kernel has is an error of that kind", "[session]") {
    const inlay::session s{
        model_of("g (string[1] x) => (string[?] y) { [up] y = StringNormalizer<case_change_action = \"UPPER\", locale "
                 "= \"en_US\">(x) }")};
    const auto run = [&](std::string x) { return s.run({{"x", tensor({1}, std::vector{std::move(x)})}}); };
    CHECK(elements<std::string>(run("plain")[0]) == std::vector<std::string>{"PLAIN"});
    const error e = raised([&] { (void)run("\xc3\xa9"); });
    CHECK(e.code == error_code::no_provider);
    CHECK(e.node == "up");
    CHECK(e.op == "StringNormalizer");
    CHECK(has_text(e.text, "cases of letters beyond ASCII"));
}

TEST_CASE("Strings go through a session", "[session]") {
    const inlay::session s{model_of("g (string[N] x) => (string[N] y, string[1,N] r) { y = Identity(x) s = "
                                    "Constant<value = int64[2] {1, -1}>() r = Reshape(x, s) }"),
                           cpu{}};
    const std::vector<std::string> words{"one", "a word that is longer than any small buffer", ""};
    for (int round = 0; round < 2; ++round) {
        const fetched y = s.run({{"x", tensor({3}, words)}});
        CHECK(elements<std::string>(y[0]) == words);
        CHECK(elements<std::string>(y[1]) == words);
        CHECK(y[1].shape() == shape{1, 3});
    }
}

TEST_CASE("Values that have no layout but the plain one keep the order of their elements", "[session]") {
    for (const char* type : {"22", "8", "7"}) {  // int4, string, int64
        CAPTURE(type);
        const std::string text = std::string(
                                     "cast (float[1,2,2,3] x) => (float[1,2,2,3] y) { w = Constant<value = "
                                     "float[2,2,1,1] {1, 0, 0, -1}>() a = Conv(x, w) b = Cast<to = ") +
                                 type + ">(a) y = Cast<to = 1>(b) }";
        const tensor x({1, 2, 2, 3}, {0.f, 1.f, 2.f, 3.f, 4.f, 5.f, -6.f, -5.f, -4.f, -3.f, -2.f, -1.f});
        const inlay::session s{model_of(text, {}), cpu{}};
        CHECK(line_of(s.plan(), "Conv").kernel == "cpu");
        CHECK(floats(s.run({{"x", x}})[0]) == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1});
    }
}
TEST_CASE("An operator that no provider has is refused when the session is made, with each provider's reason",
          "[session]") {
    const auto outcome = session<adder>::try_make(
        model_of(
            R"(<ir_version: 10, opset_import: ["" : 21, "example" : 1]> g (float[2] x) => (float[2] z) { y = Add(x, x) [strange] z = example.Strange(y) })"),
        {}, adder{});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.why().code == error_code::no_provider);
    CHECK(outcome.why().op == "Strange");
    CHECK(has_text(outcome.why().text, "(example.Strange, version 1): no provider runs it."));
    CHECK(has_text(outcome.why().text, "AdderExecutionProvider: no kernel for this operator (example.Strange)"));
    CHECK(has_text(outcome.why().text, "CPUExecutionProvider: no kernel for this operator (example.Strange)"));
}

TEST_CASE("A run ends early on request", "[session]") {
    const inlay::session s{model_of(two_branches), cpu{}};
    const std::vector<feed> in{{"x", x22}, {"z", z22}};
    std::atomic<bool> stop{true};
    CHECK(s.try_run(in, {}, {.stop = &stop}).why().code == error_code::stopped);
    CHECK(s.try_run(in, {}, {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)}).why().code ==
          error_code::deadline_passed);
    stop = false;
    CHECK(s.try_run(in, {}, {.stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)}));
}

TEST_CASE("In bfloat16 no session uses dot-product instructions slower than float32, unless they are requested",
          "[session]") {
    CHECK(isa::slow_at_pairs("GenuineIntel", 0x806f8));
    CHECK(isa::slow_at_pairs("GenuineIntel", 0xc06f2));
    CHECK(!isa::slow_at_pairs("GenuineIntel", 0x5065b));  // AVX512-BF16 without AMX
    CHECK(!isa::slow_at_pairs("AuthenticAMD", 0x806f8));
    const auto best = isa::choose({}), level = choose_level({}, true);
    CHECK((level == best || (best == isa::level::avx512bf16 && level == isa::level::avx512)));
    CHECK(choose_level({}, false) == best);
    for (const isa::level l : isa::linked) CHECK(choose_level(l, true) == isa::choose(l));
}
TEST_CASE(
    "bfloat16 products decide on the instruction set where they are requested or weights have that type, "
    "unless most weights are quantized values",
    "[session]") {
    graph_data g;
    const auto decide = [&](precision p) {
        graph_view v = g.view();
        v.precision = p;
        return is_for_pairs(v);
    };
    g.add_constant("floats", tensor(element::f32, {8, 8}));
    CHECK(!decide(precision::standard));
    CHECK(decide(precision::bfloat16));
    g.add_constant("pairs", tensor(element::bf16, {2}));
    CHECK(decide(precision::standard));
    CHECK(!decide(precision::strict));  // a matmul of float32
    const graph_view inner[]{g.view()};
    CHECK(is_for_pairs({.subgraphs = inner}));
    g.add_constant("codes", tensor(element::u8, {3, 11}));
    CHECK(decide(precision::bfloat16));
    g.add_constant("more codes", tensor(element::i8, {1}));
    g.add_constant("places", tensor(element::i64, {1000}));
    CHECK(!decide(precision::bfloat16));
    CHECK(!decide(precision::standard));
}
TEST_CASE("The instruction set is chosen per session, and one that the machine lacks is an error", "[session]") {
    const model m = model_of(two_branches);
    for (const isa::level l : isa::linked) {
        CAPTURE(isa::name_of(l));
        const auto outcome = session<cpu>::try_make(m, {}, cpu{.isa = l});
        CHECK(bool(outcome) == isa::available(l));
        if (!outcome) {
            CHECK(outcome.why().code == error_code::no_such_level);
            continue;
        }
        const session_base& s = *outcome;
        CHECK(s.level() == l);
        CHECK(s.plan().level == isa::name_of(l));
        CHECK(floats(s.run({{"x", x22}, {"z", z22}})[1]) == std::vector{2.f, 0.f, 0.f, 0.f});
    }
}
TEST_CASE("An instruction set of no name is an error that names those of this build", "[session]") {
    const char* const before = std::getenv("INLAY_ISA");
    const std::string original = before ? before : "";
    setenv("INLAY_ISA", "sse9", 1);
    const auto outcome = session<cpu>::try_make(model_of(two_branches), {}, cpu{});
    before ? setenv("INLAY_ISA", original.c_str(), 1) : unsetenv("INLAY_ISA");
    REQUIRE(!outcome);
    CHECK(outcome.why().code == error_code::no_such_level);
    const std::string& text = outcome.why().text;
    std::string names;
    for (const isa::level l : isa::linked)
        if (isa::compiled(l)) names += (names.empty() ? "" : ", ") + std::string(isa::name_of(l));
    CHECK(text.ends_with("built in: " + names));
}

TEST_CASE("A session uses the caller's executor where it is given one", "[session]") {
    struct counted {
        int jobs = 0;
        int size() noexcept { return 4; }
        void parallel(int count, task_function task, void* data) noexcept {
            ++jobs;
            serial::parallel(count, task, data);
        }
    } executor;
    session_options o;
    o.executor = executor;
    const inlay::session s{model_of("g (float[N,256] x, float[256,256] w) => (float[N,256] y) { y = MatMul(x, w) }"), o,
                           cpu{.threads = 2}};
    const fetched y = s.run({{"x", ones({256, 256})}, {"w", ones({256, 256})}});
    CHECK((floats(y[0]) == std::vector(256 * 256, 256.f)));  // too long to print
    CHECK(s.plan().threads == 4);
    CHECK(executor.jobs > 0);
}

TEST_CASE("Many threads may run one session at once", "[session][threads]") {
    const inlay::session s{model_of("g (float[N,8] x, float[8,8] w) => (float[N,8] y, int64[2] d) { a = MatMul(x, w) b "
                                    "= Relu(a) y = Add(b, x) d = Shape(y) }"),
                           cpu{.threads = 2}};
    std::vector<float> weights(64);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = float(int(i * 7 % 11) - 5);
    const tensor w({8, 8}, weights);
    const auto input = [](int rows) {
        std::vector<float> x(std::size_t(rows) * 8);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(int(i * 5 % 13) - 6);
        return tensor({rows, 8}, x);
    };
    std::vector<std::vector<float>> expected;
    for (int rows = 1; rows <= 12; ++rows)
        expected.push_back(floats(s.run({{"x", input(rows)}, {"w", w}})[0]));  // more than the plans that are kept
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&, t] {
            for (int i = 0; i < 60; ++i) {
                const int rows = 1 + (i * (t + 1)) % 12;
                const fetched y = s.run({{"x", input(rows)}, {"w", w}});
                if (floats(y[0]) != expected[std::size_t(rows - 1)] || y[1].as<std::int64_t>()[0] != rows) ++wrong;
                if (i % 20 == 0 && s.plan().nodes.size() != 4) ++wrong;
            }
        });
    for (auto& c : callers) c.join();
    CHECK(wrong == 0);
}

TEST_CASE("Sessions share one model", "[session][threads]") {
    const model m = model_of("g (float[2] x) => (float[2] y) <float[2] k = {10, 20}> { a = Add(x, k) y = Relu(a) }");
    const inlay::session first{m, cpu{.threads = 1}};
    const inlay::session second{m, reference{}, cpu{.threads = 2}};
    CHECK(&first.model().graph() == &second.model().graph());
    std::atomic<int> wrong{0};
    const auto work = [&](const session_base& s) {
        for (int i = 0; i < 50; ++i)
            if (floats(s.run({{"x", tensor({2}, {float(i), -30.f})}})[0]) != std::vector{float(i) + 10.f, 0.f}) ++wrong;
    };
    std::thread worker([&] { work(second); });
    work(first);
    worker.join();
    CHECK(wrong == 0);
    CHECK(line_of(second.plan(), "Add").provider == reference::name);
}

TEST_CASE("Sessions of one model share what their kernels packed", "[session]") {
    const model m = model_of("g (float[4] x) => (float[4] y) { y = Sigmoid(x) }");
    times_packed = 0;
    {
        const inlay::session first{m, packer{}, cpu{.threads = 1}}, second{m, packer{}, cpu{.threads = 1}};
        first.run({{"x", tensor({4}, {1.f, 2.f, 3.f, 4.f})}});
        CHECK(times_packed == 1);
        const inlay::session more_threads{m, packer{}, cpu{.threads = 2}};  // may pack in another way
        CHECK(times_packed == 2);
    }
    const inlay::session later{m, packer{}, cpu{.threads = 1}};  // nothing held it any more
    CHECK(times_packed == 3);
}

TEST_CASE("Weights are packed by all threads of a session, as by one", "[session][threads]") {
    std::string constants, nodes, before = "x";
    for (int k = 0; k < 24; ++k) {
        const std::string number = std::to_string(k), now = k == 23 ? "y" : "v" + number;
        constants += (k ? ", float[8,8] w" : "float[8,8] w") + number + " = {";
        for (int i = 0; i < 64; ++i) constants += (i ? ", " : "") + std::to_string((i * 7 + k * 5) % 11 - 5);
        constants += "}";
        nodes += "p" + number + " = MatMul(" + before + ", w" + number + ") " + now + " = Softmax(p" + number + ") ";
        before = now;
    }
    const std::string text = "g (float[3,8] x) => (float[3,8] y) <" + constants + "> { " + nodes + "}";
    std::vector<float> numbers(24);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(int(i * 5 % 13) - 6);
    const auto result = [&](int threads) {
        const inlay::session s{model_of(text), cpu{.threads = threads}};
        return floats(s.run({{"x", tensor({3, 8}, numbers)}})[0]);
    };
    const std::vector<float> expected = result(1);
    for (int threads : {2, 5}) CHECK(result(threads) == expected);
}

TEST_CASE("The precision of products is an option of the CPU, shown by the plan", "[session]") {
    const model m = model_of(
        "g (float[N,4] x) => (float[N,2] y) <float[4,2] w = {1.001, 1, 1, 1, 1, 1, 1, 1}> { a = MatMul(x, w) y = "
        "Relu(a) }");
    const tensor x({1, 4}, {1.f, 0.f, 0.f, 0.f});
    const auto first = [&](const session_base& s) { return floats(s.run({{"x", x}})[0])[0]; };
    const inlay::session standard{m, cpu{.threads = 1}}, strict{m, cpu{.threads = 1, .precision = precision::strict}},
        half{m, cpu{.threads = 1, .precision = precision::bfloat16}};
    CHECK(first(half) == 1);           // 1.001 is nearest to 1
    CHECK(first(standard) == 1.001f);  // though the weights of one model are shared
    CHECK(first(strict) == 1.001f);
    const plan_report plan = half.plan();
    CHECK(plan.precision == "bfloat16");
    CHECK(line_of(plan, "MatMul").precision == "bfloat16");
    CHECK(has_text(text_of(plan), "precision bfloat16, with less than float in"));
    CHECK(has_text(text_of(plan), "CPUExecutionProvider [cpu, bfloat16]"));
    CHECK(line_of(strict.plan(), "MatMul").precision.empty());
    CHECK(has_text(text_of(strict.plan()), "precision strict, with less than float in 0 nodes"));
    CHECK_FALSE(has_text(text_of(standard.plan()), "precision"));
    CHECK(2 * plan.packed_bytes == standard.plan().packed_bytes);
}

TEST_CASE("Bodies of control flow have the precision of the graph around them", "[session]") {
    const inlay::session s{model_of(R"(g (bool c, float[1,2] x) => (float[1,1] y) {
        y = If(c) <then_branch = t () => (float[1,1] a) { w = Constant <value = float[2,1] {1.001, 0}> () a = MatMul(x, w) }, else_branch = e () => (float[1,1] b) { v = Constant <value = float[2,1] {0, 0}> () b = MatMul(x, v) }>
    })"),
                           cpu{.threads = 1, .precision = precision::bfloat16}};
    CHECK(floats(s.run({{"c", tensor(shape{}, {true})}, {"x", ones({1, 2})}})[0]) == std::vector{1.f});
}

TEST_CASE("The first provider that has a precision reports it", "[session]") {
    const model m = model_of("g (float[1,2] x) => (float[1,1] y) <float[2,1] w = {1.001, 0}> { y = MatMul(x, w) }");
    const inlay::session after{m, reference{}, cpu{.precision = precision::bfloat16}};
    CHECK(after.plan().precision == "bfloat16");
    CHECK(floats(after.run({{"x", ones({1, 2})}})[0]) == std::vector{1.001f});  // the reference kernels are exact
}
