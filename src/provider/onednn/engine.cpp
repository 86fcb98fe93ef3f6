// Regions as programs of oneDNN's primitives.
#include "writer.hpp"

namespace inlay {
inline namespace v1 {
namespace {
using place = dnnl_program::storage::place;

class onednn_run {
    const dnnl_program& program_;
    const onednn options_;
    onednn_ptr<dnnl_stream_t> stream_{};
    tensor arena_{};
    std::vector<onednn_ptr<dnnl_memory_t>> memories_, scratchpads_{};  // memories_: of slots that are used
    std::vector<std::vector<dnnl_exec_arg_t>> steps_{};

    const dnnl_program::storage& storage_of(int slot) const {
        return program_.storages[std::size_t(program_.slots[std::size_t(slot)].storage)];
    }
    std::byte* scratch(std::int64_t offset) { return static_cast<std::byte*>(arena_.data()) + offset; }
    // Where the slot's elements are; of an argument of the region in this run.
    void* place_of(int slot, std::span<const buffer> inputs, std::span<const buffer> outputs) {
        const dnnl_program::storage& s = storage_of(slot);
        switch (s.location) {
            case place::constant: return const_cast<void*>(s.elements);
            case place::arena: return scratch(s.offset);
            case place::input: return inputs.empty() ? nullptr : inputs[std::size_t(s.index)].data;
            case place::output: return outputs.empty() ? nullptr : outputs[std::size_t(s.index)].data;
        }
        return nullptr;
    }
    bool moves(int slot) const {  // from run to run
        const place location = storage_of(slot).location;
        return location == place::input || location == place::output ||
               (location == place::arena && !options_.use_arena);
    }
    void add(const dnnl_program::step& from) {
        std::vector<dnnl_exec_arg_t>& arguments = steps_.emplace_back();
        for (const dnnl_program::argument& a : from.arguments) {
            auto& m = memories_[std::size_t(a.slot)];
            if (!m) m = memory_over(program_.slots[std::size_t(a.slot)].layout, place_of(a.slot, {}, {}));
            arguments.push_back({a.name, m.get()});
        }
        if (!from.scratchpad) return;
        scratchpads_.push_back(memory_over(from.scratchpad, scratch(program_.scratchpad_at)));
        arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpads_.back().get()});
    }
    void set_places(std::span<const buffer> inputs, std::span<const buffer> outputs) {
        for (std::size_t k = 0; k < memories_.size(); ++k)
            if (memories_[k] && moves(int(k)))
                onednn_check(dnnl().dnnl_memory_set_data_handle(memories_[k].get(), place_of(int(k), inputs, outputs)));
        if (options_.use_arena) return;
        for (const auto& m : scratchpads_)
            onednn_check(dnnl().dnnl_memory_set_data_handle(m.get(), scratch(program_.scratchpad_at)));
    }
    status run_steps(context& c) {
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (c.stoppable() && c.stopped()) return c.end_of_run();
            onednn_check(dnnl().dnnl_primitive_execute(program_.steps[k].primitive.get(), stream_.get(),
                                                       int(steps_[k].size()), steps_[k].data()));
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
        for (const dnnl_program::step& s : program_.steps) add(s);
        if (!options_.use_arena) arena_ = {};
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) try {
        const thread_count threads(options_.num_of_threads);
        if (!options_.use_arena) arena_ = room_for(std::size_t(program_.arena_bytes));
        set_places(inputs, outputs);
        const status s = run_steps(c);
        if (!options_.use_arena) arena_ = {};
        return s;
    } catch (const refused_node& e) {
        return c.fail(e.reason, status::failed);
    }
};
struct onednn_compiled {
    dnnl_program program;
    onednn options;
    onednn_run instance() const { return {program, options}; }
};
struct onednn_backend {
    static constexpr const lowering::rule_set& rules = onednn_rules;
    onednn options;

    struct writer : onednn_writer {
        writer(const onednn_backend& b, const region& r, lowering::purpose purpose)
            : onednn_writer(b.options, r, purpose) {}
    };
    lowering::target aim() const { return {&onednn_rules, dnnl().version}; }
    std::shared_ptr<const onednn_compiled> compile(dnnl_program p) const {
        return std::make_shared<const onednn_compiled>(onednn_compiled{std::move(p), options});
    }
    std::vector<std::pair<std::string, std::string>> identity() const { return {{"library", dnnl().version}}; }
};
}  // namespace

result<std::shared_ptr<engine>> onednn::open() const {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (num_of_threads < 0) return unusable(error_code::invalid_option, "num_of_threads cannot be negative");
    if (!dnnl().problem.empty())
        return unusable(error_code::provider_unavailable, "oneDNN cannot be used: " + dnnl().problem);
    if (num_of_threads > 0 && !dnnl().omp_set_num_threads)
        return unusable(error_code::invalid_option, "num_of_threads is for a library that runs on OpenMP");
    return std::make_shared<lowering::region_engine<onednn_backend>>(onednn_backend{*this});
}
}  // namespace v1
}  // namespace inlay
