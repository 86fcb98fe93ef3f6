// Runs of sessions, alone and concurrent, and their reports.
#include "owned.hpp"
#include <atomic>
#include <thread>
using namespace inlay::testing;

namespace {
std::vector<float> four(float first) { return {first, -1, 2, -3}; }
struct feeds {  // the two inputs of the model `two`
    std::vector<float> data, zero{0, 0, 0, 0};
    value x = tensor_of(INLAY_TYPE_FLOAT, {1, 4}, data), b = tensor_of(INLAY_TYPE_FLOAT, {1, 4}, zero);
    const char* names[2] = {"x", "b"};
    inlay_any_value* in[2] = {x, b};
    explicit feeds(std::vector<float> d) : data(std::move(d)) {}
};
std::vector<float> taken(inlay_any_value* v) {
    const auto data = elements<float>(v);
    inlay_value_free(v);
    return data;
}
bool has(const text& json, const std::string& words) { return std::string(json).find(words) != std::string::npos; }
}  // namespace

TEST_CASE("A run in C gives all outputs, or the requested ones in their order", "[c]") {
    const session s = session_of("two");
    feeds g(four(1));
    inlay_any_value* out[2] = {};
    good(inlay_session_run(s, g.names, g.in, 2, nullptr, out, 2, nullptr, nullptr));
    CHECK(taken(out[0]) == std::vector<float>{1, 0, 2, 0});
    CHECK(taken(out[1]) == std::vector<float>{-1, 1, -2, 3});
    const char* const swapped[] = {"z", "y"};
    good(inlay_session_run(s, g.names, g.in, 2, swapped, out, 2, nullptr, nullptr));
    CHECK(taken(out[0]) == std::vector<float>{-1, 1, -2, 3});
    CHECK(taken(out[1]) == std::vector<float>{1, 0, 2, 0});
    std::swap(g.names[0], g.names[1]);
    std::swap(g.in[0], g.in[1]);
    good(inlay_session_run(s, g.names, g.in, 2, swapped, out, 1, nullptr, nullptr));
    CHECK(taken(out[0]) == std::vector<float>{-1, 1, -2, 3});
}
TEST_CASE("A run in C with wrong arguments is a failure, and gives no handle", "[c]") {
    const session s = session_of("two");
    feeds g(four(1));
    inlay_any_value* out[3] = {};
    const auto run = [&](std::int64_t inputs, const char* const* names, std::int64_t outputs) {
        return inlay_session_run(s, g.names, g.in, inputs, names, out, outputs, nullptr, nullptr);
    };
    const char *const unknown[] = {"y", "yy"}, *const y = "y";
    bad(run(2, nullptr, 3), INLAY_FAILURE_INVALID_ARGUMENT, "all outputs are 2, and there is room for 3");
    bad(run(2, nullptr, 0), INLAY_FAILURE_INVALID_ARGUMENT, "all outputs are 2, and there is room for 0");
    bad(run(2, &y, 0), INLAY_FAILURE_INVALID_ARGUMENT, "no output is requested");
    bad(run(2, &y, -1), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    bad(run(-1, &y, 1), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    bad(run(1, &y, 1), INLAY_FAILURE_INVALID_ARGUMENT, "`b` is missing");
    bad(run(2, unknown, 2), INLAY_FAILURE_NOT_FOUND, "`yy`");
    g.names[1] = "x";
    bad(run(2, &y, 1), INLAY_FAILURE_INVALID_ARGUMENT, "given twice");
    std::vector<std::int64_t> whole(4);
    const value integers = tensor_of(INLAY_TYPE_INT64, {1, 4}, whole);
    g.in[0] = integers;
    bad(run(1, &y, 1), INLAY_FAILURE_TYPE_MISMATCH, "int64");
    for (const inlay_any_value* result : out) CHECK(result == nullptr);
}
TEST_CASE("A value that an operator forbids is a failure in C that names the node", "[c]") {
    std::vector<float> x(3);
    std::vector<std::int64_t> i{5};
    const value vx = tensor_of(INLAY_TYPE_FLOAT, {3}, x), vi = tensor_of(INLAY_TYPE_INT64, {1}, i);
    const char* const names[] = {"x", "i"};
    inlay_any_value *const in[] = {vx, vi}, *out = nullptr;
    const outcome o =
        outcome_of(inlay_session_run(session_of("gather"), names, in, 2, nullptr, &out, 1, nullptr, nullptr));
    CHECK(o.code == INLAY_FAILURE_INVALID_VALUE);
    CHECK(o.op == "Gather");
    CHECK(o.op_version == 13);
}
TEST_CASE("Handles in C are freed in any order", "[c]") {
    feeds g(four(3));
    inlay_any_value* out[2] = {};
    session s;
    {
        const model m = load("two");
        good(inlay_session_new(m, nullptr, nullptr, &s));
    }
    good(inlay_session_run(s, g.names, g.in, 2, nullptr, out, 2, nullptr, nullptr));
    model again;
    good(inlay_session_model(s, &again));
    s = session();
    CHECK(taken(out[0]) == std::vector<float>{3, 0, 2, 0});
    CHECK(taken(out[1])[0] == -3);
    CHECK(std::string(inlay_port_name(inlay_model_input(again, 0))) == "x");
}
TEST_CASE("A session in C returns its plan and its memory as JSON, for shapes that are given too", "[c]") {
    const session s = session_of("two");
    text plan, memory;
    const char* const names[] = {"x", "b"};
    const std::int32_t ranks[] = {2, 2};
    const std::int64_t dims[] = {16, 4, 16, 4};
    good(inlay_session_plan(s, nullptr, nullptr, nullptr, 0, &plan));
    CHECK(std::string(plan).starts_with(R"({"schema":"inlay.plan","version":1,"model":"two",)"));
    CHECK(has(plan, R"({"name":"CPUExecutionProvider","nodes":)"));
    good(inlay_session_memory(s, nullptr, nullptr, nullptr, 0, &memory));
    CHECK(has(memory, R"("bytes":16)"));
    good(inlay_session_plan(s, names, ranks, dims, 2, &plan));
    CHECK(has(plan, R"("inputs":[{"name":"x","shape":[16,4]},{"name":"b","shape":[16,4]}])"));
    good(inlay_session_memory(s, names, ranks, dims, 2, &memory));
    CHECK(std::string(memory).starts_with(R"({"schema":"inlay.memory","version":1,)"));
    CHECK(has(memory, R"("bytes":256)"));
    good(inlay_session_release_memory(s));
    good(inlay_session_memory(s, names, ranks, dims, 2, &memory));
    CHECK(has(memory, R"("held":0)"));
    char* no_text = nullptr;
    bad(inlay_session_plan(s, names, ranks, dims, -1, &no_text), INLAY_FAILURE_INVALID_ARGUMENT, "negative");
    const std::int32_t wrong[] = {9, 2};
    bad(inlay_session_plan(s, names, wrong, dims, 1, &no_text), INLAY_FAILURE_INVALID_ARGUMENT, "the rank 9");
    const char* const unknown = "w";
    bad(inlay_session_memory(s, &unknown, ranks, dims, 1, &no_text), INLAY_FAILURE_NOT_FOUND, "`w`");
    CHECK(no_text == nullptr);
}

TEST_CASE("Runs in C go on in several threads while another one changes the providers", "[c][threads]") {
    const session s = session_of("two");
    providers reference;
    good(inlay_providers_new(&reference));
    good(inlay_providers_add(reference, "reference"));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            std::vector<float> data = four(float(t + 1)), zero(4);
            inlay_any_value *in[2] = {}, *out = nullptr;
            const char *const names[] = {"x", "b"}, *const z = "z";
            const std::int64_t dims[] = {1, 4};
            for (int k = 0; k < 2; ++k)
                wrong += inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 2, k ? zero.data() : data.data(), 16, nullptr,
                                            &in[k]) != nullptr;
            for (int run = 0; run < 30; ++run) {
                wrong += inlay_session_run(s, names, in, 2, &z, &out, 1, nullptr, nullptr) != nullptr;
                wrong += static_cast<const float*>(inlay_value_data(out))[0] != float(-t - 1);
                inlay_value_free(out);
            }
            inlay_value_free(in[0]);
            inlay_value_free(in[1]);
        });
    for (int k = 0; k < 5; ++k)
        wrong += inlay_session_set_providers(s, k % 2 ? nullptr : static_cast<inlay_providers*>(reference)) != nullptr;
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}
TEST_CASE("A run in C that would never end is cancelled by another thread", "[c][threads]") {
    const session s = session_of("loop");
    options o;
    good(inlay_run_options_new(&o));
    std::vector<std::int64_t> times{INT64_MAX};
    std::vector<unsigned char> go{1};
    std::vector<float> x(4);
    const value vt = tensor_of<std::int64_t>(INLAY_TYPE_INT64, {}, times), vx = tensor_of(INLAY_TYPE_FLOAT, {4}, x),
                vg = tensor_of<unsigned char>(INLAY_TYPE_BOOL, {}, go);
    const char* const names[] = {"times", "go", "x"};
    inlay_any_value *const in[] = {vt, vg, vx}, *out = nullptr;
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (void)inlay_options_set_cancelled(o, 1);
    });
    const outcome failure = outcome_of(inlay_session_run(s, names, in, 3, nullptr, &out, 1, nullptr, o));
    canceller.join();
    CHECK(failure.code == INLAY_FAILURE_STOPPED);
    CHECK(out == nullptr);
    good(inlay_options_set_cancelled(o, 0));
    good(inlay_options_set_deadline(o, 20'000'000));
    bad(inlay_session_run(s, names, in, 3, nullptr, &out, 1, nullptr, o), INLAY_FAILURE_DEADLINE_PASSED, "");
}
