#include "stopped_run.hpp"
#include <inlay/plan/schedule.hpp>
#include <inlay/support/fault.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

namespace inlay::testing {
namespace {
// A slice: [pixel][channel], what lies around it filled with a pattern.
constexpr std::int64_t before_slice = 3, around_slice = 5;  // around: before and after
constexpr std::byte pattern{0xa5};

std::int64_t element_bytes(const tensor& t) { return bits_of(t.type()) / 8; }
tensor relayout(const tensor& t, layout to) {  // plain to channels_last, or back
    tensor y(t.type(), t.shape());
    const std::int64_t size = element_bytes(t), channels = t.shape()[1], pixels = t.shape().elements(2),
                       image = channels * pixels;
    for (std::int64_t i = 0, count = t.elements(); i < count; ++i) {
        const std::int64_t plain = i, channels_last = i / image * image + i % pixels * channels + i / pixels % channels;
        std::memcpy(static_cast<std::byte*>(y.data()) + size * (to == layout::plain ? plain : channels_last),
                    static_cast<const std::byte*>(t.data()) + size * (to == layout::plain ? channels_last : plain),
                    std::size_t(size));
    }
    return y;
}
tensor room_around(const tensor& t) {
    tensor y(t.type(), {t.elements() / t.shape()[1], t.shape()[1] + around_slice});
    std::memset(y.data(), int(pattern), std::size_t(y.bytes()));
    return y;
}
// f(a pixel, the same one in a slice, their bytes).
template <class F> void over_pixels(tensor narrow, tensor wide, F f) {
    const std::int64_t size = element_bytes(narrow), row = narrow.shape()[1] * size, wide_row = wide.shape()[1] * size;
    for (std::int64_t r = 0; r < wide.shape()[0]; ++r)
        f(static_cast<std::byte*>(narrow.data()) + r * row,
          static_cast<std::byte*>(wide.data()) + r * wide_row + before_slice * size, std::size_t(row));
}
// A slice's pixels, where nothing outside them was written.
bool copy_from_slice(tensor to, const tensor& wide) {
    const std::int64_t size = element_bytes(to), channels = to.shape()[1];
    bool whole = true;
    over_pixels(to, wide, [&](std::byte* y, const std::byte* x, std::size_t bytes) {
        std::memcpy(y, x, bytes);
        const std::byte *before = x - before_slice * size, *after = x + channels * size;
        whole &=
            std::all_of(before, x, [](std::byte b) { return b == pattern; }) &&
            std::all_of(after, after + (around_slice - before_slice) * size, [](std::byte b) { return b == pattern; });
    });
    return whole;
}

// Memory of a kernel, with a pattern before, after and in it: what is written outside, or not at all, shows.
class guarded_memory {
    static constexpr std::size_t margin = 64;  // as aligned as a tensor
    std::unique_ptr<std::byte, void (*)(void*)> block_{nullptr, std::free};
    std::size_t bytes_ = 0;
    std::byte pattern_ = pattern;

    bool is_blank(std::size_t from) const {
        const std::byte* first = block_.get() + from;
        return std::all_of(first, first + margin, [&](std::byte b) { return b == pattern_; });
    }

  public:
    guarded_memory() = default;
    explicit guarded_memory(std::int64_t bytes, std::byte around = pattern)
        : bytes_(std::size_t(bytes)), pattern_(around) {
        const std::size_t size = (bytes_ + 3 * margin - 1) / margin * margin;
        block_.reset(static_cast<std::byte*>(std::aligned_alloc(margin, size)));
        std::memset(block_.get(), int(pattern_), size);
    }
    // A copy, between large numbers of every type: what is read outside shows in results.
    explicit guarded_memory(const tensor& t) : guarded_memory(t.bytes(), std::byte(0x7f)) {
        if (bytes_) std::memcpy(data(), t.data(), bytes_);
    }
    explicit operator bool() const { return block_ != nullptr; }
    std::byte* data() const { return block_.get() + margin; }
    std::size_t size() const { return bytes_; }
    bool is_whole() const { return !block_ || (is_blank(0) && is_blank(margin + bytes_)); }
};
bool is_plain(const tensor& t) { return t && t.type() != element::string && t.type() != element::object; }

// Which inputs a shape rule does not know the values of: all, or one.
struct unknowns {
    enum class part { nothing, sizes, rank } of = part::nothing;
    int only = -1;

    bool hide(std::size_t k, const operand& o) const {
        return of != part::nothing && o.value && !o.constant && (only < 0 || std::size_t(only) == k);
    }
    shape left_of(const shape& dims) const {
        shape s = of == part::rank ? shape::unknown() : dims;
        for (int i = 0; i < s.rank; ++i) s[i] = -1;
        return s;
    }
};
// Whether a shape may become the other one when more is known.
bool may_become(const shape& open, const shape& dims) {
    if (open.rank < 0 || dims.rank < 0) return true;
    bool may = open.rank == dims.rank;
    for (int i = 0; may && i < dims.rank; ++i) may = open[i] < 0 || dims[i] < 0 || open[i] == dims[i];
    return may;
}

class trial {
    const call& c_;
    unknowns hidden_;
    const std::atomic<bool>* stop_ = nullptr;
    graph_data g_{};
    graph_view v_{};
    std::vector<int> in_{}, out_{};
    std::vector<element> kinds_;  // of outputs
    std::vector<shape> dims_{};
    std::vector<layout> layouts_{};       // of inputs, then outputs
    std::vector<std::int64_t> pixels_{};  // of slices: numbers from one to the next; else 0
    const row* row_ = nullptr;
    std::vector<std::byte> params_{};
    std::vector<guarded_memory> input_copies_{};  // copies of inputs
    guarded_memory storage_{}, scratch_{};
    std::unique_ptr<void, void (*)(void*) noexcept> state_{nullptr, nullptr};
    std::vector<tensor> inputs_{}, slices_{};  // slices_: of outputs
    std::vector<guarded_memory> written_{};    // outputs that are no slices
    outcome result_{};

    node_view node() const { return {v_, v_.nodes[0], layouts_.data(), pixels_}; }
    bool movable(int id) const { return id >= 0 && has_layout_choice(v_.values[std::size_t(id)]); }
    bool is_slice(std::size_t k, int argument, int id) const {
        return c_.slices && layouts_[k] == layout::channels_last && v_.values[std::size_t(id)].dims.elements() > 0 &&
               row_->e.strided(node(), argument);
    }
    static std::byte* data_of(const tensor& t) { return static_cast<std::byte*>(const_cast<void*>(t.data())); }
    std::int64_t before(const tensor& t, std::size_t k) const {
        return pixels_[k] ? before_slice * element_bytes(t) : 0;
    }
    const std::byte* input_memory(std::size_t k) const {
        return input_copies_[k] ? input_copies_[k].data() : data_of(inputs_[k]);
    }

    void make_graph(const tested_operator& op) {
        for (std::size_t k = 0; k < c_.inputs.size(); ++k) {
            const operand& o = c_.inputs[k];
            in_.push_back(!o.value             ? -1
                          : o.constant         ? g_.add_constant("", o.value)
                          : hidden_.hide(k, o) ? g_.add_value("", o.value.type(), hidden_.left_of(o.value.shape()))
                                               : g_.add_value("", o.value.type(), o.value.shape()));
        }
        // Input values that a shape rule may read are known here, as they are in a session while it runs.
        for (std::size_t k = 0; k < in_.size(); ++k)
            if (in_[k] >= 0 && !c_.inputs[k].constant && !hidden_.hide(k, c_.inputs[k]))
                read_contents(g_.values[std::size_t(in_[k])], c_.inputs[k].value, g_.integers, g_.reals);
        for (element e : kinds_) out_.push_back(e == element::undefined ? -1 : g_.add_value("", e, shape::unknown()));
        const auto list = c_.with(g_);
        g_.add_node(op.domain, op.name, c_.version ? c_.version : op.versions.through, "node", list, in_, out_);
    }
    bool find_shapes(const tested_operator& op) {
        dims_.assign(out_.size(), shape::unknown());
        v_ = g_.view();
        result_.answer = op.shapes(node_view{v_, v_.nodes[0]}, dims_);
        if (!result_.answer) return false;
        for (std::size_t k = 0; k < out_.size(); ++k)
            if (out_[k] >= 0) g_.values[std::size_t(out_[k])].dims = dims_[k];
        v_ = g_.view();
        v_.precision = c_.precision;
        layouts_.assign(in_.size() + out_.size(), layout::plain);
        pixels_.assign(layouts_.size(), 0);
        return true;
    }
    bool find_kernel(std::span<const row> kernels) {
        const node_view n = node();
        result_.answer = no("no kernel for these types");
        for (const row& r : kernels) {
            bool same = c_.version == 0 || (r.e.versions.since <= c_.version && c_.version <= r.e.versions.through);
            for (int k = 0; k < r.e.constraint_count; ++k) {
                const int at = r.e.constraints[k];
                if (at >= 0 ? n.has_input(at) : n.has_output(~at))
                    same &= r.e.elements[k].has((at < 0 ? n.output(~at) : n.input(at)).type);
            }
            if (same && !row_)
                if ((result_.answer = r.e.supports(n))) row_ = &r;
        }
        return row_;
    }
    // Gives every argument its layout, and memory around it if it is a slice.
    void lay_out() {
        const layout_rule rule = row_->e.layouts(node());
        const layout inside = rule.in == layout::any ? c_.in : rule.in;
        for (std::size_t k = 0; k < in_.size(); ++k) {
            tensor t = c_.inputs[k].value;
            if (movable(in_[k]) && inside == layout::channels_last && !row_->e.packs_input(int(k))) {
                layouts_[k] = inside;
                t = relayout(t, inside);
            }
            if (t && is_slice(k, int(k), in_[k])) {
                const tensor wide = room_around(t);
                over_pixels(t, wide, [](std::byte* x, std::byte* y, std::size_t bytes) { std::memcpy(y, x, bytes); });
                pixels_[k] = wide.shape()[1];
                t = wide;
            }
            inputs_.push_back(t);
            input_copies_.push_back(is_plain(t) ? guarded_memory(t) : guarded_memory());
        }
        const layout outside = rule.out == layout::any ? (inside == layout::any ? layout::plain : inside) : rule.out;
        for (std::size_t k = 0; k < out_.size(); ++k)
            if (movable(out_[k])) layouts_[in_.size() + k] = outside;
        for (std::size_t k = 0; k < out_.size(); ++k)
            if (out_[k] >= 0 && is_slice(in_.size() + k, output(int(k)), out_[k]))
                pixels_[in_.size() + k] = dims_[k][1] + around_slice;
        result_.slices = int(std::ranges::count_if(pixels_, [](std::int64_t p) { return p > 0; }));
    }
    bool bind() {
        params_.resize(row_->f.params_bytes);
        row_->f.prepare(node(), params_.data());
        const bytes_needed need = row_->e.footprint(node(), c_.threads);
        storage_ = guarded_memory(need.constant);
        scratch_ = guarded_memory(need.scratch);
        std::memset(scratch_.data(), 0xff, scratch_.size());  // reads of what was never written give NaN
        std::vector<const void*> constants;
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            constants.push_back(c_.inputs[k].constant ? input_memory(k) : nullptr);
        state_ = {row_->f.make_state(), row_->f.drop_state};
        result_.code =
            row_->f.bind(params_.data(), {constants.data()}, {c_.level, c_.threads, storage_.data()}, state_.get());
        return result_.code == status::ok;
    }
    void* memory_of(std::size_t k) {  // of an output
        const tensor& t = result_.outputs[k];
        if (!is_plain(t)) return t ? data_of(t) : nullptr;
        written_[k] = guarded_memory(t.bytes());
        return written_[k].data();
    }
    std::vector<void*> make_outputs() {
        std::vector<void*> outputs;
        slices_.resize(out_.size());
        written_.resize(out_.size());
        for (std::size_t k = 0; k < out_.size(); ++k) {
            const tensor t = out_[k] < 0 || !dims_[k].known() ? tensor() : tensor(kinds_[k], dims_[k]);
            result_.outputs.push_back(t);
            if (pixels_[in_.size() + k]) slices_[k] = room_around(t);
            outputs.push_back(slices_[k] ? data_of(slices_[k]) + before(slices_[k], in_.size() + k) : memory_of(k));
        }
        return outputs;
    }
    void take_outputs() {
        bool whole =
            storage_.is_whole() && scratch_.is_whole() && std::ranges::all_of(input_copies_, &guarded_memory::is_whole);
        for (std::size_t k = 0; k < out_.size(); ++k) {
            tensor& t = result_.outputs[k];
            whole &= written_[k].is_whole();
            if (slices_[k]) whole &= copy_from_slice(t, slices_[k]);
            if (written_[k] && t.bytes() > 0) std::memcpy(t.data(), written_[k].data(), written_[k].size());
        }
        if (whole) return;
        result_.code = status::failed;
        result_.detail = "the kernel wrote outside of its memory";
    }
    void run_kernel() {
        std::vector<const void*> inputs;
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            inputs.push_back(inputs_[k] ? input_memory(k) + before(inputs_[k], k) : nullptr);
        const std::vector<void*> outputs = make_outputs();
        serial alone;
        context x = make_context(alone, scratch_.data());
        unsigned faults = 0;
        x.threads = c_.threads;
        x.owner = this;
        x.faults = &faults;
        x.stop = stop_;
        x.grow = [](void* owner, int k, const shape& s) noexcept -> void* {
            auto& t = *static_cast<trial*>(owner);
            t.result_.outputs[std::size_t(k)] = tensor(t.kinds_[std::size_t(k)], s);
            return t.memory_of(std::size_t(k));
        };
        result_.code = row_->f.run(params_.data(), state_.get(), {inputs.data(), outputs.data()}, x);
        result_.detail = x.detail;
        take_outputs();
        if (result_.code == status::ok && faults) {
            result_.code = status::invalid_value;
            result_.detail = text_of(fault(faults));
        }
        for (std::size_t k = 0; k < out_.size(); ++k)
            if (layouts_[in_.size() + k] == layout::channels_last)
                result_.outputs[k] = relayout(result_.outputs[k], layout::plain);
    }

  public:
    explicit trial(const call& c, unknowns hidden = {})
        : c_(c), hidden_(hidden), kinds_(c.outputs.empty() ? std::vector{c.inputs[0].value.type()} : c.outputs) {}
    outcome run(const tested_operator& op, std::span<const row> kernels, const std::atomic<bool>* stop = nullptr) {
        stop_ = stop;
        make_graph(op);
        if (!find_shapes(op) || !find_kernel(kernels)) return result_;
        lay_out();
        if (bind()) run_kernel();
        return result_;
    }
    // The shapes without what is hidden must be those of all that is known, or may become them; else the reason.
    std::string contradiction(const tested_operator& op, const trial& baseline) {
        make_graph(op);
        if (!find_shapes(op)) return std::string(result_.answer.reason);
        for (std::size_t k = 0; k < dims_.size(); ++k)
            if (!may_become(dims_[k], baseline.dims_[k])) return "output " + std::to_string(k) + " has another shape";
        return "";
    }
    // All that the operator's shape rule may read, as bytes; empty where it may read subgraphs.
    std::string shape_facts(const tested_operator& op) const {
        std::string bytes;
        if (!g_.subgraphs.empty()) return bytes;
        const auto append = [&](const auto&... facts) {
            (bytes.append(reinterpret_cast<const char*>(&facts), sizeof facts), ...);
        };
        const auto append_text = [&](std::string_view text) {
            append(text.size());
            bytes += text;
        };
        append(op.shapes, c_.version);
        for (const value& v : g_.values) append(v.type, v.constant, v.kind, v.list, v.dims.rank, v.dims.dims);
        for (const attribute& a : g_.attributes) {
            append_text(a.name);
            append_text(a.text);
            append(a.kind, a.integer, a.real, a.list);
        }
        for (std::string_view text : g_.texts) append_text(text);
        for (int edge : g_.edges) append(edge);
        for (std::int64_t integer : g_.integers) append(integer);
        for (double real : g_.reals) append(real);
        return bytes;
    }
    const entry* chosen() const { return row_ ? &row_->e : nullptr; }
    bool is_reduced() const { return row_->e.reduced && row_->e.reduced(node()); }
    bool packs_at_bind() const { return row_ && row_->e.packs && node().are_constant(row_->e.packs); }
};

bool same_bits(const outcome& a, const outcome& b) {
    if (a.code != b.code || a.outputs.size() != b.outputs.size()) return false;
    for (std::size_t k = 0; k < a.outputs.size(); ++k) {
        const tensor &x = a[k], &y = b[k];
        if (bool(x) != bool(y) || (x && x.shape() != y.shape())) return false;
        if (x && x.bytes() && std::memcmp(x.data(), y.data(), std::size_t(x.bytes())) != 0) return false;
    }
    return true;
}
// A kernel that packs weights when it is bound takes them in a run too, on the CPU, and computes the same.
void check_weights_of_run(const trial& bound, const tested_operator& op, std::span<const row> kernels, call c,
                          outcome& result) {
#ifdef __SANITIZE_ADDRESS__
    if (c.level != tested_levels().back()) return;
#endif
    for (std::size_t k = 0; k < c.inputs.size(); ++k)
        if (bound.chosen()->packs_input(int(k))) c.inputs[k].constant = false;
    trial at_run(c);
    const outcome again = at_run.run(op, kernels);
    if (!again.answer && bound.chosen()->device_name != device::cpu::name) return;
    if (again.answer && at_run.is_reduced() != bound.is_reduced()) return;  // MatMul's, which rounds constants only
    if (again.answer && same_bits(again, result)) return;
    result.code = status::failed;
    result.detail =
        "the result is another where the weights are no constants: " + std::string(again.answer.reason) + again.detail;
}
// What a shape rule takes it takes where shapes are not known yet. A graph is checked once in a thread: calls repeat it
// for each kernel and instruction set.
void check_open_shapes(const trial& baseline, const tested_operator& op, const call& c, outcome& result) {
    thread_local std::unordered_set<std::string> checked;
    std::string facts = baseline.shape_facts(op);
    if (checked.contains(facts)) return;
    std::vector<unknowns> cases{{unknowns::part::sizes}, {unknowns::part::rank}};
    for (int k = 0; k < int(c.inputs.size()); ++k) cases.push_back({unknowns::part::rank, k});
    for (const unknowns& hidden : cases) {
        const std::string reason = trial(c, hidden).contradiction(op, baseline);
        if (reason.empty()) continue;
        result.code = status::failed;
        result.detail = "where " + std::string(hidden.of == unknowns::part::sizes ? "sizes" : "the rank") + " of " +
                        (hidden.only < 0 ? "all inputs" : "input " + std::to_string(hidden.only)) +
                        " is not known: " + reason;
        return;
    }
    if (!facts.empty()) checked.insert(std::move(facts));
}
}  // namespace

outcome run(const tested_operator& op, std::span<const row> kernels, const call& c) {
    trial first(c);
    outcome result = first.run(op, kernels);
    if (result.code == status::ok && first.packs_at_bind()) check_weights_of_run(first, op, kernels, c, result);
    if (result.code == status::ok) check_open_shapes(first, op, c, result);
    return result;
}
outcome stopped_run(const tested_operator& op, std::span<const row> kernels, const call& c) {
    const std::atomic<bool> stop = true;
    return trial(c).run(op, kernels, &stop);
}
}  // namespace inlay::testing
