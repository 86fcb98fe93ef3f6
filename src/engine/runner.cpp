#include "device_steps.hpp"
#include "runner.hpp"
#include "subgraph_run.hpp"
#include "watch.hpp"
#include <inlay/impl/denormals.hpp>

namespace inlay {
inline namespace v1 {
status runner::do_step(run_context& c, const exec_step& e, context& x, const run_options& o) const {
    const arguments a{c.pointers.data() + e.in, const_cast<void* const*>(c.pointers.data() + e.out)};
    switch (e.what) {
        case exec_step::kind::kernel: return e.run(e.params, e.state, a, x);
        case exec_step::kind::region: return run_region(c, e, x);
        case exec_step::kind::telling: return run_telling(c, e, x);
        case exec_step::kind::transfer: return transfer_value(c, e, x);
        case exec_step::kind::late:
            c.failed_step = e.step;
            run_late(c, e, x);
            c.failed_step = -1;
            break;
        case exec_step::kind::control_flow: run_control_flow(c, e, o); break;
    }
    return status::ok;
}
void runner::run_control_flow(run_context& c, const exec_step& e, const run_options& o) const {
    const int unit = c.plan->plan.steps[std::size_t(e.step)].unit;
    const std::unique_ptr<subgraph_run> run = make_subgraph_run(setup_, bodies_, c, e, o);
    run->run();
    const graph_view& g = c.plan->graph.view;
    const range attributes = g.nodes[std::size_t(unit)].attributes;
    for (const attribute& a : g.attributes.subspan(std::size_t(attributes.first), std::size_t(attributes.count)))
        if (a.kind == attribute_kind::graph) bodies_.at(unit, int(a.integer)).contexts.drop_large();
    for (std::size_t k = 0; k < std::min(run->out.size(), run->unstacked); ++k) c.take_bytes(size_of(run->out[k]));
    store_outputs(c, e, run->out);
}
// Steps that a device may record: the first run executes them one by one, so that libraries are initialised; the
// second one records them.
status runner::run_together(run_context& c, std::size_t first, context& x, const run_options& o) const {
    const compiled_plan& p = *c.plan;
    const std::span<const exec_step> steps = std::span(p.steps).subspan(first, std::size_t(p.steps[first].together));
    device_queue& queue = *c.queues[std::size_t(p.steps[first].queue)];
    run_context::recording& recording = c.recordings[first];
    const auto one_by_one = [&] {
        for (const exec_step& e : steps)
            if (const status s = do_step(c, e, x, o); s != status::ok) {
                c.failed_step = e.step;
                return s;
            }
        return status::ok;
    };
    if (!recording.work && recording.runs++ == 1 && queue.begin_recording()) {
        const status s = one_by_one();
        recording.work = queue.end_recording();
        if (s != status::ok) recording.work = nullptr;  // what fails while it is recorded may still run
    }
    if (!recording.work) return one_by_one();
    const status s = queue.replay(recording.work.get());
    if (s != status::ok) {
        c.failed_step = steps.front().step;
        x.detail = queue.why();
    }
    return s;
}
// The step's work goes to its device's queue.
static void give_to_queue(run_context& c, const exec_step& e, context& x, queues_entered& devices) {
    devices.select(e.queue);
    x.stream = c.queues[std::size_t(e.queue)]->stream();
    x.faults = c.queues[std::size_t(e.queue)]->faults();
    if (const tensor& arena = c.arenas[std::size_t(e.space)]; e.space > 0 && arena)
        x.scratch =
            static_cast<std::byte*>(const_cast<void*>(arena.data())) + c.plan->plan.scratch_at[std::size_t(e.space)];
    devices.given_work();
}
// mark() before and after each step: nothing, or a time stamp, for which devices finish each step.
template <bool Timed, class Mark> status runner::run_steps(run_context& c, const run_options& o, Mark mark) const {
    const denormals_flushed guard(setup_.flush_denormals);
    const compiled_plan& p = *c.plan;
    context x = setup_.base(o);
    c.begin();
    x.bytes_left = &c.bytes_left;
    std::byte* const scratch = static_cast<std::byte*>(c.scratch.data());
    queues_entered devices(c.queues);
    const auto fail = [&](status s, int step, std::string_view reason) {
        c.failed_step = step;
        c.failure = reason;
        return s == status::stopped ? x.end_of_run() : s;
    };
    c.failed_queue = -1;
    if (devices.entered() != status::ok) return fail(devices.entered(), -1, devices.why());
    int last_queue = -1;  // the provider of the last step
    for (std::size_t t = 0; t < p.steps.size(); ++t) {
        const exec_step& e = p.steps[t];
        if (x.stoppable() && x.stopped()) return x.end_of_run();
        x.scratch = scratch;
        if (e.queue < 0) {  // no step of the host sees a device's handles
            x.stream = nullptr;
            x.faults = nullptr;
        } else
            give_to_queue(c, e, x, devices);
        if (e.queue != last_queue) [[unlikely]] {
            last_queue = e.queue;
            if (const status s = e.queue < 0 ? devices.settle() : devices.follow(); s != status::ok) {
                c.failed_queue = devices.failed();
                return fail(s, -1, devices.why());
            }
        }
        mark();
        status outcome = status::ok;
        if (!Timed && e.together > 1) {
            outcome = run_together(c, t, x, o);
            if (outcome != status::ok) return fail(outcome, c.failed_step, x.detail);
            t += std::size_t(e.together) - 1;
        } else
            outcome = do_step(c, e, x, o);
        if (Timed && outcome == status::ok)
            if (outcome = devices.settle(); outcome != status::ok) x.detail = devices.why();
        mark();
        if (outcome != status::ok) [[unlikely]]
            return fail(outcome, e.step, x.detail);
        if (e.last_reads.count) [[unlikely]]
            for (int id :
                 std::span(p.last_reads).subspan(std::size_t(e.last_reads.first), std::size_t(e.last_reads.count)))
                c.forget(id);
    }
    if (const status s = devices.settle(); s != status::ok) {
        c.failed_queue = devices.failed();
        return fail(s, -1, devices.why());
    }
    c.memory.end_run();
    return status::ok;
}
status runner::execute_marked(run_context& c, const run_options& o, const std::function<void()>& mark) const {
    return run_steps<true>(c, o, std::cref(mark));
}
status runner::execute_beside(run_context& c, const run_options& o) const {
    const std::unique_ptr<step_watcher> watcher = watcher_(c);
    watcher->begin(watched_steps(setup_.handles, c));
    std::size_t calls = 0;
    return execute_marked(c, o, [&] {
        const watched_step s(setup_.handles, c, c.plan->steps[calls / 2]);
        if (calls++ % 2)
            watcher->after(s);
        else
            watcher->before(s);
    });
}
status runner::execute(run_context& c, const run_options& o) const {
    c.timed.clear();
    if (watcher_) [[unlikely]]
        return execute_beside(c, o);
    return run_steps<false>(c, o, [] {});
}
status runner::execute_timed(run_context& c, const run_options& o, moment* marks) const {
    return run_steps<true>(c, o, [&] { *marks++ = std::chrono::steady_clock::now(); });
}
}  // namespace v1
}  // namespace inlay
