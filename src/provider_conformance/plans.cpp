// Which provider runs a node, and why not another one.
#include "conformance.hpp"

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
void takes_something(const subject& s) { (void)s.favourite(); }
void reasons(const subject& s) {
    for (const network& n : s.networks) {
        const handle_session session(n.model, s.before_companion(), silent());
        (void)session.run(feeds_of(inputs_of(n.model, 1)));  // choices at run time have answers too
        for_each_node(session.plan().nodes, [&](const plan_report::line& l) {
            if (l.provider == s.name) return;
            const auto answer = std::ranges::find(l.answers, s.name, &plan_report::answer::provider);
            require(answer != l.answers.end() && !answer->text.empty(),
                    n.name + ": it refuses " + l.node + " without a reason");
        });
    }
}
void one_step_each(const subject& s) {
    for (const network& n : s.networks) {
        const plan_report plan = handle_session(n.model, s.before_companion(), silent()).plan();
        std::vector<int> steps(plan.nodes.size(), 0);
        for (const plan_report::step& step : plan.schedule)
            for (int k : step.nodes) {
                const plan_report::line& l = plan.nodes[std::size_t(k)];
                ++steps[std::size_t(k)];
                require(l.provider == step.provider,
                        n.name + ": " + l.node + " is a node of " + l.provider + " in a step of " + step.provider);
            }
        for (std::size_t k = 0; k < steps.size(); ++k)
            require(steps[k] == 1 || plan.nodes[k].provider.starts_with('('),
                    n.name + ": " + plan.nodes[k].node + " is in " + std::to_string(steps[k]) + " steps");
    }
}
std::vector<std::string> owners(const network& n, std::vector<provider_handle> list) {
    std::vector<std::string> lines;
    for_each_node(handle_session(n.model, std::move(list), silent()).plan().nodes,
                  [&](const plan_report::line& l) { lines.push_back(l.node + " on " + l.provider); });
    return lines;
}
void same_plan(const subject& s) {
    for (const network& n : s.networks)
        require(owners(n, s.before_companion()) == owners(n, s.before_companion()), n.name + ": two plans differ");
}
void order(const subject& s) {
    for (const network& n : s.networks) {
        const handle_session session(n.model, {s.companion(), s.handle()}, silent());
        require(session.providers()[1] == s.name, "the session lists `" + session.providers()[1] + "` second");
        for_each_node(session.plan().nodes, [&](const plan_report::line& l) {
            require(l.provider != s.name, n.name + ": it takes " + l.node + " from the provider before it");
        });
    }
}
void never(const subject& s) {
    for (const network& n : s.networks) {
        bool whole_network = true;
        for_each_node(handle_session(n.model, s.before_companion(), silent()).plan().nodes,
                      [&](const plan_report::line& l) { whole_network &= l.provider == s.name; });
        try {
            const handle_session session(n.model, {s.handle()}, silent(fallback::never()));
            const auto inputs = inputs_of(n.model, 2);
            (void)session.run(feeds_of(inputs));
            require(whole_network, n.name + ": nodes that it refuses run under fallback::never");
        } catch (const error& e) {
            require(!whole_network, n.name + ": it takes all nodes, yet under fallback::never: " + e.text);
            require(e.code == error_code::no_provider, n.name + ": the error is " + std::string(name_of(e.code)));
            require(e.text.find(s.name) != std::string::npos, n.name + ": the error does not tell its reason");
        }
    }
}
}  // namespace
std::span<const provider_test> tests_of_plans() {
    static constexpr provider_test tests[] = {
        {"It takes a node of one network at least", takes_something},
        {"Each node that it refuses has a reason in the plan", reasons},
        {"Each node is in one step, of the provider that the plan reports", one_step_each},
        {"Two sessions of one list have the same plan", same_plan},
        {"It runs no node that a provider before it takes", order},
        {"Under fallback::never its nodes run alone, and a node that it refuses is an error with its reason", never},
    };
    return tests;
}
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
