// Runs each conformance test once; a test fails by an exception.
#include "conformance.hpp"
#include "support/text.hpp"
#include <ostream>

namespace inlay {
inline namespace v1 {
namespace conformance {
session_options silent(fallback f) {
    session_options o;
    o.fallback = std::move(f);
    o.log = [](severity, std::string_view) {};
    return o;
}
subject::subject(const provider_factory& f, const conformance_options& o)
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
    require(
        best,
        "it takes no node of the conformance tests' networks: give it one of its own in conformance_options::networks");
    return *best;
}
const network& subject::alone() const {
    for (const network& n : networks)
        if (taken(n) < 0) return n;
    throw not_applicable{"it takes all nodes of none of the networks"};
}
namespace {
conformance_result run_test(const provider_test& test, const subject& s) {
    conformance_result r{std::string(test.text)};
    if (s.lacks && !test.when_missing) {
        r.outcome = conformance_outcome::unavailable;
        r.reason = s.lacks->text;
        return r;
    }
    const auto fail = [&](std::string reason) {
        r.outcome = conformance_outcome::failed;
        r.reason = std::move(reason);
    };
    try {
        test.check(s);
    } catch (const failed& f) {
        fail(f.reason);
    } catch (const not_applicable& n) {
        r.outcome = conformance_outcome::not_applicable;
        r.reason = n.reason;
    } catch (const std::exception& e) {
        fail("an error was raised: " + std::string(e.what()));
    }
    return r;
}
}  // namespace
}  // namespace conformance

std::vector<conformance_result> check_conformance(const provider_factory& f, const conformance_options& o) {
    if (!f.plan_only.empty())
        return {{"The provider can be run", conformance_outcome::unavailable, std::string(f.plan_only)}};
    const conformance::subject s(f, o);
    std::vector<conformance_result> results;
    for (const auto& tests :
         {conformance::tests_of_names(), conformance::tests_of_plans(), conformance::tests_of_runs(),
          conformance::tests_of_memory(), conformance::tests_of_failures(), conformance::tests_of_absence()})
        for (const conformance::provider_test& test : tests) results.push_back(conformance::run_test(test, s));
    return results;
}
std::ostream& operator<<(std::ostream& out, const conformance_result& r) {
    out << name_of(r.outcome) << ": " << r.test;
    return r.reason.empty() ? out : out << ": " << printable(r.reason);
}
}  // namespace v1
}  // namespace inlay
