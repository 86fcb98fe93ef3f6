// One model as a file and as a type: the session's plan and the compiler's are the same, and so is every bit of the
// results.
#include "catch.hpp"
#include <inlay/embedded.hpp>
#include <inlay/inlay.hpp>
#include <inlay/models/digits.hpp>
#include <inlay/models/digits_bfloat16.hpp>
#include <inlay/models/parts.hpp>
#include <inlay/models/rows.hpp>
#include <random>

using namespace inlay;

namespace {
// Runs what it can in memory of its own.
struct shelf_memory {};
struct shelf {
    static constexpr std::string_view name = "ShelfExecutionProvider";
    using memory = shelf_memory;
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu, op::max_pool, op::softmax>;
};
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct memory_space<shelf_memory> : memory_space<memory::host> {
    static constexpr std::string_view name = "shelf";
};
template <> struct transfer<memory::host, shelf_memory> : transfer<memory::host, memory::host> {};
template <> struct transfer<shelf_memory, memory::host> : transfer<memory::host, memory::host> {};
}  // namespace v1
}  // namespace inlay

namespace {
template <class Net, class Model> void same_plan(const session_base& s) {
    constexpr auto& fixed = Net::plan;
    const plan_report live = s.plan();
    CHECK(live.steps == int(fixed.step_count));
    CHECK(live.aliased == fixed.aliased);
    CHECK(live.sliced == fixed.sliced);
    CHECK(live.conversions.size() == std::size_t(fixed.conversions));
    CHECK(live.transfers.size() == std::size_t(fixed.transfers));
    CHECK(live.arena_bytes == fixed.arena_total());
    CHECK(live.live_bytes == fixed.live_bytes);
    CHECK(live.scratch_bytes == fixed.scratch_bytes);
    std::size_t at = 0;  // the type has the nodes of the file, without those that are folded
    for (const plan_report::line& l : live.nodes) {
        if (l.provider == "(folded)") continue;
        CAPTURE(l.node);
        REQUIRE(at < Model::graph.nodes.size());
        CHECK(Model::graph.nodes[at].name == l.node);
        CHECK(live.providers[std::size_t(fixed.owners[at])] == l.provider);
        CHECK((fixed.unit_of[at] != int(at)) == !l.fused_into.empty());
        const int unit = fixed.unit_of[at];
        const auto kernels = Net::planned::list().view(fixed.owners[at]).kernels;
        CHECK(kernels[std::size_t(fixed.kernels[std::size_t(unit)])].device_name == l.kernel);
        ++at;
    }
    CHECK(at == Model::graph.nodes.size());
}
// With AMX a session of this precision keeps values between nodes as bfloat16. That changes no result of this model,
// but its plan, which a type's does not follow.
cpu planned_as_type(cpu p) {
    if (p.precision == precision::bfloat16 && isa::name_of(*isa::choose({})) == "amx")
        p.isa = isa::from_text("avx512bf16");
    return p;
}
template <class P> P planned_as_type(P p) { return p; }
template <class Model = models::digits, class... Ps> void digits_agree(Ps... ps) {
    using net_type = embedded<Model, Ps...>;
    auto net = std::make_unique<net_type>();
    REQUIRE(net->status() == status::ok);
    const session_options options{.intra_op_num_threads = 1};
    const inlay::session s{model(DIGITS), options, ps...};
    tensor image(element::f32, {1, 1, 8, 8});
    std::mt19937 random(7);
    for (float& x : image.as<float>()) x = float(random() % 17) / 16;
    std::ranges::copy(image.as<float>(), net->template input<"image">().begin());
    REQUIRE(net->run() == status::ok);
    const tensor scores = s.run({{"image", image}}).at("scores");
    CHECK(std::ranges::equal(scores.as<float>(), net->template output<"scores">()));
    same_plan<net_type, Model>(inlay::session{model(DIGITS), options, planned_as_type(ps)...});
}
}  // namespace

TEST_CASE("Digits over the CPU", "[agreement]") { digits_agree(cpu{}); }
TEST_CASE("Digits over the reference kernels, then the CPU", "[agreement]") { digits_agree(reference{}, cpu{}); }
TEST_CASE("Digits over a provider with memory of its own, then the CPU", "[agreement]") {
    digits_agree(shelf{}, cpu{});
}
TEST_CASE("Digits in bfloat16", "[agreement]") {
    digits_agree<models::digits_bfloat16>(cpu{.precision = precision::bfloat16});
    const weights<models::digits_bfloat16, cpu> same{cpu{.precision = precision::bfloat16}},
        strict{cpu{.precision = precision::strict}};
    CHECK(same.status() == status::ok);
    CHECK(strict.status() == status::unsupported);
    CHECK(std::string_view(strict.why())
              .starts_with("a provider requests another precision than the model was compiled with"));
    CHECK(weights<models::digits_bfloat16, cpu>::packed_bytes < weights<models::digits, cpu>::packed_bytes);
}
TEST_CASE("One header gives another plan for each list", "[agreement]") {
    constexpr auto steps = [](auto& p) { return std::pair(p.step_count, p.transfers); };
    CHECK(steps(embedded<models::digits, cpu>::plan) != steps(embedded<models::digits, reference, cpu>::plan));
    CHECK(steps(embedded<models::digits, cpu>::plan) != steps(embedded<models::digits, shelf, cpu>::plan));
    CHECK(steps(embedded<models::digits, reference, cpu>::plan) != steps(embedded<models::digits, shelf, cpu>::plan));
}
TEST_CASE("Parts of Concat and Split are the same slices in both", "[agreement]") {
    embedded<models::parts, cpu> net;
    REQUIRE(net.status() == status::ok);
    const model m(PARTS);
    const inlay::session s{m, cpu{.threads = 1}};
    tensor image(element::f32, {1, 8, 6, 6});
    std::mt19937 random(9);
    for (float& x : image.as<float>()) x = float(random() % 17) / 16;
    std::ranges::copy(image.as<float>(), net.input<"image">().begin());
    REQUIRE(net.run() == status::ok);
    const tensor scores = s.run({{"image", image}}).at("scores");
    CHECK(std::ranges::equal(scores.as<float>(), net.output<"scores">()));
    CHECK(s.plan().sliced == 8);  // u, a, b, c, d, e, inner and f
    CHECK(std::ranges::count_if(s.plan().nodes, [](const auto& l) { return l.fused_into.starts_with("ScaledConv"); }) ==
          2);  // the last Mul and Conv
    same_plan<embedded<models::parts, cpu>, models::parts>(s);
}
TEST_CASE("A recurrent network with its state inside gives what a session gives with the state passed by hand",
          "[agreement]") {
    embedded<models::rows, cpu, state<"hidden_out", "hidden">> net;
    const inlay::session s{model(ROWS), cpu{.threads = 1}};
    tensor row(element::f32, {1, 1, 8}), hidden(element::f32, {1, 1, 64});
    std::mt19937 random(8);
    for (int step = 0; step < 20; ++step) {
        CAPTURE(step);
        for (float& x : row.as<float>()) x = float(random() % 17) / 16;
        std::ranges::copy(row.as<float>(), net.input<"row">().begin());
        REQUIRE(net.run() == status::ok);
        const fetched out = s.run({{"row", row}, {"hidden", hidden}});
        CHECK(std::ranges::equal(out.at("scores").as<float>(), net.output<"scores">()));
        hidden = out.at("hidden_out").clone();
    }
    same_plan<embedded<models::rows, cpu>, models::rows>(s);
}
