// One node whose shapes are found at run time: the shape rule, a kernel, its memory, its run.
#pragma once
#include "facts.hpp"
#include "late_memory.hpp"
#include <inlay/sdk/provider_handle.hpp>
#include <inlay/sdk/status_error.hpp>
#include <functional>
#include <limits>
#include <memory>

namespace inlay {
inline namespace v1 {
// The result of bind() for a kernel: its state, and the constants that it packed.
struct bound_state {
    void* state = nullptr;
    void (*drop)(void*) noexcept = nullptr;
    tensor storage{};
    bound_state() = default;
    bound_state(const bound_state&) = delete;
    bound_state& operator=(const bound_state&) = delete;
    ~bound_state() {
        if (state) drop(state);
    }
};
// Thrown where a kernel answers `unsupported` when it is bound: the next one is tried.
struct kernel_refusal {
    std::string reason;
};
std::shared_ptr<bound_state> bind_kernel(const kernel_functions& f, const void* params, tensor storage, constants w,
                                         isa::level level, int threads, std::string_view node_name);

// What a node needs while it runs: kept for the next one, so that the heap is called no more.
struct node_room {
    std::vector<std::pair<int, value>> before{};
    std::vector<shape> shapes{};
    std::vector<std::max_align_t> params{}, conversion{};
    std::vector<layout> layouts{};
    std::vector<int> movable{};
    std::vector<tensor> converted{};
    std::vector<const void*> in{}, constant_data{};
    std::vector<void*> out{};
};

// A graph whose shapes and small values are filled in while it runs.
struct live_graph {
    graph_view view;  // its values, integers and reals are the vectors below
    std::vector<value> values;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::size_t own_integers = 0, own_reals = 0;  // of the graph itself; the following ones belong to one node
    node_room room{};
    explicit live_graph(const graph_view& g)
        : view(g),
          values(g.values.begin(), g.values.end()),
          integers(g.integers.begin(), g.integers.end()),
          reals(g.reals.begin(), g.reals.end()),
          own_integers(integers.size()),
          own_reals(reals.size()) {
        refresh();
    }
    live_graph(live_graph&&) = default;  // no copies: the view would refer to the old one
    void refresh() {
        view.values = values;
        view.integers = integers;
        view.reals = reals;
    }
};

// A provider that may run the node, once its shapes are known.
struct candidate {
    const kernel_table* kernels;
    int provider = -1;  // in the session's list
    std::string_view name{};
};
struct node_environment {
    isa::level level;
    context base;                                                   // pool, stop flag, deadline
    std::int64_t bytes = std::numeric_limits<std::int64_t>::max();  // limit for its outputs and scratch
    std::int64_t* left = nullptr;  // the budget shared by several nodes; null: `bytes` alone counts
    // Where the kernel's state may be kept between runs; by provider and the kernel's position. Null: it is not kept.
    // It returns null for a kernel that refuses, which is excluded from then on.
    std::function<std::shared_ptr<bound_state>(int provider, int kernel, const void* params,
                                               std::int64_t constant_bytes, constants)>
        bind{};
    std::function<verdict(int provider, int kernel)> barred{};
    late_memory* memory = nullptr;  // where outputs and scratch come from; null: the system
    // Layouts of its inputs, then of its outputs; after the run, also those of the outputs that were `any`. The
    // others become plain. None: all are plain.
    std::span<layout> layouts{};
};
// Runs the node with the first kernel that supports it, in the layouts that it requires. Raises errors.
void run_node(std::span<const candidate> candidates, live_graph& g, const node& n,
              std::span<const any_value* const> inputs, std::span<any_value> outputs, node_environment);

// Sets the outputs' shapes by the operator's rule. False: a value is missing. Raises shape_mismatch with the rule's
// reason.
bool infer_shapes(const entry& e, live_graph& g, const node& n);
[[noreturn]] void raise_for_node(error_code code, const graph_view& g, const node& n, std::string_view reason,
                                 std::string_view provider = {});
std::string describe_node(const node& n);                                 // Conv_17 (Conv, version 11)
void check_elements(const graph_view& g, const node& n, const value& v);  // against overflow and the limit
void check_packed(const graph_view& g, const node& n,
                  std::int64_t bytes);  // that bind() would fill: at most a small multiple of its constants
}  // namespace v1
}  // namespace inlay
