// weights<Model, Options...>: a model type's constants, bound once to the kernels that its provider list selected.
// Immutable, so that any number of embedded<> instances and threads may share one.
#pragma once
#include "plan.hpp"
#include <inlay/plan/choose_level.hpp>
#include <inlay/plan/conversion.hpp>

namespace inlay {
inline namespace v1 {
namespace detail {
// A block of one memory space; the caller's, or its own.
template <class Tag, int Device = 0> class block {
    std::byte* data_ = nullptr;
    bool owns_memory_ = false;

  public:
    block() = default;
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block() {
        if (owns_memory_) memory_on<Tag>::release(data_, Device);
    }
    bool allocate(std::int64_t bytes) noexcept {
        if (bytes == 0) return true;
        data_ = static_cast<std::byte*>(memory_on<Tag>::allocate(std::size_t(bytes), Device));
        return owns_memory_ = data_ != nullptr;
    }
    bool grow(std::int64_t bytes) noexcept {  // its previous content is lost
        if (owns_memory_) memory_on<Tag>::release(data_, Device);
        owns_memory_ = false;
        return allocate(bytes);
    }
    bool borrow(std::span<std::byte> memory, std::int64_t bytes) noexcept {
        data_ = memory.data();
        return std::int64_t(memory.size()) >= bytes && reinterpret_cast<std::uintptr_t>(data_) % 64 == 0;
    }
    std::byte* data() const noexcept { return data_; }
};

// The contents of a weights file, read or mapped; in inlay::kernels.
class weights_file {
    const std::byte* data_ = nullptr;
    std::int64_t bytes_ = 0;
    bool mapped_ = false;

  public:
    weights_file() = default;
    weights_file(const weights_file&) = delete;
    weights_file& operator=(const weights_file&) = delete;
    ~weights_file();
    // `name`: a path, or where it has no slash the name of a file next to the program. Empty on success, else why not:
    // static text.
    std::string_view open(std::string_view name, std::int64_t bytes, bool map) noexcept;
    const std::byte* data() const noexcept { return data_; }
};
struct no_file {
    static constexpr std::string_view open(std::string_view, std::int64_t, bool) noexcept { return {}; }
    static constexpr const std::byte* data() noexcept { return nullptr; }
};

enum class step_work : std::uint8_t { kernel, conversion, transfer };
template <class Model, class Planned, int T> struct step_facts {
    static constexpr step s = Planned::plan.steps[T];
    static constexpr step_work work = s.unit == step_kind::transfer     ? step_work::transfer
                                      : s.unit == step_kind::conversion ? step_work::conversion
                                                                        : step_work::kernel;
    static constexpr int copied = [] {  // conversions and transfers: the value that the copies are of
        int id = Planned::plan.arguments[std::size_t(s.inputs.first)];
        while (id >= int(Planned::graph.values.size()))
            id = Planned::plan.copies[std::size_t(id) - Planned::graph.values.size()].source;
        return id;
    }();
};
template <class Model, class Planned, int T, step_work = step_facts<Model, Planned, T>::work> struct step_kernel {
    static constexpr step s = Planned::plan.steps[T];
    using found =
        typename kernel_types<typename Planned::template provider_at<s.provider>, Model>::template at<s.kernel>;
    using op = typename found::op;
    using type = typename found::type;
    static constexpr entry facts = found::e;
    static constexpr auto params = type::prepare(
        node_view{Planned::graph, Planned::graph.unit(s.unit), Planned::plan.layouts.data() + s.inputs.first,
                  std::span(Planned::plan.pitches).subspan(std::size_t(s.inputs.first))});
};
template <class Planned, int Provider> struct conversions_at {
    using type = typename Planned::template provider_at<Provider>::conversions;
};
template <class Planned> struct conversions_at<Planned, -1> { using type = device::cpu; };
template <class Model, class Planned, int T> struct step_kernel<Model, Planned, T, step_work::conversion> {
    static constexpr entry facts{};
    static constexpr value from = Planned::graph.values[std::size_t(step_facts<Model, Planned, T>::copied)];
    using type =
        conversion_kernel<bits_of(from.type), typename conversions_at<Planned, Planned::plan.steps[T].provider>::type>;
    static constexpr auto params =
        type::prepare(from.dims, Planned::plan.layouts[std::size_t(Planned::plan.steps[T].outputs.first)]);
};
template <class Model, class Planned, int T> struct step_kernel<Model, Planned, T, step_work::transfer> {
    static constexpr entry facts{};
    struct type {
        struct state {};
    };
};

template <class Model, class Planned, int T> struct step_state {
    [[no_unique_address]] typename step_kernel<Model, Planned, T>::type::state value;
};
template <class Model, class Planned, class> struct step_states;
template <class Model, class Planned, int... T>
struct step_states<Model, Planned, std::integer_sequence<int, T...>> : step_state<Model, Planned, T>... {};

// f(integral_constant<int, T>) for every step until one fails; in chunks, as clang's folds stop at 256.
template <int Count, class F> inline status for_each_step(F f) noexcept {
    constexpr int chunk = 64;
    status s = status::ok;
    const auto run_chunk = [&]<int First, int... T>(std::integral_constant<int, First>,
                                                    std::integer_sequence<int, T...>) noexcept {
        (void)(((s = f(std::integral_constant<int, First + T>{})) == status::ok) && ...);
        return s == status::ok;
    };
    [&]<int... C>(std::integer_sequence<int, C...>) {
        (void)((run_chunk(std::integral_constant<int, C * chunk>{},
                          std::make_integer_sequence<int, std::min(chunk, Count - C * chunk)>{})) &&
               ...);
    }
    (std::make_integer_sequence<int, (Count + chunk - 1) / chunk>{});
    return s;
}
}  // namespace detail

template <class Model, class Policy, class Executor, class Providers> class basic_weights;
template <embedded_model Model, fallback_policy Policy, static_executor Executor, class... Ps>
class basic_weights<Model, Policy, Executor, pack<Ps...>> {
  public:
    using model = Model;
    using executor = Executor;
    using planned = embedded_plan<Model, Policy, int(Executor::concurrency), Ps...>;
    static_assert(planned::covered());
    static constexpr auto& plan = planned::plan;
    static constexpr int step_count = plan.unowned < 0 ? int(plan.step_count) : 0;
    static constexpr std::int64_t packed_bytes = plan.constant_bytes;  // on the host, aligned to 64
    template <int T> using kernel_at = detail::step_kernel<Model, planned, T>;
    template <int Space> using memory_at = typename detail::pick<Space, pack<memory::host, memory_of<Ps>...>>::type;
    template <int Space>
    static constexpr int device_at = std::array{0, device_of(detail::planned_provider<Model, Ps>{})...}[Space];
    template <int Space> using block_at = detail::block<memory_at<Space>, device_at<Space>>;
    static_assert(plan.spaces <= plan.arena_bytes.size());
    // Some shapes change while the program runs.
    static constexpr bool dynamic = Model::dimensions.size() > 0 || []<int... T>(std::integer_sequence<int, T...>) {
        return std::max({false, bool(kernel_at<T>::facts.data_dependent)...});
    }
    (std::make_integer_sequence<int, step_count>{});

    basic_weights() noexcept { start(std::nullopt, {}, {}, Ps{}...); }
    explicit basic_weights(const Ps&... ps) noexcept requires(sizeof...(Ps) > 0) {
        if (compiled_for(ps...))
            start(level_of(ps...), {}, {}, ps...);
        else
            fail(inlay::status::unsupported,
                 "a provider requests another precision than the model was compiled with: that is `inlay compile "
                 "--precision`, or PRECISION of inlay_add_model");
    }
    // `storage`: packed_bytes, aligned to 64; it outlives this object.
    explicit basic_weights(std::span<std::byte> storage) noexcept { start(std::nullopt, storage, {}, Ps{}...); }
    // Models with WEIGHTS file or mapped: their weights lie in this file.
    explicit basic_weights(std::string_view file) noexcept requires(Model::place != weights_place::embedded) {
        start(std::nullopt, {}, file, Ps{}...);
    }
    basic_weights(const basic_weights&) = delete;
    basic_weights& operator=(const basic_weights&) = delete;

    inlay::status status() const noexcept { return status_; }
    std::string_view why() const noexcept { return reason_; }
    isa::level level() const noexcept { return level_; }
    template <int T> const auto& state_at() const noexcept {
        return static_cast<const detail::step_state<Model, planned, T>&>(states_).value;
    }
    // Where an argument, or an output of the model, is: in an arena, or a constant in the weights or copied to another
    // memory space.
    enum class kind : std::uint8_t { absent, arena, constant, copied };
    struct place {
        kind location;
        std::uint8_t space;
        std::int64_t offset;
    };
    const std::byte* constant(const place& at) const noexcept {
        return (at.location == kind::copied ? copies_at_[at.space] : base_) + at.offset;
    }

  private:
    static constexpr int spaces = int(plan.spaces);
    static constexpr bool is_constant(int id) {
        return id >= 0 && id < int(planned::graph.values.size()) &&
               planned::graph.values[std::size_t(id)].is_constant();
    }
    static constexpr bool packs(const step& s, int argument) {  // only bind() reads it, on the host
        const int input = argument - s.inputs.first;
        return s.unit >= 0 && s.kernel >= 0 && input < s.inputs.count &&
               planned::list()
                   .view(s.provider)
                   .kernels[std::size_t(s.kernel)]
                   .packs_at_bind(node_view{planned::graph, planned::graph.unit(s.unit)}, input);
    }
    static constexpr int space_of_step(const step& s) {
        return s.provider < 0 ? 0 : planned::list().view(s.provider).space;
    }

    // The constants that steps read in other memory spaces: one copy for each space.
    struct copied_constant {
        int value, space;
        std::int64_t offset, bytes;
    };
    static constexpr std::vector<copied_constant> find_copies() {
        std::vector<copied_constant> constant_copies;
        std::array<std::int64_t, 8> end{};
        for (std::size_t t = 0; t < plan.step_count; ++t) {
            const int space = space_of_step(plan.steps[t]);
            for (int k = plan.steps[t].inputs.first; k < plan.steps[t].inputs.first + plan.steps[t].inputs.count; ++k) {
                const int id = plan.arguments[std::size_t(k)];
                if (space == 0 || !is_constant(id) || packs(plan.steps[t], k) ||
                    std::ranges::any_of(constant_copies,
                                        [&](const copied_constant& c) { return c.value == id && c.space == space; }))
                    continue;
                const value& v = planned::graph.values[std::size_t(id)];
                const std::int64_t bytes = bytes_of(v.type, v.dims.elements());
                constant_copies.push_back({id, space, end[std::size_t(space)], bytes});
                end[std::size_t(space)] += padded_bytes(bytes);
            }
        }
        return constant_copies;
    }
    static constexpr std::size_t copy_count = find_copies().size();
    static constexpr auto copies = [] {
        std::array<copied_constant, copy_count> a{};
        std::ranges::copy(find_copies(), a.begin());
        return a;
    }();
    static constexpr place place_of(int id, int space) {
        if (id < 0) return {kind::absent, 0, 0};
        if (!is_constant(id))
            return {kind::arena, std::uint8_t(plan.value_spaces[std::size_t(id)]), plan.offsets[std::size_t(id)]};
        if (space == 0)
            return {kind::constant, 0, Model::constants[std::size_t(planned::graph.values[std::size_t(id)].constant)]};
        return {kind::copied, std::uint8_t(space), std::ranges::find_if(copies, [&](const copied_constant& c) {
                                                       return c.value == id && c.space == space;
                                                   })->offset};
    }

  public:
    static constexpr auto places = [] {
        std::array<place, std::max<std::size_t>(plan.argument_count, 1)> argument_places{};
        for (std::size_t t = 0; t < plan.step_count; ++t)
            for (range r : {plan.steps[t].inputs, plan.steps[t].outputs})
                for (int k = r.first; k < r.first + r.count; ++k)
                    argument_places[std::size_t(k)] = place_of(
                        plan.arguments[std::size_t(k)], packs(plan.steps[t], k) ? 0 : space_of_step(plan.steps[t]));
        return argument_places;
    }();
    static constexpr auto output_places = [] {
        std::array<place, planned::graph.outputs.size()> port_places{};
        for (std::size_t k = 0; k < port_places.size(); ++k) port_places[k] = place_of(plan.outputs[k], 0);
        return port_places;
    }();

  private:
    template <int Space> bool copy_constants() noexcept {
        constexpr std::int64_t bytes = [] {
            std::int64_t sum = 0;
            for (const copied_constant& c : copies)
                if (c.space == Space) sum += padded_bytes(c.bytes);
            return sum;
        }();
        auto& block = std::get<Space>(copied_);
        if (!block.allocate(bytes)) return false;
        copies_at_[Space] = block.data();
        for (const copied_constant& c : copies)
            if (c.space == Space &&
                !memory_on<memory_at<Space>>::from_host(
                    block.data() + c.offset,
                    base_ + Model::constants[std::size_t(planned::graph.values[std::size_t(c.value)].constant)],
                    std::size_t(c.bytes), device_at<Space>))
                return false;
        return true;
    }
    template <class> struct blocks_of;
    template <int... S> struct blocks_of<std::integer_sequence<int, S...>> { using type = std::tuple<block_at<S>...>; };

    static std::optional<isa::level> level_of(const Ps&... ps) {
        std::optional<isa::level> level;
        (
            [&](const auto& p) {
                if constexpr (requires {
                                  { p.isa } -> std::convertible_to<std::optional<isa::level>>;
                              }) {
                    if (!level) level = p.isa;
                }
            }(ps),
            ...);
        return level;
    }
    static bool compiled_for(const Ps&... ps) {  // the plan fits: no other precision is requested
        const auto agrees = [](const auto& p) {
            if constexpr (requires {
                              { p.precision } -> std::convertible_to<precision>;
                          })
                return p.precision == precision::standard || p.precision == planned::graph.precision;
            else
                return true;
        };
        return (agrees(ps) && ...);
    }
    void fail(inlay::status s, std::string_view reason) noexcept {
        status_ = s;
        reason_ = reason;
    }
    void start(std::optional<isa::level> request, std::span<std::byte> storage, std::string_view file,
               const Ps&... ps) noexcept {
        constexpr bool for_pairs = is_for_pairs(planned::graph);
        const auto level = choose_level(request, for_pairs);
        if (!level)
            return fail(
                inlay::status::no_such_level,
                "this machine lacks the instruction set that was requested, or this program was built without it");
        level_ = *level;
        if constexpr (Model::place == weights_place::embedded)
            base_ = Model::weights();
        else {
            if (const auto problem = file_.open(file.empty() ? Model::weights_file : file, Model::weight_bytes,
                                                Model::place == weights_place::mapped);
                !problem.empty())
                return fail(inlay::status::failed, problem);
            base_ = file_.data();
        }
        if (storage.data() && !packed_.borrow(storage, packed_bytes))
            return fail(inlay::status::failed,
                        "the storage for packed weights is smaller than packed_bytes, or not aligned to 64 bytes");
        if (!storage.data() && !packed_.allocate(packed_bytes))
            return fail(inlay::status::out_of_memory, "no memory for the packed weights");
        const bool copied = [&]<int... S>(std::integer_sequence<int, S...>) { return (copy_constants<S + 1>() && ...); }
        (std::make_integer_sequence<int, spaces - 1>{});
        if (!copied)
            return fail(inlay::status::out_of_memory, "the constants could not be copied to the memory of a provider");
        detail::for_each_step<step_count>([&]<int T>(std::integral_constant<int, T>) noexcept {
            const inlay::status s = bind_step<T>(ps...);
            if (s != inlay::status::ok) fail(s, why_of(state<T>()));
            return s;
        });
    }
    static std::string_view why_of(const auto& state) noexcept {
        if constexpr (requires { state.why(); })
            return state.why();
        else
            return "a kernel could not be bound";
    }
    template <int T> auto& state() noexcept {
        return static_cast<detail::step_state<Model, planned, T>&>(states_).value;
    }
    template <int T> inlay::status bind_step(const Ps&... ps) noexcept {
        constexpr step s = plan.steps[T];
        if constexpr (detail::step_facts<Model, planned, T>::work == detail::step_work::transfer)
            return inlay::status::ok;
        else {
            using K = kernel_at<T>;
            const void* inputs[std::size_t(std::max(s.inputs.count, 1))];
            for (int k = 0; k < s.inputs.count; ++k) {
                const place& at = places[std::size_t(s.inputs.first + k)];
                inputs[k] = at.location == kind::constant || at.location == kind::copied ? constant(at) : nullptr;
            }
            const setup u{level_, int(Executor::concurrency), packed_.data() + plan.constants[T]};
            // Kernels that depend on their provider's options have a bind() with one argument more.
            [[maybe_unused]] const auto& provider = std::get<std::size_t(std::max(s.provider, 0))>(std::tie(ps...));
            if constexpr (requires { K::type::bind(K::params, {inputs}, u, state<T>(), provider); })
                return K::type::bind(K::params, {inputs}, u, state<T>(), provider);
            else if constexpr (requires { K::type::needs(K::params); })
                return K::type::template bind<K::type::needs(K::params)>(K::params, {inputs}, u, state<T>());
            else
                return K::type::bind(K::params, {inputs}, u, state<T>());
        }
    }

    const std::byte* base_ = nullptr;
    [[no_unique_address]] std::conditional_t<Model::place == weights_place::embedded, detail::no_file,
                                             detail::weights_file>
        file_;
    detail::block<memory::host> packed_;
    typename blocks_of<std::make_integer_sequence<int, spaces>>::type copied_;
    std::array<const std::byte*, std::size_t(spaces)> copies_at_{};
    inlay::status status_ = inlay::status::ok;
    std::string_view reason_;
    isa::level level_ = isa::baseline;
    detail::step_states<Model, planned, std::make_integer_sequence<int, step_count>> states_;
};
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include <inlay/impl/weights_file.cpp>
#endif
