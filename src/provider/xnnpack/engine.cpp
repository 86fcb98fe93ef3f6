// Regions as subgraphs of XNNPACK, and each run's memory with channels last.
#include "lowering.hpp"
#include "version.hpp"
#include <inlay/plan/conversion.hpp>
#include <inlay/provider/xnnpack.hpp>
#include <inlay/sdk/engine.hpp>
#include <algorithm>
#include <cstring>
#include <mutex>
#include <variant>

namespace inlay {
inline namespace v1 {
namespace {
const xnnpack_functions& xnn() { return xnnpack_library(); }
error failure(xnn_status s) { return {error_code::provider_failed, text_of(s)}; }
using thread_crew = std::shared_ptr<std::remove_pointer_t<pthreadpool_t>>;  // null: the thread that runs

// An argument as XNNPACK has it: in memory of its own, where the order of elements differs or where XNNPACK may read
// behind the last one.
template <int Bits> struct turning {
    using kernel = conversion_kernel<Bits>;
    typename kernel::params there{};
    typename kernel::state state{};
};
struct argument_facts {
    shape dims;
    element type;
    bool input, read;  // read: by XNNPACK
};
class argument {
    shape dims_;
    element type_;
    tensor memory_{};
    std::variant<turning<32>, turning<8>> turn_{};

    std::int64_t bytes() const { return dims_.elements() * (type_ == element::f32 ? 4 : 1); }
    bool is_unsigned() const { return type_ == element::u8; }
    // XNNPACK's elements of 8 bits are signed.
    void change_sign() {
        if (is_unsigned())
            for (std::uint8_t& x : memory_.as<std::uint8_t>().first(std::size_t(bytes()))) x ^= 0x80;
    }
    status copy(void* to, const void* from, context& c) {
        if (same_either_way(dims_)) {
            std::memcpy(to, from, std::size_t(bytes()));
            return status::ok;
        }
        return std::visit(
            [&]<int Bits>(turning<Bits>& r) {
                return turning<Bits>::kernel::run(r.there, r.state, {&from, &to}, c);
            },
            turn_);
    }

  public:
    explicit argument(const argument_facts& f) : dims_(f.dims), type_(f.type) {
        if (f.read || !same_either_way(dims_) || is_unsigned())
            memory_ = tensor(element::u8, {bytes() + XNN_EXTRA_BYTES});
        if (same_either_way(dims_)) return;
        if (type_ != element::f32) turn_.emplace<1>();
        std::visit(
            [&]<int Bits>(turning<Bits>& r) {
                r.there = turning<Bits>::kernel::prepare(dims_, f.input ? layout::channels_last : layout::plain);
            },
            turn_);
    }
    bool own() const { return bool(memory_); }
    void* data() { return memory_.data(); }
    status take(const buffer& b, context& c) {
        const status s = copy(memory_.data(), b.data, c);
        change_sign();
        return s;
    }
    status give(const buffer& b, context& c) {
        change_sign();
        return copy(b.data, memory_.data(), c);
    }
};

class xnnpack_run final : public executable {
    thread_crew threads_;
    std::shared_ptr<packed_weights> weights_;
    xnnpack_runtime runtime_;
    std::vector<argument> inputs_, outputs_;
    std::vector<xnn_external_value> values_;
    bool set_up_ = false;

    status fail(context& c, xnn_status s) { return c.fail(text_of(s), status::failed); }
    // Where XNNPACK finds its arguments: told again only when it changes.
    xnn_status place(std::span<const buffer> outputs) {
        bool same = std::exchange(set_up_, true);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            void* const to = outputs_[k].own() ? outputs_[k].data() : outputs[k].data;
            same &= std::exchange(values_[inputs_.size() + k].data, to) == to;
        }
        return same ? xnn_status_success : set_up(runtime_.get(), values_);
    }

  public:
    xnnpack_run(thread_crew threads, std::shared_ptr<packed_weights> weights, xnnpack_runtime runtime,
                std::vector<argument> inputs, std::vector<argument> outputs)
        : threads_(std::move(threads)),
          weights_(std::move(weights)),
          runtime_(std::move(runtime)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)) {
        for (argument& a : inputs_) values_.push_back({std::uint32_t(values_.size()), a.data()});
        for (std::size_t k = 0; k < outputs_.size(); ++k) values_.push_back({std::uint32_t(values_.size()), nullptr});
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (const status s = inputs_[k].take(inputs[k], c); s != status::ok) return s;
        if (const xnn_status s = place(outputs); s != xnn_status_success) {
            set_up_ = false;
            return fail(c, s);
        }
        if (c.stoppable() && c.stopped()) return c.end_of_run();
        if (const xnn_status s = xnn().xnn_invoke_runtime(runtime_.get()); s != xnn_status_success) return fail(c, s);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (outputs_[k].own())
                if (const status s = outputs_[k].give(outputs[k], c); s != status::ok) return s;
        return status::ok;
    }
};

class xnnpack_region final : public compiled_region {
    thread_crew threads_;
    recipe recipe_;
    std::shared_ptr<packed_weights> weights_ = std::make_shared<packed_weights>();
    std::vector<argument_facts> inputs_, outputs_;
    mutable std::mutex lock_;
    mutable std::unique_ptr<executable> first_;  // of compile(), which tried it

    result<std::unique_ptr<executable>> make() const {
        const auto subgraph = recipe_.make();
        if (!subgraph) return subgraph.why();
        xnnpack_runtime runtime;
        if (const xnn_status s = weights_->make_runtime((*subgraph).get(), threads_.get(), runtime);
            s != xnn_status_success)
            return failure(s);
        return std::make_unique<xnnpack_run>(threads_, weights_, std::move(runtime),
                                             std::vector<argument>(inputs_.begin(), inputs_.end()),
                                             std::vector<argument>(outputs_.begin(), outputs_.end()));
    }

  public:
    xnnpack_region(thread_crew threads, const region& r, purpose why = purpose::use)
        : threads_(std::move(threads)), recipe_(recipe_of(r, why)) {
        std::vector<char> read(r.graph.values.size(), 0);
        for (int i : r.nodes) for_each_read(r.graph, r.graph.nodes[std::size_t(i)], [&](int v) { read[v] = 1; });
        const auto facts = [&](int id, bool input) {
            const value& v = r.graph.values[std::size_t(id)];
            return argument_facts{v.dims, v.type, input, bool(read[std::size_t(id)])};
        };
        for (int id : r.inputs) inputs_.push_back(facts(id, true));
        for (int id : r.outputs) outputs_.push_back(facts(id, false));
    }
    result<void> try_it() {
        auto made = make();
        if (!made) return made.why();
        first_ = std::move(*made);
        return {};
    }
    result<std::unique_ptr<executable>> instance() const override {
        {
            const std::lock_guard lock(lock_);
            if (first_) return std::move(first_);
        }
        return make();
    }
};

class xnnpack_engine final : public engine {
    thread_crew threads_;

    // XNNPACK itself is asked about a node and its neighbours: what it takes depends on the scales too.
    static std::string refusal_in_bytes(const free_nodes& free, int node, const quantised_graph::neighbours& around,
                                        region_ends& finder) {
        std::vector<int> nodes = around.before;
        nodes.push_back(node);
        if (around.behind >= 0) nodes.push_back(around.behind);
        std::ranges::sort(nodes);
        nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
        const region_values ends = finder.of(nodes);
        xnnpack_region trial(nullptr, {free.graph, nodes, ends.inputs, ends.outputs, free.constants}, purpose::trial);
        const auto tried = trial.try_it();
        return tried ? "" : "XNNPACK does not compute it in 8 bits: " + tried.why().text;
    }

  public:
    explicit xnnpack_engine(thread_crew threads) : threads_(std::move(threads)) {}
    void propose(const free_nodes& free, proposals& out) override {
        const graph_view& g = free.graph;
        const quantised_graph graph(g, free.constants);
        std::vector<char> there(g.nodes.size(), 0);
        for (int i : free.nodes) there[std::size_t(i)] = 1;
        quantised_graph::taken_parts taken(g);
        std::vector<int> conversions;
        region_ends finder(g);
        for (int i : free.nodes) {
            if (graph.decodes(i) || graph.encodes(i)) {
                conversions.push_back(i);
                continue;
            }
            quantised_graph::neighbours around{refusal_of(graph.view(i))};
            if (around.why.empty() && graph.concerns_bytes(i)) {
                around = graph.neighbours_of(i, there);
                if (around.why.empty()) around.why = refusal_in_bytes(free, i, around, finder);
            }
            if (around.why.empty())
                graph.add(taken, i, around);
            else
                out.refuse(i, std::move(around.why));
        }
        for (int i : conversions) {
            char& have = taken.nodes[std::size_t(i)];
            std::string why = have ? "" : graph.refuse_border(i, taken);
            have = why.empty();
            if (!have) out.refuse(i, std::move(why));
        }
        std::vector<int> nodes;
        for (int i : free.nodes)
            if (taken.nodes[std::size_t(i)]) nodes.push_back(i);
        for (std::vector<int>& set : convex_sets(g, nodes)) out.take(std::move(set));
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        auto compiled = std::make_shared<xnnpack_region>(threads_, r);
        if (const auto tried = compiled->try_it(); !tried) return tried.why();
        return compiled;
    }
};
}  // namespace

result<std::shared_ptr<engine>> xnnpack::open() const {
    const auto unusable = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (intra_op_num_threads < 0)
        return unusable(error_code::invalid_option, "intra_op_num_threads cannot be negative");
    if (!problem_of_xnnpack().empty())
        return unusable(error_code::provider_unavailable, "XNNPACK cannot be used: " + problem_of_xnnpack());
    thread_crew threads;
    if (intra_op_num_threads != 1) {
        threads.reset(xnn().pthreadpool_create(std::size_t(intra_op_num_threads)),
                      [](pthreadpool_t p) { xnn().pthreadpool_destroy(p); });
        if (!threads) return unusable(error_code::provider_unavailable, "its threads cannot be made");
    }
    return std::make_shared<xnnpack_engine>(std::move(threads));
}
}  // namespace v1
}  // namespace inlay
