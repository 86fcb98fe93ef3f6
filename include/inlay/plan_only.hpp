// A provider that the program can plan for but not run: its options, its engine's proposals and its kernels' verdicts,
// without the library of its device. A session over it has plans and reports; runs and bindings are
// provider_unavailable.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/any_session.hpp>

namespace inlay {
inline namespace v1 {
template <kernel_provider P> const kernel_table& planned_kernels_of() {
    static const kernel_table table =
        make_table(pack_of<decltype(P::kernels)>{}, pack_of<decltype(P::devices)>{},
                   []<class Op, class Device>(std::type_identity<Op>, std::type_identity<Device>) {
                       return planned_rows<Op, Device>();
                   });
    return table;
}

// The name and the device of memory that does not exist here.
template <reachable_memory Tag>
inline constexpr space planned_space_of{memory_space<Tag>::name,
                                        memory_of_devices<Tag> ? 0 : -1,
                                        [](std::size_t, int) noexcept -> void* { return nullptr; },
                                        [](void*, int) noexcept {},
                                        [](void*, const void*, std::size_t, int) noexcept { return false; },
                                        [](void*, const void*, std::size_t, int) noexcept { return false; }};

// reason: static text that reports why the program cannot run it, and how to get one that can.
template <provider P> provider_handle make_plan_only_handle(const P& p, std::string_view reason) {
    provider_handle h = make_description(p);
    h.plan_only = reason;
    if constexpr (!std::same_as<memory_of<P>, memory::host>)
        h.memory_space = memory_of_devices<memory_of<P>> && h.device != 0
                             ? &space_of_device(planned_space_of<memory_of<P>>, h.device)
                             : &planned_space_of<memory_of<P>>;
    if constexpr (kernel_provider<P>) h.kernels = &planned_kernels_of<P>();
    if constexpr (converting_provider<P>) h.conversion = [](int) { return conversion_functions{}; };
    return h;
}
// For providers by name. Planned has the provider as `type`, and `reason`.
template <class Planned> constexpr provider_factory plan_only_factory_of() {
    using P = typename Planned::type;
    return make_factory<P>([](const P& p) { return make_plan_only_handle(p, Planned::reason); }, Planned::reason);
}
}  // namespace v1
}  // namespace inlay
