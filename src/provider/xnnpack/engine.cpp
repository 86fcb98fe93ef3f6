// Regions as subgraphs of XNNPACK, and each run's memory with channels last.
#include "lowering.hpp"
#include <inlay/core/conversion.hpp>
#include <inlay/provider/xnnpack.hpp>
#include <inlay/sdk/region_file.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
const xnnpack_functions& xnn() { return xnnpack_library(); }
error failure(xnn_status s) { return {error_code::provider_failed, text_of(s)}; }
using thread_crew = std::shared_ptr<std::remove_pointer_t<pthreadpool_t>>;  // null: the thread that runs

// An argument as XNNPACK has it: in memory of its own, where the order of elements differs or where XNNPACK may read
// behind the last one.
class argument {
    using relayout = conversion_kernel<32>;
    shape dims_;
    bool input_;
    tensor memory_{};
    relayout::params there_{};
    relayout::state state_{};

  public:
    argument(const shape& dims, bool input) : dims_(dims), input_(input) {
        if (input || !same_either_way(dims))
            memory_ = tensor(element::u8, {dims.elements() * std::int64_t(sizeof(float)) + XNN_EXTRA_BYTES});
        if (!same_either_way(dims)) there_ = relayout::prepare(dims, input ? layout::channels_last : layout::plain);
    }
    bool own() const { return bool(memory_); }
    float* data() { return reinterpret_cast<float*>(memory_.data()); }
    status copy(void* to, const void* from, context& c) {
        if (same_either_way(dims_)) {
            std::memcpy(to, from, std::size_t(dims_.elements()) * sizeof(float));
            return status::ok;
        }
        return relayout::run(there_, state_, {&from, &to}, c);
    }
    status take(const buffer& b, context& c) { return copy(memory_.data(), b.data, c); }
    status give(const buffer& b, context& c) { return input_ ? status::ok : copy(b.data, memory_.data(), c); }
};

class xnnpack_run final : public executable {
    thread_crew threads_;
    xnnpack_ptr<xnn_runtime_t> runtime_;
    std::vector<argument> inputs_, outputs_;
    std::vector<xnn_external_value> values_;
    bool set_up_ = false;

    status fail(context& c, xnn_status s) { return c.fail(text_of(s), status::failed); }
    // Where XNNPACK finds its arguments: told again only when it changes.
    xnn_status place(std::span<const buffer> outputs) {
        bool same = std::exchange(set_up_, true);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            void* const to = outputs_[k].own() ? static_cast<void*>(outputs_[k].data()) : outputs[k].data;
            same &= std::exchange(values_[inputs_.size() + k].data, to) == to;
        }
        return same ? xnn_status_success : xnn().xnn_setup_runtime(runtime_.get(), values_.size(), values_.data());
    }

  public:
    xnnpack_run(thread_crew threads, xnnpack_ptr<xnn_runtime_t> runtime, std::span<const shape> inputs,
                std::span<const shape> outputs)
        : threads_(std::move(threads)), runtime_(std::move(runtime)) {
        for (const shape& s : inputs) inputs_.emplace_back(s, true);
        for (const shape& s : outputs) outputs_.emplace_back(s, false);
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
    std::vector<shape> inputs_, outputs_;
    mutable std::mutex lock_;
    mutable std::unique_ptr<executable> first_;  // of compile(), which tried it

    result<std::unique_ptr<executable>> make() const {
        const auto subgraph = recipe_.make();
        if (!subgraph) return subgraph.why();
        xnn_runtime_t runtime = nullptr;
        if (const xnn_status s = xnn().xnn_create_runtime_v2((*subgraph).get(), threads_.get(), 0, &runtime);
            s != xnn_status_success)
            return failure(s);
        return std::make_unique<xnnpack_run>(threads_, xnnpack_ptr<xnn_runtime_t>(runtime), inputs_, outputs_);
    }

  public:
    xnnpack_region(thread_crew threads, const region& r) : threads_(std::move(threads)), recipe_(recipe_of(r)) {
        for (int id : r.inputs) inputs_.push_back(r.graph.values[std::size_t(id)].dims);
        for (int id : r.outputs) outputs_.push_back(r.graph.values[std::size_t(id)].dims);
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

  public:
    explicit xnnpack_engine(thread_crew threads) : threads_(std::move(threads)) {}
    void propose(const free_nodes& free, proposals& out) override {
        std::vector<int> nodes;
        for (int i : free.nodes)
            if (std::string why = refusal_of({free.graph, free.graph.nodes[std::size_t(i)]}); why.empty())
                nodes.push_back(i);
            else
                out.refuse(i, std::move(why));
        for (std::vector<int>& set : convex_sets(free.graph, nodes)) out.take(std::move(set));
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
    if (!xnn().problem.empty())
        return unusable(error_code::provider_unavailable, "XNNPACK cannot be used: " + xnn().problem);
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
