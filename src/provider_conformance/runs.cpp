// Results, sizes that change, bindings, threads, and runs that end early.
#include "conformance.hpp"
#include <thread>

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
void agree(const subject& s, const network& n, const handle_session& session, int seed, std::int64_t size) {
    const auto inputs = inputs_of(n.model, seed, size);
    const auto feeds = feeds_of(inputs);
    const std::string off = difference(session.run(feeds), plain_results(n.model, feeds), s.options.tolerance);
    require(off.empty(), n.name + ": " + off);
}
void results(const subject& s) {
    for (const network& n : s.networks) {
        const handle_session session(n.model, s.before_companion(), silent());
        for (int seed : {1, 2, 1}) agree(s, n, session, seed, 3);
    }
}
void sizes(const subject& s) {
    const network n = open_size_network();
    const handle_session session(n.model, s.before_companion(), silent());
    for (const std::int64_t size : {1, 5, 2, 5}) agree(s, n, session, int(size), size);
}
void bindings(const subject& s) {
    const network& n = s.favourite();
    const handle_session session(n.model, s.before_companion(), silent());
    binding bound = session.bind();
    for (int seed : {1, 2, 1}) {
        const auto inputs = inputs_of(n.model, seed);
        for (const named_tensor& t : inputs) bound.set_input(t.name, t.value);
        require(bound.run() == status::ok, n.name + ": a bound run failed: " + std::string(bound.why()));
        std::vector<std::pair<std::string, any_value>> outputs;
        for (const port& p : session.outputs()) {
            const auto view = bound.output(p.name);
            tensor t(view.type(), view.shape());
            std::memcpy(t.data(), view.data(), std::size_t(view.bytes()));
            outputs.emplace_back(p.name, t);
        }
        const auto feeds = feeds_of(inputs);
        const std::string off = difference(fetched(outputs), plain_results(n.model, feeds), s.options.tolerance);
        require(off.empty(), n.name + ", bound: " + off);
    }
}
void counts(const subject& s) {
    const network& n = s.favourite();
    const handle_session session(n.model, s.before_companion(), silent());
    const auto inputs = inputs_of(n.model, 1);
    const fetched outputs = session.run(feeds_of(inputs));
    for (const provider_count& c : outputs.executed())
        require(c.nodes == session.plan().count(c.provider), n.name + ": " + std::to_string(c.nodes) +
                                                                 " nodes ran on " + c.provider + ", the plan has " +
                                                                 std::to_string(session.plan().count(c.provider)));
}
void threads(const subject& s) {
    const network& n = s.favourite();
    const handle_session session(n.model, s.before_companion(), silent());
    std::vector<std::string> wrong(std::size_t(s.options.threads));
    std::vector<std::thread> workers;
    for (int t = 0; t < s.options.threads; ++t)
        workers.emplace_back([&, t] {
            const auto inputs = inputs_of(n.model, t);
            const auto feeds = feeds_of(inputs);
            std::string& reason = wrong[std::size_t(t)];
            try {
                const fetched expected = plain_results(n.model, feeds);
                for (int run = 0; run < s.options.runs && reason.empty(); ++run)
                    reason = difference(session.run(feeds), expected, s.options.tolerance);
            } catch (const std::exception& e) {
                reason = e.what();
            }
        });
    for (std::thread& t : workers) t.join();
    for (std::size_t t = 0; t < wrong.size(); ++t)
        require(wrong[t].empty(), n.name + ", thread " + std::to_string(t) + ": " + wrong[t]);
}
void ends(const subject& s, const run_options& o, error_code code) {
    const network& n = s.favourite();
    const handle_session session(n.model, s.before_companion(), silent());
    const auto inputs = inputs_of(n.model, 1);
    const auto feeds = feeds_of(inputs);
    for (int turn = 0; turn < 2; ++turn) {
        const auto outcome = session.try_run(feeds, {}, o);
        require(!outcome, n.name + ": the run went on");
        require(outcome.why().code == code, n.name + ": the run ended with " +
                                                std::string(name_of(outcome.why().code)) + ": " + outcome.why().text);
        agree(s, n, session, 1 + turn, 3);
    }
}
void stops(const subject& s) {
    const std::atomic<bool> stop{true};
    run_options o;
    o.stop = &stop;
    ends(s, o, error_code::stopped);
}
void deadline(const subject& s) {
    run_options o;
    o.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    ends(s, o, error_code::deadline_passed);
}
}  // namespace
std::span<const provider_test> tests_of_runs() {
    static constexpr provider_test tests[] = {
        {"Its results are those of the reference kernels", results},
        {"Sizes may change from run to run", sizes},
        {"Bound runs have the results of the reference kernels", bindings},
        {"A run executes as many nodes on each provider as the plan reports", counts},
        {"Runs of several threads at a time have the results of the reference kernels", threads},
        {"A run whose stop flag is set ends as stopped, and the session runs on", stops},
        {"A run whose deadline has passed ends so, and the session runs on", deadline},
    };
    return tests;
}
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
