// Providers with a device: queues whose work is done only when a wait is called, scratch in their memory, recordings,
// and failures.
#include "../models.hpp"
#include "test_providers.hpp"
#include <inlay/onnx/non_max_suppression.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct lathe_memory {};
struct lathe_kernels {
    static constexpr std::string_view name = "lathe";
};
using work = std::function<void()>;

struct shop {  // what all queues did
    static inline int waits = 0, recorded = 0, replayed = 0, entered = 0;
    static inline bool records = false, closed = false, breaks = false;
    static void clear() {
        waits = recorded = replayed = entered = 0;
        records = closed = breaks = false;
    }
};
struct lazy_queue final : device_queue {
    std::vector<work> waiting;
    std::size_t before = 0;  // of what is recorded
    unsigned fault = 0;
    void* stream() const noexcept override { return const_cast<lazy_queue*>(this); }
    unsigned* faults() const noexcept override { return const_cast<unsigned*>(&fault); }
    status enter() noexcept override {
        ++shop::entered;
        return status::ok;
    }
    void leave() noexcept override { --shop::entered; }
    status wait() noexcept override {
        ++shop::waits;
        for (const work& w : waiting) w();
        waiting.clear();
        if (shop::breaks) return status::device_lost;
        return std::exchange(fault, 0u) ? status::invalid_value : status::ok;
    }
    std::string_view why() const noexcept override {
        return shop::breaks ? "the belt is torn" : "wood of the wrong size";
    }
    bool begin_recording() noexcept override {
        ++shop::recorded;
        before = waiting.size();
        return true;
    }
    std::shared_ptr<void> end_recording() noexcept override {
        auto recording = std::make_shared<std::vector<work>>(waiting.begin() + std::ptrdiff_t(before), waiting.end());
        waiting.resize(before);
        return recording;
    }
    status replay(void* recording) noexcept override {
        ++shop::replayed;
        for (const work& w : *static_cast<std::vector<work>*>(recording)) waiting.push_back(w);
        return status::ok;
    }
};
struct lathe_session final : device_session {
    result<std::unique_ptr<device_queue>> make_queue() override {
        return std::unique_ptr<device_queue>(std::make_unique<lazy_queue>());
    }
    bool records() const noexcept override { return shop::records; }
};
void give(context& c, work w) { static_cast<lazy_queue*>(c.stream)->waiting.push_back(std::move(w)); }

struct lathe {
    int device_id = 0;
    using memory = lathe_memory;
    static constexpr std::string_view name = "LatheExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lathe_kernels>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::mul, op::non_max_suppression, op::relu>;
    result<std::shared_ptr<device_session>> open() const {
        if (shop::closed) return error(error_code::provider_unavailable, "LatheExecutionProvider: the shop is closed");
        return std::shared_ptr<device_session>(std::make_shared<lathe_session>());
    }
};
struct bench_kernels {
    static constexpr std::string_view name = "bench";
};
struct bench {  // of the host, and no business of the device's queue
    static constexpr std::string_view name = "BenchExecutionProvider";
    static constexpr auto devices = hana::tuple_t<bench_kernels>;
    static constexpr auto kernels = hana::tuple_t<op::neg>;
};
}  // namespace

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::neg, bench_kernels, types<float>> : kernel<op::neg, device::reference, types<float>> {
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (c.stream || c.faults) return c.fail("a device's handle on the host", status::failed);
        return kernel<op::neg, device::reference, types<float>>::run(p, s, a, c);
    }
};
template <> struct memory_space<lathe_memory> : memory_space<testing::board_memory> {
    static constexpr std::string_view name = "lathe";
};
template <> struct transfer<memory::host, lathe_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        std::memcpy(to, from, bytes);
        return true;
    }
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept {
        static_cast<lazy_queue*>(stream)->waiting.push_back([=] { std::memcpy(to, from, bytes); });
        return true;
    }
};
template <> struct transfer<lathe_memory, memory::host> : transfer<memory::host, lathe_memory> {};

template <class Op> struct lathe_kernel : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, 4 * p.count}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const float *x = a.in<float>(0), *z = a.in<float>(std::same_as<Op, op::relu> ? 0 : 1);
        float *y = a.out<float>(0), *scratch = reinterpret_cast<float*>(c.scratch);
        unsigned* const faults = c.faults;
        for (const void* at : {static_cast<const void*>(x), static_cast<const void*>(z), static_cast<const void*>(y),
                               static_cast<const void*>(scratch)})
            if (!testing::board_space::owns(at)) return c.fail("memory of the host on the lathe", status::failed);
        give(c, [=] {
            for (std::int64_t i = 0; i < p.count; ++i)
                scratch[i] = std::same_as<Op, op::relu> ? std::max(x[i], 0.f) : x[i] + z[i];
            for (std::int64_t i = 0; i < p.count; ++i) {
                y[i] = scratch[i];
                if (y[i] > 1000) *faults = 1;
            }
        });
        return status::ok;
    }
};
template <> struct kernel<op::add, lathe_kernels, types<float>> : lathe_kernel<op::add> {};
template <> struct kernel<op::relu, lathe_kernels, types<float>> : lathe_kernel<op::relu> {};
template <> struct kernel<op::mul, lathe_kernels, types<float>> : simple_kernel {  // keeps its weights itself
    struct params {
        std::int64_t count;
    };
    struct state {
        std::vector<float> weights{};
    };
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& n) {
        return n.is_constant(1) && n.input(1).dims == n.input(0).dims ? yes() : no("the lathe needs weights");
    }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        const auto* const weights = w.in<float>(1);
        if (!weights || testing::board_space::owns(weights)) return status::failed;
        if (weights[0] > 1000) return status::failed;
        if (weights[0] < 0) {
            *u.failure = error(error_code::out_of_memory_limit, "requested 3 planks, used 0, limit 2");
            return status::out_of_memory;
        }
        s.weights.assign(weights, weights + p.count);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (a.inputs[1]) return c.fail("the weights are there twice", status::failed);
        give(c, [x = a.in<float>(0), y = a.out<float>(0), w = s.weights.data(), p] {
            for (std::int64_t i = 0; i < p.count; ++i) y[i] = x[i] * w[i];
        });
        return status::ok;
    }
};
template <>
struct kernel<op::non_max_suppression, lathe_kernels, types<float>>
    : kernel<op::non_max_suppression, device::reference,
             types<float>> {  // waits, for only then it knows how much it chose
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        struct caller {
            context& c;
            bool on_board;
        } by{c, testing::board_space::owns(a.inputs[0]) && testing::board_space::owns(a.inputs[1]) &&
                    testing::board_space::owns(c.scratch)};
        if (const status outcome = static_cast<lazy_queue*>(c.stream)->wait(); outcome != status::ok) return outcome;
        context x = c;
        x.owner = &by;
        x.grow = [](void* o, int k, const shape& dims) noexcept -> void* {
            auto& [c, on_board] = *static_cast<caller*>(o);
            void* const y = c.grow(c.owner, k, dims);
            on_board = on_board && testing::board_space::owns(y);
            return y;
        };
        const status outcome = kernel<op::non_max_suppression, device::reference, types<float>>::run(p, s, a, x);
        return outcome == status::ok && !by.on_board ? c.fail("memory of the host on the lathe", status::failed)
                                                     : outcome;
    }
};
}  // namespace v1
}  // namespace inlay

namespace {
const char* const straight = "straight (float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a) y = Add(b, x) }";
const char* const winding =
    "winding (float[4] x) => (float[4] y) { a = Add(x, x) b = Sub(x, a) c = Relu(b) y = Add(c, a) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
session_options quiet(fallback f = {}) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
}  // namespace

TEST_CASE("A device does what it is given when the run ends, after one wait", "[devices]") {
    shop::clear();
    const inlay::session s{model_of(straight), quiet(), lathe{}, cpu{}};
    CHECK(s.plan().transfers.size() == 2);
    for (int run = 0; run < 3; ++run) {
        shop::waits = 0;
        CHECK(floats(s.run({{"x", x4}})[0]) == std::vector<float>{3, -2, 9, -4});
        CHECK(shop::waits == 1);
    }
    CHECK(shop::entered == 0);
}
TEST_CASE("The host waits for a device before it reads what that made", "[devices]") {
    shop::clear();
    const inlay::session s{model_of(winding), quiet(), lathe{}, cpu{}};
    CHECK(line_of(s.plan(), "Sub").provider == cpu::name);
    shop::waits = 0;
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector<float>{2, -2, 6, -4});
    CHECK(shop::waits == 2);
}
TEST_CASE("Steps between transfers are recorded by the second run and replayed from then on", "[devices]") {
    shop::clear();
    shop::records = true;
    const inlay::session s{model_of(straight), quiet(), lathe{}, cpu{}};
    binding b = s.bind();
    for (int run = 1; run <= 4; ++run) {
        const float k = float(run);
        std::ranges::copy(std::vector<float>{k, -k, 2 * k, 0}, b.input("x").as<float>().begin());
        REQUIRE(b.run() == status::ok);
        CHECK(floats(b.output("y")) == std::vector<float>{3 * k, -k, 6 * k, 0});
        CHECK(shop::recorded == (run > 1));
        CHECK(shop::replayed == run - 1);
    }
}
TEST_CASE("A kernel on a device packs its weights from the host's memory, and they are nowhere else", "[devices]") {
    shop::clear();
    const inlay::session s{
        model_of("weighted (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { a = Mul(x, w) y = Relu(a) }"),
        quiet(), lathe{}, cpu{}};
    CHECK(line_of(s.plan(), "Mul").provider == lathe::name);
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector<float>{1, 0, 9, 0});
}
TEST_CASE("What hinders a kernel from taking its weights is reported with the node's name", "[devices]") {
    shop::clear();
    const auto failure_of = [](const std::string& w) {
        return raised([&] {
            inlay::session(
                model_of("weighted (float[1] x) => (float[1] y) <float[1] w = {" + w + "}> { [saw] y = Mul(x, w) }"),
                quiet(), lathe{}, cpu{});
        });
    };
    const error limit = failure_of("-1"), silent = failure_of("1001");
    CHECK(limit.code == error_code::out_of_memory_limit);
    CHECK(limit.node == "saw");
    CHECK(limit.text == "saw: its kernel could not be bound: requested 3 planks, used 0, limit 2");
    CHECK(silent.code == error_code::provider_failed);
    CHECK(silent.text == "saw: its kernel could not be bound: failed");
}
TEST_CASE("A kernel on a device may tell how large its output is, which then goes to the host", "[devices]") {
    const char* const detector =
        "detector (float[1,4,4] b, float[1,1,4] s) => (int64[N,3] y, float[N,3] z) <int64[1] most = {3}, float[1] "
        "overlap = {0.5}, float[1] least = {0.25}> {"
        " c = Relu(s) y = NonMaxSuppression(b, c, most, overlap, least) z = Cast<to = 1>(y) }";
    const tensor boxes({1, 4, 4}, {0.f, 0.f, 1.f, 1.f, 0.f, .1f, 1.f, 1.1f, 5.f, 5.f, 6.f, 6.f, 8.f, 8.f, 9.f, 9.f});
    const model m = model_of(detector);
    for (const bool records : {false, true}) {
        shop::clear();
        shop::records = records;
        const inlay::session s{m, quiet(), lathe{}, cpu{}};
        const plan_report r = s.plan();
        CHECK(line_of(r, "NonMaxSuppression").provider == lathe::name);
        CHECK(line_of(r, "Cast").provider == cpu::name);
        REQUIRE(r.transfers.size() == 3);  // the inputs, and y
        CHECK(r.transfers[2].bytes == -1);
        CHECK(has_text(text_of(r), "transfer of y: lathe to host, size known at run"));
        binding bound = s.bind();
        bound.set_input("b", boxes);
        for (const auto& [scores, selection] :
             std::vector<std::pair<std::vector<float>, std::vector<std::int64_t>>>{{{.9f, .8f, .7f, .6f}, {0, 2, 3}},
                                                                                   {{0, 0, 0, 0}, {}},
                                                                                   {{.3f, .9f, -1, 0}, {1}},
                                                                                   {{0, .1f, 1, .5f}, {2, 3}},
                                                                                   {{.9f, .8f, .7f, .6f}, {0, 2, 3}}}) {
            const tensor of({1, 1, 4}, scores);
            bound.set_input("s", of);
            REQUIRE(bound.run() == status::ok);
            for (const auto& [y, z] :
                 {std::pair{s.run({{"b", boxes}, {"s", of}})[0], s.run({{"b", boxes}, {"s", of}})[1]},
                  {tensor(bound.output("y")), tensor(bound.output("z"))}}) {
                REQUIRE(y.shape() == shape{std::int64_t(selection.size()), 3});
                REQUIRE(z.shape() == y.shape());
                for (std::size_t i = 0; i < selection.size(); ++i) {
                    CHECK(y.as<std::int64_t>()[i * 3 + 2] == selection[i]);
                    CHECK(z.as<float>()[i * 3 + 2] == float(selection[i]));
                }
            }
        }
        CHECK(shop::entered == 0);
    }
}
TEST_CASE("What a device finds wrong with values ends the run, which may be repeated", "[devices]") {
    shop::clear();
    const inlay::session s{model_of(straight), quiet(), lathe{}, cpu{}};
    const error e = raised([&] { s.run({{"x", tensor({4}, {900.f, 0.f, 0.f, 0.f})}}); });
    CHECK(e.code == error_code::invalid_value);
    CHECK(e.provider == lathe::name);
    CHECK(has_text(e.text, "wood of the wrong size"));
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector<float>{3, -2, 9, -4});
    CHECK(shop::entered == 0);
}
TEST_CASE("A device that is lost is a typed error; under fallback::any the CPU takes over", "[devices]") {
    shop::clear();
    const inlay::session strict{model_of(straight), quiet(), lathe{}, cpu{}},
        lenient{model_of(straight), quiet(fallback::any()), lathe{}, cpu{}};
    shop::breaks = true;
    const error e = raised([&] { strict.run({{"x", x4}}); });
    CHECK(e.code == error_code::device_lost);
    CHECK(has_text(e.text, "the belt is torn"));
    CHECK(e.provider == lathe::name);
    CHECK(floats(lenient.run({{"x", x4}})[0]) == std::vector<float>{3, -2, 9, -4});
    CHECK(lenient.plan().count(cpu::name) == 3);
    CHECK(lenient.plan().notes.size() == 1);
}
TEST_CASE("A device that cannot be opened is an error of the session, or a note under fallback::any", "[devices]") {
    shop::clear();
    shop::closed = true;
    const error e = raised([] { inlay::session(model_of(straight), quiet(), lathe{}, cpu{}); });
    CHECK(e.code == error_code::provider_unavailable);
    CHECK(has_text(e.text, "the shop is closed"));
    const inlay::session s{model_of(straight), quiet(fallback::any()), lathe{}, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == std::vector<float>{3, -2, 9, -4});
    REQUIRE(s.plan().notes.size() == 1);
    CHECK(has_text(s.plan().notes[0], "the shop is closed"));
}
TEST_CASE("Two providers whose devices share a memory space are refused in one session", "[devices]") {
    shop::clear();
    CHECK(raised([] {
              inlay::session(model_of(straight), quiet(), lathe{.device_id = 0}, lathe{.device_id = 1});
          }).code == error_code::duplicate_provider);
}
TEST_CASE("Each step of a profile is waited for", "[devices]") {
    shop::clear();
    const inlay::session s{model_of(straight), quiet(), lathe{}, cpu{}};
    binding b = s.bind();
    shop::waits = 0;
    const run_profile p = b.profile(1);
    CHECK(shop::waits >= int(p.steps.size()));
}

TEST_CASE("Steps of the host see no handle of a device that worked before them", "[devices]") {
    shop::clear();
    const inlay::session s{model_of("g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(a) c = Relu(b) y = Neg(c) }"),
                           lathe{}, bench{}};
    CHECK(floats(s.run({{"x", tensor({2}, {1.f, -2.f})}})[0]) == std::vector{0.f, 0.f});
    CHECK(s.plan().count(bench::name) == 2);
}
