#include "cost.hpp"
#include "run_failures.hpp"
#include "support/text.hpp"
#include <inlay/plan/cost_cut.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// One trial plan per provider, in which the providers before it have no nodes; and one for what the costs of their
// nodes suggest.
class cost_trials {
    struct trial {
        std::shared_ptr<compiled_plan> plan;
        int front;  // the first provider that has nodes; -1: as the costs suggest
        std::unique_ptr<run_context> context{};
        std::vector<double> runs{};                // seconds
        std::vector<std::vector<double>> steps{};  // by step: of each run
        double seconds() const { return median(runs); }
    };
    const plan_trials& with_;
    const session_setup& setup_ = with_.setup;
    const session_graph& graph_ = with_.graph;
    std::vector<any_value> inputs_;
    std::vector<trial> trials_;
    run_costs costs_;

    static constexpr int fewest_runs = 5, most_runs = 40;
    static constexpr double enough_seconds = .15;  // of each plan
    static constexpr double worth = .01;           // how much faster a plan has to be than the one by order
    static constexpr double close = .05;           // closer plans need more runs to see which is faster

    int nodes() const { return int(graph_.view.nodes.size()); }
    int providers() const { return int(setup_.handles.size()); }

    void run_once(trial& t, bool counts) {
        std::vector<moment> marks(2 * t.plan->steps.size());
        t.context->clear_failure();
        const moment begin = std::chrono::steady_clock::now();
        if (const status s = with_.runs.execute(*t.context, {}); s != status::ok)
            raise_status(*t.context, s, setup_.handles);
        const moment end = std::chrono::steady_clock::now();
        if (const status s = with_.runs.execute_timed(*t.context, {}, marks.data()); s != status::ok)
            raise_status(*t.context, s, setup_.handles);
        if (!counts) return;
        t.runs.push_back(std::chrono::duration<double>(end - begin).count());
        for (std::size_t k = 0; k < t.steps.size(); ++k)
            t.steps[k].push_back(std::chrono::duration<double>(marks[2 * k + 1] - marks[2 * k]).count());
    }
    // Runs are interleaved, so that a disturbance of the machine affects all plans.
    void run_in_turns(std::span<trial* const> those) {
        const moment begin = std::chrono::steady_clock::now();
        for (int run = 0; run < most_runs; ++run) {
            for (trial* t : those) run_once(*t, true);
            const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (run + 1 >= fewest_runs && passed > enough_seconds * double(those.size())) break;
        }
    }
    void measure() {
        std::vector<trial*> trials;
        for (trial& t : trials_) {
            t.runs.clear();
            t.steps.assign(t.plan->steps.size(), {});
            t.context->timed.clear();
            run_once(t, false);
            trials.push_back(&t);
        }
        run_in_turns(trials);
    }
    // Time relative to the other plan: ratios of pairs of their last runs, which were interleaved.
    static double beside(const trial& t, const trial& baseline) {
        std::vector<double> ratios;
        for (auto a = t.runs.rbegin(), b = baseline.runs.rbegin(); a != t.runs.rend() && b != baseline.runs.rend();
             ++a, ++b)
            ratios.push_back(*a / *b);
        return median(ratios);
    }
    trial& fastest() {
        trial* best = &trials_.front();
        for (trial& t : trials_) {
            if (&t == best) continue;
            if (std::abs(beside(t, *best) - 1) < close) run_in_turns(std::array{best, &t});
            if (beside(t, *best) < (best == &trials_.front() ? 1 - worth : 1)) best = &t;
        }
        return *best;
    }
    bool make_inputs(std::span<const shape> shapes) {
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            const value& v = graph_.view.values[std::size_t(graph_.view.inputs[k])];
            if (v.type == element::object || v.type == element::string || !shapes[k].known()) return false;
            tensor t(v.type, shapes[k]);  // zeros are valid indices
            if (v.type == element::f32) std::ranges::fill(t.as<float>(), .5f);
            inputs_.push_back(std::move(t));
        }
        return true;
    }
    void add(std::shared_ptr<compiled_plan> plan, int front) {
        trial& t = trials_.emplace_back(trial{std::move(plan), front});
        t.context = with_.contexts.take(t.plan, setup_.run_bytes);
        for (std::size_t k = 0; k < inputs_.size(); ++k) t.context->set_input(int(k), inputs_[k]);
    }
    void add_each_in_front(std::shared_ptr<compiled_plan> greedy) {
        add(std::move(greedy), 0);
        for (int p = 1; p < providers(); ++p) {
            const auto& owners = trials_.back().plan->plan.assigned.owners;
            if (std::ranges::find(owners, p - 1) == owners.end()) continue;  // excluding it would change nothing
            auto placed = std::make_shared<placement>(std::size_t(nodes()));
            std::ranges::fill(placed->first, p);
            try {
                add(with_.make(placed), p);
            } catch (const error& e) {
                if (e.code != error_code::no_provider) throw;  // without these providers no provider runs some node
                return;
            }
        }
    }
    std::vector<int> nodes_of(const trial& t, std::size_t step) const {
        const assignment& a = t.plan->plan.assigned;
        const inlay::step& s = t.plan->plan.steps[step];
        std::vector<int> members;
        for (int i = 0; i < nodes(); ++i)
            if (a.unit_of[std::size_t(i)] == s.unit && a.owners[std::size_t(i)] == s.provider) members.push_back(i);
        return members;
    }
    // The step's time is divided among its nodes, in the proportions of their times on a later provider.
    void spread(const trial& t, std::size_t step, double seconds) {
        const int provider = t.plan->plan.steps[step].provider;
        const std::vector<int> members = nodes_of(t, step);
        constexpr double least = 1e-9;  // so that totals are not zero
        std::vector<double> weights(members.size(), least);
        for (std::size_t k = 0; k < members.size(); ++k)
            for (int p = providers() - 1; p > provider; --p)
                if (const double cost = costs_.of(members[k], p); cost < run_costs::never) {
                    weights[k] += cost;
                    break;
                }
        double sum = 0;
        for (double w : weights) sum += w;
        for (std::size_t k = 0; k < members.size(); ++k)
            costs_.nodes[std::size_t(members[k] * providers() + provider)] = seconds * weights[k] / sum;
    }
    const trial& in_front(int provider) const {  // its own trial: the last that does not exclude it
        const trial* result = &trials_.front();
        for (const trial& t : trials_)
            if (t.front <= provider) result = &t;
        return *result;
    }
    void find_costs() {
        const auto values = graph_.view.values.size();
        costs_ = {providers(),
                  std::vector<double>(std::size_t(nodes() * providers()), run_costs::never),
                  std::vector<double>(values, 0),
                  std::vector<double>(values, 0),
                  {},
                  {}};
        const erased_providers list = setup_.list();
        constexpr double start = 1e-6;  // of one more region
        for (int p = 0; p < providers(); ++p) {
            costs_.spaces.push_back(list.view(p).space);
            costs_.regions.push_back(list.view(p).has_engine ? start : 0);
        }
        for (int p = providers() - 1; p >= 0; --p) {
            const trial& t = in_front(p);
            double before = 0;  // conversions, charged to the next step
            for (std::size_t k = 0; k < t.steps.size(); ++k) {
                const step& s = t.plan->plan.steps[k];
                if (s.unit == step_kind::transfer) continue;
                const double seconds = std::exchange(before, 0) + median(t.steps[k]);
                if (s.unit < 0)
                    before = seconds;
                else if (s.provider == p)
                    spread(t, k, seconds);
            }
            const auto& owners = t.plan->plan.assigned.owners;  // work at load time costs nothing
            for (int i = 0; i < nodes(); ++i)
                if (owners[std::size_t(i)] == owner::folded) costs_.nodes[std::size_t(i * providers() + p)] = 0;
        }
        find_crossings();
    }
    // Copies between memories cost what they took in the trials; a change of provider within one memory may change the
    // layout, which costs reading and writing the value once.
    void find_crossings() {
        double seconds = 0, bytes = 0;
        for (const trial& t : trials_)
            for (std::size_t k = 0; k < t.steps.size(); ++k)
                if (const step& s = t.plan->plan.steps[k]; s.unit == step_kind::transfer) {
                    const value& v = t.plan->record(t.plan->plan.arguments[std::size_t(s.inputs.first)]);
                    if (!v.dims.known()) continue;
                    seconds += median(t.steps[k]);
                    bytes += double(bytes_of(v.type, v.dims.elements()));
                }
        constexpr double host_copy = 8e9, per_copy = 2e-7;  // bytes per second; seconds
        const double device_copy = seconds > 0 ? bytes / seconds : host_copy;
        const graph_view& g = trials_.front().plan->graph.view;
        for (std::size_t v = 0; v < g.values.size(); ++v) {
            if (!in_arena(g.values[v])) continue;
            const double size = double(bytes_of(g.values[v].type, g.values[v].dims.elements()));
            costs_.transfers[v] = per_copy + size / device_copy;
            costs_.handovers[v] = layouts_coincide(g.values[v].dims) ? per_copy : per_copy + size / host_copy;
        }
    }
    std::vector<int> owners_of(const trial& t) const {
        std::vector<int> owners = t.plan->plan.assigned.owners;
        for (int& o : owners) o = std::max(o, -1);
        return owners;
    }
    std::shared_ptr<placement> placement_of(const std::vector<int>& owners) const {
        auto placed = std::make_shared<placement>();
        const auto microseconds = [](double s) { return decimal_text(s * 1e6, 1) + " us"; };
        for (int i = 0; i < nodes(); ++i) {
            const int o = std::max(0, owners[std::size_t(i)]);
            placed->first.push_back(o);
            std::string& reason = placed->reasons.emplace_back();
            int best = -1;
            for (int p = 0; p < o; ++p)
                if (costs_.of(i, p) < run_costs::never && (best < 0 || costs_.of(i, p) < costs_.of(i, best))) best = p;
            if (best < 0)
                placed->first.back() = 0;  // earlier providers may have a reason of their own
            else
                reason = "by cost it runs on " + setup_.handles[std::size_t(o)].name + ": " +
                         microseconds(costs_.of(i, o)) + " there, " + microseconds(costs_.of(i, best)) + " on " +
                         setup_.handles[std::size_t(best)].name;
        }
        return placed;
    }
    // Why the providers before a node's owner do not have it: their own reason, where they refused it when they were
    // queried.
    void explain(trial& t) const {
        const compiled_plan& greedy = *trials_.front().plan;
        const std::vector<int> owners = owners_of(t);
        const auto placed = placement_of(owners);
        auto& verdicts = t.plan->plan.assigned.verdicts;
        for (int i = 0; i < nodes(); ++i)
            for (int p = 0; p < owners[std::size_t(i)]; ++p) {
                const auto at = std::size_t(i * providers() + p);
                if (costs_.of(i, p) < run_costs::never)
                    verdicts[at] = {false, placed->reasons[std::size_t(i)], refusal::provider, 0};
                else
                    verdicts[at] = greedy.plan.assigned.verdicts[at];
            }
        t.plan->placed = placed;
        t.plan->engine_answers = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            t.plan->engine_answers, greedy.engine_answers);
    }
    // The cheapest placement that the cut finds, starting from any of the trials.
    std::vector<int> cheapest() const {
        std::vector<int> best;
        double least = run_costs::never;
        for (const trial& t : trials_) {
            cost_cut cut(graph_.view, costs_, owners_of(t));
            cut.run();
            if (cut.total() < least) {
                least = cut.total();
                best = cut.owners();
            }
        }
        return best;
    }
    void describe(const trial& winner) {
        const cost_cut cut(graph_.view, costs_, owners_of(winner));
        plan_costs c{
            {trials_.front().seconds(), winner.seconds(), cut.total(), cut.lower_bound(), int(trials_.size())}};
        for (std::size_t k = 0; k < winner.steps.size(); ++k) {
            const step& s = winner.plan->plan.steps[k];
            c.steps_measured.push_back(median(winner.steps[k]));
            if (s.unit < 0 || s.provider < 0) {  // conversions are counted in the steps that need them
                c.steps_predicted.push_back(-1);
                if (s.provider < 0 && s.unit >= 0) {  // control flow is the same in all plans
                    c.predicted += c.steps_measured.back();
                    c.lower_bound += c.steps_measured.back();
                }
                continue;
            }
            double sum = 0;
            for (int i : nodes_of(winner, k)) sum += costs_.of(i, s.provider);
            c.steps_predicted.push_back(sum < run_costs::never ? sum : -1);
        }
        winner.plan->costs = std::move(c);
    }

  public:
    explicit cost_trials(const plan_trials& with) : with_(with) {}
    std::shared_ptr<compiled_plan> choose(std::span<const shape> shapes, std::shared_ptr<compiled_plan> greedy) {
        if (!make_inputs(shapes))
            raise({error_code::invalid_argument, "inputs that are no tensors of numbers cannot be made up"});
        add_each_in_front(greedy);
        measure();
        find_costs();
        const std::vector<int> advised = cheapest();
        if (std::ranges::none_of(trials_, [&](const trial& t) { return owners_of(t) == advised; })) {
            add(with_.make(placement_of(advised)), -1);
            measure();
        }
        trial& best = fastest();
        if (best.front != 0) explain(best);
        describe(best);
        return best.plan;
    }
};
}  // namespace

std::shared_ptr<compiled_plan> fastest_plan(const plan_trials& with, std::span<const shape> shapes,
                                            std::shared_ptr<compiled_plan> greedy) {
    return cost_trials(with).choose(shapes, std::move(greedy));
}
}  // namespace v1
}  // namespace inlay
