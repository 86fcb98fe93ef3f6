#include "saved_regions.hpp"
#include "specialise.hpp"
#include "work_before_run.hpp"
#include <inlay/plan/partition.hpp>
#include <inlay/sdk/aligned.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t largest_folded = 8192;  // maximum elements of a value that is computed during planning

class specialiser {
    specialised s_;
    live_graph& g_;
    const graph_view& loaded_;
    const rule_lookup& rule_;
    const shape_bounds& bounds_;
    std::vector<std::int64_t> sizes_, fixed_;  // of symbols, -1 where not known: in this graph, and in every run
    std::vector<char> varies_;                 // by value: its shape may change between runs
    std::vector<char> live_;                   // by value: a small value that changes with shapes
    work_before_run work_;

    value& record(int id) { return g_.values[std::size_t(id)]; }
    bool known(int id) { return id < 0 || record(id).is_constant(); }
    shape loaded_shape(int id, const std::vector<std::int64_t>& sizes) const {
        shape dims = loaded_.values[std::size_t(id)].dims;
        for (int i = 0; i < dims.rank; ++i)
            if (dims[i] < -1) dims[i] = sizes[std::size_t(-2 - dims[i])];
        return dims;
    }
    void read_symbols(std::span<const shape> inputs) {
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const int id = loaded_.inputs[k];
            const shape& dims = record(id).dims;
            for (int i = 0; i < dims.rank && i < inputs[k].rank; ++i) {
                if (dims[i] >= -1) continue;
                const auto symbol = std::size_t(-2 - dims[i]);
                sizes_[symbol] = inputs[k][i];
                if (symbol < bounds_.free.size() && bounds_.free[symbol])
                    varies_[std::size_t(id)] = true;
                else
                    fixed_[symbol] = inputs[k][i];
            }
        }
    }
    // The node's outputs become constants.
    void fold(const node& n) {
        const auto in = g_.view.list(n.inputs), out = g_.view.list(n.outputs);
        std::vector<any_value> values, outputs(out.size());
        for (int id : in) {
            if (id < 0) {
                values.emplace_back();
                continue;
            }
            const value& v = record(id);
            values.emplace_back(v.is_constant() ? aligned_tensor(s_.constant(v.constant).get())
                                                : tensor::borrow(v.type, v.dims, nullptr));
        }
        std::vector<const any_value*> pointers;
        for (std::size_t k = 0; k < in.size(); ++k) pointers.push_back(in[k] < 0 ? nullptr : &values[k]);
        const candidate plain{&reference_kernels()};
        run_node(std::span(&plain, 1), g_, n, pointers, outputs, {isa::baseline, {}});
        for (std::size_t k = 0; k < out.size(); ++k) {
            const tensor* t = out[k] < 0 ? nullptr : outputs[k].as_tensor();
            if (!t) continue;
            value& v = record(out[k]);
            v.constant = int(s_.constants.size() + s_.extra_constants.size());
            read_contents(v, *t, g_.integers, g_.reals);
            s_.extra_constants.push_back(*t);
        }
        g_.own_integers = g_.integers.size();
        g_.own_reals = g_.reals.size();
        g_.refresh();
    }
    void visit(const node& n) {
        const auto in = g_.view.list(n.inputs), out = g_.view.list(n.outputs);
        const auto all_of = [](std::span<const int> ids, auto f) { return std::ranges::all_of(ids, f); };
        const auto mark = [&](std::vector<char>& flags) {
            for (int id : out)
                if (id >= 0) flags[std::size_t(id)] = true;
        };
        if (all_of(out, [&](int id) { return known(id); })) return;
        for (int id : out)
            if (id >= 0) record(id).dims = shape::unknown();
        const entry* e = is_control_flow(n) ? nullptr : rule_(n);
        const bool reads_live = !all_of(in, [&](int id) { return id < 0 || !live_[std::size_t(id)]; });
        if (reads_live || !all_of(in, [&](int id) { return id < 0 || !varies_[std::size_t(id)]; }) ||
            (e && e->data_dependent))
            mark(varies_);
        if (!e && (bounds_.as_loaded || stands_for_saved_region(n)))  // such a region has the shapes of its file
            for (int id : out)
                if (id >= 0) {
                    record(id).dims = loaded_shape(id, sizes_);
                    if (record(id).dims.known()) check_elements(g_.view, n, record(id));
                }
        if (!e || !all_of(in, [&](int id) {
                return id < 0 || record(id).type == element::object || record(id).dims.known();
            }))
            return;
        if (!infer_shapes(*e, g_, n)) {
            if (e->data_dependent && bounds_.bounded && e->about->bounds) set_most(*e, n);
            return;
        }
        const operator_facts& facts = e->about->facts;
        const bool by_shape = facts.reads == reading::shape_only;
        if (e->data_dependent || !(by_shape || all_of(in, [&](int id) { return known(id); }))) return;
        if (!all_of(out,
                    [&](int id) {
                        return id < 0 ||
                               (record(id).type != element::object && record(id).dims.elements() <= largest_folded);
                    }) ||
            facts.folding == fold_cost::windowed || !facts.pure || !find_entry(reference_kernels(), n))
            return;
        std::int64_t bytes = 0;
        for (int id : in)
            if (id >= 0 && !by_shape) bytes += bytes_of(record(id).type, record(id).dims.elements());
        if (!work_.take(bytes)) return;
        fold(n);
        if (reads_live || (by_shape && varies_[std::size_t(in[0])] && !loaded_shape(in[0], fixed_).known()))
            mark(live_);
    }
    void set_most(const entry& e, const node& n) {
        std::vector<shape> y(std::size_t(n.outputs.count), shape::unknown());
        e.about->bounds(node_view{g_.view, n}, y);
        for (int k = 0; k < n.outputs.count; ++k)
            if (const int id = node_view{g_.view, n}.output_id(k); id >= 0 && y[std::size_t(k)].known()) {
                record(id).dims = y[std::size_t(k)];
                check_elements(g_.view, n, record(id));
            }
    }

  public:
    specialiser(const graph_data& g, const graph_view& v, const rule_lookup& rule, const shape_bounds& bounds)
        : s_(g, v),
          g_(s_.graph),
          loaded_(v),
          rule_(rule),
          bounds_(bounds),
          sizes_(v.symbols.size(), -1),
          fixed_(sizes_),
          varies_(v.values.size()),
          live_(v.values.size()) {}
    specialised run(std::span<const shape> inputs) {
        read_symbols(inputs);
        for (std::size_t k = 0; k < inputs.size(); ++k) record(loaded_.inputs[k]).dims = inputs[k];
        for (const node& n : loaded_.nodes) visit(n);
        for (std::size_t id = 0; id < live_.size(); ++id)
            if (live_[id]) {
                value& v = g_.values[id];
                v.constant = -1;
                if (v.type != element::i64 && v.type != element::i32 && v.type != element::boolean)
                    v.kind = contents::none;
            }
        return std::move(s_);
    }
};
}  // namespace

specialised specialise(const graph_data& g, const graph_view& v, std::span<const shape> inputs, const rule_lookup& rule,
                       const shape_bounds& bounds) {
    return specialiser(g, v, rule, bounds).run(inputs);
}
}  // namespace v1
}  // namespace inlay
