// The parts of a session over a model, without a session.
#pragma once
#include "../models.hpp"
#include "engine/binder.hpp"
#include "engine/context_pool.hpp"
#include "engine/planner.hpp"
#include "test_providers.hpp"

namespace inlay::testing {
struct parts {
    model from;
    session_setup setup;
    session_graph graph;
    inlay::planner planner;
    kept_states states;
    inlay::binder binder;
    context_pool contexts;

    template <class... Ps> explicit parts(std::string_view text, const Ps&... ps) : parts(options(), text, ps...) {}
    template <class... Ps>
    parts(const session_options& o, std::string_view text, const Ps&... ps)
        : from(model_of(text)),
          setup(o, {make_handle(ps)...}, from.view()),
          graph(from.graph(), from.view(), setup.handles),
          planner(setup, graph),
          states(setup, graph),
          binder(setup, graph, states),
          contexts(setup) {
        graph.states = std::make_shared<bound_states>();
    }
    static session_options options(fallback f = {}) {
        session_options o;
        o.fallback = std::move(f);
        o.log = [](severity, std::string_view) {};
        o.intra_op_num_threads = 1;
        return o;
    }
    std::shared_ptr<compiled_plan> bound(std::span<const shape> inputs) {
        auto p = planner.plan(inputs);
        binder.bind(*p, nullptr);
        return p;
    }
};
}  // namespace inlay::testing
