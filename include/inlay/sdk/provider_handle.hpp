// A type-erased provider object. Creating one is all that a session instantiates per provider.
#pragma once
#include <inlay/sdk/device_session.hpp>
#include <inlay/sdk/options.hpp>
#include <inlay/sdk/provider.hpp>
#include <inlay/tensor.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
struct shadow_side;  // inlay/shadow.hpp

struct provider_handle {
    std::string name;  // where a session has several devices of the type, with the number: "AbacusExecutionProvider:1"
    provider_status status = provider_status::production;
    provider_check checked_on = provider_check::unstated;
    int device = 0;
    const space* memory_space = &space_of<memory::host>;
    const kernel_table* kernels = nullptr;  // null: has an engine only
    std::shared_ptr<const void> object;     // the provider
    verdict (*accepts)(const void*, const node_view&) = nullptr;
    option_list (*options)(const void*) = nullptr;
    result<std::shared_ptr<engine>> (*open_engine)(const void*) = nullptr;          // null: it has none
    std::shared_ptr<engine> existing_engine{};                                      // that is open already
    result<std::shared_ptr<device_session>> (*open_device)(const void*) = nullptr;  // null: it needs none
    conversion_functions (*conversion)(int bits) = nullptr;                         // null: layouts change on the host
    const void* type = nullptr;  // the same for all objects of one provider type
    // The provider's requirements of the session's host side. threads: of one whose kernels run on the session's pool,
    // those of the CPU and the reference kernels.
    std::optional<int> threads{};
    std::optional<isa::level> level{};
    bool flush_denormals = false;
    std::optional<inlay::precision> precision{};
    // Of a provider with a `precision` type of its own: the operand type of its float32 matmuls, as its operands(type)
    // returns it. Null, with such an option: only its kernels know.
    element (*operands)(const void*) = nullptr;
    bool own_precision = false;
    // Not empty: why this program can plan for the provider, but not run it. kernels then have no functions, and
    // `memory_space` no memory.
    std::string_view plan_only{};
    std::shared_ptr<const shadow_side> shadow{};  // the provider of the shadow run of its steps; null: none
};

// The kernels of a provider at run time, created once per program.
template <kernel_provider P> const kernel_table& kernels_of() {
    static const kernel_table table = make_table(
        pack_of<decltype(P::kernels)>{}, pack_of<decltype(P::devices)>{},
        []<class Op, class Device>(std::type_identity<Op>, std::type_identity<Device>) { return rows<Op, Device>(); });
    return table;
}
template <kernel_provider P>
const kernel_table& planned_kernels_of();  // the same without functions: inlay/plan_only.hpp
// Its address stands for the type. Not constant: a linker may lay constants that are equal in one place.
template <class P> inline char type_mark = 0;
template <class P> constexpr bool uses_session_threads() {
    if constexpr (kernel_provider<P> && std::same_as<memory_of<P>, memory::host>)
        return []<class... Device>(pack<Device...>) {
            return ((std::same_as<Device, device::cpu> || std::same_as<Device, device::reference>) || ...);
        }(pack_of<decltype(P::devices)>{});
    else
        return false;
}

// What a plan needs of a provider besides its kernels and its memory.
template <provider P> provider_handle make_description(const P& p) {
    provider_handle h;
    h.name = P::name;
    h.status = status_of<P>();
    h.checked_on = check_of<P>();
    h.device = device_of(p);
    h.object = std::make_shared<const P>(p);
    h.type = &type_mark<P>;
    h.accepts = [](const void* o, const node_view& n) {
        if constexpr (requires(const P& q) { q.accepts(n); })
            return static_cast<const P*>(o)->accepts(n);
        else
            return (void)o, (void)n, yes();
    };
    if constexpr (engine_provider<P>) h.open_engine = [](const void* o) { return static_cast<const P*>(o)->open(); };
    h.options = [](const void* o) { return options_of(*static_cast<const P*>(o)); };
    if constexpr (uses_session_threads<P>() && requires {
                      { p.threads } -> std::convertible_to<int>;
                  })
        h.threads = p.threads;
    if constexpr (requires {
                      { p.isa } -> std::convertible_to<std::optional<inlay::isa::level>>;
                  })
        h.level = p.isa;
    if constexpr (requires {
                      { p.flush_denormals } -> std::convertible_to<bool>;
                  })
        h.flush_denormals = p.flush_denormals;
    if constexpr (requires {
                      { p.precision } -> std::convertible_to<inlay::precision>;
                  })
        h.precision = p.precision;
    else if constexpr (requires { p.precision; }) {
        h.own_precision = true;
        if constexpr (requires {
                          { p.operands(element::f32) } -> std::same_as<element>;
                      })
            h.operands = [](const void* o) { return static_cast<const P*>(o)->operands(element::f32); };
    }
    return h;
}
template <provider P> provider_handle make_handle(const P& p) {
    provider_handle h = make_description(p);
    h.memory_space = &space_on<memory_of<P>>(h.device);
    if constexpr (kernel_provider<P>) h.kernels = &kernels_of<P>();
    if constexpr (device_provider<P>) h.open_device = [](const void* o) { return static_cast<const P*>(o)->open(); };
    if constexpr (converting_provider<P>) h.conversion = &conversion_of<typename P::conversions>;
    return h;
}

// Any executor, erased; the executor outlives it.
struct executor_ref {
    void* pool = nullptr;
    int threads = 1;
    void (*fork)(void* pool, int count, task_function, void* data) noexcept = nullptr;
    executor_ref() = default;
    template <executor E>
    executor_ref(E& e)
        : pool(&e), threads(e.size()), fork([](void* p, int count, task_function task, void* data) noexcept {
              static_cast<E*>(p)->parallel(count, task, data);
          }) {}
    explicit operator bool() const { return fork; }
};
}  // namespace v1
}  // namespace inlay
