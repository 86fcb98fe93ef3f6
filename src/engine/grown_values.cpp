#include "grown_values.hpp"

namespace inlay {
inline namespace v1 {
static void copy_rows(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                      std::int64_t bytes, std::int64_t count) {
    for (std::int64_t i = 0; bytes > 0 && i < count; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, std::size_t(bytes));
}
tensor grown_values::dense(const slot& o) const {
    if (o.axis < 0) return o.memory.clone();
    tensor t = tensor::uninitialized(o.memory.type(), o.dims(rows));
    copy_rows(static_cast<std::byte*>(t.data()), rows * o.row_bytes(), static_cast<const std::byte*>(o.memory.data()),
              room * o.row_bytes(), rows * o.row_bytes(), o.outer());
    return t;
}
void grown_values::append(slot& o, const tensor& from, std::int64_t first, std::int64_t total) {
    if (o.axis < 0) {
        std::memcpy(o.memory.data(), from.data(), std::size_t(o.memory.bytes()));
        return;
    }
    const std::int64_t row = o.row_bytes();
    copy_rows(static_cast<std::byte*>(o.memory.data()) + first * row, room * row,
              static_cast<const std::byte*>(from.data()) + first * row, from.shape()[o.axis] * row,
              (total - first) * row, o.outer());
}
void grown_values::check_room(std::int64_t total) const {
    if (total <= room) return;
    error e(error_code::limit_exceeded, "inlay: the cache has room for " + std::to_string(room) + " rows and holds " +
                                            std::to_string(rows) + "; the run adds " + std::to_string(total - rows));
    e.hint = "make_cache() with more room, or keep() fewer rows";
    raise(std::move(e));
}

std::int64_t grown_values::new_rows(const session_core& core, const compiled_plan& p) const {
    std::int64_t added = -1;
    for (const kept_pair& k : core.graph.kept_pairs) {
        if (k.tokens < 0) continue;
        const node_view n{p.graph.view, p.graph.view.nodes[std::size_t(k.node)]};
        const std::string name = "`" + std::string(n.record.name) + "` (" + std::string(n.record.op) + ")";
        const shape& tokens = n.input(k.tokens).dims;
        if (!tokens.known() || k.tokens_axis >= tokens.rank)
            raise({error_code::shape_mismatch,
                   "inlay: how many rows a run adds to the cache is known before it runs, but not at " + name});
        const std::int64_t run_rows = tokens[k.tokens_axis];
        if (added >= 0 && run_rows != added)
            raise({error_code::shape_mismatch, "inlay: the run adds " + std::to_string(run_rows) +
                                                   " rows to the cache at " + name + ", and " + std::to_string(added) +
                                                   " elsewhere"});
        added = run_rows;
        const auto constant = k.total >= 0 ? n.input_integers(k.total) : std::nullopt;
        const std::int64_t total = k.total < 0                         ? -1
                                   : mask_columns >= 0                 ? mask_columns
                                   : constant && constant->size() == 1 ? (*constant)[0]
                                                                       : -1;
        if (total >= 0 && total != rows + run_rows)
            raise({error_code::shape_mismatch, "inlay: the cache holds " + std::to_string(rows) +
                                                   " rows and the run adds " + std::to_string(run_rows) + "; " + name +
                                                   " is given " + std::to_string(total) + " in all"});
    }
    return added;
}
void grown_values::before_run(const session_core& core, run_context& c) {
    const compiled_plan& p = *c.plan;
    added_ = new_rows(core, p);
    if (added_ >= 0) check_room(rows + added_);
    for (std::size_t j = 0; j < slots.size(); ++j) {
        if (slots[j].kind == kept_pair::form::state) {
            slots[j].reason = "the present takes the past's place";
            continue;
        }
        slot& o = slots[j];
        const growth& g = p.growths[j];
        if (const shape& present = p.graph.values[std::size_t(g.present)].dims; present.known())
            check_room(present[o.axis]);
        const verdict& v = p.plan.growths[j];
        o.in_place = v.ok;
        o.reason = v.reason;
        if (!v && v.detail >= 0)
            o.reason = "`" + std::string(p.graph.view.unit(int(v.detail)).name) + "` (" +
                       std::string(p.graph.view.unit(int(v.detail)).op) + "): " + o.reason;
        if (!v) {
            if (o.kind == kept_pair::form::buffer) continue;  // fed in place
            o.fed = dense(o);
            c.set_input(o.input, o.fed);
            continue;
        }
        for (std::size_t a = 0; a < p.plan.arguments.size(); ++a)  // the past lies there, as every input does
            if (const int id = p.plan.arguments[a]; id >= 0 && p.plan.roots[std::size_t(id)] == g.present)
                c.pointers[a] = o.memory.data();
        c.outputs[std::size_t(o.output)] = o.memory.data();
    }
}
void grown_values::after_run(const session_core& core, const run_context& c) {
    const compiled_plan& p = *c.plan;
    std::int64_t total = -1;
    std::vector<tensor> presents;  // a state may change only once everything else has been validated
    for (std::size_t j = 0; j < slots.size(); ++j) {
        slot& o = slots[j];
        tensor present;
        if (const place& at = p.output_places[std::size_t(o.output)]; at.what == place::kind::own) {
            if (const tensor* t = c.values[std::size_t(at.index)].as_tensor()) present = *t;
        } else
            present = c.output_view(o.output);
        const bool same_rank = present && present.shape().rank == o.memory.shape().rank;
        const std::int64_t rows_now = o.kind != kept_pair::form::rows ? rows + added_
                                      : same_rank                     ? present.shape()[o.axis]
                                                                      : -1;
        if (!same_rank || present.shape() != o.fed_dims(rows_now) || rows_now < rows ||
            (total >= 0 && total != rows_now))
            raise({error_code::shape_mismatch,
                   "inlay: the cache's `" + core.source->outputs()[std::size_t(o.output)].name + "` has shape " +
                       to_string(present.shape()) +
                       " after the run; all that it holds must grow by the same number of rows"});
        total = rows_now;
        check_room(total);
        presents.push_back(std::move(present));
    }
    for (std::size_t j = 0; j < slots.size(); ++j)
        if (!slots[j].in_place) append(slots[j], presents[j], rows, total);
    rows = total;
}
}  // namespace v1
}  // namespace inlay
