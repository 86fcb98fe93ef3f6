#include "catch.hpp"
#include "small_models.hpp"
#include <inlay/embedded.hpp>
#include <inlay/provider/reference.hpp>
#include <inlay/thread_pool.hpp>

// clang makes a function template that follows its caller in a class only where the file ends; here the compiler
// needs it before.
namespace inlay {
inline namespace v1 {
template std::span<const std::int64_t> node_view::list_of(std::string_view, attribute_kind,
                                                          std::span<const std::int64_t>) const;
}  // namespace v1
}  // namespace inlay

using namespace inlay;
using testing::two_nodes;

namespace {
template <class Net> std::vector<float> scores_of(Net& net, std::initializer_list<float> image) {
    std::ranges::copy(image, net.template input<"image">().begin());
    REQUIRE(net.run() == status::ok);
    const auto scores = net.template output<"scores">();
    return {scores.begin(), scores.end()};
}
// Runs Relu in memory of its own: the third of several shelves.
struct shelf_memory {};
int to_shelf = 0, to_host = 0, on_shelf = 0;  // on_shelf: blocks that are there
struct shelf {
    int device_id = 2;
    static constexpr std::string_view name = "ShelfExecutionProvider";
    using memory = shelf_memory;
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
struct gemm_shelf : shelf {
    static constexpr auto kernels = hana::tuple_t<op::gemm>;
};
struct fails {
    static constexpr std::string_view name = "FailsExecutionProvider";
    static constexpr auto devices = hana::tuple_t<fails>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct memory_space<shelf_memory> {
    static constexpr std::string_view name = "shelf";
    static void* allocate(std::size_t bytes, int device) noexcept {
        return device == 2 ? ++on_shelf, memory_space<memory::host>::allocate(bytes) : nullptr;
    }
    static void release(void* p, int device) noexcept {
        if (device == 2) --on_shelf;
        memory_space<memory::host>::release(p);
    }
};
template <> struct transfer<memory::host, shelf_memory> {
    static bool copy(void* to, const void* from, std::size_t n, int device) noexcept {
        ++to_shelf;
        std::memcpy(to, from, n);
        return device == 2;
    }
};
template <> struct transfer<shelf_memory, memory::host> {
    static bool copy(void* to, const void* from, std::size_t n, int device) noexcept {
        ++to_host;
        std::memcpy(to, from, n);
        return device == 2;
    }
};
template <> struct kernel<op::relu, fails, types<float>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments&, context& c) noexcept {
        return c.fail("it always does", status::failed);
    }
};
}  // namespace v1
}  // namespace inlay

TEST_CASE("An embedded model computes what its graph says", "[embedded]") {
    embedded<two_nodes, cpu> net;
    CHECK(net.status() == status::ok);
    CHECK(scores_of(net, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
    CHECK(scores_of(net, {0, 0, 0, 0}) == std::vector<float>{1, 1, 1});
    STATIC_REQUIRE(std::same_as<decltype(net.input<"image">()), std::span<float, 4>>);
    STATIC_REQUIRE(std::same_as<decltype(net.output<"scores">()), std::span<const float, 3>>);
}
TEMPLATE_TEST_CASE("An embedded model in 16 bits has the kernels of floats", "[embedded]", float16, bfloat16) {
    using net_type = embedded<testing::two_halves<TestType>, cpu>;
    net_type net;
    REQUIRE(net.status() == status::ok);
    std::ranges::fill(net.template input<"image">(), TestType(1.f));
    REQUIRE(net.run() == status::ok);
    const auto scores = net.template output<"scores">();
    CHECK(std::vector<float>(scores.begin(), scores.end()) == std::vector<float>{23, 27, 0});
    STATIC_REQUIRE(net_type::plan.scratch_bytes > 0);  // reference kernels need none
}
TEST_CASE("The compiler's plan is the planner's", "[embedded]") {
    using net_type = embedded<two_nodes, reference, cpu>;
    constexpr auto& fixed = net_type::plan;
    const plan live = make_plan(two_nodes::graph, net_type::planned::providers(reference{}, cpu{}), 1);
    REQUIRE(live.steps.size() == fixed.step_count);
    CHECK(std::ranges::equal(live.offsets, std::span(fixed.offsets).first(live.offsets.size())));
    CHECK(std::ranges::equal(live.assigned.owners, fixed.owners));
    CHECK(live.arena_bytes[0] == fixed.arena_bytes[0]);
    CHECK(fixed.aliased == 1);  // Relu works in place
}
TEST_CASE("A provider with memory of its own gets copies at its border, and its constants once", "[embedded]") {
    to_shelf = to_host = 0;
    embedded<two_nodes, shelf, cpu> net;
    CHECK(on_shelf == 1);
    CHECK(scores_of(net, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
    CHECK(to_shelf == 1);
    CHECK(to_host == 1);
    embedded<two_nodes, gemm_shelf, cpu> second;
    CHECK(to_shelf == 3);  // w and b
    CHECK(scores_of(second, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
    CHECK(to_shelf == 4);
    CHECK(to_host == 2);
}
TEST_CASE("Instances share weights, and each has an arena", "[embedded]") {
    const weights<two_nodes, cpu> w;
    embedded a{w}, b{w};
    STATIC_REQUIRE(std::same_as<decltype(a), decltype(b)>);
    CHECK(&a.weights() == &b.weights());
    CHECK(scores_of(a, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
    CHECK(scores_of(b, {0, 0, 0, 0}) == std::vector<float>{1, 1, 1});
    CHECK(a.output<"scores">()[0] == 23);
}
TEST_CASE("The caller may give all the memory", "[embedded]") {
    using net_type = embedded<two_nodes, cpu>;
    alignas(64) static std::byte arena[net_type::arena_bytes], storage[net_type::weights_type::packed_bytes];
    const net_type::weights_type w{std::span(storage)};
    net_type net{w, arena};
    CHECK(scores_of(net, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
    CHECK(static_cast<const void*>(net.input<"image">().data()) >= arena);
    CHECK(static_cast<const void*>(net.output<"scores">().data()) < arena + sizeof arena);
}
TEST_CASE("A failed construction is kept and reported by every run", "[embedded]") {
    alignas(64) static std::byte small[64];
    embedded<two_nodes, cpu> net{std::span(small).first(16)};
    CHECK(net.status() == status::failed);
    CHECK(net.run() == status::failed);
    CHECK(net.why() == "the arena is smaller than arena_bytes, or not aligned to 64 bytes");
    const weights<two_nodes, cpu> w{std::span(small).first(1)};
    CHECK(w.status() == status::failed);
    embedded shares{w};
    CHECK(shares.run() == status::failed);
    std::ranges::fill(shares.input<"image">(), 1.f);  // does no harm
    CHECK(shares.why() == "the storage for packed weights is smaller than packed_bytes, or not aligned to 64 bytes");
}
TEST_CASE("A kernel that fails ends the run with its words", "[embedded]") {
    embedded<two_nodes, fails, cpu> net;
    CHECK(net.run() == status::failed);
    CHECK(net.why() == "it always does");
}
TEST_CASE("A run stops on request", "[embedded]") {
    embedded<two_nodes, cpu> net;
    const std::atomic<bool> stop{true};
    CHECK(net.run({.stop = &stop, .deadline = {}}) == status::stopped);
    CHECK(net.run({.stop = nullptr, .deadline = std::chrono::steady_clock::now()}) == status::deadline_passed);
    std::stop_source source;
    CHECK(net.run(source.get_token()) == status::ok);
    source.request_stop();
    CHECK(net.run(source.get_token()) == status::stopped);
    CHECK(net.run() == status::ok);
}
TEST_CASE("A state stays inside from one run to the next, until it is reset", "[embedded]") {
    embedded<testing::one_node<"Relu", 14, element::f32>, cpu, state<"y", "x">> net;
    CHECK(net.input<"x">()[0] == 0);
    std::ranges::fill(net.input<"x">(), 2.f);
    for (int run = 0; run < 3; ++run) CHECK(net.run() == status::ok);
    CHECK(net.output<"y">()[5] == 2);
    CHECK(net.input<"x">()[5] == 2);
    net.reset();
    CHECK(net.input<"x">()[5] == 0);
}
TEST_CASE("States are written at once: one that passes on the input of another has what the run read", "[embedded]") {
    embedded<testing::passed_on, cpu, state<"flipped", "a">, state<"before", "b">> net;
    std::ranges::fill(net.input<"a">(), 2.f);
    REQUIRE(net.run() == status::ok);
    CHECK(net.input<"a">()[0] == -2);
    CHECK(net.input<"b">()[0] == 2);
    CHECK(net.output<"before">()[0] == 2);  // of this run
    CHECK(net.output<"swapped">()[0] == 0);
    REQUIRE(net.run() == status::ok);
    CHECK(net.input<"a">()[0] == 2);
    CHECK(net.input<"b">()[0] == -2);
    CHECK(net.output<"swapped">()[5] == 2);
}
TEST_CASE("Two states may change places, and a constant may be one", "[embedded]") {
    embedded<testing::passed_on, cpu, state<"swapped", "a">, state<"before", "b">> net;
    std::ranges::fill(net.input<"a">(), 1.f);
    std::ranges::fill(net.input<"b">(), 3.f);
    REQUIRE(net.run() == status::ok);
    CHECK(net.input<"a">()[2] == 3);
    CHECK(net.input<"b">()[2] == 1);
    embedded<testing::passed_on, cpu, state<"fixed", "b">> constant;
    REQUIRE(constant.run() == status::ok);
    CHECK(constant.input<"b">()[3] == 4);
    CHECK(constant.output<"fixed">()[3] == 4);
}
TEST_CASE("Threads come with an executor type", "[embedded][threads]") {
    embedded<two_nodes, cpu, threads<2>> net;
    CHECK(net.executor().size() == 2);
    CHECK(scores_of(net, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
}
TEST_CASE("An instruction set that the machine lacks is reported", "[embedded]") {
    embedded<two_nodes, cpu> net;
    CHECK(isa::available(net.level()));
    const weights<two_nodes, cpu> w{cpu{.threads = 1, .isa = isa::level::sse2, .flush_denormals = false}};
    embedded slow{w};
    CHECK(slow.level() == isa::level::sse2);
    CHECK(scores_of(slow, {1, 1, 1, 1}) == std::vector<float>{23, 27, 0});
}
TEST_CASE("A dimension with bounds changes between runs", "[embedded]") {
    embedded<testing::many_rows, cpu> net;
    STATIC_REQUIRE(std::same_as<decltype(net.input<"image">()), std::span<float>>);
    CHECK(net.input<"image">().size() == 32);
    for (const int rows : {8, 3, 1, 8, 5}) {
        CAPTURE(rows);
        REQUIRE(net.resize<"rows">(rows) == status::ok);
        const auto image = net.input<"image">();
        REQUIRE(image.size() == std::size_t(rows) * 4);
        for (int i = 0; i < rows; ++i) std::ranges::fill(image.subspan(std::size_t(i) * 4, 4), float(i));
        for (int run = 0; run < 2; ++run) {
            REQUIRE(net.run() == status::ok);
            CHECK(net.output_shape<"scores">() == shape{rows, 3});
            CHECK(std::ranges::equal(net.output<"shape">(), std::array<std::int64_t, 2>{rows, 3}));
            const auto scores = net.output<"scores">();
            REQUIRE(scores.size() == std::size_t(rows) * 3);
            for (int i = 0; i < rows; ++i) CHECK(scores[std::size_t(i) * 3] == 22.f * float(i) + 1);
        }
    }
    CHECK(net.resize<"rows">(9) == status::invalid_value);
    CHECK(net.resize<"rows">(0) == status::invalid_value);
    CHECK(net.why() == "a dimension is outside of its declared bounds");
    CHECK(net.input_shape<"image">() == shape{5, 4});
    CHECK(net.run() == status::ok);
}
TEST_CASE("Filters of a run are packed in scratch that the compiler has bounded", "[embedded]") {
    using net_type = embedded<testing::given_filters, cpu>;
    STATIC_REQUIRE(net_type::plan.constant_bytes == 0);
    STATIC_REQUIRE(net_type::plan.scratch_bytes >= 4 * 40 * 5 * 9);
    net_type net;
    embedded<testing::given_filters, reference> plain;
    for (const auto& [height, filters] : {std::pair{8, 40}, {3, 1}, {5, 17}, {8, 33}, {7, 40}}) {
        CAPTURE(height, filters);
        const auto run = [&](auto& model) {
            REQUIRE(model.template resize<"height">(height) == status::ok);
            REQUIRE(model.template resize<"filters">(filters) == status::ok);
            float next = 0;
            for (float& x : model.template input<"x">()) x = float(int(next++) % 7 - 3);
            for (float& w : model.template input<"w">()) w = float(int(next++) % 5 - 2);
            REQUIRE(model.run() == status::ok);
            const auto y = model.template output<"y">();
            return std::vector<float>(y.begin(), y.end());
        };
        CHECK(run(net) == run(plain));
    }
}
TEST_CASE("An output whose size depends on values has the size of the day", "[embedded]") {
    embedded<testing::chosen_boxes, cpu> net;
    const auto chosen_with = [&](float second_left) {
        const std::array<float, 12> boxes{0, 0, 1, 1, 0, second_left, 1, second_left + 1, 0, 5, 1, 6};
        std::ranges::copy(boxes, net.input<"boxes">().begin());
        std::ranges::copy(std::array<float, 3>{0.9f, 0.8f, 0.7f}, net.input<"marks">().begin());
        REQUIRE(net.run() == status::ok);
        const auto indices = net.output<"chosen">();
        CHECK(net.output_shape<"chosen">() == shape{std::int64_t(indices.size()) / 3, 3});
        CHECK(net.output<"shape">()[0] == std::int64_t(indices.size()) / 3);
        CHECK(net.output<"as_float">().size() == indices.size());
        std::vector<std::int64_t> boxes_chosen;
        for (std::size_t i = 2; i < indices.size(); i += 3) {
            boxes_chosen.push_back(indices[i]);
            CHECK(net.output<"as_float">()[i] == float(indices[i]));
        }
        return boxes_chosen;
    };
    for (int run = 0; run < 3; ++run) {
        CHECK(chosen_with(0.1f) == std::vector<std::int64_t>{0, 2});
        CHECK(chosen_with(2.f) == std::vector<std::int64_t>{0, 1, 2});
    }
}
TEST_CASE("Several outputs of one operator have the sizes that it reports", "[embedded]") {
    embedded<testing::distinct_numbers, cpu> net;
    using indices = std::vector<std::int64_t>;
    const auto check = [&](const std::vector<float>& x, const std::vector<float>& y, const indices& first,
                           const indices& inverse, const indices& counts) {
        REQUIRE(net.resize<"n">(std::int64_t(x.size())) == status::ok);
        std::ranges::copy(x, net.input<"x">().begin());
        REQUIRE(net.run() == status::ok);
        const auto vector_of = [](const auto& span) { return std::vector(span.begin(), span.end()); };
        CHECK(vector_of(net.output<"y">()) == y);
        CHECK(vector_of(net.output<"first">()) == first);
        CHECK(vector_of(net.output<"inverse">()) == inverse);
        CHECK(vector_of(net.output<"counts">()) == counts);
    };
    check({3, 1, 3, 2, 1, 3}, {1, 2, 3}, {1, 3, 0}, {2, 0, 2, 1, 0, 2}, {2, 1, 3});
    check({5, 5, 4}, {4, 5}, {2, 0}, {1, 1, 0}, {1, 2});
    check({6, 5, 4, 3, 2, 1}, {1, 2, 3, 4, 5, 6}, {5, 4, 3, 2, 1, 0}, {5, 4, 3, 2, 1, 0}, {1, 1, 1, 1, 1, 1});
}
