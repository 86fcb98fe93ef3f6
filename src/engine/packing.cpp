#include "packing.hpp"
#include "pages.hpp"
#include <atomic>
#include <thread>

namespace inlay {
inline namespace v1 {
// Copies of weights while they are packed: most share one block, since the first touch of each new page is
// expensive.
class copy_room {
    static constexpr std::int64_t size = 4 << 20, piece = 1 << 20;
    tensor block_;
    std::int64_t used_ = 0;
    std::vector<tensor> large_;

  public:
    void
    clear() {  // an allocator may keep what is freed, and pages of large copies would add to those of the next kernel's
        for (const tensor& t : large_) drop_pages(t.data(), t.bytes());
        if (used_ > piece) drop_pages(block_.data(), used_);
        used_ = 0;
        large_.clear();
    }
    // Releases the file's pages as it copies.
    const void* aligned_copy(const tensor& t, const bound_states& files) {
        if (is_aligned(t)) return t.data();
        const std::int64_t bytes = t.bytes();
        std::byte* to;
        if (bytes > size - used_)
            to = static_cast<std::byte*>(large_.emplace_back(tensor::uninitialized(element::u8, {bytes})).data());
        else {
            if (!block_) block_ = tensor::uninitialized(element::u8, {size});
            to = static_cast<std::byte*>(block_.data()) + used_;
            used_ += padded_bytes(bytes);
        }
        const auto* from = static_cast<const std::byte*>(t.data());
        for (std::int64_t at = 0; at < bytes; at += piece) {
            const std::int64_t size = std::min(piece, bytes - at);
            std::memcpy(to + at, from + at, std::size_t(size));
            files.give_back(from + at, size);
        }
        return to;
    }
};

// Binds the kernel of a step, in any thread.
struct packing::job {
    const step& s;
    exec_step& e;
    const node& n;
    const kernel_functions& f;
    std::int64_t bytes;                    // of packed data
    std::vector<const void*> constants{};  // the constants, except those that are packed
    std::vector<std::pair<std::size_t, const graph_constant*>> packed{};
    std::shared_ptr<bound_state> state{};
    std::exception_ptr failure{};

    std::int64_t source_bytes() const {
        std::int64_t total = 0;
        for (const auto& [k, c] : packed) total += c->bytes();
        return total;
    }
};
packing::packing(session_setup& s, const session_graph& g, kept_states& states, compiled_plan& p)
    : setup_(s), graph_(g), states_(states), plan_(p) {
    p.params.reserve(p.plan.steps.size());
}
packing::~packing() = default;
std::int64_t packing::waiting() const { return std::int64_t(waiting_.size()); }
packing::job packing::job_of(exec_step& e, const step& s) {
    compiled_plan& p = plan_;
    const node& n = p.graph.view.unit(s.unit);
    const kernel_table& table = setup_.kernels_at(s.provider);
    const kernel_functions& f = table.functions[std::size_t(s.kernel)];
    const node_view view{p.graph.view, n, p.plan.layouts.data() + s.inputs.first,
                         std::span(p.plan.pitches).subspan(std::size_t(s.inputs.first))};
    auto& params = p.params.emplace_back(f.params_bytes / sizeof(std::max_align_t) + 1);
    f.prepare(view, params.data());
    const bytes_needed need = table.entries[std::size_t(s.kernel)].footprint(view, setup_.executor.threads);
    check_packed(p.graph.view, n, need.constant);
    e.run = f.run;
    e.params = params.data();
    job j{s, e, n, f, need.constant};
    for (int k = 0; k < s.inputs.count; ++k) {
        place& at = p.places[std::size_t(s.inputs.first + k)];
        if (at.on_host()) {
            if (table.entries[std::size_t(s.kernel)].packs_at_bind(view, k))
                j.packed.emplace_back(k, &p.constant(at.index));
            else
                at.pointer = p.readable(at.index, *graph_.states);
        }
        j.constants.push_back(at.what == place::kind::constant ? at.pointer : nullptr);
    }
    return j;
}
void packing::pack(job& j, copy_room& room) const {
    const auto bind = [&] {
        room.clear();
        std::vector<tensor> sources;
        for (const auto& [k, c] : j.packed)
            j.constants[k] = room.aligned_copy(sources.emplace_back(c->get()), *graph_.states);
        auto state = bind_kernel(j.f, j.e.params, graph_.states->packed.take(j.bytes), {j.constants.data()},
                                 setup_.level, setup_.executor.threads, j.n.name);
        for (const tensor& t : sources) graph_.states->give_back(t.data(), t.bytes());
        room.clear();
        return state;
    };
    try {
        j.state = states_.bind(plan_, j.s.unit, j.s.provider, j.f, bind);
    } catch (...) {
        j.failure = std::current_exception();
    }
}
void packing::keep(const job& j) {
    if (j.failure) try {
            std::rethrow_exception(j.failure);
        } catch (const kernel_refusal& r) {
            setup_.failed.barred.add(j.n, j.s.provider, j.s.kernel, r.reason);
            throw;
        } catch (const error& cause) {
            setup_.failed.raise(j.s.provider, cause);
        }
    plan_.packed_bytes += j.state->storage.bytes();
    plan_.states.push_back(j.state);
    j.e.state = j.state->state;
}
void packing::add(exec_step& e, const step& s) {
    job j = job_of(e, s);
    if (e.queue < 0 && !j.packed.empty()) {
        waiting_.push_back(std::move(j));
        return;
    }
    copy_room room;
    pack(j, room);
    keep(j);
}
// By all threads, starting with the most bytes of constants: the file's pages are resident together with the packed
// data, which is then still small.
void packing::run(stage_progress& progress) {
    std::vector<job*> order;
    for (job& item : waiting_) order.push_back(&item);
    std::ranges::stable_sort(order, std::greater(), &job::source_bytes);
    const auto caller = std::this_thread::get_id();
    const std::int64_t other_steps = std::int64_t(plan_.steps.size() - waiting_.size());
    std::atomic<std::size_t> next{0}, count{0};
    std::exception_ptr stop_cause;  // by the progress function
    const auto work = [&](int) noexcept {
        copy_room room;
        for (std::size_t i = next++; i < order.size(); i = next++) {
            pack(*order[i], room);
            ++count;
            if (order[i]->failure) next = order.size();
            if (std::this_thread::get_id() == caller) try {
                    progress(other_steps + std::int64_t(count));
                } catch (...) {
                    stop_cause = std::current_exception();
                    next = order.size();
                }
        }
    };
    context c = setup_.base({});
    if (!order.empty()) c.for_each(std::min(c.threads, int(order.size())), work);
    for (const job& item : waiting_)
        if (item.state || item.failure) keep(item);
    if (stop_cause) std::rethrow_exception(stop_cause);
    progress(std::int64_t(plan_.steps.size()));
}
}  // namespace v1
}  // namespace inlay
