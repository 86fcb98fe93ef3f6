// Regions as programs of oneDNN's primitives.
#include "program.hpp"
#include <inlay/provider/onednn.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
namespace {
const onednn_functions& dnnl() { return onednn_library(); }
using place = dnnl_program::storage::place;

// oneDNN runs on as many threads as OpenMP has for the thread that calls it. Primitives are made for that number.
class thread_count {
    int before_ = 0;

  public:
    explicit thread_count(int wanted) {
        if (wanted == 0) return;
        before_ = dnnl().omp_get_max_threads();
        dnnl().omp_set_num_threads(wanted);
    }
    ~thread_count() {
        if (before_) dnnl().omp_set_num_threads(before_);
    }
    thread_count(const thread_count&) = delete;
    thread_count& operator=(const thread_count&) = delete;
};

class onednn_run final : public executable {
    struct step {
        std::vector<dnnl_exec_arg_t> arguments{};                // of a primitive
        std::vector<onednn_ptr<dnnl_graph_tensor_t>> tensors{};  // of a partition
        std::vector<const_dnnl_graph_tensor_t> inputs{}, outputs{};
    };
    const dnnl_program& program_;
    const onednn options_;
    onednn_ptr<dnnl_stream_t> stream_;
    tensor arena_{};
    std::vector<onednn_ptr<dnnl_memory_t>> memories_, scratchpads_;  // memories_: of slots that primitives use
    std::vector<step> steps_;

    const dnnl_program::storage& storage_of(int slot) const {
        return program_.storages[std::size_t(program_.slots[std::size_t(slot)].storage)];
    }
    std::byte* scratch(std::int64_t offset) { return static_cast<std::byte*>(arena_.data()) + offset; }
    // Where the slot's elements are; of an argument of the region in this run.
    void* place_of(int slot, std::span<const buffer> inputs, std::span<const buffer> outputs) {
        const dnnl_program::storage& s = storage_of(slot);
        switch (s.where) {
            case place::constant: return const_cast<void*>(s.elements);
            case place::arena: return scratch(s.offset);
            case place::input: return inputs.empty() ? nullptr : inputs[std::size_t(s.index)].data;
            case place::output: return outputs.empty() ? nullptr : outputs[std::size_t(s.index)].data;
        }
        return nullptr;
    }
    bool moves(int slot) const {  // from run to run
        const place where = storage_of(slot).where;
        return where == place::input || where == place::output || (where == place::arena && !options_.use_arena);
    }
    void add_primitive(const dnnl_program::step& from, step& s) {
        for (const dnnl_program::argument& a : from.arguments) {
            auto& m = memories_[std::size_t(a.slot)];
            if (!m) m = memory_over(program_.slots[std::size_t(a.slot)].layout, place_of(a.slot, {}, {}));
            s.arguments.push_back({a.name, m.get()});
        }
        if (!from.scratchpad) return;
        scratchpads_.push_back(memory_over(from.scratchpad, scratch(program_.scratchpad_at)));
        s.arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpads_.back().get()});
    }
    void add_partition(const dnnl_program::step& from, step& s) {
        for (std::size_t k = 0; k < from.arguments.size(); ++k) {
            dnnl_graph_tensor_t made = nullptr;
            onednn_check(dnnl().dnnl_graph_tensor_create(&made, &from.tensors[k], dnnl().engine,
                                                         place_of(from.arguments[k].slot, {}, {})));
            s.tensors.emplace_back(made);
            (from.arguments[k].name == DNNL_ARG_DST ? s.outputs : s.inputs).push_back(made);
        }
    }
    void set_places(std::span<const buffer> inputs, std::span<const buffer> outputs) {
        for (std::size_t k = 0; k < memories_.size(); ++k)
            if (memories_[k] && moves(int(k)))
                onednn_check(dnnl().dnnl_memory_set_data_handle(memories_[k].get(), place_of(int(k), inputs, outputs)));
        if (!options_.use_arena)
            for (const auto& m : scratchpads_)
                onednn_check(dnnl().dnnl_memory_set_data_handle(m.get(), scratch(program_.scratchpad_at)));
        for (std::size_t s = 0; s < steps_.size(); ++s)
            for (std::size_t k = 0; k < steps_[s].tensors.size(); ++k)
                if (const int slot = program_.steps[s].arguments[k].slot; moves(slot))
                    onednn_check(dnnl().dnnl_graph_tensor_set_data_handle(steps_[s].tensors[k].get(),
                                                                          place_of(slot, inputs, outputs)));
    }
    status run_steps(context& c) {
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (c.stoppable() && c.stopped()) return c.end_of_run();
            step& s = steps_[k];
            const dnnl_program::step& made = program_.steps[k];
            onednn_check(made.primitive ? dnnl().dnnl_primitive_execute(made.primitive.get(), stream_.get(),
                                                                        int(s.arguments.size()), s.arguments.data())
                                        : dnnl().dnnl_graph_compiled_partition_execute(
                                              made.partition.get(), stream_.get(), s.inputs.size(), s.inputs.data(),
                                              s.outputs.size(), s.outputs.data()));
        }
        onednn_check(dnnl().dnnl_stream_wait(stream_.get()));
        return status::ok;
    }

  public:
    onednn_run(const dnnl_program& program, const onednn& options)
        : program_(program), options_(options), memories_(program.slots.size()) {
        dnnl_stream_t stream = nullptr;
        onednn_check(dnnl().dnnl_stream_create(&stream, dnnl().engine, dnnl_stream_default_flags));
        stream_.reset(stream);
        arena_ = room_for(std::size_t(program_.arena_bytes));
        for (const dnnl_program::step& from : program_.steps) {
            step& s = steps_.emplace_back();
            from.primitive ? add_primitive(from, s) : add_partition(from, s);
        }
        if (!options_.use_arena) arena_ = {};
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        const thread_count threads(options_.num_of_threads);
        if (!options_.use_arena) arena_ = room_for(std::size_t(program_.arena_bytes));
        set_places(inputs, outputs);
        const status s = run_steps(c);
        if (!options_.use_arena) arena_ = {};
        return s;
    } catch (const onednn_refusal& e) {
        return c.fail(e.why, status::failed);
    } catch (const std::bad_alloc&) {
        return c.fail("there is no memory left", status::failed);
    }
};

class onednn_region final : public compiled_region {
    dnnl_program program_;
    onednn options_;

  public:
    onednn_region(dnnl_program program, const onednn& options) : program_(std::move(program)), options_(options) {}
    result<std::unique_ptr<executable>> instance() const override try {
        return std::make_unique<onednn_run>(program_, options_);
    } catch (const onednn_refusal& e) {
        return error(error_code::provider_failed, e.why);
    }
};

class onednn_engine final : public engine {
    onednn options_;

  public:
    explicit onednn_engine(const onednn& options) : options_(options) {}
    void propose(const free_nodes& free, proposals& out) override try {
        const thread_count threads(options_.num_of_threads);
        propose_for_onednn(free, out);
    } catch (const onednn_refusal& e) {  // of oneDNN's graph as a whole: nothing has been said of any node
        for (int i : free.nodes) out.refuse(i, e.why);
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        const thread_count threads(options_.num_of_threads);
        return std::make_shared<onednn_region>(program_of(r), options_);
    } catch (const onednn_refusal& e) {
        return error(error_code::unsupported_model, e.why);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override { return {{"library", dnnl().version}}; }
};
}  // namespace

result<std::shared_ptr<engine>> onednn::open() const {
    const auto unusable = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (num_of_threads < 0) return unusable(error_code::invalid_option, "num_of_threads cannot be negative");
    if (!dnnl().problem.empty())
        return unusable(error_code::provider_unavailable, "oneDNN cannot be used: " + dnnl().problem);
    if (num_of_threads > 0 && !dnnl().omp_set_num_threads)
        return unusable(error_code::invalid_option, "num_of_threads is for a library that runs on OpenMP");
    return std::make_shared<onednn_engine>(*this);
}
}  // namespace v1
}  // namespace inlay
