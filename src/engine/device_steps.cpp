#include "device_steps.hpp"

namespace inlay {
inline namespace v1 {
// A kernel that reports the sizes of its outputs, in its provider's memory. They are copied to the host before
// anything reads them there.
status run_telling(run_context& c, const exec_step& e, context& x) {
    struct owner {
        run_context& c;
        const exec_step& e;
    } caller{c, e};
    x.owner = &caller;
    x.grow = [](void* o, int k, const shape& dims) noexcept -> void* {
        auto& [c, e] = *static_cast<owner*>(o);
        const compiled_plan& p = *c.plan;
        const int id = p.plan.arguments[e.out + std::size_t(k)];
        if (id < 0 || !dims.known()) return nullptr;
        try {
            tensor& block = c.device_values[id];
            block = tensor();  // freed before the next is allocated
            c.take_bytes(bytes_of(p.record(id).type, dims.elements()));
            return (block = tensor(p.record(id).type, dims, *p.spaces[std::size_t(e.space)])).data();
        } catch (const std::exception&) {
            return nullptr;
        }
    };
    const status s =
        e.run(e.params, e.state, {c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)}, x);
    x.owner = nullptr;
    x.grow = nullptr;
    return s;
}
status transfer_value(run_context& c, const exec_step& e, context& x) {
    const compiled_plan& p = *c.plan;
    const copied_value& copy = p.copy(p.plan.arguments[e.out]);
    const int source = p.source(copy.source), from_space = p.plan.value_spaces[std::size_t(copy.source)];
    const void* from = c.pointers[e.in];
    void* to = const_cast<void*>(c.pointers[e.out]);
    tensor result;
    if (p.places[e.in].what == place::kind::own) {
        result = c.device_values[source];
        if (!result) return x.fail("its kernel reported no shape", status::failed);
        c.take_bytes(result.bytes());
        tensor host_copy = tensor::uninitialized(result.type(), result.shape());
        from = result.data();
        to = host_copy.data();
        c.values[std::size_t(source)] = std::move(host_copy);
    }
    if (from == to) return status::ok;  // a binding's memory: it is already where it is required
    const value& v = p.graph.values[std::size_t(source)];
    const auto bytes = std::size_t(result ? result.bytes() : bytes_of(v.type, v.dims.elements()));
    const space& device_space = *p.spaces[std::size_t(copy.space ? copy.space : from_space)];
    bool good = false;
    const auto queued = copy.space == 0   ? device_space.to_host_queued
                        : from_space == 0 ? device_space.from_host_queued
                                          : device_space.from_peer_queued;
    if (queued && e.queue >= 0)
        good = queued(to, from, bytes, x.stream);
    else
        good = copy.space ? device_space.from_host(to, from, bytes) : device_space.to_host(to, from, bytes);
    return good ? status::ok : status::failed;
}
status run_region(run_context& c, const exec_step& e, context& x) {
    const auto buffers_of = [&](range arguments) {
        for (std::size_t k = 0; k < std::size_t(arguments.count); ++k) {
            const std::size_t at = std::size_t(arguments.first) + k;
            buffer& b = c.buffers[at];
            b.data = b.allocation = const_cast<void*>(c.pointers[at]);
            b.offset = 0;
            if (const place& location = c.plan->places[at]; location.what == place::kind::arena) {
                const tensor& arena = c.arenas[std::size_t(location.index)];
                auto* const first = static_cast<std::byte*>(const_cast<void*>(arena.data()));
                if (b.data == first + location.offset) {  // else it is the caller's memory
                    b.allocation = first;
                    b.offset = location.offset;
                }
            }
        }
        return std::span<const buffer>(c.buffers).subspan(std::size_t(arguments.first), std::size_t(arguments.count));
    };
    const step& s = c.plan->plan.steps[std::size_t(e.step)];
    const auto inputs = buffers_of(s.inputs);
    return c.executables[std::size_t(e.region)]->run(inputs, buffers_of(s.outputs), x);
}
}  // namespace v1
}  // namespace inlay
