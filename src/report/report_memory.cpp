// Where the values of a plan live, and how long.
#include "engine/session_core.hpp"
#include "engine/session_report.hpp"
#include "report/report_schedule.hpp"

namespace inlay {
inline namespace v1 {
namespace {
struct life {
    int first_step = std::numeric_limits<int>::max(), last_step = -1;
    void touch(int step) {
        first_step = std::min(first_step, step);
        last_step = std::max(last_step, step);
    }
};
std::vector<life> lives_of(const compiled_plan& p) {  // of values and copies
    const int steps = int(p.plan.steps.size());
    std::vector<life> lives(p.plan.offsets.size());
    for (int t = 0; t < steps; ++t)
        for (const range& r : {p.plan.steps[std::size_t(t)].inputs, p.plan.steps[std::size_t(t)].outputs})
            for (int id : p.plan.list(r))
                if (id >= 0) lives[std::size_t(id)].touch(t);
    for (int id : p.graph.view.inputs) {
        lives[std::size_t(id)].touch(-1);
        lives[std::size_t(id)].touch(steps);
    }  // a run may be repeated with the inputs it had
    for (int id : p.plan.outputs) lives[std::size_t(id)].touch(steps);
    return lives;
}
memory_report::space report_space(const compiled_plan& p, const std::vector<life>& lives, int space) {
    const std::size_t steps = p.plan.steps.size();
    memory_report::space r{std::string(p.spaces[std::size_t(space)]->name),
                           p.plan.arena_bytes[std::size_t(space)],
                           0,
                           std::vector<std::int64_t>(steps),
                           {}};
    std::vector<int> ids, place(lives.size(), -1);
    for (std::size_t id = 0; id < lives.size(); ++id)
        if (p.plan.offsets[id] >= 0 && p.plan.value_spaces[id] == space && lives[id].first_step <= lives[id].last_step)
            ids.push_back(int(id));
    std::ranges::sort(ids, {}, [&](int id) {
        return std::tuple(p.plan.offsets[std::size_t(id)], lives[std::size_t(id)].first_step, id);
    });
    for (std::size_t i = 0; i < ids.size(); ++i) place[std::size_t(ids[i])] = int(i);
    std::vector<char> is_input(lives.size(), 0), is_output(lives.size(), 0);
    for (int id : p.graph.view.inputs) is_input[std::size_t(id)] = 1;
    for (int id : p.plan.outputs) is_output[std::size_t(id)] = 1;

    std::vector<life> shared(
        ids.size());  // of each root: bytes that several values share in turn are occupied from the first to the last
    for (int id : ids) {
        const auto k = std::size_t(id);
        const value& v = p.record(id);
        const int root = place[std::size_t(p.plan.roots[k])];
        r.values.push_back({std::string(v.name), v.type, v.dims, std::string(layout_name(p.plan.value_layouts[k])),
                            p.plan.offsets[k], bytes_of(p.plan.pairs[k] ? element::bf16 : v.type, v.dims.elements()),
                            lives[k].first_step, lives[k].last_step, root, is_input[k] != 0, is_output[k] != 0});
        shared[std::size_t(root)].touch(lives[k].first_step);
        shared[std::size_t(root)].touch(lives[k].last_step);
    }
    std::vector<std::int64_t> change(steps + 3);  // step -1 is at 0
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (r.values[i].root != int(i)) continue;
        change[std::size_t(shared[i].first_step + 1)] += padded_bytes(r.values[i].bytes);
        change[std::size_t(shared[i].last_step + 2)] -= padded_bytes(r.values[i].bytes);
    }
    std::int64_t now = 0;
    for (std::size_t t = 0; t < steps + 2; ++t) {
        now += change[t];
        r.live_bytes = std::max(r.live_bytes, now);
        if (t > 0 && t <= steps) r.live[t - 1] = now;
    }
    return r;
}
}  // namespace

memory_report memory_report_of(session_core& core, const compiled_plan& p) {
    const plan_report r = report_of(core, &p);
    memory_report m{r.model,        r.inputs,        {}, {}, r.aliased, int(p.own_values.size()), r.scratch_bytes,
                    r.packed_bytes, r.constant_bytes};
    for (const plan_report::step& s : r.schedule)
        m.steps.push_back({s.name, s.op.empty() ? "(" + s.kind + ")" : s.op, s.provider});
    m.held_bytes = core.held_bytes();
    const std::vector<life> lives = lives_of(p);
    for (std::size_t k = 0; k < p.plan.arena_bytes.size(); ++k) m.spaces.push_back(report_space(p, lives, int(k)));
    return m;
}
}  // namespace v1
}  // namespace inlay
