// inlay::embedded: a model that is a C++ type, over an ordered list of providers. Partition, layouts, order and memory
// plan are computed by the compiler; the program holds the model's weights and the kernels that it needs, no parser and
// no tables.
//
//     #include <inlay/embedded.hpp>
//     #include <inlay/models/digits.hpp>           // written by inlay_add_model(app digits.onnx NAME digits)
//
//     inlay::embedded<inlay::models::digits, inlay::cpu> net;
//     std::span image = net.input<"image">();      // std::span<float, 64>: fill it in place
//     if (net.run() != inlay::status::ok) std::puts(net.why().data());
//     std::span scores = net.output<"scores">();   // std::span<const float, 10>
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "run_options.hpp"
#include <inlay/embedded/live_shapes.hpp>
#include <inlay/embedded/ports.hpp>
#include <stop_token>

namespace inlay {
inline namespace v1 {
// The weights object of embedded<Model, Options...>, where several instances share one.
template <embedded_model Model, class... Options>
using weights = basic_weights<Model, typename embedded_options<Options...>::policy_type,
                              typename embedded_options<Options...>::executor_type,
                              typename embedded_options<Options...>::provider_types>;

namespace detail {
// Outputs that share their bytes with the input of a state, such as its Identity: they are copied when a run ends,
// because the input then becomes that of the next run. They lie where the kernels have their scratch.
template <class Weights, class... State> struct kept_outputs {
    using in = ports<typename Weights::model, true>;
    using out = ports<typename Weights::model, false>;
    static constexpr std::int64_t bytes_of_port(const value& v) { return bytes_of(v.type, v.dims.elements()); }
    static constexpr bool is_written(std::size_t output, int input) {
        if (input < 0) return false;
        const auto& at = Weights::output_places[output];
        const std::int64_t to = Weights::plan.offsets[std::size_t(in::ids[std::size_t(input)])];
        return at.location == Weights::kind::arena && at.offset < to + bytes_of_port(in::record(input)) &&
               to < at.offset + bytes_of_port(out::record(int(output)));
    }
    static constexpr auto offsets = [] {  // the last one: where they end
        std::array<std::int64_t, Weights::output_places.size() + 1> starts{};
        std::int64_t end = 0;
        for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
            const bool needs_copy = (is_written(k, in::find(State::input)) || ...);
            starts[k] = needs_copy ? end : -1;
            if (needs_copy) end += padded_bytes(bytes_of_port(out::record(int(k))));
        }
        starts.back() = end;
        return starts;
    }();
    static constexpr std::int64_t bytes = offsets.back();
};
template <class Weights, class States> struct kept_for;
template <class Weights, class... State> struct kept_for<Weights, pack<State...>> : kept_outputs<Weights, State...> {};
}  // namespace detail

// Options: providers in priority order, then what may follow in any order: an executor type with a constant
// `concurrency` (default: serial), a policy (default: policy::listed), states. It holds pointers into itself, so it
// neither moves nor copies.
template <embedded_model Model, class... Options> class embedded {
    using options = embedded_options<Options...>;

  public:
    using weights_type = inlay::weights<Model, Options...>;
    using planned = typename weights_type::planned;
    static constexpr auto& plan = planned::plan;
    // Of the host: values between the nodes, inputs and outputs, and the kernels' scratch, with some of the outputs.
    static constexpr std::int64_t arena_bytes =
        padded_bytes(plan.arena_bytes[0]) +
        std::max(plan.scratch_bytes, detail::kept_for<weights_type, typename options::states>::bytes);

    embedded() noexcept {
        own_weights_.emplace();
        start(*own_weights_, {});
    }  // weights of its own
    explicit embedded(std::span<std::byte> arena) noexcept {
        own_weights_.emplace();
        start(*own_weights_, arena);
    }  // arena_bytes, aligned to 64; it outlives this object
    explicit embedded(const std::type_identity_t<weights_type>& shared, std::span<std::byte> arena = {}) noexcept {
        start(shared, arena);
    }
    embedded(const embedded&) = delete;
    embedded& operator=(const embedded&) = delete;

    // Name: a port's. T and Extent are checked where they are given. The span's extent is static where the shape is.
    template <fixed_text Name, class T = void, std::size_t Extent = 0> auto input() noexcept {
        constexpr int k = in::template index<Name>();
        using type = typename in::template type<k>;
        constexpr std::size_t extent = Model::input_shapes[k].known() ? in::template extent<k> : std::dynamic_extent;
        check_port<T, type, Extent, extent, in, k>();
        return std::span<type, extent>(reinterpret_cast<type*>(arena_.data() + input_offsets[k]), port_extent<in, k>());
    }
    template <fixed_text Name> shape input_shape() const noexcept {
        return port_shape<in, in::template index<Name>()>();
    }
    template <fixed_text Name, class T = void, std::size_t Extent = 0> auto output() const noexcept {
        constexpr int k = out::template index<Name>();
        using type = typename out::template type<k>;
        constexpr std::size_t extent = weights_type::dynamic ? std::dynamic_extent : out::template extent<k>;
        check_port<T, type, Extent, extent, out, k>();
        return std::span<const type, extent>(reinterpret_cast<const type*>(output_data<k>()), port_extent<out, k>());
    }
    template <fixed_text Name> shape output_shape() const noexcept {
        return port_shape<out, out::template index<Name>()>();
    }  // of the last run

    // Sets free dimensions, within their bounds, for the runs that follow; at first they are at their upper bounds. The
    // contents of the inputs that have them are lost. The first run after it may allocate memory, where a smaller shape
    // needs more scratch.
    template <fixed_text... Dimension>
    inlay::status resize(std::same_as<std::int64_t> auto... sizes) noexcept
        requires(sizeof...(Dimension) == sizeof...(sizes)) {
        if (!ready_) return status_;
        const auto bounds = [](int d) { return Model::dimensions[std::size_t(d)]; };
        if (((sizes < bounds(dimension_index<Dimension>()).least ||
              sizes > bounds(dimension_index<Dimension>()).most) ||
             ...)) {
            reason_ = "a dimension is outside of its declared bounds";
            return status_ = inlay::status::invalid_value;
        }
        (shapes_.set_dimension(dimension_index<Dimension>(), sizes), ...);
        stale_ = true;
        return status_ = inlay::status::ok;
    }
    template <fixed_text... Dimension>
    inlay::status resize(std::integral auto... sizes) noexcept
        requires(!(std::same_as<decltype(sizes), std::int64_t> && ...)) {
        return resize<Dimension...>(std::int64_t(sizes)...);
    }

    inlay::status status() const noexcept {
        return status_;
    }  // of the construction, where that failed, else of the last run
    std::string_view why() const noexcept { return reason_; }  // good until the next call that returns a status
    isa::level level() const noexcept { return weights_->level(); }
    const weights_type& weights() const noexcept { return *weights_; }
    typename options::executor_type& executor() noexcept { return executor_; }
    void reset() noexcept {
        each_state([&](auto pair) { std::memset(state_input(pair), 0, pair.bytes); });
    }

    // No heap call, no lock, no system call, with the serial executor.
    inlay::status run(const run_options& o = {}) noexcept {
        if (!ready_) return status_;
        context c = make_context(executor_, scratch_);
        c.stop = o.stop;
        c.deadline = o.deadline;
        const bool stoppable = c.stoppable();
        bool stale = stale_;  // parameters are computed again from here on
        status_ = detail::for_each_step<weights_type::step_count>([&]<int T>(std::integral_constant<int, T>) noexcept {
            if (stoppable && c.stopped()) [[unlikely]]
                return inlay::status::stopped;
            if constexpr (weights_type::dynamic)
                return run_live_step<T>(c, stale);
            else
                return run_step<T>(c);
        });
        reason_ = c.detail;
        if (status_ == inlay::status::stopped) status_ = c.end_of_run();
        if (status_ != inlay::status::ok) return status_;
        stale_ = false;
        keep_outputs(std::make_index_sequence<out::ids.size()>{});
        each_state([&](auto pair) { std::memcpy(state_input(pair), state_output(pair), pair.bytes); });
        return status_;
    }
    inlay::status run(const std::stop_token& token) noexcept {
        std::atomic<bool> stop{false};
        const std::stop_callback raised(token, [&]() noexcept { stop.store(true, std::memory_order_relaxed); });
        return run({.stop = &stop, .deadline = {}});
    }

  private:
    using in = detail::ports<Model, true>;
    using out = detail::ports<Model, false>;
    static constexpr auto input_offsets = [] {
        std::array<std::int64_t, std::max<std::size_t>(in::ids.size(), 1)> a{};
        for (std::size_t k = 0; k < in::ids.size(); ++k) a[k] = plan.offsets[std::size_t(in::ids[k])];
        return a;
    }();
    static constexpr auto input_bytes = [] {
        std::array<std::size_t, std::max<std::size_t>(in::ids.size(), 1)> a{};
        for (std::size_t k = 0; k < in::ids.size(); ++k)
            a[k] = std::size_t(bytes_of(in::record(int(k)).type, in::record(int(k)).dims.elements()));
        return a;
    }();
    template <class T, class Has, std::size_t Extent, std::size_t HasExtent, class Ports, int K>
    static consteval void check_port() {
        if constexpr ((!std::is_void_v<T> && !std::same_as<T, Has>) || (Extent && Extent != HasExtent)) {
            constexpr auto has = [] { return detail::port_text(Ports::name(K), Ports::record(K)); };
            constexpr auto request = [] {
                text t(Ports::name(K));
                if constexpr (one_element<T>) {
                    t += ": ";
                    t += name_of(element_of<T>);
                }
                if (Extent) {
                    t += ", elements: ";
                    t += std::int64_t(Extent);
                }
                return t;
            };
            (void)sizeof(port_differs<to_fixed_text(request), to_fixed_text(has)>);
        }
    }
    template <class Pair> struct state_places {
        static constexpr int from = out::find(Pair::output), to = in::find(Pair::input);
        static_assert(from >= 0 && to >= 0,
                      "inlay::state<Output, Input>: the model has no output or no input of this name");
        static_assert(!weights_type::dynamic || Model::input_shapes[std::size_t(to)].known(),
                      "inlay::state<Output, Input>: a state has a fixed shape");
        static_assert(out::record(from).type == in::record(to).type && out::record(from).dims == in::record(to).dims,
                      "inlay::state<Output, Input>: output and input differ in element type or shape");
        static constexpr std::size_t bytes = std::size_t(bytes_of(in::record(to).type, in::record(to).dims.elements()));
    };
    template <class F> static void each_state(F f) noexcept {
        [&]<class... Pair>(pack<Pair...>) { (f(state_places<Pair>{}), ...); }(typename options::states{});
    }
    template <class P> std::byte* state_input(P) noexcept { return arena_.data() + input_offsets[P::to]; }
    template <class P> const std::byte* state_output(P) const noexcept { return output_data<P::from>(); }
    using kept = detail::kept_for<weights_type, typename options::states>;
    std::byte* kept_data() const noexcept { return arena_.data() + padded_bytes(plan.arena_bytes[0]); }
    template <int K> const std::byte* output_data() const noexcept {
        constexpr auto at = weights_type::output_places[std::size_t(K)];
        if constexpr (kept::offsets[std::size_t(K)] >= 0)
            return kept_data() + kept::offsets[std::size_t(K)];
        else if constexpr (at.location == weights_type::kind::arena)
            return arena_.data() + at.offset;
        else
            return weights_->constant(at);
    }
    template <std::size_t... K> void keep_outputs(std::index_sequence<K...>) noexcept {
        (
            [&] {
                if constexpr (kept::offsets[K] >= 0)
                    std::memcpy(kept_data() + kept::offsets[K], arena_.data() + weights_type::output_places[K].offset,
                                std::size_t(kept::bytes_of_port(out::record(int(K)))));
            }(),
            ...);
    }

    void start(const weights_type& w, std::span<std::byte> arena) noexcept {
        weights_ = &w;
        const auto fail = [this](inlay::status s, std::string_view reason) {
            status_ = s;
            reason_ = reason;
        };
        if (arena.data() && !arena_.borrow(arena, arena_bytes))
            return fail(inlay::status::failed, "the arena is smaller than arena_bytes, or not aligned to 64 bytes");
        if (!arena.data() && !arena_.allocate(std::max<std::int64_t>(arena_bytes, 64)))
            return fail(inlay::status::out_of_memory, "no memory for the arena");
        for (std::size_t k = 0; k < in::ids.size(); ++k)
            std::memset(arena_.data() + input_offsets[k], 0, input_bytes[k]);
        if (w.status() != inlay::status::ok) return fail(w.status(), w.why());  // inputs may be filled all the same
        std::array<std::byte*, plan.spaces> base{arena_.data()};
        const bool has_arenas = [&]<int... S>(std::integer_sequence<int, S...>) {
            return ((std::get<S>(device_arenas_).allocate(plan.arena_bytes[S + 1]) &&
                     ((base[S + 1] = std::get<S>(device_arenas_).data()), true)) &&
                    ...);
        }
        (std::make_integer_sequence<int, int(plan.spaces) - 1>{});
        if (!has_arenas) return fail(inlay::status::out_of_memory, "no memory for the arena of a provider");
        scratch_ = arena_.data() + padded_bytes(plan.arena_bytes[0]);
        for (std::size_t s = 1; s < plan.spaces; ++s) device_scratch_[s] = base[s] + plan.scratch_at[s];
        for (std::size_t k = 0; k < plan.argument_count; ++k) {
            const auto& at = weights_type::places[k];
            using kind = typename weights_type::kind;
            pointers_[k] = at.location == kind::absent  ? nullptr
                           : at.location == kind::arena ? base[at.space] + at.offset
                                                        : const_cast<std::byte*>(w.constant(at));
        }
        ready_ = true;
    }
    template <class Ports, int K> shape port_shape() const noexcept {
        if constexpr (weights_type::dynamic)
            return shapes_.record(Ports::ids[K]).dims;
        else
            return Ports::record(K).dims;
    }
    template <class Ports, int K> std::size_t port_extent() const noexcept {
        if constexpr (weights_type::dynamic)
            return detail::span_extent(Ports::record(K).type, port_shape<Ports, K>());
        else
            return Ports::template extent<K>;
    }
    template <fixed_text Name> static consteval int dimension_index() {
        constexpr int d = [] {
            for (std::size_t k = 0; k < Model::dimensions.size(); ++k)
                if (Model::dimensions[k].name == Name.view()) return int(k);
            return -1;
        }();
        static_assert(d >= 0, "inlay::embedded: the model has no free dimension of this name");
        return d;
    }
    static constexpr int space_of(int t) {
        return plan.steps[std::size_t(t)].provider >= 0
                   ? planned::list().view(plan.steps[std::size_t(t)].provider).space
                   : 0;
    }
    template <int T> inlay::status run_live_step(context& c, bool& stale) noexcept {
        if (stale) {
            std::int64_t scratch = 0;
            if (const std::string_view problem = shapes_.template prepare<T>(scratch); !problem.empty())
                return c.fail(problem);
            if constexpr (constexpr int space = space_of(T); space > 0) {
                if (scratch > plan.arena_bytes[space] - plan.scratch_at[space])
                    return c.fail("this shape needs more scratch on the device than the largest one",
                                  inlay::status::out_of_memory);
            } else if (scratch > scratch_bytes_) {  // smaller shapes may select a path that copies more
                if (!more_scratch_.grow(scratch)) return c.fail("no memory for scratch", inlay::status::out_of_memory);
                scratch_bytes_ = scratch;
                c.scratch = scratch_ = more_scratch_.data();
            }
        }
        if constexpr (weights_type::template kernel_at<T>::facts.data_dependent) {
            c.owner = this;
            c.grow = [](void* owner, int k, const shape& dims) noexcept -> void* {
                constexpr step s = plan.steps[T];
                embedded& net = *static_cast<embedded*>(owner);
                return k < s.outputs.count && net.shapes_.tell(plan.arguments[std::size_t(s.outputs.first + k)], dims)
                           ? net.pointers_[s.outputs.first + k]
                           : nullptr;
            };
            stale = true;
        }
        const inlay::status s = run_step<T>(c);
        if (stale && s == inlay::status::ok) shapes_.template read_contents<T>(pointers_ + plan.steps[T].outputs.first);
        return s;
    }
    template <int T> inlay::status run_step(context& c) noexcept {
        constexpr step s = plan.steps[T];
        using facts = detail::step_facts<Model, planned, T>;
        if constexpr (facts::work == detail::step_work::transfer) {
            constexpr int to = plan.arguments[std::size_t(s.outputs.first)],
                          from = plan.arguments[std::size_t(s.inputs.first)];
            constexpr int from_space = plan.value_spaces[std::size_t(from)],
                          outside_space =
                              from_space ? from_space : plan.value_spaces[std::size_t(to)];  // the other is the host's
            using outside = memory_on<typename weights_type::template memory_at<outside_space>>;
            std::size_t bytes = std::size_t(bytes_of(planned::graph.values[facts::copied].type,
                                                     planned::graph.values[facts::copied].dims.elements()));
            if constexpr (weights_type::dynamic) bytes = shapes_.bytes(facts::copied);
            return (from_space ? outside::to_host : outside::from_host)(pointers_[s.outputs.first],
                                                                        pointers_[s.inputs.first], bytes,
                                                                        weights_type::template device_at<outside_space>)
                       ? inlay::status::ok
                       : c.fail("a transfer between memory spaces failed", inlay::status::failed);
        } else {
            using K = typename weights_type::template kernel_at<T>;
            const auto& params = [&]() -> const auto& {
                if constexpr (weights_type::dynamic)
                    return shapes_.template params<T>();
                else
                    return K::params;
            }
            ();
            const arguments a{pointers_ + s.inputs.first, pointers_ + s.outputs.first};
            if constexpr (plan.spaces > 1)
                c.scratch = space_of(T) > 0 ? device_scratch_[std::size_t(space_of(T))] : scratch_;
            if constexpr (requires { K::type::needs(K::params); })
                return K::type::template run<K::type::needs(K::params)>(params, weights_->template state_at<T>(), a, c);
            else
                return K::type::run(params, weights_->template state_at<T>(), a, c);
        }
    }
    template <class> struct arenas_of;
    template <int... S> struct arenas_of<std::integer_sequence<int, S...>> {
        using type = std::tuple<typename weights_type::template block_at<S + 1>...>;
    };

    const weights_type* weights_ = nullptr;
    std::optional<weights_type> own_weights_;
    detail::block<memory::host> arena_;
    [[no_unique_address]]
    typename arenas_of<std::make_integer_sequence<int, int(plan.spaces) - 1>>::type device_arenas_;
    std::byte* scratch_ = nullptr;
    std::array<std::byte*, plan.spaces> device_scratch_{};
    std::int64_t scratch_bytes_ = plan.scratch_bytes;
    [[no_unique_address]] std::conditional_t<weights_type::dynamic, detail::block<memory::host>, detail::no_live_shapes>
        more_scratch_;
    bool ready_ = false, stale_ = false;
    [[no_unique_address]] std::conditional_t<weights_type::dynamic, detail::live_shapes<weights_type>,
                                             detail::no_live_shapes>
        shapes_;
    inlay::status status_ = inlay::status::ok;
    failure_text reason_;
    [[no_unique_address]] typename options::executor_type executor_;
    void* pointers_[std::max<std::size_t>(plan.argument_count, 1)];
};
template <class Model, class Policy, class Executor, class... Ps>
embedded(const basic_weights<Model, Policy, Executor, pack<Ps...>>&) -> embedded<Model, Ps..., Policy, Executor>;
}  // namespace v1
}  // namespace inlay
