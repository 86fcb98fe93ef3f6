// Bindings: memory that stays, of the binding and of the caller.
#include "../heap_calls.hpp"
#include "owned.hpp"
#include <atomic>
#include <thread>
using namespace inlay::testing;

namespace {
binding bind(const session& s) {
    binding b;
    good(inlay_session_bind(s, nullptr, nullptr, nullptr, 0, &b));
    return b;
}
value input(const binding& b, const char* name = "x") {
    value v;
    good(inlay_binding_input(b, name, &v));
    return v;
}
value output(const binding& b, const char* name = "y") {
    value v;
    good(inlay_binding_output(b, name, &v));
    return v;
}
const std::vector<float> input_data{1, -2, 3, -4, 5, -6, 7, -8}, relu_of_neg{0, 2, 0, 4, 0, 6, 0, 8};
}  // namespace

TEST_CASE("A binding in C has its memory at addresses that do not change, and runs in place", "[c]") {
    const binding b = bind(session_of("fixed"));
    const value x = input(b);
    std::copy(input_data.begin(), input_data.end(), static_cast<float*>(inlay_value_data(x)));
    good(inlay_binding_run(b, nullptr));
    const value y = output(b);
    CHECK(elements<float>(y) == relu_of_neg);
    std::fill_n(static_cast<float*>(inlay_value_data(x)), 8, -1.f);
    good(inlay_binding_run(b, nullptr));
    CHECK(elements<float>(y) == std::vector<float>(8, 1.f));
    CHECK(inlay_value_data(input(b)) == inlay_value_data(x));
    CHECK(inlay_value_data(output(b)) == inlay_value_data(y));
    std::int64_t nodes = 0;
    good(inlay_binding_executed(b, "CPUExecutionProvider", &nodes));
    CHECK(nodes == 2);
    bad(inlay_binding_executed(b, "abacus", &nodes), INLAY_FAILURE_NOT_FOUND, "it has: CPUExecutionProvider");
}
#ifdef COUNTED
TEST_CASE("A bound run in C makes no heap call and takes no lock", "[c][heap]") {
    const binding b = bind(session_of("fixed"));
    options o;
    good(inlay_run_options_new(&o));
    good(inlay_binding_run(b, o));
    inlay_failure* f = nullptr;
    const tally runs = counted([&] {
        for (int k = 0; k < 10 && !f; ++k) f = inlay_binding_run(b, o);
    });
    good(f);
    CHECK(runs.calls == 0);
    CHECK(runs.locks == 0);
    CHECK(counted([&] { input(b); }).calls > 0);  // they are seen
}
// Whichever allocation is the first to fail: the call returns a failure that says so, and later ones go on.
template <class F> void fail_each_allocation(F call) {
    for (long allowed = 1; allowed < 10000; ++allowed) {
        CAPTURE(allowed);
        heap::left = allowed;
        inlay_failure* const f = call();
        heap::left = -1;
        if (!f) {
            CHECK(allowed > 5);
            return;
        }
        bad(f, INLAY_FAILURE_OUT_OF_MEMORY, "memory");
    }
    FAIL("it never has enough");
}
TEST_CASE("Where the heap has no memory left, a C function gives a failure, and later ones go on", "[c][heap]") {
    const std::string rare = file_of("rare");  // no other test has its operators, so that their schemas are made here
    fail_each_allocation([&] {
        model m;
        return inlay_model_load(rare.c_str(), nullptr, &m);
    });
    const model m = load("fixed");
    providers threads;  // each of which may be the one that cannot be made
    good(inlay_providers_new(&threads));
    good(inlay_providers_add(threads, "cpu"));
    good(inlay_providers_set(threads, "threads", "4"));
    fail_each_allocation([&] {
        session s;
        return inlay_session_new(m, threads, nullptr, &s);
    });
    const session s = session_of("fixed");
    fail_each_allocation([&] {
        binding b;
        return inlay_session_bind(s, nullptr, nullptr, nullptr, 0, &b);
    });
    fail_each_allocation([&] {
        text plan;
        return inlay_session_plan(s, nullptr, nullptr, nullptr, 0, &plan);
    });
    std::vector<float> data(input_data);
    const value x = tensor_of(INLAY_TYPE_FLOAT, {2, 4}, data);
    fail_each_allocation([&] {
        const char* const name = "x";
        inlay_any_value *const in = x, *out = nullptr;
        inlay_failure* const f = inlay_session_run(s, &name, &in, 1, nullptr, &out, 1, nullptr, nullptr);
        heap::left = -1;  // what follows is the test's
        CHECK((out == nullptr) == (f != nullptr));
        if (!f) CHECK(elements<float>(out) == relu_of_neg);
        inlay_value_free(out);
        return f;
    });
}
#endif
TEST_CASE("A binding in C reads and writes the caller's memory", "[c]") {
    const binding b = bind(session_of("fixed"));
    std::vector<float> memory(input_data), result(8);
    const value x = tensor_of(INLAY_TYPE_FLOAT, {2, 4}, memory), y = tensor_of(INLAY_TYPE_FLOAT, {2, 4}, result);
    good(inlay_binding_set_input(b, "x", x));
    good(inlay_binding_set_output(b, "y", y));
    CHECK(inlay_value_data(input(b)) == memory.data());
    for (int run = 0; run < 2; ++run) {
        good(inlay_binding_run(b, nullptr));
        CHECK(inlay_value_data(output(b)) == result.data());
        CHECK(result[1] == -memory[1]);
        memory[1] -= 1;
    }
    good(inlay_binding_set_output_memory(b, "y", "host"));
    good(inlay_binding_run(b, nullptr));
    CHECK(inlay_value_data(output(b)) != result.data());
}
TEST_CASE("What cannot be bound is a failure in C, and the binding goes on", "[c]") {
    const binding b = bind(session_of("fixed"));
    std::vector<float> data(8);
    std::vector<std::int64_t> whole(8);
    const value flat = tensor_of(INLAY_TYPE_FLOAT, {8}, data), integers = tensor_of(INLAY_TYPE_INT64, {2, 4}, whole);
    inlay_any_value* no_value = nullptr;
    bad(inlay_binding_set_input(b, "x", flat), INLAY_FAILURE_SHAPE_MISMATCH, "[8]");
    bad(inlay_binding_set_input(b, "x", integers), INLAY_FAILURE_TYPE_MISMATCH, "int64");
    bad(inlay_binding_set_output(b, "y", flat), INLAY_FAILURE_SHAPE_MISMATCH, "[2,4]");
    bad(inlay_binding_set_output(b, "y", integers), INLAY_FAILURE_TYPE_MISMATCH, "int64");
    bad(inlay_binding_set_output_memory(b, "y", "moon"), INLAY_FAILURE_NOT_FOUND, "`moon`");
    bad(inlay_binding_input(b, "y", &no_value), INLAY_FAILURE_NOT_FOUND, "no input named `y`");
    bad(inlay_binding_output(b, "x", &no_value), INLAY_FAILURE_NOT_FOUND, "no output named `x`");
    CHECK(no_value == nullptr);
    CHECK(inlay_value_count(input(b)) == 8);  // the binding's own memory, not what was refused
    CHECK(inlay_value_count(output(b)) == 8);
    good(inlay_binding_run(b, nullptr));
    binding open;
    bad(inlay_session_bind(session_of("two"), nullptr, nullptr, nullptr, 0, &open), INLAY_FAILURE_SHAPE_MISMATCH,
        "give its shape");
    const char* const names[] = {"b", "x"};
    const std::int32_t ranks[] = {2, 2};
    const std::int64_t dims[] = {3, 4, 3, 4};
    good(inlay_session_bind(session_of("two"), names, ranks, dims, 2, &open));
    good(inlay_binding_run(open, nullptr));
    CHECK(inlay_value_dims(output(open, "z"))[0] == 3);
}
TEST_CASE("A bound run in C that a value of an input ends says why", "[c]") {
    const binding b = bind(session_of("gather"));
    auto* const index = static_cast<std::int64_t*>(inlay_value_data(input(b, "i")));
    *index = 7;
    bad(inlay_binding_run(b, nullptr), INLAY_FAILURE_INVALID_VALUE, "an index is out of range");
    *index = 2;
    good(inlay_binding_run(b, nullptr));
}
TEST_CASE("Values of a binding in C live on without it, and data-dependent shapes are those of the run", "[c]") {
    value x, y;
    {
        const binding b = bind(session_of("fixed"));
        x = input(b);
        good(inlay_binding_run(b, nullptr));
        y = output(b);
    }
    static_cast<float*>(inlay_value_data(x))[0] = 1;
    CHECK(elements<float>(y).size() == 8);
    const binding late = bind(session_of("late"));
    auto* const in = static_cast<float*>(inlay_value_data(input(late)));
    for (const int count : {1, 3}) {
        std::fill_n(in, count, 1.f);
        good(inlay_binding_run(late, nullptr));
        const value result = output(late);
        CHECK(inlay_value_dims(result)[1] == count);
        CHECK(elements<std::int64_t>(result).back() == count - 1);
    }
}
TEST_CASE("Bindings in C that read each other's memory, and their own, go when they are freed", "[c]") {
    const session s = session_of("fixed");
    const binding first = bind(s), second = bind(s);
    const value x = input(first), y = output(first), z = output(second);
    std::copy(input_data.begin(), input_data.end(), static_cast<float*>(inlay_value_data(x)));
    good(inlay_binding_set_input(first, "x", x));
    good(inlay_binding_set_input(second, "x", y));
    CHECK(inlay_value_data(input(second)) == inlay_value_data(y));
    good(inlay_binding_run(first, nullptr));
    good(inlay_binding_run(second, nullptr));
    CHECK(elements<float>(z) == std::vector<float>(8, 0.f));
    good(inlay_binding_set_input(first, "x", z));  // a circle, which the sanitizer would see if it stayed
    good(inlay_binding_run(first, nullptr));
    CHECK(elements<float>(y) == std::vector<float>(8, 0.f));
}
TEST_CASE("A binding in C is profiled, step by step", "[c]") {
    const binding b = bind(session_of("fixed"));
    text profile;
    good(inlay_binding_profile(b, 3, nullptr, &profile));
    const std::string json(profile);
    CHECK(json.starts_with(R"({"schema":"inlay.profile","version":1,"model":"fixed",)"));
    CHECK(json.find(R"("runs":3,)") != std::string::npos);
    bad(inlay_binding_profile(b, 0, nullptr, &profile), INLAY_FAILURE_INVALID_ARGUMENT, "at least one run");
}
TEST_CASE("A binding in C that another thread uses is a failure, not a race", "[c][threads]") {
    const binding b = bind(session_of("fixed"));
    std::atomic<int> ran{0}, refusals{0}, errors{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int run = 0; run < 200; ++run) {
                inlay_failure* const f = inlay_binding_run(b, nullptr);
                const bool in_use = f && std::string(inlay_failure_text(f)).find("another thread") != std::string::npos;
                (f ? in_use ? refusals : errors : ran)++;
                inlay_failure_free(f);
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(errors == 0);
    CHECK(ran > 0);
    CHECK(ran + refusals == 600);
}
