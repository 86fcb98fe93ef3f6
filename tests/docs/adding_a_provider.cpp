// The code of docs/how-to/adding-a-provider.md: the regions between `>>>` and `<<<` are its blocks, in order (check.sh
// compares them).
#include "../models.hpp"

// >>>
#include <inlay/inlay.hpp>
#include <inlay/onnx/binary.hpp>  // what Add and Mul are

struct abacus {
    int device_id = 0;  // the members are the options
    bool careful = false;

    struct beads {  // the tag of its kernels
        static constexpr std::string_view name = "abacus";
    };
    static constexpr std::string_view name = "AbacusExecutionProvider";
    static constexpr auto devices = inlay::hana::tuple_t<beads>;
    static constexpr auto kernels = inlay::hana::tuple_t<inlay::op::add>;
};
// <<<

// >>>
template <> struct inlay::kernel<inlay::op::add, abacus::beads, inlay::types<float>> : inlay::simple_kernel {
    struct params {  // what run() needs to know: plain data, no pointers
        std::int64_t count;
    };

    static constexpr verdict supports(const node_view& n) {
        return n.input(0).dims == n.input(1).dims ? yes() : no("the abacus does not broadcast");
    }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.count, 4096, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) a.out<float>(0)[i] = a.in<float>(0)[i] + a.in<float>(1)[i];
        });
        return status::ok;
    }
};
static_assert(inlay::provider<abacus>);
// <<<

namespace first {
using inlay::testing::text_of;
inlay::model model() {
    return inlay::testing::model_of(
        "sums (float[2,2] x, float[2] row) => (float[2,2] y) { a = Add(x, x) b = Add(a, row) y = Mul(b, x) }");
}

// >>>
inlay::plan_report try_it(const inlay::model& model) {
    inlay::session session{model, abacus{.careful = true}, inlay::cpu{.threads = 2}};
    const inlay::tensor x({2, 2}, {1.f, 2.f, 3.f, 4.f}), row({2}, {10.f, 20.f});
    auto y = session.run({{"x", x}, {"row", row}}).at("y");  // 12, 48, 48, 112
    return session.plan();                                   // print it: std::cout << session.plan()
}
// <<<
}  // namespace first

// >>>
BOOST_HANA_ADAPT_STRUCT(abacus, device_id, careful);  // next to the struct, outside any namespace

inlay::plan_report by_name(const inlay::model& model) {
    const std::vector<inlay::provider_choice> list{{"abacus", {{"device_id", "1"}, {"careful", "true"}}}, "cpu"};
    inlay::any_session session(model, list, {}, inlay::factories_of<abacus, inlay::cpu>);  // what names may stand for
    return session.plan();
}
// <<<

// >>>
struct choosy_abacus : abacus {
    static constexpr std::string_view name = "ChoosyAbacusExecutionProvider";
    inlay::verdict accepts(const inlay::node_view& n) const {
        return n.input(0).dims.elements() <= 1000 ? inlay::yes() : inlay::no("an abacus has 1000 beads");
    }
};
// <<<

// >>>
struct shed {};  // a memory space is a tag
static std::atomic<int> carried_in{0}, carried_out{0};
template <> struct inlay::memory_space<shed> {
    static constexpr std::string_view name = "shed";
    static void* allocate(std::size_t bytes) noexcept {
        return ::operator new(bytes, std::align_val_t(64), std::nothrow);
    }
    static void release(void* p) noexcept { ::operator delete(p, std::align_val_t(64)); }
};
template <> struct inlay::transfer<inlay::memory::host, shed> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++carried_in;
        std::memcpy(to, from, bytes);
        return true;
    }
};
template <> struct inlay::transfer<shed, inlay::memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++carried_out;
        std::memcpy(to, from, bytes);
        return true;
    }
};

struct shed_abacus : abacus {
    using memory = shed;  // its kernels see pointers into the shed only
    static constexpr std::string_view name = "ShedAbacusExecutionProvider";
};
// <<<

// >>>
struct stalls {};  // memory of several devices: all functions take the device's number last
static std::array<std::atomic<int>, 4> carried{};
template <> struct inlay::memory_space<stalls> {
    static constexpr std::string_view name = "stall";
    static void* allocate(std::size_t bytes, int) noexcept {
        return ::operator new(bytes, std::align_val_t(64), std::nothrow);
    }
    static void release(void* p, int) noexcept { ::operator delete(p, std::align_val_t(64)); }
};
template <> struct inlay::transfer<inlay::memory::host, stalls> {
    static bool copy(void* to, const void* from, std::size_t bytes, int stall) noexcept {
        ++carried[std::size_t(stall)];
        std::memcpy(to, from, bytes);
        return true;
    }
};
template <> struct inlay::transfer<stalls, inlay::memory::host> : inlay::transfer<inlay::memory::host, stalls> {};

struct stall_abacus : abacus {  // its member `device_id` says which one it is
    using memory = stalls;
    static constexpr std::string_view name = "StallAbacusExecutionProvider";
    int most = 0;
    inlay::verdict accepts(const inlay::node_view& n) const {
        return n.input(0).dims.elements() <= most ? inlay::yes() : inlay::no("it takes a larger abacus");
    }
};
inlay::plan_report two_of_them(const inlay::model& model, std::span<const inlay::feed> inputs) {
    inlay::session session{model, stall_abacus{{.device_id = 1}, 10}, stall_abacus{{.device_id = 3}, 1000},
                           inlay::cpu{}};
    auto outputs = session.run(inputs);
    return session.plan();  // small sums on StallAbacusExecutionProvider:1, large ones on :3
}
// <<<

// >>>
class product final : public inlay::executable {  // y = a * b * c * ...
    std::int64_t count_;
    std::span<const float* const> constants_;

  public:
    product(std::int64_t count, std::span<const float* const> constants) : count_(count), constants_(constants) {}
    inlay::status run(std::span<const inlay::buffer> inputs, std::span<const inlay::buffer> outputs,
                      inlay::context&) noexcept override {
        for (std::int64_t i = 0; i < count_; ++i) {
            float y = 1;
            for (const float* c : constants_) y *= c[i];
            for (const inlay::buffer& x : inputs) y *= x.as<float>()[i];
            outputs[0].as<float>()[i] = y;
        }
        return inlay::status::ok;
    }
};
class compiled_product final : public inlay::compiled_region {
    std::int64_t count_;
    std::vector<const float*> constants_;

  public:
    explicit compiled_product(const inlay::region& r) {
        const inlay::node_view n{r.graph, r.graph.nodes[std::size_t(r.nodes.front())]};
        count_ = n.output(0).dims.elements();
        for (int k : {0, 1})
            if (n.is_constant(k)) constants_.push_back(static_cast<const float*>(r.constant(n.input_id(k))));
    }
    inlay::result<std::unique_ptr<inlay::executable>> instance() const override {
        return std::make_unique<product>(count_, constants_);
    }
};
class multiplying_engine final : public inlay::engine {
    std::int64_t most_;

  public:
    explicit multiplying_engine(std::int64_t most) : most_(most) {}
    void propose(const inlay::free_nodes& free, inlay::proposals& out) override {
        for (int i : free.nodes) {
            const inlay::node_view n{free.graph, free.graph.nodes[std::size_t(i)]};
            if (n.record.op != "Mul" || n.input(0).type != inlay::element::f32)
                out.refuse(i, "it multiplies floats only");
            else if (n.input(0).dims != n.input(1).dims || n.input_id(0) == n.input_id(1))
                out.refuse(i, "it multiplies two tensors of one shape");
            else if (n.output(0).dims.elements() > most_)
                out.refuse(i, std::to_string(n.output(0).dims.elements()) + " products are more than `most` allows");
            else
                out.take({i});  // each of these becomes a region
        }
    }
    inlay::result<std::shared_ptr<const inlay::compiled_region>> compile(const inlay::region& r) override {
        return std::make_shared<compiled_product>(r);
    }
};
struct multiplier {
    int most = 1000;
    static constexpr std::string_view name = "MultiplierExecutionProvider";
    inlay::result<std::shared_ptr<inlay::engine>> open() const {
        if (most < 0) return inlay::error(inlay::error_code::provider_unavailable, "it needs room for its products");
        return std::make_shared<multiplying_engine>(most);
    }
};
// <<<
static_assert(inlay::provider<multiplier>);
using namespace inlay::testing;

TEST_CASE("The provider of the guide runs what it can, and the plan shows the rest", "[guide]") {
    const inlay::plan_report plan = first::try_it(first::model());
    CHECK(plan.count(abacus::name) == 1);
    CHECK(plan.count(inlay::cpu::name) == 2);
    CHECK(has_text(text_of(plan), "AbacusExecutionProvider: the abacus does not broadcast"));
    const inlay::session s{first::model(), abacus{}};
    CHECK(floats(s.run({{"x", inlay::tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})},
                        {"row", inlay::tensor({2}, {10.f, 20.f})}})[0]) == std::vector{12.f, 48.f, 48.f, 112.f});
}

TEST_CASE("It is found by name, with options as text", "[guide]") {
    CHECK(by_name(first::model()).providers ==
          std::vector<std::string>{"AbacusExecutionProvider", "CPUExecutionProvider"});
    const inlay::session s{first::model(), abacus{.device_id = 2}};
    CHECK(s.provider_options()[0].second == inlay::option_list{{"device_id", "2"}, {"careful", "false"}});
}

TEST_CASE("It may refuse nodes itself", "[guide]") {
    const inlay::session s{model_of("g (float[50,50] x) => (float[50,50] y) { y = Add(x, x) }"), choosy_abacus{}};
    CHECK(s.plan().count(choosy_abacus::name) == 0);
    CHECK(has_text(text_of(s.plan()), "ChoosyAbacusExecutionProvider: an abacus has 1000 beads"));
}

TEST_CASE("Its memory is filled and read at the border", "[guide]") {
    const inlay::session s{first::model(), shed_abacus{}};
    carried_in = carried_out = 0;
    CHECK(floats(s.run({{"x", ones({2, 2})}, {"row", ones({2})}})[0]) == std::vector(4, 3.f));
    CHECK(carried_in == 1);
    CHECK(carried_out == 1);
    CHECK(s.plan().transfers.size() == 2);
}

TEST_CASE("Two of them have a memory each", "[guide]") {
    const inlay::plan_report plan = two_of_them(
        model_of("g (float[20] x, float[2] z) => (float[20] y, float[2] u) { y = Add(x, x) u = Add(z, z) }"),
        std::vector<inlay::feed>{{"x", ones({20})}, {"z", ones({2})}});
    CHECK(plan.count("StallAbacusExecutionProvider:1") == 1);
    CHECK(plan.count("StallAbacusExecutionProvider:3") == 1);
    REQUIRE(plan.transfers.size() == 4);
    CHECK(has_text(text_of(plan), "transfer of x: host to stall:3"));
    CHECK(has_text(text_of(plan), "transfer of z: host to stall:1"));
    CHECK(carried[1] == 2);
    CHECK(carried[3] == 2);
    CHECK(carried[0] == 0);
}

TEST_CASE("The engine of the guide takes regions", "[guide]") {
    const inlay::session s{model_of("g (float[2] x, float[2] z) => (float[2] y) <float[2] k = {3, 4}> { a = Mul(x, z) "
                                    "b = Mul(a, k) y = Mul(b, b) }"),
                           multiplier{}};
    CHECK(floats(s.run({{"x", inlay::tensor({2}, {1.f, 2.f})}, {"z", inlay::tensor({2}, {5.f, 6.f})}})[0]) ==
          std::vector{225.f, 2304.f});
    CHECK(s.plan().count(multiplier::name) == 2);
    CHECK(s.plan().nodes[0].kernel == "region");
    CHECK(has_text(text_of(s.plan()), "MultiplierExecutionProvider: it multiplies two tensors of one shape"));
}
