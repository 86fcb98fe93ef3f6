// Runs each conformance test once; a test fails by an exception.
#include "laws.hpp"
#include "support/text.hpp"
#include <ostream>

namespace inlay {
inline namespace v1 {
namespace laws {
session_options silent(fallback f) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
subject::subject(const provider_factory& f, const law_options& o)
    : factory(f), options(o), networks(stock_networks()), name(f.name) {
    for (const model& m : o.networks)
        networks.push_back({"network " + std::to_string(networks.size()) + " of the author", m});
    try {
        (void)handle_session(networks.front().model, before_companion(), silent());
    } catch (const error& e) {
        if (e.code == error_code::provider_unavailable) lacks = e;
    }
}
provider_handle subject::make_alone(const option_list& list) const { return factory.make(list).value_or_raise(); }
provider_handle subject::companion() const {
    return name == reference::name ? make_handle(cpu{.threads = 1}) : make_handle(reference{});
}
void for_each_node(const std::vector<plan_report::line>& lines,
                   const std::function<void(const plan_report::line&)>& f) {
    for (const plan_report::line& l : lines) {
        if (!l.provider.starts_with('(')) f(l);
        for_each_node(l.body, f);
    }
}
int subject::taken(const network& n) const {
    int total = 0, supported = 0;
    for_each_node(handle_session(n.model, before_companion(), silent()).plan().nodes, [&](const plan_report::line& l) {
        ++total;
        supported += l.provider == name;
    });
    return supported == total ? -1 : supported;
}
const network& subject::favourite() const {
    const network* best = nullptr;
    int most = 0;
    for (const network& n : networks) {
        const int supported = taken(n), nodes = supported < 0 ? int(n.model.graph().nodes.size()) : supported;
        if (nodes > most) best = &n;
        most = std::max(most, nodes);
    }
    require(best,
            "it takes no node of the conformance tests' networks: give it one of its own in law_options::networks");
    return *best;
}
const network& subject::alone() const {
    for (const network& n : networks)
        if (taken(n) < 0) return n;
    throw not_for_it{"it takes all nodes of none of the networks"};
}
namespace {
law_result ask(const law& l, const subject& s) {
    law_result r{std::string(l.text)};
    if (s.lacks && !l.without_it) {
        r.outcome = law_outcome::unavailable;
        r.reason = s.lacks->text;
        return r;
    }
    const auto spoiled = [&](std::string reason) {
        r.outcome = law_outcome::broken;
        r.reason = std::move(reason);
    };
    try {
        l.check(s);
    } catch (const broken& b) {
        spoiled(b.reason);
    } catch (const not_for_it& n) {
        r.outcome = law_outcome::not_for_it;
        r.reason = n.reason;
    } catch (const std::exception& e) {
        spoiled("an error was raised: " + std::string(e.what()));
    }
    return r;
}
}  // namespace
}  // namespace laws

std::vector<law_result> check_laws(const provider_factory& f, const law_options& o) {
    if (!f.plan_only.empty()) return {{"The provider can be run", law_outcome::unavailable, std::string(f.plan_only)}};
    const laws::subject s(f, o);
    std::vector<law_result> results;
    for (const auto& laws : {laws::laws_of_names(), laws::laws_of_plans(), laws::laws_of_runs(), laws::laws_of_memory(),
                             laws::laws_of_failures(), laws::laws_of_absence()})
        for (const laws::law& l : laws) results.push_back(laws::ask(l, s));
    return results;
}
std::ostream& operator<<(std::ostream& out, const law_result& r) {
    out << name_of(r.outcome) << ": " << r.law;
    return r.reason.empty() ? out : out << ": " << printable(r.reason);
}
}  // namespace v1
}  // namespace inlay
