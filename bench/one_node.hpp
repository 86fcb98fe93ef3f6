// One node on the stock CPU kernels, ready to run again and again: for micro-benchmarks.
#pragma once
#include <inlay/plan/schedule.hpp>
#include <inlay/provider/cpu.hpp>
#include <inlay/sdk/catalogue.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <inlay/thread_pool.hpp>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

namespace inlay::bench {
struct input {
    shape dims;
    bool constant = false;
    element type = element::f32;
    bool zero = false;  // else random numbers
};
using attributes = std::function<std::vector<attribute>(graph_data&)>;

inline tensor random_tensor(element type, const shape& dims,
                            unsigned seed) {  // float32 in [-1, 1); any bytes; other integers 0
    tensor t(type, dims);
    std::mt19937 numbers(seed);
    if (type == element::u8 || type == element::i8) {
        for (std::int64_t i = 0; i < t.elements(); ++i) static_cast<std::byte*>(t.data())[i] = std::byte(numbers());
        return t;
    }
    if (type != element::f32) {
        std::memset(t.data(), 0, std::size_t(bytes_of(type, t.elements())));
        return t;
    }
    std::uniform_real_distribution<float> in_range(-1, 1);
    for (float& x : t.as<float>()) x = in_range(numbers);
    return t;
}

class one_node {
    graph_data graph_;
    std::vector<tensor> inputs_, outputs_;
    std::vector<layout> layouts_;
    tensor storage_, scratch_;
    thread_pool pool_;
    std::vector<std::byte> params_;
    std::unique_ptr<void, void (*)(void*) noexcept> state_{nullptr, [](void*) noexcept {}};
    kernel_functions functions_{};
    std::vector<const void*> in_;
    std::vector<void*> out_;

    template <class Op> const row& choose(const node_view& n, std::string& reason) const {
        for (const row& r : rows<Op, device::cpu>()) {
            bool fits = true;
            for (int k = 0; k < r.e.constraint_count; ++k) {
                const int at = r.e.constraints[std::size_t(k)];
                if (at >= 0 ? n.has_input(at) : n.has_output(~at))
                    fits &= r.e.elements[std::size_t(k)].has((at < 0 ? n.output(~at) : n.input(at)).type);
            }
            if (!fits) continue;
            const verdict v = r.e.supports(n);
            if (v) return r;
            reason = v.reason;
        }
        throw std::runtime_error(std::string(Op::onnx_name) + ": no fast kernel" +
                                 (reason.empty() ? "" : ": " + reason));
    }
    one_node(int threads) : pool_(threads) {}

  public:
    std::int64_t bytes = 0;  // of inputs and outputs together

    template <class Op>
    static std::unique_ptr<one_node> make(const std::vector<input>& inputs, const attributes& with, int results,
                                          isa::level level, int threads, element output_type = element::f32) {
        std::unique_ptr<one_node> self(new one_node(threads));
        graph_data& g = self->graph_;
        std::vector<int> in, out;
        for (const input& i : inputs) {
            self->inputs_.push_back(random_tensor(i.type, i.dims, unsigned(self->inputs_.size()) + 1));
            if (i.zero) std::memset(self->inputs_.back().data(), 0, std::size_t(self->inputs_.back().bytes()));
            in.push_back(i.constant ? g.add_constant("", self->inputs_.back()) : g.add_value("", i.type, i.dims));
        }
        for (int k = 0; k < results; ++k) out.push_back(g.add_value("", output_type, shape::unknown()));
        const auto list = with ? with(g) : std::vector<attribute>{};
        g.add_node(Op::domain, Op::onnx_name, version_range(Op::versions).through, "node", list, in, out);
        std::vector<shape> dims(out.size(), shape::unknown());
        {
            const graph_view v = g.view();
            if (const verdict good = Op::shapes(node_view{v, v.nodes[0]}, dims); !good)
                throw std::runtime_error(std::string(Op::onnx_name) + ": " + std::string(good.reason));
        }
        for (std::size_t k = 0; k < out.size(); ++k) g.values[std::size_t(out[k])].dims = dims[k];

        const graph_view v = g.view();
        self->layouts_.assign(in.size() + out.size(), layout::plain);
        const node_view n{v, v.nodes[0], self->layouts_.data()};
        std::string reason;
        const row& r = self->template choose<Op>(n, reason);
        // Random numbers are valid in any layout; operators that move data use the kernel's preferred one, with
        // channels last if it supports either.
        const layout_rule rule = r.e.layouts(n);
        for (std::size_t k = 0; k < self->layouts_.size(); ++k) {
            const value& moved = v.values[std::size_t(k < in.size() ? in[k] : out[k - in.size()])];
            if (has_layout_choice(moved) && !(k < in.size() && r.e.packs_input(int(k))))
                self->layouts_[k] =
                    (k < in.size() ? rule.in : rule.out) == layout::plain ? layout::plain : layout::channels_last;
        }
        self->functions_ = r.f;
        self->params_.resize(r.f.params_bytes);
        r.f.prepare(n, self->params_.data());
        const bytes_needed need = r.e.footprint(n, threads);
        self->storage_ = tensor(element::u8, {need.constant});
        self->scratch_ = tensor(element::u8, {need.scratch});
        self->state_ = {r.f.make_state(), r.f.drop_state};
        std::vector<const void*> constants;
        for (std::size_t k = 0; k < in.size(); ++k) {
            self->in_.push_back(self->inputs_[k].data());
            constants.push_back(inputs[k].constant ? self->inputs_[k].data() : nullptr);
            self->bytes += bytes_of(inputs[k].type, self->inputs_[k].elements());
        }
        if (r.f.bind(self->params_.data(), {constants.data()},
                     {level, threads, static_cast<std::byte*>(self->storage_.data())},
                     self->state_.get()) != status::ok)
            throw std::runtime_error("bind() failed");
        for (const shape& s : dims) {
            self->outputs_.emplace_back(output_type, s);
            self->out_.push_back(self->outputs_.back().data());
            self->bytes += self->outputs_.back().bytes();
        }
        return self;
    }
    status run() noexcept {
        context c = make_context(pool_, static_cast<std::byte*>(scratch_.data()));
        return functions_.run(params_.data(), state_.get(), {in_.data(), out_.data()}, c);
    }
};
}  // namespace inlay::bench
