// Mirrors kernels/inlay/cpu/support/packs_at_run.hpp.
#include "../result_of.hpp"
#include <inlay/cpu/support/packs_at_run.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
// y = x * 2 w, where bind() doubles w; a negative w is refused there. A run begins with its scratch set to 1.
struct doubling_kernel : simple_kernel {
    struct params {
        std::int64_t count;
    };
    struct state {
        const float* doubled = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {4 * p.count, 4 * threads};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        auto* const to = reinterpret_cast<float*>(u.storage);
        if (*w.in<float>(1) < 0) return status::invalid_value;
        u.split(p.count, 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) to[i] = 2 * w.in<float>(1)[i];
        });
        s.doubled = to;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        for (int i = 0; i < c.threads; ++i) reinterpret_cast<float*>(c.scratch)[i] = 1;
        for (std::int64_t i = 0; i < p.count; ++i) a.out<float>(0)[i] = a.in<float>(0)[i] * s.doubled[i];
        return status::ok;
    }
};
using tested = packs_at_run<doubling_kernel>;
static_assert(complete_kernel<tested>);

struct product {
    graph_data graph{};
    tested::params params{};
    explicit product(bool constant) {
        const int x = graph.add_value("", element::f32, {3}),
                  w = constant ? graph.add_constant("", tensor(element::f32, {3}))
                               : graph.add_value("", element::f32, {3}),
                  y = graph.add_value("", element::f32, {3});
        graph.add_node("", "Doubling", 1, "", {}, std::vector{x, w}, std::vector{y});
        const graph_view v = graph.view();
        params = tested::prepare({v, v.nodes[0]});
    }
};
}  // namespace

TEST_CASE("Weights that are constants are packed once, into memory of the model") {
    const product p(true);
    const bytes_needed need = tested::footprint(p.params, isa::baseline, 2);
    CHECK(need.constant == 12);
    CHECK(need.scratch == 8);
    float w[] = {1, 2, 3}, x[] = {1, 1, 2}, y[3], scratch[2];
    alignas(64) std::byte storage[64];
    const void *constants[] = {nullptr, w}, *inputs[] = {x, nullptr};
    void* outputs[] = {y};
    tested::state s;
    REQUIRE(tested::bind(p.params, {constants}, {isa::baseline, 2, storage}, s) == status::ok);
    w[0] = 100;  // they are not read again
    serial alone;
    context c = make_context(alone, reinterpret_cast<std::byte*>(scratch));
    REQUIRE(tested::run(p.params, s, {inputs, outputs}, c) == status::ok);
    CHECK(std::vector(y, y + 3) == std::vector<float>{2, 4, 12});
}
TEST_CASE("Weights that are no constants are packed in each run, before the scratch that the kernel has for itself") {
    const product p(false);
    const bytes_needed need = tested::footprint(p.params, isa::baseline, 2);
    CHECK(need.constant == 0);
    CHECK(need.scratch == 64 + 8);
    tested::state s;
    const void* const unknown[] = {nullptr, nullptr};
    REQUIRE(tested::bind(p.params, {unknown}, {isa::baseline, 2, nullptr}, s) == status::ok);
    alignas(64) std::byte scratch[64 + 8];
    for (const float first : {1.f, 7.f}) {
        const float w[] = {first, 2, 3}, x[] = {1, 1, 2};
        float y[3];
        const void* const inputs[] = {x, w};
        void* const outputs[] = {y};
        serial alone;
        context c = make_context(alone, scratch);
        c.threads = 2;
        REQUIRE(tested::run(p.params, s, {inputs, outputs}, c) == status::ok);
        CHECK(std::vector(y, y + 3) == std::vector<float>{2 * first, 4, 12});
        CHECK(c.scratch == scratch);
    }
}
TEST_CASE("A run whose weights cannot be packed says so") {
    const product p(false);
    tested::state s;
    const float w[] = {-1, 2, 3}, x[] = {1, 1, 2};
    float y[] = {5, 5, 5};
    const void* const inputs[] = {x, w};
    void* const outputs[] = {y};
    alignas(64) std::byte scratch[64 + 8];
    serial alone;
    context c = make_context(alone, scratch);
    const void* const unknown[] = {nullptr, nullptr};
    REQUIRE(tested::bind(p.params, {unknown}, {isa::baseline, 1, nullptr}, s) == status::ok);
    CHECK(tested::run(p.params, s, {inputs, outputs}, c) == status::invalid_value);
    CHECK(y[0] == 5);
    CHECK(c.scratch == scratch);
}
