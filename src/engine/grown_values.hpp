// The memory of values that grow, under a run.
#pragma once
#include "core.hpp"

namespace inlay {
inline namespace v1 {
struct grown_values {
    struct one {
        int input = 0, output = 0;  // of the graph
        int axis = 0;
        tensor memory{};  // rows for `room`
        any_value fed{};  // what the run is given as the past
        bool in_place = false;
        std::string why{};
        std::int64_t outer() const { return memory.shape().elements(0, axis); }
        std::int64_t row_bytes() const { return bytes_of(memory.type(), memory.shape().elements(axis + 1)); }
        shape dims(std::int64_t rows) const {
            shape s = memory.shape();
            s[axis] = rows;
            return s;
        }
    };
    std::vector<one> all;  // as session_core::growths
    std::int64_t rows = 0, room = 0;

    tensor dense(const one&) const;  // a copy of the rows held
    void append(one&, const tensor& from, std::int64_t first,
                std::int64_t total);  // the rows [first, total) of a dense tensor of `total` rows
    void check_room(std::int64_t total) const;
    void before_run(const session_core&, run_context&);  // the inputs are set
    void after_run(const session_core&, const run_context&);
};
}  // namespace v1
}  // namespace inlay
