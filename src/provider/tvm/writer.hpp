// A region as steps of TVM: what is decided about fusion, packed weights and memory before TVM compiles it.
#pragma once
#include "program.hpp"
#include "rules.hpp"
#include <lowering/region_engine.hpp>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
struct machine {
    int lanes = 16;      // float32 of a vector
    int registers = 32;  // vectors
};
struct tile {  // of a result's last two axes: what is kept in registers while sums are made
    std::int64_t rows = 1, columns = 1;
};
// For vectors whose lengths are powers of 2: others are slow.
tile tile_of(const shape& result, std::int64_t most_columns, const machine&);
struct task {  // a primitive over tensors
    lowering::primitive does;
    std::vector<int> inputs{};  // as each_input() and each_parameter() have them
    int output = -1;
    tile sums{};  // of convolutions, matmuls, pools and reductions
};
// Tasks that TVM compiles to one function, each but the first working on the elements that the one before made; or a
// single one that needs no TVM.
struct task_group {
    std::vector<task> tasks;
    std::vector<int> inputs{};
    int output() const { return tasks.back().output; }
};
struct planned_program {
    program compiled{};                // all but the functions
    std::vector<slot> tensors{};       // of tasks: only in registers too
    std::vector<task_group> groups{};  // of each step
};

// What region_engine writes to.
class tvm_writer {
    using operand = lowering::operand;
    const region& r_;
    const machine& machine_;
    const bool is_trial_;
    planned_program p_{};
    lowering::tensor_table<int> table_{};
    std::vector<operand> results_{};
    std::vector<task> tasks_{};
    std::map<int, int> numbers_{};                                    // of tensors among those in memory
    std::vector<int> in_memory_{};                                    // these
    int inputs_ = 0, temporaries_ = std::numeric_limits<int>::max();  // far from the ids of others

    int add(const operand&, slot::place, std::int64_t index = -1);
    int constant(const operand&);
    int at(const operand&);
    const slot& tensor_of(int t) const { return p_.tensors[std::size_t(t)]; }
    int root(int t) const;
    operand temporary(const shape& dims) { return {--temporaries_, dims}; }
    operand constant(const shape& dims, std::function<std::vector<float>()> elements);
    task& put(lowering::primitive);
    template <class P> void put_computed(P, const shape& computed, const tile&);
    template <class P> void put_weighted(P, const shape& computed, std::int64_t most_columns);
    operand packed(const operand& w, std::int64_t columns, std::int64_t width);
    std::int64_t computed_columns(std::int64_t columns, std::int64_t summed) const;
    std::int64_t computed_rows(const shape& y, std::int64_t columns) const;
    void group();
    bool joins(const task&, const task_group&, const std::vector<int>& reads) const;
    void add_steps();
    int in_memory(int t);
    void place_results();
    void place_scratch();

  public:
    tvm_writer(const region& r, const machine& m, lowering::purpose purpose)
        : r_(r), machine_(m), is_trial_(purpose == lowering::purpose::trial) {}
    void argument(const operand& x) { table_.set(x, add(x, slot::place::input, inputs_++)); }
    void result(const operand& y) { results_.push_back(y); }
    template <class P> void write(const P& p) { put(p); }
    void write(lowering::conv_prim);
    void write(lowering::dense_prim);
    void write(const lowering::matmul_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::reshape_prim& p) { table_.set(p.y, add(p.y, slot::place::alias, at(p.x))); }
    planned_program finish();
};
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
