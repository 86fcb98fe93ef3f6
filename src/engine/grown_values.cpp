#include "grown_values.hpp"

namespace inlay {
inline namespace v1 {
static void copy_rows(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                      std::int64_t bytes, std::int64_t count) {
    for (std::int64_t i = 0; bytes > 0 && i < count; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, std::size_t(bytes));
}
tensor grown_values::dense(const one& o) const {
    tensor t = tensor::uninitialized(o.memory.type(), o.dims(rows));
    copy_rows(static_cast<std::byte*>(t.data()), rows * o.row_bytes(), static_cast<const std::byte*>(o.memory.data()),
              room * o.row_bytes(), rows * o.row_bytes(), o.outer());
    return t;
}
void grown_values::append(one& o, const tensor& from, std::int64_t first, std::int64_t total) {
    const std::int64_t row = o.row_bytes();
    copy_rows(static_cast<std::byte*>(o.memory.data()) + first * row, room * row,
              static_cast<const std::byte*>(from.data()) + first * row, total * row, (total - first) * row, o.outer());
}
void grown_values::check_room(std::int64_t total) const {
    if (total <= room) return;
    error e(error_code::limit_exceeded, "inlay: the cache has room for " + std::to_string(room) + " rows and holds " +
                                            std::to_string(rows) + "; the run adds " + std::to_string(total - rows));
    e.hint = "make_cache() with more room, or keep() fewer rows";
    raise(std::move(e));
}

void grown_values::before_run(const session_core& core, run_context& c) {
    const compiled_plan& p = *c.plan;
    for (std::size_t j = 0; j < all.size(); ++j) {
        one& o = all[j];
        const growth& g = p.growths[j];
        if (const shape& present = p.graph.values[std::size_t(g.present)].dims; present.known())
            check_room(present[o.axis]);
        const verdict& v = p.plan.growths[j];
        o.in_place = v.ok;
        o.why = v.reason;
        if (!v && v.found >= 0)
            o.why = "`" + std::string(p.graph.view.unit(int(v.found)).name) + "` (" +
                    std::string(p.graph.view.unit(int(v.found)).op) + "): " + o.why;
        if (!v) {
            o.fed = dense(o);
            core.set_input(c, o.input, o.fed);
            continue;
        }
        for (std::size_t a = 0; a < p.plan.arguments.size(); ++a)  // the past lies there as every input does
            if (const int id = p.plan.arguments[a]; id >= 0 && p.plan.roots[std::size_t(id)] == g.present)
                c.pointers[a] = o.memory.data();
        c.outputs[std::size_t(o.output)] = o.memory.data();
    }
}
void grown_values::after_run(const session_core& core, const run_context& c) {
    const compiled_plan& p = *c.plan;
    std::int64_t total = -1;
    for (std::size_t j = 0; j < all.size(); ++j) {
        one& o = all[j];
        tensor present;
        if (const place& at = p.output_places[std::size_t(o.output)]; at.what == place::kind::own) {
            if (const tensor* t = c.values[std::size_t(at.index)].as_tensor()) present = *t;
        } else
            present = core.output_view(c, o.output);
        const std::int64_t rows_now =
            present && present.shape().rank == o.memory.shape().rank ? present.shape()[o.axis] : -1;
        if (present.shape() != o.dims(rows_now) || rows_now < rows || (total >= 0 && total != rows_now))
            raise({error_code::shape_mismatch,
                   "inlay: the cache's `" + core.source->outputs()[std::size_t(o.output)].name + "` has shape " +
                       to_string(present.shape()) +
                       " after the run; all that it holds must grow by the same number of rows"});
        total = rows_now;
        check_room(total);
        if (!o.in_place) append(o, present, rows, total);
    }
    rows = total;
}
}  // namespace v1
}  // namespace inlay
