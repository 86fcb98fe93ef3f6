// Runs one operator on values that are no tensors: the shape rule, the reference kernel, and its run.
#pragma once
#include "../run_on.hpp"

namespace inlay::testing {
struct value_outcome {
    status code = status::ok;
    verdict answer = yes();  // of shapes() or supports()
    std::string detail{};
    std::vector<any_value> outputs{};
    const tensor& operator[](std::size_t k) const { return *outputs[k].as_tensor(); }
};
struct typed_value {  // depth 0: a tensor; type undefined: absent
    any_value value{};
    value_type type{};
    typed_value() = default;
    typed_value(tensor t) : value(t), type{t.type(), t.shape()} {}
    typed_value(any_value v, value_type t) : value(std::move(v)), type(t) {}
};
inline value_type sequence_of(element type) { return value_type{type}.within({value_kind::sequence}); }
inline value_type optional_of(const value_type& t) { return t.within({value_kind::optional}); }
inline typed_value sequence_of(element type, std::vector<tensor> tensors) {
    return {any_value(sequence(tensors.begin(), tensors.end())), sequence_of(type)};
}

template <class Op> class value_trial {
    graph_data g_{};
    graph_view v_{};
    std::vector<int> in_{}, out_{};
    value_outcome result_{};
    std::int64_t bytes_;

    node_view node() const { return {v_, v_.nodes[0]}; }
    const row* find_kernel() {
        result_.answer = no("no kernel for these types");
        for (const row& r : rows<Op, device::reference>()) {
            bool same = true;
            for (int k = 0; k < r.e.constraint_count; ++k) {
                const int at = r.e.constraints[std::size_t(k)];
                if (at >= 0 ? node().has_input(at) : node().has_output(~at))
                    same &= r.e.elements[std::size_t(k)].has((at < 0 ? node().output(~at) : node().input(at)).type);
            }
            if (same && (result_.answer = r.e.supports(node()))) return &r;
        }
        return nullptr;
    }
    void run_kernel(const row& r, const std::vector<typed_value>& inputs) {
        std::vector<std::byte> params(r.f.params_bytes + 1);
        r.f.prepare(node(), params.data());
        const bytes_needed need = r.e.footprint(node(), 1);
        tensor storage(element::u8, {need.constant}), scratch(element::u8, {need.scratch});
        const std::vector<const void*> no_weights(inputs.size() + 1);
        const std::unique_ptr<void, void (*)(void*) noexcept> state(r.f.make_state(), r.f.drop_state);
        result_.code = r.f.bind(params.data(), {no_weights.data()},
                                {isa::level{}, 1, static_cast<std::byte*>(storage.data())}, state.get());
        if (result_.code != status::ok) return;
        std::vector<const void*> in;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            in.push_back(in_[k] < 0 ? nullptr
                         : g_.values[std::size_t(in_[k])].type == element::object
                             ? static_cast<const void*>(&inputs[k].value)
                             : inputs[k].value.as_tensor()->data());
        std::vector<void*> out;
        for (std::size_t k = 0; k < out_.size(); ++k) {
            const value& y = g_.values[std::size_t(out_[k])];
            if (y.type == element::object)
                out.push_back(&result_.outputs[k]);
            else
                out.push_back(y.dims.known() ? place(k, y.dims) : nullptr);
        }
        serial alone;
        context x = make_context(alone, static_cast<std::byte*>(scratch.data()));
        x.bytes_left = &bytes_;
        x.owner = this;
        x.grow = [](void* owner, int k, const shape& dims) noexcept {
            return static_cast<value_trial*>(owner)->place(std::size_t(k), dims);
        };
        result_.code = r.f.run(params.data(), state.get(), {in.data(), out.data()}, x);
        result_.detail = x.detail;
    }
    void* place(std::size_t k, const shape& dims) noexcept {
        tensor t(g_.values[std::size_t(out_[k])].type, dims);
        result_.outputs[k] = t;
        return t.data();
    }

  public:
    explicit value_trial(std::int64_t bytes) : bytes_(bytes) {}
    value_outcome run(const std::vector<typed_value>& inputs, const std::vector<value_type>& outputs,
                      const attributes& with, int version) {
        for (const typed_value& x : inputs) {
            in_.push_back(x.type.known() ? g_.add_value("", x.type) : -1);
            if (const tensor* t = x.value.as_tensor(); t && *t && x.type.is_tensor())
                read_contents(g_.values[std::size_t(in_.back())], *t, g_.integers, g_.reals);
        }
        for (const value_type& y : outputs) out_.push_back(g_.add_value("", y));
        result_.outputs.resize(out_.size());
        const auto list = with(g_);
        g_.add_node(Op::domain, Op::onnx_name, version ? version : Op::versions.through, "node", list, in_, out_);
        v_ = g_.view();
        std::vector<shape> dims(out_.size(), shape::unknown());
        result_.answer = Op::shapes(node(), dims);
        if (!result_.answer) return result_;
        for (std::size_t k = 0; k < out_.size(); ++k) g_.values[std::size_t(out_[k])].dims = dims[k];
        v_ = g_.view();
        if (const row* r = find_kernel()) run_kernel(*r, inputs);
        return result_;
    }
};
// outputs: their types; those that are tensors without a shape. bytes: that the kernel may put on the heap.
template <class Op>
value_outcome run_values(
    const std::vector<typed_value>& inputs, const std::vector<value_type>& outputs,
    const attributes& with = [](graph_data&) { return std::vector<attribute>{}; }, int version = 0,
    std::int64_t bytes = std::numeric_limits<std::int64_t>::max()) {
    return value_trial<Op>(bytes).run(inputs, outputs, with, version);
}
}  // namespace inlay::testing
