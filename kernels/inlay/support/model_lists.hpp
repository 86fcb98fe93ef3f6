// Data of a model that attributes hold, and that bind() puts into a kernel's state: weights, trees, labels.
#pragma once
#include "movable.hpp"
#include <inlay/error.hpp>
#include <cmath>
#include <new>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
// The node that a kernel is bound to. In params, for bind() only: the graph need not be there while the kernel runs.
// The view of the graph is a copy, because 16-bit kernels prepare float32 ones with a view that ends with the call.
struct node_pointer {
    graph_view graph{};
    const node* record = nullptr;
    constexpr explicit node_pointer(const node_view& n) : graph(n.graph), record(&n.record) {}
    node_view view() const { return {graph, *record}; }
};
// Numbers that an attribute lists, or that another one holds as a tensor.
inline std::vector<double> real_list(const node_view& n, std::string_view list, std::string_view as_tensor) {
    std::vector<double> values;
    if (const value* t = n.tensor(as_tensor)) {
        if (const auto items = n.reals_of(*t)) values.assign(items->begin(), items->end());
        if (const auto items = n.integers_of(*t)) values.assign(items->begin(), items->end());
    } else {
        const auto items = n.reals(list);
        values.assign(items.begin(), items.end());
    }
    return values;
}
inline status refused(const setup& u, std::string_view reason) {
    if (u.failure) u.failure->text = reason;
    return status::invalid_value;
}
// bind() by a function that may run out of memory.
template <class F> status bind_by(F build) noexcept {
#ifdef __cpp_exceptions
    try {
        return build();
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
#else
    return build();
#endif
}

// Inputs of ai.onnx.ml: rows of features; a list is one row.
struct feature_rows {
    std::int64_t rows = 0, features = 0;
    static constexpr verdict check(const shape& x) {
        if (x.rank >= 0 && x.rank != 1 && x.rank != 2) return no("the input is neither rows of features nor one row");
        return x.rank >= 0 && !countable(x) ? no("the input is too large") : yes();
    }
    static constexpr std::int64_t rows_of(const shape& x) { return x.rank < 1 ? -1 : x.rank == 1 ? 1 : x[0]; }
    static constexpr std::int64_t features_of(const shape& x) { return x.rank < 1 ? -1 : x[x.rank - 1]; }
    static constexpr feature_rows of(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {rows_of(x), features_of(x)};
    }
};
inline constexpr auto feature_types = each_type<float, double, std::int64_t, std::int32_t>;
}  // namespace v1
}  // namespace inlay
