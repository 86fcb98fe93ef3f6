// The code of pages about sessions: the regions between `>>> PAGE` and `<<<` are the blocks of that page, in order
// (check.sh compares them).
#include "../models.hpp"
#include "../session/test_providers.hpp"
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

// >>> load-and-run
#include <inlay/inlay.hpp>

std::vector<float> scores_of(const std::filesystem::path& file, const std::vector<float>& pixels) {
    const inlay::model model{file};                                 // read once; immutable, shared by its copies
    const inlay::session session{model, inlay::cpu{.threads = 2}};  // any number of sessions over one model
    const inlay::tensor image({1, 1, 8, 8}, pixels);
    const inlay::tensor scores = session.run({{"image", image}}).at("scores");
    const auto values = scores.as<float>();  // a span; of another type it is an error
    return {values.begin(), values.end()};
}
// <<<

// >>> load-and-run
void tell_ports(const inlay::session_base& session, std::ostream& to) {
    for (const inlay::port& in : session.inputs())
        to << in.name << ": " << in.type_text << ' ' << to_string(in.shape) << '\n';
    for (const inlay::port& out : session.outputs())
        to << out.name << ": " << out.type_text << ' ' << to_string(out.shape) << '\n';
}
// <<<

// >>> load-and-run
inlay::tensor last_two_only(const inlay::session_base& session, float* memory) {
    const inlay::tensor x = inlay::tensor::borrow(memory, {2, 3});       // the caller's memory, not copied
    const inlay::fetched results = session.run({{"x", x}}, {"z", "y"});  // these outputs, in this order
    return results[1];
}
// <<<

// >>> index
inlay::tensor scores_of(const std::filesystem::path& file, const inlay::tensor& image, std::ostream& to) {
    // Fast kernels first, reference kernels for the rest: the order is the priority.
    const inlay::session session{file, inlay::cpu{.threads = 4}, inlay::reference{}};
    to << session.plan();  // which node runs where, and why not elsewhere
    return session.run({{"image", image}}).at("scores");
}
// <<<

// >>> run-without-allocation
float sum_over_steps(const inlay::session_base& session, int steps) {
    inlay::binding bound = session.bind({{"x", {1, 4}}});  // allocates everything that a run needs
    const auto in = bound.input("x").as<float>();          // memory of the binding: fill it in place
    const auto out = bound.output("y").as<float>();
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
        std::ranges::fill(in, float(step));
        if (bound.run() != inlay::status::ok) throw std::runtime_error(std::string(bound.why()));
        sum += out[0];
    }
    return sum;
}
// <<<

// >>> run-without-allocation
// Both stay on the device, from run to run: what is read there is what was given, what is made there stays.
inlay::tensor on_device(inlay::binding& bound, const inlay::tensor& x, const inlay::space& device) {
    bound.set_input("x", x.copied_to(device));
    bound.set_output("y", device);
    if (bound.run() != inlay::status::ok) throw std::runtime_error(std::string(bound.why()));
    return bound.output("y");  // .copied_to(inlay::space_of<inlay::memory::host>) fetches it
}
// <<<

// >>> decoders
// The most likely token, again and again, each from the one before: what a decoder did with earlier tokens stays in the
// cache.
std::vector<std::int64_t> continued(const inlay::session_base& decoder, std::vector<std::int64_t> tokens, int more) {
    inlay::kv_cache cache = decoder.make_cache(std::int64_t(tokens.size()) +
                                               more);  // for every input that the model gives back with more rows
    std::vector<std::int64_t> next = tokens;           // the prompt in one run, then a token per run
    while (more-- > 0) {
        const inlay::tensor ids({1, std::int64_t(next.size())}, next);
        const inlay::tensor logits = decoder.run({{"input_ids", ids}}, cache).at("logits");
        const auto scores = logits.as<float>().last(std::size_t(logits.shape()[2]));
        next.assign(1, std::ranges::max_element(scores) - scores.begin());
        tokens.push_back(next[0]);
    }
    return tokens;
}
// <<<

// >>> shapes
inlay::model with_fixed_batch(const std::filesystem::path& file) {
    return inlay::model{file, {.free_dimension_overrides = {{"batch", 8}}}};
}
// <<<

// >>> fallback
inlay::session<inlay::reference, inlay::cpu> strict_session(const inlay::model& model) {
    inlay::session_options options;
    options.fallback = inlay::fallback::only({"Relu"});  // any other node that the first provider refuses is an error
    options.intra_op_num_threads = 1;
    return {model, options, inlay::reference{}, inlay::cpu{}};
}
// <<<

// >>> partition-by-cost
template <class Provider> inlay::plan_report fastest_with(const inlay::model& model, const Provider& provider) {
    inlay::session_options options;
    options.partition = inlay::partition_by::cost;
    inlay::session session{model, options, provider, inlay::cpu{}};
    return session.plan();  // its `costs`: of the greedy plan, of the chosen one, and what no plan betters
}
// <<<

// >>> providers-by-name
inlay::plan_report chosen_by_name(const inlay::model& model) {
    inlay::any_session session(model, {{"CPUExecutionProvider", {{"threads", "2"}}}, "reference"});
    session.set_providers({"reference", "cpu"});  // created again from the same model
    return session.plan();
}
// <<<

// >>> stop-and-watch
inlay::status run_for_a_millisecond(inlay::binding& bound, const std::atomic<bool>& stop) {
    return bound.run({.stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1)});
}
// <<<

// >>> stop-and-watch
inlay::session<inlay::cpu> watched(const std::filesystem::path& file, const std::atomic<bool>& enabled,
                                   std::ostream& to) {
    const inlay::progress_function tell = [&](inlay::stage stage, std::int64_t count, std::int64_t total) {
        to << name_of(stage) << ' ' << count << '/' << total << '\n';
        return enabled.load();  // false ends the work: error_code::stopped
    };
    inlay::model_options reading;
    reading.progress = tell;
    inlay::session_options making;
    making.progress = tell;  // kept by the session: `enabled` and `to` outlive it
    return {inlay::model{file, reading}, making, inlay::cpu{}};
}
// <<<

// >>> log
inlay::session_options logging_to(std::ostream& to) {
    inlay::session_options options;
    options.log_severity_level = int(inlay::severity::verbose);  // 0: also one line per node with its provider
    options.log = [&to](inlay::severity level, std::string_view text) { to << name_of(level) << ": " << text << '\n'; };
    return options;
}
// <<<

// >>> profile
void write_trace(const inlay::session_base& session, const inlay::tensor& image, const std::filesystem::path& file) {
    std::ofstream(file) << session.trace({{"image", image}}, 10);  // ten runs, after one that is not timed
}
// <<<

// >>> compare-two-providers
auto checked_session(const inlay::model& m) {
    return inlay::session{m, inlay::shadow{inlay::cpu{}, inlay::reference{}}};
}
// <<<

// >>> errors
std::string why_not(const std::filesystem::path& file) {
    const inlay::result<inlay::model> model = inlay::model::try_load(file);
    return model ? "it loads" : std::string(name_of(model.why().code)) + ": " + model.why().text;
}
// <<<

using namespace inlay::testing;
namespace fs = std::filesystem;

TEST_CASE("The guide to sessions reads a model, runs it and lists its ports", "[docs]") {
    const fs::path digits = DIGITS;
    CHECK(scores_of(digits, std::vector<float>(64)).size() == 10);
    std::ostringstream text;
    tell_ports(inlay::session{inlay::model{digits}}, text);
    CHECK(text.str() == "image: tensor(float) [?,1,8,8]\nscores: tensor(float) [?,10]\n");
    CHECK(with_fixed_batch(digits).inputs()[0].shape == inlay::shape{8, 1, 8, 8});
    CHECK(chosen_by_name(inlay::model{digits}).providers ==
          std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
}
TEST_CASE("The first page runs a model and prints its plan", "[docs]") {
    std::ostringstream text;
    CHECK(scores_of(DIGITS, ones({1, 1, 8, 8}), text).shape() == inlay::shape{1, 10});
    CHECK(has_text(text.str(), "Softmax-13"));
}
TEST_CASE("The guide to sessions requests outputs by name, and borrows memory", "[docs]") {
    const inlay::session session{
        model_of("m (float[N,M] x) => (float[N,M] y, float[N,M] z) { y = Relu(x) z = Sigmoid(y) }")};
    float x[] = {-1, 2, 3, 4, 5, 6};
    CHECK(floats(last_two_only(session, x)) == std::vector<float>{0, 2, 3, 4, 5, 6});
}
TEST_CASE("The guide to sessions binds memory, and runs end early", "[docs]") {
    const inlay::session session{model_of("m (float[N,4] x) => (float[N,4] y) { y = Add(x, x) }")};
    CHECK(sum_over_steps(session, 4) == 12);
    inlay::binding bound = session.bind({{"x", {1, 4}}});
    std::atomic<bool> stop{true};
    CHECK(run_for_a_millisecond(bound, stop) == inlay::status::stopped);
}
TEST_CASE("The guide to sessions keeps values on a device", "[docs]") {
    const inlay::session session{model_of("m (float[4] x) => (float[4] y) { y = Add(x, x) }"), inlay::testing::board{}};
    inlay::binding bound = session.bind();
    const inlay::space& device = inlay::space_of<inlay::testing::board_memory>;
    const inlay::tensor y = on_device(bound, inlay::tensor({4}, {1.f, 2.f, 3.f, 4.f}), device);
    CHECK(&y.where() == &device);
    CHECK(floats(y.copied_to(inlay::space_of<inlay::memory::host>)) == std::vector<float>{2, 4, 6, 8});
}
TEST_CASE("The guide to sessions continues a text with a cache", "[docs]") {
    const inlay::session decoder{
        model_of(R"(m (int64[1,S] input_ids, float[1,P,4] past) => (float[1,S,4] logits, float[1,T,4] present)
        <float[5,4] table = {0, 1, 2, 1, 3, 0, 0, 1, 0, 2, 0, 3, 1, 1, 0, 0, 0, 0, 2, 1}, int64[1] rows = {1}> {
        x = Gather(table, input_ids) present = Concat<axis = 1>(past, x) all = ReduceSum(present, rows) negative = Neg(all) logits = Add(negative, x)
    })")};
    std::vector<std::int64_t> tokens{1, 4, 2}, continuation = continued(decoder, tokens, 9);
    while (tokens.size() < 12) {  // each time from the beginning
        const inlay::tensor ids({1, std::int64_t(tokens.size())}, tokens), nothing(inlay::element::f32, {1, 0, 4});
        const inlay::tensor logits = decoder.run({{"input_ids", ids}, {"past", nothing}}, {"logits"})[0];
        const auto scores = logits.as<float>().last(4);
        tokens.push_back(std::ranges::max_element(scores) - scores.begin());
    }
    CHECK(continuation == tokens);
    CHECK(std::set(continuation.begin(), continuation.end()).size() > 2);
}
TEST_CASE("The guide to sessions watches, logs and traces", "[docs]") {
    std::atomic<bool> enabled{true};
    std::ostringstream stages, log;
    const auto session = watched(DIGITS, enabled, stages);
    CHECK(stages.str().starts_with("load 0/6\n"));
    CHECK(stages.str().ends_with("partition 0/1\npartition 1/1\n"));  // the batch is free
    enabled = false;
    CHECK(raised([&] { watched(DIGITS, enabled, stages); }).code == inlay::error_code::stopped);
    inlay::session{model_of("m (float[2] x) => (float[2] y) { y = Relu(x) }"), logging_to(log), inlay::cpu{}};
    CHECK(has_text(log.str(), "(Relu) -> CPUExecutionProvider\ninfo: planned m"));
    const fs::path file = fs::temp_directory_path() / ("inlay-test-" + std::to_string(std::random_device{}()));
    enabled = true;
    write_trace(session, inlay::tensor({1, 1, 8, 8}, std::vector<float>(64)), file);
    std::ostringstream trace;
    trace << std::ifstream(file).rdbuf();
    fs::remove(file);
    CHECK(trace.str().starts_with("{\"schema\":\"inlay.trace\""));
    CHECK(has_text(trace.str(), "run 9"));
}
TEST_CASE("The guide to sessions shows what may fall back", "[docs]") {
    CHECK(strict_session(model_of("m (float[2] x) => (float[2] y) { y = Relu(x) }"))
              .plan()
              .count("ReferenceExecutionProvider") == 1);
    CHECK(why_not("no/such/file.onnx").starts_with("not_found: "));
}
TEST_CASE("The guide to sessions lets costs decide", "[docs]") {
    loom engine;
    engine.log->delay = 3000;
    const auto plan = fastest_with(model_of("m (float[2] x) => (float[2] y) { y = Relu(x) }"), engine);
    CHECK(plan.count("CPUExecutionProvider") == 1);
    CHECK(plan.costs);
}
TEST_CASE("The guide to sessions has two providers side by side", "[docs]") {
    const auto s = checked_session(model_of("m (float[2] x) => (float[2] y) { y = Relu(x) }"));
    CHECK(floats(s.run({{"x", ones({2})}})[0]) == std::vector<float>{1, 1});
}
