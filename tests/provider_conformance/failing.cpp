// Providers that break a rule fail its conformance test, which says what is wrong.
#include "../models.hpp"
#include "../session/test_providers.hpp"
#include "checked.hpp"
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
// An engine for Relu with faults.
enum class fault_of { none, result, thread, memory, reason };
struct sloppy_executable final : executable {
    fault_of fault;
    std::atomic<float>* shared;
    sloppy_executable(fault_of f, std::atomic<float>* s) : fault(f), shared(s) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) noexcept override {
        const std::int64_t count = inputs[0].dims.elements();
        if (fault == fault_of::thread) *shared = inputs[0].as<float>()[0];
        if (fault == fault_of::thread) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (std::int64_t i = 0; i < count; ++i)
            outputs[0].as<float>()[i] = inputs[0].as<float>()[i] <= 0
                                            ? 0
                                            : inputs[0].as<float>()[i] + (fault == fault_of::result ? 0.002f : 0.f);
        if (fault == fault_of::thread) outputs[0].as<float>()[0] = std::max(shared->load(), 0.f);
        return status::ok;
    }
};
struct sloppy_region final : compiled_region {
    fault_of fault;
    std::shared_ptr<std::atomic<float>> shared = std::make_shared<std::atomic<float>>(0.f);
    explicit sloppy_region(fault_of f) : fault(f) {}
    result<std::unique_ptr<executable>> instance() const override {
        return std::make_unique<sloppy_executable>(fault, shared.get());
    }
};
struct sloppy_engine final : engine {
    fault_of fault;
    explicit sloppy_engine(fault_of f) : fault(f) {}
    void propose(const free_nodes& free, proposals& out) override {
        for (int i : free.nodes)
            if (const node_view n{free.graph, free.graph.nodes[std::size_t(i)]};
                n.record.op == "Relu" && n.input(0).type == element::f32)
                out.take({i});
            else
                out.refuse(i, fault == fault_of::reason ? "" : "no Relu of floats");
    }
    result<std::shared_ptr<const compiled_region>> compile(const region&) override {
        if (fault == fault_of::memory) {
            static std::vector<std::vector<char>> hoard;
            hoard.emplace_back(2 << 20, 'x');
        }
        return std::make_shared<sloppy_region>(fault);
    }
};
template <fault_of Fault> struct sloppy {
    static constexpr std::string_view name = "SloppyExecutionProvider";
    static result<std::shared_ptr<engine>> open() { return std::make_shared<sloppy_engine>(Fault); }
};

// Options that do not come back from their text.
enum class colour { red, green };
bool from_text(std::string_view, colour& to) { return to = colour::green, true; }
std::string to_text(colour c) { return c == colour::red ? "red" : "green"; }
}  // namespace

namespace inlay::testing {
struct painted : alpha {
    static constexpr std::string_view name = "PaintedExecutionProvider";
    ::colour paint = ::colour::red;
};
struct nameless : alpha {
    static constexpr std::string_view name = "nameless";
};
struct idle {
    static constexpr std::string_view name = "IdleExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<0>>;
    static constexpr auto kernels = hana::tuple_t<>;
};
}  // namespace inlay::testing
BOOST_HANA_ADAPT_STRUCT(inlay::testing::painted, paint);

TEST_CASE("A provider without a fault passes every conformance test", "[provider_conformance]") {
    check_passes(factory_of<sloppy<fault_of::none>>());
}
TEST_CASE("Wrong results fail the conformance test of results", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<sloppy<fault_of::result>>(), "Its results"),
                   "one Relu: result `Relu0_y`: element"));
    CHECK(reason_of_failure(factory_of<sloppy<fault_of::result>>(), "Two sessions").empty());
}
TEST_CASE("A tolerance may be larger", "[provider_conformance]") {
    conformance_options o = conformance_options_of_tests();
    o.tolerance = 0.1;
    CHECK(reason_of_failure(factory_of<sloppy<fault_of::result>>(), "Its results", o).empty());
}
TEST_CASE("Executables that share what runs write fail the conformance test of threads", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<sloppy<fault_of::thread>>(), "several threads"), "element 0 is"));
}
TEST_CASE("Memory kept of each session fails the conformance test of the process's memory", "[provider_conformance]") {
    conformance_options o;
    o.kept_bytes = 16 << 20;
    CHECK(has_text(reason_of_failure(factory_of<sloppy<fault_of::memory>>(), "does not grow", o), "30 sessions"));
}
TEST_CASE("A refusal without a reason fails the conformance test of reasons", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<sloppy<fault_of::reason>>(), "has a reason"), "without a reason"));
}
TEST_CASE("An option that its own text does not give fails the conformance test of options", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<painted>(), "read from the text"), "do not give the default options"));
}
TEST_CASE("A name of another form fails the conformance test of names", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<nameless>(), "full name"), "is not SomethingExecutionProvider"));
}
TEST_CASE("A provider that takes nothing has to bring a network", "[provider_conformance]") {
    CHECK(has_text(reason_of_failure(factory_of<idle>(), "one network at least"), "conformance_options::networks"));
}
