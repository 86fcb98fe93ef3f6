// Two devices of one provider in one session: each has its memory, its queues and its nodes. Their work is done only
// when a wait is called, and a kernel that is bound or run while its thread works on the other device fails.
#include "../models.hpp"
#include <inlay/any_session.hpp>
#include <inlay/onnx/binary.hpp>
#include <inlay/onnx/unary.hpp>
#include <map>
#include <mutex>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct kiln_memory {};
struct railed_memory {};  // whose kilns take from each other
struct kiln_kernels {
    static constexpr std::string_view name = "kiln";
};
using work = std::function<void()>;

struct kiln_device {
    std::map<const std::byte*, std::size_t> blocks{};
    std::atomic<int> allocated{0}, in{0}, out{0}, recorded{0}, replayed{0};
    std::atomic<bool> cold{false};  // its queues fail
};
struct works {  // all devices that there are
    static inline std::mutex lock;
    static inline std::atomic<int> waits{0}, over_rails{0};
    static inline std::atomic<bool> follows{false};  // queues wait for each other, not the host for each
    static inline std::array<kiln_device, 2> devices;
    static bool has(int device) { return device >= 0 && device < int(devices.size()); }
    static kiln_device& at(int device) { return devices.at(std::size_t(device)); }
    static int owner(const void* p) {  // -1: the host
        const std::lock_guard guard(lock);
        for (int d = 0; d < int(devices.size()); ++d) {
            auto& blocks = at(d).blocks;
            auto block = blocks.upper_bound(static_cast<const std::byte*>(p));
            if (block != blocks.begin() && (--block, static_cast<const std::byte*>(p) < block->first + block->second))
                return d;
        }
        return -1;
    }
    static std::vector<int> copies() { return {at(0).in, at(0).out, at(1).in, at(1).out}; }
    static bool clean() { return at(0).blocks.empty() && at(1).blocks.empty(); }
    static void clear() {
        for (auto& d : devices) {
            d.allocated = d.in = d.out = d.recorded = d.replayed = 0;
            d.cold = false;
        }
    }
};
struct kiln_queue final : device_queue {
    static inline thread_local kiln_queue* selected = nullptr;
    static inline thread_local int entered = 0;
    const int device;
    std::vector<work> waiting;
    std::size_t gone = 0, completed = 0;  // before those in `waiting`, and of those
    std::size_t before = 0;               // of what is recorded
    kiln_queue* selected_before = nullptr;
    explicit kiln_queue(int d) : device(d) {}
    void* stream() const noexcept override { return const_cast<kiln_queue*>(this); }
    unsigned* faults() const noexcept override { return nullptr; }
    status enter() noexcept override {
        ++entered;
        selected_before = std::exchange(selected, this);
        return status::ok;
    }
    void leave() noexcept override {
        --entered;
        selected = selected_before;
    }
    void select() noexcept override { selected = this; }
    void work_until(std::size_t count) {
        while (gone + completed < count) waiting[completed++]();
    }
    bool follow(device_queue& earlier) noexcept override {
        auto& source = static_cast<kiln_queue&>(earlier);
        if (!works::follows) return false;
        waiting.push_back([&source, count = source.gone + source.waiting.size()] { source.work_until(count); });
        return true;
    }
    status wait() noexcept override {
        ++works::waits;
        work_until(gone + waiting.size());
        gone += waiting.size();
        completed = 0;
        waiting.clear();
        return works::at(device).cold ? status::device_lost : status::ok;
    }
    std::string_view why() const noexcept override { return "the fire went out"; }
    bool begin_recording() noexcept override {
        ++works::at(device).recorded;
        before = waiting.size();
        return true;
    }
    std::shared_ptr<void> end_recording() noexcept override {
        auto recording = std::make_shared<std::vector<work>>(waiting.begin() + std::ptrdiff_t(before), waiting.end());
        waiting.resize(before);
        return recording;
    }
    status replay(void* recording) noexcept override {
        ++works::at(device).replayed;
        for (const work& w : *static_cast<std::vector<work>*>(recording)) waiting.push_back(w);
        return status::ok;
    }
};
struct kiln_session final : device_session {
    int device;
    bool record;
    kiln_session(int d, bool r) : device(d), record(r) {}
    result<std::unique_ptr<device_queue>> make_queue() override {
        return std::unique_ptr<device_queue>(std::make_unique<kiln_queue>(device));
    }
    bool records() const noexcept override { return record; }
};
struct kiln {
    int device_id = 0;
    std::string operators{};  // that this one takes; empty: all
    bool record = false;

    using memory = kiln_memory;
    static constexpr std::string_view name = "KilnExecutionProvider";
    static constexpr auto devices = hana::tuple_t<kiln_kernels>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::mul, op::relu>;
    verdict accepts(const node_view& n) const {
        return operators.empty() || operators.find(n.record.op) != operators.npos ? yes()
                                                                                  : no("the other kiln has that");
    }
    result<std::shared_ptr<device_session>> open() const {
        if (!works::has(device_id))
            return error(error_code::provider_unavailable,
                         "KilnExecutionProvider: there is no kiln " + std::to_string(device_id));
        return std::shared_ptr<device_session>(std::make_shared<kiln_session>(device_id, record));
    }
};
struct railed_kiln : kiln {
    using memory = railed_memory;
    static constexpr std::string_view name = "RailedKilnExecutionProvider";
};
struct other_kiln : kiln {
    static constexpr std::string_view name = "OtherKilnExecutionProvider";
};
}  // namespace
BOOST_HANA_ADAPT_STRUCT(kiln, device_id, operators, record);

namespace inlay {
inline namespace v1 {
template <> struct memory_space<kiln_memory> {
    static constexpr std::string_view name = "kiln";
    static void* allocate(std::size_t bytes, int device) noexcept {
        if (!works::has(device)) return nullptr;
        void* const p = memory_space<memory::host>::allocate(bytes);
        const std::lock_guard guard(works::lock);
        ++works::at(device).allocated;
        works::at(device).blocks[static_cast<const std::byte*>(p)] = bytes;
        return p;
    }
    static void release(void* p, int device) noexcept {
        std::size_t count;
        {
            const std::lock_guard guard(works::lock);
            count = works::at(device).blocks.erase(static_cast<const std::byte*>(p));
        }
        if (count) memory_space<memory::host>::release(p);  // what goes to the wrong device stays
    }
    static error refused(std::size_t, int device) {
        return {error_code::out_of_memory, "kiln " + std::to_string(device) + " has no room"};
    }
};
template <> struct memory_space<railed_memory> : memory_space<kiln_memory> {
    static constexpr std::string_view name = "railed";
};
template <> struct transfer<memory::host, kiln_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
        ++works::at(device).in;
        std::memcpy(to, from, bytes);
        return works::owner(to) == device;
    }
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept {
        auto& q = *static_cast<kiln_queue*>(stream);
        ++works::at(q.device).in;
        q.waiting.push_back([=] { std::memcpy(to, from, bytes); });
        return works::owner(to) == q.device;
    }
};
template <> struct transfer<kiln_memory, memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes, int device) noexcept {
        ++works::at(device).out;
        std::memcpy(to, from, bytes);
        return works::owner(from) == device;
    }
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept {
        auto& q = *static_cast<kiln_queue*>(stream);
        ++works::at(q.device).out;
        q.waiting.push_back([=] { std::memcpy(to, from, bytes); });
        return works::owner(from) == q.device;
    }
};

template <> struct transfer<memory::host, railed_memory> : transfer<memory::host, kiln_memory> {};
template <> struct transfer<railed_memory, memory::host> : transfer<kiln_memory, memory::host> {};
template <> struct transfer<railed_memory, railed_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes, void* stream) noexcept {
        auto& q = *static_cast<kiln_queue*>(stream);
        ++works::over_rails;
        q.waiting.push_back([=] { std::memcpy(to, from, bytes); });
        return works::owner(to) == q.device && works::owner(from) == 1 - q.device;
    }
};

template <class Op> struct kiln_kernel : simple_kernel {
    struct params {
        std::int64_t count;
    };
    struct state {  // memory of its own, as libraries' kernels have it
        int device = -1;
        tensor room{};
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < n.input_count(); ++k)
            if (n.input(k).dims != n.input(0).dims) return no("kilns do not broadcast");
        return yes();
    }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, 4 * p.count}; }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        s.device = kiln_queue::selected->device;
        s.room = tensor(element::f32, {p.count}, space_on<kiln_memory>(s.device));
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        auto* const q = static_cast<kiln_queue*>(c.stream);
        if (kiln_queue::selected != q) return c.fail("the thread works on the other kiln", status::failed);
        if (s.device != q->device) return c.fail("it was bound for the other kiln", status::failed);
        const float *x = a.in<float>(0), *z = a.in<float>(std::same_as<Op, op::relu> ? 0 : 1);
        float *y = a.out<float>(0), *scratch = reinterpret_cast<float*>(c.scratch);
        for (const void* at : {static_cast<const void*>(x), static_cast<const void*>(z), static_cast<const void*>(y),
                               static_cast<const void*>(scratch), s.room.data()})
            if (works::owner(at) != q->device) return c.fail("memory of another device", status::failed);
        q->waiting.push_back([=] {
            for (std::int64_t i = 0; i < p.count; ++i)
                scratch[i] = std::same_as<Op, op::relu>  ? std::max(x[i], 0.f)
                             : std::same_as<Op, op::add> ? x[i] + z[i]
                                                         : x[i] * z[i];
            std::copy_n(scratch, p.count, y);
        });
        return status::ok;
    }
};
template <> struct kernel<op::add, kiln_kernels, types<float>> : kiln_kernel<op::add> {};
template <> struct kernel<op::mul, kiln_kernels, types<float>> : kiln_kernel<op::mul> {};
template <> struct kernel<op::relu, kiln_kernels, types<float>> : kiln_kernel<op::relu> {};
}  // namespace v1
}  // namespace inlay

namespace {
// Add on the kiln 0, Relu and Mul on the kiln 1, Sub on the host.
const char* const winding =
    "winding (float[4] x) => (float[4] y) <float[4] k = {1, 1, 1, 1}, float[4] w = {1, 2, 3, 4}> { a = Add(x, k) b = "
    "Relu(a) c = Mul(b, w) d = Add(c, a) y = Sub(d, x) }";
const std::vector<float> wound{3, 1, 13, 1};
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
const kiln first{.device_id = 0, .operators = "Add"}, second{.device_id = 1, .operators = "Relu Mul"};
session_options quiet(fallback f = {}) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
std::vector<float> fetched_from(const tensor& t) { return floats(t.copied_to(space_of<memory::host>)); }
}  // namespace

TEST_CASE("Two devices of one provider live in one session, each with its nodes and its memory", "[devices]") {
    works::clear();
    {
        const inlay::session s{model_of(winding), quiet(), first, second, cpu{}};
        CHECK(works::copies() == std::vector{1, 0, 1, 0});  // k and w, when the session is made
        const plan_report r = s.plan();
        CHECK(r.count("KilnExecutionProvider:0") == 2);
        CHECK(r.count("KilnExecutionProvider:1") == 2);
        CHECK(r.count(cpu::name) == 1);
        std::vector<std::string> moved;
        for (const auto& t : r.transfers) moved.push_back(t.value + ": " + t.from + " to " + t.to);
        CHECK(moved == std::vector<std::string>{"x: host to kiln", "a: kiln to host", "a: host to kiln:1",
                                                "c: kiln:1 to host", "c: host to kiln", "d: kiln to host"});
        works::clear();
        for (int run = 1; run <= 3; ++run) {
            CHECK(floats(s.run({{"x", x4}})[0]) == wound);
            CHECK(works::copies() == std::vector{2 * run, 2 * run, run, run});
        }
        CHECK(works::at(0).allocated == 1);  // an arena each, in the first run
        CHECK(works::at(1).allocated == 1);
        binding b = s.bind();
        b.set_input("x", x4);
        const run_profile timed = b.profile(2);
        CHECK(floats(b.output("y")) == wound);
        CHECK(std::ranges::count(timed.steps, "KilnExecutionProvider:1", &step_profile::provider) == 2);
    }
    CHECK(works::clean());
    CHECK(kiln_queue::entered == 0);
}
TEST_CASE("Queues that can follow each other are waited for once, at the end of the run", "[devices]") {
    works::clear();
    works::follows = true;
    const inlay::session s{model_of(winding), quiet(), first, second, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
    works::waits = 0;
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
    CHECK(works::waits == 2);  // one of each, before Sub on the host
    works::follows = false;
    works::waits = 0;
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
    CHECK(works::waits == 3);  // at each change
}
TEST_CASE("Devices that reach each other's memory copy without the host in between", "[devices]") {
    works::clear();
    works::follows = true;
    works::over_rails = 0;
    const railed_kiln first{{.device_id = 0, .operators = "Add"}}, second{{.device_id = 1, .operators = "Relu Mul"}};
    {
        const inlay::session s{model_of(winding), quiet(), first, second, cpu{}};
        std::vector<std::string> moved;
        for (const auto& t : s.plan().transfers) moved.push_back(t.value + ": " + t.from + " to " + t.to);
        CHECK(moved == std::vector<std::string>{"x: host to railed", "a: railed to railed:1", "c: railed:1 to railed",
                                                "d: railed to host"});
        works::clear();
        CHECK(floats(s.run({{"x", x4}})[0]) == wound);
        CHECK(works::copies() == std::vector{1, 1, 0, 0});
        CHECK(works::over_rails == 2);
    }
    works::follows = false;
    CHECK(works::clean());
}
TEST_CASE("Where only one device of a provider is listed its name has no number", "[devices]") {
    works::clear();
    const inlay::session s{model_of(winding), quiet(), kiln{.device_id = 1}, cpu{}};
    CHECK(s.providers() == std::vector<std::string>{"KilnExecutionProvider", "CPUExecutionProvider"});
    CHECK(s.plan().transfers.front().to == "kiln:1");
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
}
TEST_CASE("Names and options as text tell two devices of one provider apart", "[devices]") {
    works::clear();
    any_session s(model_of(winding),
                  {{"kiln", {{"device_id", "1"}, {"operators", "Add"}}}, {"kiln", {{"device_id", "0"}}}, "cpu"},
                  quiet(), factories_of<kiln, cpu>);
    CHECK(s.providers() ==
          std::vector<std::string>{"KilnExecutionProvider:1", "KilnExecutionProvider:0", "CPUExecutionProvider"});
    CHECK(s.provider_options()[0].first == "KilnExecutionProvider:1");
    CHECK(has_text(
        text_of(s.plan()),
        "KilnExecutionProvider:1 (2 nodes), KilnExecutionProvider:0 (2 nodes), CPUExecutionProvider (1 nodes)"));
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
    s.set_providers({{"kiln", {{"device_id", "1"}}}, "cpu"});
    CHECK(s.providers()[0] == "KilnExecutionProvider");
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
}
TEST_CASE("Bound memory of either device is read and written where it is", "[devices]") {
    works::clear();
    {
        const inlay::session s{
            model_of("g (float[4] x, float[4] z) => (float[4] y, float[4] u) { u = Add(z, z) y = Relu(x) }"), quiet(),
            first, second, cpu{}};
        const space &first_space = space_on<kiln_memory>(0), &second_space = space_on<kiln_memory>(1);
        const tensor x = x4.copied_to(second_space), z = x4.copied_to(first_space), y(element::f32, {4}, second_space);
        binding b = s.bind();
        b.set_input("x", x);
        b.set_input("z", z);
        b.set_output("y", y);
        b.set_output("u", first_space);
        works::clear();
        REQUIRE(b.run() == status::ok);
        CHECK(works::copies() == std::vector{0, 0, 0, 0});
        CHECK(b.output("y").data() == y.data());
        CHECK(b.output("y").where().name == "kiln:1");
        CHECK(b.output("u").where().name == "kiln");
        CHECK(fetched_from(y) == std::vector<float>{1, 0, 3, 0});
        CHECK(fetched_from(b.output("u")) == std::vector<float>{2, -4, 6, -8});
        CHECK(fetched_from(x) == floats(x4));

        b.set_input("x", z);  // now of the other device, by way of the host
        b.set_output("u", second_space);
        works::clear();
        REQUIRE(b.run() == status::ok);
        CHECK(works::copies() == std::vector{0, 2, 2, 0});
        CHECK(fetched_from(y) == std::vector<float>{1, 0, 3, 0});
        CHECK(fetched_from(b.output("u")) == std::vector<float>{2, -4, 6, -8});
    }
    CHECK(works::clean());
}
TEST_CASE("Each device records its own steps and replays them", "[devices]") {
    works::clear();
    const auto recording = [](kiln k) {
        k.record = true;
        return k;
    };
    const inlay::session s{model_of(winding), quiet(), recording(first), recording(second), cpu{}};
    for (int run = 1; run <= 4; ++run) {
        CHECK(floats(s.run({{"x", x4}})[0]) == wound);
        CHECK(works::at(0).recorded == 0);  // its two steps are apart
        CHECK(works::at(1).recorded == (run > 1));
        CHECK(works::at(1).replayed == run - 1);
    }
}
TEST_CASE("Steps of two devices that follow each other are recorded apart", "[devices]") {
    works::clear();
    kiln left = first, right = second;
    left.record = right.record = true;
    const inlay::session s{
        model_of("g (float[4] x) => (float[4] y, float[4] z) { c = Relu(x) y = Add(x, x) d = Mul(c, c) z = Relu(d) }"),
        quiet(), left, right, cpu{}};
    for (int run = 1; run <= 3; ++run) {
        const auto out = s.run({{"x", x4}});
        CHECK(floats(out[0]) == std::vector<float>{2, -4, 6, -8});
        CHECK(floats(out[1]) == std::vector<float>{1, 0, 9, 0});
        CHECK(works::at(0).recorded == 0);  // its only step, before which nothing but a copy is the other's
        CHECK(works::at(1).recorded == (run > 1));
    }
}
TEST_CASE("Bodies of control flow use both devices, and so does the graph around them", "[devices]") {
    works::clear();
    {
        const inlay::session s{
            model_of("g (bool c, float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a)"
                     " v = If (c) <then_branch = t () => (float[4] e) { d = Relu(a) e = Add(d, b) }, else_branch = f "
                     "() => (float[4] h) { h = Relu(a) }> u = Relu(v) y = Add(u, b) }"),
            quiet(), first, second, cpu{}};
        for (const bool c : {true, false, true})
            CHECK(floats(s.run({{"c", tensor(shape{}, {c})}, {"x", x4}})[0]) ==
                  (c ? std::vector<float>{6, 0, 18, 0} : std::vector<float>{4, 0, 12, 0}));
    }
    CHECK(works::clean());
    CHECK(kiln_queue::entered == 0);
}
TEST_CASE("Threads run one session on two devices at once", "[devices][threads]") {
    works::clear();
    {
        const inlay::session s{model_of(winding), quiet(), first, second, cpu{.threads = 1}};
        std::atomic<int> wrong{0};
        std::vector<std::thread> callers;
        for (int t = 0; t < 2; ++t)
            callers.emplace_back([&, t] {
                binding b = s.bind();
                const float k = float(t + 1);
                const std::vector<float> expected{k + 2, 2 * std::max(0.f, 1 - k) + 1, 3 * (2 * k + 1) + 1, 5};
                for (int i = 0; i < 100; ++i) {
                    if (floats(s.run({{"x", x4}})[0]) != wound) ++wrong;
                    std::ranges::copy(std::vector<float>{k, -k, 2 * k, 0}, b.input("x").as<float>().begin());
                    if (b.run() != status::ok || floats(b.output("y")) != expected) ++wrong;
                }
            });
        for (auto& c : callers) c.join();
        CHECK(wrong == 0);
        CHECK(works::copies() == std::vector{801, 800, 401, 400});
    }
    CHECK(works::clean());
}
TEST_CASE("A device that does not exist is an error; under fallback::any the others take over", "[devices]") {
    works::clear();
    for (const int number : {2, -1, 1 << 20}) {
        const error e =
            raised([&] { inlay::session(model_of(winding), quiet(), first, kiln{.device_id = number}, cpu{}); });
        CHECK(e.code == error_code::provider_unavailable);
        CHECK(e.text == "KilnExecutionProvider: there is no kiln " + std::to_string(number));
    }
    const inlay::session s{model_of(winding), quiet(fallback::any()), first, kiln{.device_id = 2}, second, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
    const plan_report r = s.plan();
    CHECK(r.count("KilnExecutionProvider:1") == 2);
    CHECK(r.count("KilnExecutionProvider:2") == 0);
    REQUIRE(r.notes.size() == 1);
    CHECK(has_text(r.notes[0], "KilnExecutionProvider:2 failed: KilnExecutionProvider: there is no kiln 2"));
    const error failure = raised([] { tensor(element::f32, {4}, space_on<kiln_memory>(2)); });
    CHECK(failure.code == error_code::out_of_memory);
    CHECK(failure.text == "kiln 2 has no room");
}
TEST_CASE("A device that is lost is named with its number; under fallback::any the other goes on", "[devices]") {
    works::clear();
    const inlay::session strict{model_of(winding), quiet(), first, second, cpu{}},
        lenient{model_of(winding), quiet(fallback::any()), first, second, cpu{}};
    works::at(1).cold = true;
    const error e = raised([&] { strict.run({{"x", x4}}); });
    CHECK(e.code == error_code::device_lost);
    CHECK(e.provider == "KilnExecutionProvider:1");
    CHECK(has_text(e.text, "the fire went out"));
    CHECK(floats(lenient.run({{"x", x4}})[0]) == wound);
    CHECK(lenient.plan().count("KilnExecutionProvider:0") == 2);
    CHECK(lenient.plan().count(cpu::name) == 3);
    CHECK(kiln_queue::entered == 0);
}
TEST_CASE("One device is opened once in a session", "[devices]") {
    works::clear();
    const error same =
        raised([] { inlay::session(model_of(winding), quiet(), kiln{.device_id = 1}, kiln{.device_id = 1}); });
    CHECK(same.code == error_code::duplicate_provider);
    const error failure =
        raised([] { inlay::session(model_of(winding), quiet(), kiln{.device_id = 1}, other_kiln{{.device_id = 1}}); });
    CHECK(failure.code == error_code::duplicate_provider);
    CHECK(has_text(
        failure.text,
        "KilnExecutionProvider and OtherKilnExecutionProvider both open a device for the memory space `kiln:1`"));
    const inlay::session s{model_of(winding), quiet(), kiln{.device_id = 1, .operators = "Add"},
                           other_kiln{{.device_id = 0}}, cpu{}};
    CHECK(floats(s.run({{"x", x4}})[0]) == wound);
}
