// Where a plan's steps use the caller's memory: they read and write it in place where they can, so that neither the
// host nor a device copies.
#include "bind_memory.hpp"

namespace inlay {
inline namespace v1 {
bool outside_copy::run() const noexcept {
    if (from_space == to_space) {
        if (from_space == &space_of<memory::host>) {
            std::memcpy(to, from, bytes);
            return true;
        }
        return from_space->to_host(host.get(), from, bytes) && to_space->from_host(to, host.get(), bytes);
    }
    return from_space == &space_of<memory::host> ? to_space->from_host(to, from, bytes)
                                                 : from_space->to_host(to, from, bytes);
}

namespace {
class memory_binder {
    static constexpr const space* host = &space_of<memory::host>;
    const compiled_plan& p_;
    const plan& plan_;
    run_context& c_;
    bound_memory& m_;
    std::vector<char> lent_;  // by value and by copy: its bytes are the caller's already

    int space_number(const space& s) const {
        return int(std::ranges::find(p_.spaces, &s) - p_.spaces.begin());
    }  // past the end: no provider has it
    bool is_graph_input(int id) const {
        return std::ranges::find(p_.graph.view.inputs, id) != p_.graph.view.inputs.end();
    }
    std::int64_t bytes(int id) const { return bytes_of(p_.record(id).type, p_.record(id).dims.elements()); }
    template <class F> void each_argument_of_root(int root, F f) const {
        for (std::size_t a = 0; a < plan_.arguments.size(); ++a)
            if (const int id = plan_.arguments[a];
                id >= 0 && !p_.record(id).is_constant() && plan_.roots[std::size_t(id)] == root)
                f(a, id);
    }
    const step* transfer_that_makes(int id) const {
        for (const step& s : plan_.steps)
            if (s.unit == step_kind::transfer && plan_.arguments[std::size_t(s.outputs.first)] == id) return &s;
        return nullptr;
    }
    outside_copy copy(const void* from, const space& from_space, void* to, const space& to_space, std::int64_t bytes) {
        outside_copy c{from, &from_space, to, &to_space, std::size_t(bytes), {}};
        if (&from_space != host && &to_space != host) {  // by way of the host
            if (&from_space != &to_space)
                raise({error_code::wrong_memory_space, "inlay: cannot copy from `" + std::string(from_space.name) +
                                                           "` to `" + std::string(to_space.name) + "`"});
            c.host = std::shared_ptr<void>(host->allocate(std::max<std::size_t>(c.bytes, 1)),
                                           [](void* p) { host->release(p); });
            if (!c.host) raise({error_code::out_of_memory, "inlay: no memory for " + std::to_string(bytes) + " bytes"});
        }
        return c;
    }

    void lend_input(int id, int number, const tensor& t) {
        const int input_space = space_number(t.where());
        bool on_host = false;
        for (const step& s : plan_.steps)
            for (int k = 0; k < s.inputs.count; ++k) {
                const auto in = std::size_t(s.inputs.first + k);
                if (const int a = plan_.arguments[in];
                    a < 0 || p_.record(a).is_constant() || plan_.roots[std::size_t(a)] != id)
                    continue;
                const int target = s.unit == step_kind::transfer ? plan_.arguments[std::size_t(s.outputs.first)] : -1;
                if (target < 0 || plan_.value_spaces[std::size_t(target)] != input_space) {
                    on_host = true;
                    continue;
                }
                c_.pointers[in] = t.data();  // same place: nothing is copied
                lent_[std::size_t(target)] = 1;
                for (std::size_t a = 0; a < plan_.arguments.size(); ++a)
                    if (plan_.arguments[a] == target) c_.pointers[a] = t.data();
            }
        const std::vector<std::size_t>& outputs = p_.input_outputs[std::size_t(number)];
        on_host |= !outputs.empty();
        if (!on_host) return;
        tensor& host_copy = m_.on_host.emplace_back(t.type(), t.shape());
        for (std::size_t a : p_.input_arguments[std::size_t(number)])
            if (c_.pointers[a] != t.data()) c_.pointers[a] = host_copy.data();
        for (std::size_t k : outputs) c_.outputs[k] = host_copy.data();
        m_.before.push_back(copy(t.data(), t.where(), host_copy.data(), *host, t.bytes()));
    }
    // The steps that produce the value write to the caller's memory, if all values that share its bytes may lie there.
    bool lend_output(int id, void* to) {
        const auto overlaps = [&](const tensor& t) {
            return std::less<const void*>()(t.data(), static_cast<const std::byte*>(to) + bytes(id)) &&
                   std::less<const void*>()(to, static_cast<const std::byte*>(t.data()) + t.bytes());
        };
        if (std::ranges::any_of(m_.inputs, overlaps))
            return false;  // state that a model updates: read completely, then written
        const int root = plan_.roots[std::size_t(id)];
        if (plan_.offsets[std::size_t(id)] < 0 || is_graph_input(root) || lent_[std::size_t(root)] == 2 ||
            lent_[std::size_t(id)] == 1)
            return false;
        if (plan_.offsets[std::size_t(root)] != plan_.offsets[std::size_t(id)] || bytes(root) != bytes(id))
            return false;
        each_argument_of_root(root, [&](std::size_t a, int alias) {
            if (lent_[std::size_t(alias)] != 1)
                c_.pointers[a] = static_cast<std::byte*>(to) +
                                 (plan_.offsets[std::size_t(alias)] - plan_.offsets[std::size_t(root)]);
        });
        for (std::size_t k = 0; k < c_.outputs.size(); ++k)
            if (!p_.record(plan_.outputs[k]).is_constant() && plan_.roots[std::size_t(plan_.outputs[k])] == root)
                c_.outputs[k] = to;
        lent_[std::size_t(root)] = 2;
        return true;
    }
    bool read_on_host(int id, const step& maker, int output) const {
        bool host_read = false;
        each_argument_of_root(plan_.roots[std::size_t(id)],
                              [&](std::size_t a, int) { host_read |= a != std::size_t(maker.outputs.first); });
        for (int k = 0; k < int(plan_.outputs.size()); ++k)
            host_read |= k != output && !p_.record(plan_.outputs[std::size_t(k)]).is_constant() &&
                         plan_.roots[std::size_t(plan_.outputs[std::size_t(k)])] == plan_.roots[std::size_t(id)];
        return host_read;
    }
    void lend_result(int k, bound_output& o) {
        const int id = plan_.outputs[std::size_t(k)];
        const value& v = p_.record(id);
        const space& target = o.memory ? o.memory.where() : *o.target;
        const bool in_arena = !v.is_constant() && p_.output_places[std::size_t(k)].what == place::kind::arena;
        const step* const fetches = in_arena ? transfer_that_makes(id) : nullptr;
        const int source = fetches ? plan_.arguments[std::size_t(fetches->inputs.first)] : id;
        o.result = o.memory;
        if (fetches && plan_.value_spaces[std::size_t(source)] ==
                           space_number(target)) {  // it is produced there: no copy if the host never reads it
            const void*& pointer = c_.pointers[std::size_t(fetches->inputs.first)];
            if (!o.memory)
                o.result = tensor::borrow(v.type, v.dims, pointer, target);
            else if (!lend_output(source, o.memory.data()))
                m_.after.push_back(copy(pointer, target, o.memory.data(), target, bytes(id)));
            if (!read_on_host(id, *fetches, k)) c_.pointers[std::size_t(fetches->outputs.first)] = pointer;
            return;
        }
        if (!o.memory) o.result = tensor(v.type, v.dims, target);
        if (!in_arena || &target != host || !lend_output(id, o.result.data()))
            m_.after.push_back(copy(c_.outputs[std::size_t(k)], *host, o.result.data(), target, bytes(id)));
    }

  public:
    memory_binder(run_context& c, bound_memory& m)
        : p_(*c.plan),
          plan_(c.plan->plan),
          c_(c),
          m_(m),
          lent_(c.plan->graph.values.size() + c.plan->plan.copies.size(), 0) {}
    void run() {
        for (std::size_t k = 0; k < m_.inputs.size(); ++k)
            if (!m_.inputs[k].on_host()) lend_input(p_.graph.view.inputs[k], int(k), m_.inputs[k]);
        for (std::size_t k = 0; k < m_.outputs.size(); ++k)
            if (m_.outputs[k].memory || m_.outputs[k].target) lend_result(int(k), m_.outputs[k]);
    }
};
}  // namespace

void bind_memory(run_context& c, bound_memory& m) {
    c.resolve_pointers();
    c.recordings.assign(c.recordings.size(), {});
    m.before.clear();
    m.after.clear();
    m.on_host.clear();
    for (std::size_t k = 0; k < m.inputs.size(); ++k)
        if (m.inputs[k].on_host()) c.set_input(int(k), m.inputs[k]);
    memory_binder(c, m).run();
}
}  // namespace v1
}  // namespace inlay
