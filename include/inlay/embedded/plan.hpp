// What the compiler decides for a model that is a type: the kernels that the model may need, the provider of each node,
// the plan in arrays, and the proof that every node has a provider.
#pragma once
#include "model.hpp"
#include <inlay/operators.hpp>
#include <inlay/plan/explain.hpp>
#include <inlay/plan/plan.hpp>
#include <inlay/provider/cpu.hpp>
#include <inlay/sdk/fixed_text.hpp>

namespace inlay {
inline namespace v1 {
// Fallback as a type. Without one, nodes fall along the list as it is written; nothing is appended.
namespace policy {
struct listed {
    static constexpr bool allows(std::string_view) { return true; }
};
struct never {
    static constexpr bool allows(std::string_view) { return false; }
};                                    // every node on the first provider
template <class... Op> struct only {  // these operators may leave the first provider
    static constexpr bool allows(std::string_view op) { return std::max({false, op == Op::onnx_name...}); }
};
struct any {  // along the list, and the CPU at its end
    static constexpr bool allows(std::string_view) { return true; }
};
}  // namespace policy
template <class T>
concept fallback_policy = requires {
    { T::allows(std::string_view{}) } -> std::same_as<bool>;
};
// An executor whose threads are a constant, so that scratch can be planned.
template <class T>
concept static_executor = executor<T> && std::default_initializable<T> && requires {
    { T::concurrency } -> std::convertible_to<int>;
};
// The output becomes the input of the next run; zero at first.
template <fixed_text Output, fixed_text Input> struct state {
    static constexpr std::string_view output = Output.view(), input = Input.view();
};
template <class T>
concept state_pair = requires {
    { T::output } -> std::convertible_to<std::string_view>;
    { T::input } -> std::convertible_to<std::string_view>;
};

// An engine's compiled region as a node, and a provider that runs such nodes: embedded_context.hpp.
namespace op {
struct ep_context;
}
template <engine_provider P> struct context_runner;

namespace detail {
template <class... Packs> struct joined { using type = pack<>; };
template <class... A> struct joined<pack<A...>> { using type = pack<A...>; };
template <class... A, class... B, class... More>
struct joined<pack<A...>, pack<B...>, More...> : joined<pack<A..., B...>, More...> {};
template <class... Packs> using join = typename joined<Packs...>::type;
template <class T, class List> inline constexpr bool listed_in = false;
template <class T, class... U>
inline constexpr bool listed_in<T, pack<U...>> =  // no fold: clang stops at 256
    std::max({false, std::same_as<T, U>...});
template <class List> inline constexpr int length = 0;
template <class... T> inline constexpr int length<pack<T...>> = int(sizeof...(T));
template <int I, class List> struct pick;
template <int I, class... T> struct pick<I, pack<T...>> : std::tuple_element<std::size_t(I), std::tuple<T...>> {};
template <int I, class... T> struct pick<I, types<T...>> : std::tuple_element<std::size_t(I), std::tuple<T...>> {};

// Of a provider's operators, those that the model names; the library's others cannot matter, and may be incomplete
// types here.
template <class Ops, class Model> struct needed;
template <class... Op, class Model> struct needed<pack<Op...>, Model> {
    using stock = pack_of<decltype(stock_operators)>;
    using type = join<
        std::conditional_t<listed_in<Op, typename Model::operators> || !listed_in<Op, stock>, pack<Op>, pack<>>...>;
};
template <class Model> struct of_model {
    template <class P> using operators = typename needed<pack_of<decltype(P::kernels)>, Model>::type;
    template <class P> using kernels = catalogue_of<operators<P>, pack_of<decltype(P::devices)>>;
};
template <class P, class Model> struct kernel_types {  // from a position in the catalogue back to the kernel
    using catalogue = typename of_model<Model>::template kernels<P>;
    template <int K> struct at {
        static constexpr entry e = catalogue::entries[K];
        using op = typename pick<e.op, typename of_model<Model>::template operators<P>>::type;
        using device = typename pick<e.device, pack_of<decltype(P::devices)>>::type;
        using type = kernel<op, device, typename pick<e.types, pack_of<decltype(op::elements)>>::type>;
    };
};

// The providers of embedded<Model, Options...>, with what the model needs of their kernels, under the policy.
template <class Model, fallback_policy Policy, class... Ps> struct embedded_providers {
    typed_providers<Ps...> list;
    constexpr explicit embedded_providers(const Ps&... ps) : list(ps...) {}
    static constexpr int size() { return int(sizeof...(Ps)); }
    constexpr provider_view view(int i) const {
        provider_view v = list.template view<of_model<Model>::template kernels>(i);
        v.has_engine = false;
        return v;
    }
    constexpr verdict accepts(int i, const node_view& n) const {
        if (i > 0 && !Policy::allows(n.record.op))
            return {false, "the policy keeps this operator on the first provider", refusal::provider, 0};
        return list.accepts(i, n);
    }
    static constexpr proposals propose(int, const graph_view&, std::span<const int>) { return {}; }
};

template <class Default, class List> struct first_in { using type = Default; };
template <class Default, class T, class... More> struct first_in<Default, pack<T, More...>> { using type = T; };
}  // namespace detail

// The options of weights<> and embedded<>, sorted: providers in their order; at most one executor and one policy; state
// pairs.
template <class... Options> struct embedded_options {
    template <class T> static constexpr bool is_option = static_executor<T> || fallback_policy<T> || state_pair<T>;
    template <class T, bool Take> using when = std::conditional_t<Take, pack<T>, pack<>>;
    using policies = detail::join<when<Options, fallback_policy<Options>>...>;
    using executors = detail::join<when<Options, static_executor<Options>>...>;
    using policy_type = typename detail::first_in<policy::listed, policies>::type;
    using executor_type = typename detail::first_in<serial, executors>::type;
    using states = detail::join<when<Options, state_pair<Options>>...>;
    static_assert(detail::length<policies> <= 1, "inlay::embedded: two policies are given");
    static_assert(detail::length<executors> <= 1, "inlay::embedded: two executors are given");
    using listed = detail::join<when<Options, !is_option<Options>>...>;
    // policy::any ends the list with the CPU.
    using provider_types = std::conditional_t<std::same_as<policy_type, policy::any> && !detail::listed_in<cpu, listed>,
                                              detail::join<listed, pack<cpu>>, listed>;
};

// An array of a frozen plan that has fewer places than the plan needs.
struct too_small_array {
    std::string_view name{};
    std::size_t needed = 0, places = 0;
};
template <std::size_t Units, std::size_t Values, std::size_t Edges, std::size_t Nodes>
struct frozen_plan {  // arrays of the largest size
    std::array<int, Nodes> owners{}, unit_of{};
    std::array<int, Units> kernels{};
    std::array<step, Units + 2 * Values> steps{};
    std::array<int, Edges + 6 * Values> arguments{};
    std::array<layout, Edges + 6 * Values> layouts{};
    std::array<std::int64_t, Edges + 6 * Values> pitches{};
    std::array<copied_value, 2 * Values> copies{};
    std::array<layout, 3 * Values> value_layouts{};
    std::array<int, 3 * Values> value_spaces{}, roots{};
    std::array<std::int64_t, 3 * Values> offsets{};
    std::array<int, Values> outputs{};
    std::array<std::int64_t, Units + 2 * Values> constants{};
    std::array<std::int64_t, 8> arena_bytes{}, scratch_at{};
    std::size_t step_count = 0, argument_count = 0, copy_count = 0, spaces = 0;
    std::int64_t constant_bytes = 0, scratch_bytes = 0, live_bytes = 0;
    int aliased = 0, sliced = 0, conversions = 0, transfers = 0, unowned = -1;
    too_small_array too_small{};  // the first; without a name: all hold what the plan has
    constexpr explicit frozen_plan(const plan& p)
        : step_count(p.steps.size()),
          argument_count(p.arguments.size()),
          copy_count(p.copies.size()),
          spaces(p.arena_bytes.size()),
          constant_bytes(p.constant_bytes),
          scratch_bytes(p.scratch_bytes),
          live_bytes(p.live_bytes),
          aliased(p.aliased),
          sliced(p.sliced),
          conversions(p.conversions),
          transfers(p.transfers) {
        keep("owners", p.assigned.owners, owners);
        keep("unit_of", p.assigned.unit_of, unit_of);
        keep("kernels", p.assigned.kernels, kernels);
        keep("steps", p.steps, steps);
        keep("arguments", p.arguments, arguments);
        keep("layouts", p.layouts, layouts);
        keep("pitches", p.pitches, pitches);
        keep("copies", p.copies, copies);
        keep("value_layouts", p.value_layouts, value_layouts);
        keep("value_spaces", p.value_spaces, value_spaces);
        keep("roots", p.roots, roots);
        keep("offsets", p.offsets, offsets);
        keep("outputs", p.outputs, outputs);
        keep("constants", p.constants, constants);
        keep("arena_bytes", p.arena_bytes, arena_bytes);
        keep("scratch_at", p.scratch_at, scratch_at);
        for (std::size_t i = Nodes; i-- > 0;)
            if (owners[i] == owner::nobody || owners[i] == owner::control_flow) unowned = int(i);
    }
    template <class From, class To> constexpr void keep(std::string_view name, const From& from, To& to) {
        if (from.size() <= to.size())
            std::ranges::copy(from, to.begin());
        else if (too_small.name.empty())
            too_small = {name, from.size(), to.size()};
    }
    constexpr std::span<const int> list(range r) const {
        return std::span(arguments).subspan(std::size_t(r.first), std::size_t(r.count));
    }
    constexpr std::int64_t arena_total() const {
        std::int64_t sum = 0;
        for (std::int64_t b : arena_bytes) sum += b;
        return sum;
    }
};

// Instantiated where a node has no provider: the compiler prints its arguments.
template <fixed_text Node, fixed_text Operator, fixed_text... Reasons> struct no_provider_for {
    static_assert(sizeof...(Reasons) == 0,
                  "inlay::embedded: no provider of the list runs this node; the reasons are the providers' own, in the "
                  "order of the list");
};
// Likewise where the plan does not fit into the arrays sized for the model.
template <fixed_text Array, std::size_t Needed, std::size_t Places> struct plan_too_large_for {
    static_assert(Needed <= Places,
                  "inlay::embedded: this array of the plan has fewer places than the plan needs; the limits are "
                  "frozen_plan's, such as eight memory spaces. inlay::session has none of them");
};

namespace detail {
template <class Model> inline constexpr bool has_contexts = listed_in<op::ep_context, typename Model::operators>;
template <class Model, class P> struct planned_as { using type = P; };
template <class Model, class P>
requires(!kernel_provider<P> && has_contexts<Model>) struct planned_as<Model, P> {
    using type = context_runner<P>;
};
template <class Model, class P> using planned_provider = typename planned_as<Model, P>::type;
}  // namespace detail

template <embedded_model Model, fallback_policy Policy, int Threads, class... Ps> struct embedded_plan {
    static_assert(require_provider_list<Ps...>());
    static_assert((kernel_provider<detail::planned_provider<Model, Ps>> && ...),
                  "inlay::embedded<Model, Ps...>: a provider of the list has no `kernels`, and the model nothing that "
                  "its engine compiled; engines that compile regions at run time work with inlay::session");
    using providers = detail::embedded_providers<Model, Policy, detail::planned_provider<Model, Ps>...>;
    static constexpr providers list() { return providers(detail::planned_provider<Model, Ps>{}...); }
    static constexpr graph_view graph = Model::graph;
    static constexpr int threads = Threads;
    static constexpr auto plan =
        frozen_plan<std::size_t(graph.units()), graph.values.size(), graph.edges.size(), graph.nodes.size()>(
            make_plan(graph, list(), Threads, Model::dimensions.size() == 0));

    static constexpr node_view unowned() { return {graph, graph.nodes[std::size_t(plan.unowned)]}; }
    template <int P> static constexpr text refusal() {
        const providers candidates = list();
        const provider_view v = candidates.view(P);
        text t(v.name);
        t += ": ";
        if (is_control_flow(unowned().record))
            return t + "If, Loop and Scan need inlay::session: what they do is known only at run time";
        verdict answer = candidates.accepts(P, unowned());
        if (answer) answer = find_kernel(v.kernels, unowned()).outcome;
        return t + explain(answer, unowned(), v.kernels);
    }
    static consteval bool covered() {
        if constexpr (!plan.too_small.name.empty())
            return sizeof(plan_too_large_for<to_fixed_text([] { return text(plan.too_small.name); }),
                                             plan.too_small.needed, plan.too_small.places>) > 0;
        else if constexpr (plan.unowned >= 0)
            return []<int... P>(std::integer_sequence<int, P...>) {
                return sizeof(no_provider_for<to_fixed_text([] { return text(unowned().record.name); }),
                                              to_fixed_text([] { return operator_text(unowned()); }),
                                              to_fixed_text([] { return refusal<P>(); })...>) > 0;
            }
        (std::make_integer_sequence<int, int(sizeof...(Ps))>{});
        else return true;
    }
    template <int P> using provider_at = typename detail::pick<P, pack<detail::planned_provider<Model, Ps>...>>::type;
};
}  // namespace v1
}  // namespace inlay
