// What engines proposed, kept by itself.
#include "../models.hpp"
#include "engine/kept_proposals.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
struct questions {
    model m = model_of("g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }");
    std::vector<value> values{m.view().values.begin(), m.view().values.end()};
    int queries = 0;

    graph_view sized(std::int64_t n) {
        for (value& v : values) v.dims = {n};
        graph_view g = m.view();
        g.values = values;
        return g;
    }
    std::shared_ptr<const proposals> ask(kept_proposals& cache, int provider, std::int64_t n, std::vector<int> nodes) {
        return cache.get(provider, sized(n), nodes, [&] {
            ++queries;
            proposals p;
            p.take(nodes);
            return p;
        });
    }
};
}  // namespace

TEST_CASE("An engine is queried once about the same nodes with the same shapes") {
    questions q;
    kept_proposals cache(4);
    const auto first = q.ask(cache, 0, 3, {0, 1});
    CHECK(q.ask(cache, 0, 3, {0, 1}) == first);
    CHECK(q.queries == 1);
    CHECK(first->regions() == std::vector<std::vector<int>>{{0, 1}});
}
TEST_CASE("Other nodes, other shapes and another provider are another question") {
    questions q;
    kept_proposals cache(4);
    (void)q.ask(cache, 0, 3, {0, 1});
    (void)q.ask(cache, 0, 3, {1});
    (void)q.ask(cache, 0, 5, {0, 1});
    (void)q.ask(cache, 1, 3, {0, 1});
    CHECK(q.queries == 4);
}
TEST_CASE("The least recently used answer goes first, and lives as long as a caller has it") {
    questions q;
    kept_proposals cache(2);
    const auto first = q.ask(cache, 0, 1, {0});
    (void)q.ask(cache, 0, 2, {0});
    (void)q.ask(cache, 0, 3, {0});
    CHECK(first->regions().size() == 1);
    (void)q.ask(cache, 0, 3, {0});
    CHECK(q.queries == 3);
    (void)q.ask(cache, 0, 1, {0});
    CHECK(q.queries == 4);
}
