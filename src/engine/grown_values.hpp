// The memory of values that grow (KV caches and states) during a run.
#pragma once
#include "session_core.hpp"

namespace inlay {
inline namespace v1 {
struct grown_values {
    struct slot {
        int input = 0, output = 0;  // of the graph
        int axis = 0;               // the growing axis; -1: none
        kept_pair::form kind{};
        tensor memory{};  // with a capacity of `room` rows
        any_value fed{};  // what the run gets as the past
        bool in_place = false;
        std::string reason{};
        std::int64_t outer() const { return memory.shape().elements(0, axis); }
        std::int64_t row_bytes() const { return bytes_of(memory.type(), memory.shape().elements(axis + 1)); }
        shape dims(std::int64_t rows) const {
            shape s = memory.shape();
            if (axis >= 0) s[axis] = rows;
            return s;
        }
        shape fed_dims(std::int64_t rows) const { return kind == kept_pair::form::rows ? dims(rows) : memory.shape(); }
    };
    std::vector<slot> slots;  // as session_graph::kept_pairs
    std::int64_t rows = 0, room = 0;
    std::int64_t mask_columns = -1;  // of the mask that the run was given, before it was widened to `room`

    tensor dense(const slot&) const;  // a copy of the rows held, or of the state
    void append(slot&, const tensor& from, std::int64_t first,
                std::int64_t total);  // the rows [first, total) of a dense tensor; of a state, all of it
    void check_room(std::int64_t total) const;
    void before_run(const session_core&, run_context&);  // called once the inputs are set
    void after_run(const session_core&, const run_context&);

  private:
    // Rows that the run adds, by the plan's shapes: -1 where only the presents determine it. Raises errors if they do
    // not fit.
    std::int64_t new_rows(const session_core&, const compiled_plan&) const;
    std::int64_t added_ = -1;
};
}  // namespace v1
}  // namespace inlay
