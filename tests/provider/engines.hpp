// What the tests of engines have in common.
#pragma once
#include "../models.hpp"
#include "graph_maker.hpp"
#include <algorithm>
#include <atomic>
#include <thread>

namespace inlay::testing {
inline tensor ramp(const shape& dims, float first = -2.f) {
    tensor t(element::f32, dims);
    int k = 0;
    for (float& x : t.as<float>()) x = .25f * float(k++ * 7 % 17) + first;
    return t;
}
inline std::string numbers(int count, double step = .1) {
    std::string list;
    for (int k = 0; k < count; ++k) list += (k ? ", " : "") + std::to_string(step * (k % 7) - .2);
    return list;
}
// network_of() as text; n: how many images, or a name for any number.
inline std::string network_for(const std::string& n) {
    return "g (float[" + n + ",3,8,8] x) => (float[" + n + ",4] y) <float[4,3,3,3] w = {" + numbers(108) +
           "}> { c = Conv <pads = [1,1,1,1]> (x, w) r = Relu(c) p = GlobalAveragePool(r) f = Flatten(p) "
           "y = Softmax(f) }";
}
inline session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
inline void check_close(const std::vector<float>& y, const std::vector<float>& expected) {
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).epsilon(2e-5).margin(1e-5));
}
// Why the provider did not take the node.
template <provider P> std::string refusal_of(const plan_report& plan, std::string_view op) {
    for (const auto& a : line_of(plan, op).answers)
        if (a.provider == P::name) return a.text;
    return "taken";
}

template <provider P> std::string why_not(const std::string& text, std::string_view op) {
    const session s{model_of(text), quiet(), P{}, cpu{}};
    return refusal_of<P>(s.plan(), op);
}

// All nodes are the engine's, and the results are those of the reference kernels.
template <provider P> void check_taken(const P& p, const std::string& text, const shape& x) {
    INFO(text);
    const model m = model_of(text);
    const session s{m, quiet(), p, cpu{}};
    const session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    for (int run = 0; run < 2; ++run) check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    CHECK(s.plan().count(cpu::name) == 0);
}
// Of operators, one after another, whether the results are those of the reference kernels and whether the engine has
// them all but those that are left.
struct left_operator {
    std::string_view op, reason;  // reason: part of the refusal
    bool everywhere = true;       // else on some processors
};
template <provider P> class operator_check {
    P p_;
    std::vector<left_operator> left_;
    std::vector<char> is_left_;

  public:
    explicit operator_check(const P& p, std::vector<left_operator> left)
        : p_(p), left_(std::move(left)), is_left_(left_.size(), 0) {}
    void add(const model& m, std::string_view op, const shape& x) {
        const session s{m, quiet(), p_, reference{}};
        const session plain{m, quiet(), reference{}};
        const std::vector<feed> in{{"x", ramp(x)}};
        const tensor y = s.run(in)[0], expected = plain.run(in)[0];
        if (expected.type() == element::i64)
            CHECK(elements<std::int64_t>(y) == elements<std::int64_t>(expected));
        else
            check_close(floats(y), floats(expected));
        const plan_report plan = s.plan();
        const std::string reason = refusal_of<P>(plan, op);
        const auto at = std::ranges::find_if(
            left_, [&](const left_operator& l) { return l.op == op && has_text(reason, std::string(l.reason)); });
        if (at != left_.end()) {
            is_left_[std::size_t(at - left_.begin())] = 1;
            return;
        }
        CHECK(reason == "taken");
        CHECK(line_of(plan, op).provider == P::name);
    }
    void end() const {  // each reason was given
        for (std::size_t k = 0; k < left_.size(); ++k) {
            INFO(left_[k].op << ": " << left_[k].reason);
            CHECK((is_left_[k] || !left_[k].everywhere));
        }
    }
};
// A binding writes to its bound outputs, and follows when they change.
template <provider P> void check_binding(const P& p) {
    const model m = model_of({2, 3}, [](graph_maker& g, int x) { return g.node("Abs", {x}); });
    const session s{m, quiet(), p, cpu{}};
    binding b = s.bind();
    b.set_input("x", tensor({2, 3}, {-2.f, -1.75f, 1.5f, -1.25f, -1.f, .75f}));
    for (int k = 0; k < 3; ++k) {
        const tensor y(element::f32, {2, 3});
        b.set_output("y", y);
        REQUIRE(b.run() == status::ok);
        CHECK(floats(y) == std::vector{2.f, 1.75f, 1.5f, 1.25f, 1.f, .75f});
    }
}
// A network is one region, for each size of its inputs.
template <provider P> void check_sizes(const P& p, std::initializer_list<std::int64_t> sizes) {
    const model m = network_of(-1);
    const session s{m, quiet(), p, cpu{}};
    const session plain{m, quiet(), reference{}};
    for (const std::int64_t n : sizes) {
        const std::vector<feed> in{{"x", ramp({n, 3, 8, 8})}};
        check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    }
    const plan_report plan = s.plan();
    CHECK(plan.count(P::name) == 5);
    CHECK(plan.steps == 1);
}
// Runs of several threads over one session are right, each with inputs of its own; nodes: those that the engine has.
template <provider P> void check_threads(const P& p, const model& m = network_of(-1), int nodes = 5) {
    const session s{m, quiet(), p, cpu{.threads = 1}};
    const session plain{m, quiet(), reference{}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const std::vector<feed> in{{"x", ramp({2, 3, 8, 8}, float(t))}};
            const auto expected = floats(plain.run(in)[0]);
            for (int run = 0; run < 20; ++run) {
                const auto y = floats(s.run(in)[0]);
                wrong += y.size() != expected.size();
                for (std::size_t k = 0; k < y.size(); ++k) wrong += !(std::abs(y[k] - expected[k]) <= 1e-5f);
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(s.plan().count(P::name) == nodes);
}
// A run that is stopped ends, and the next one runs.
template <provider P> void check_stop(const P& p) {
    const session s{network_of(-1), quiet(), p, cpu{}};
    std::atomic<bool> stop{true};
    run_options o;
    o.stop = &stop;
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const auto result = s.try_run(in, {}, o);
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::stopped);
    stop = false;
    CHECK(s.try_run(in, {}, o));
}
// In a process where `file` is what is opened instead of the library and is not there: a session says so, with the
// environment variable that may name it, and fallback::any() does without.
template <provider P>
void check_unavailable(const std::string& library, const std::string& file, const std::string& variable) {
    const model m = model_of({2}, [](graph_maker& g, int x) { return g.node("Relu", {x}); });
    const auto result = session<P, cpu>::try_make(m, session_options{}, P{}, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, std::string(P::name) + ": " + library + " cannot be used: " + file));
    CHECK(has_text(result.why().text, variable));
    session_options o = quiet();
    o.fallback = fallback::any();
    const session s{m, o, P{}, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, {-1.f, 2.f})}})[0]) == std::vector{0.f, 2.f});
    CHECK(s.plan().count(P::name) == 0);
}
}  // namespace inlay::testing
