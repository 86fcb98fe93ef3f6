// What all runs of a graph share: options, providers, threads, bodies of control flow.
#include "core.hpp"
#include <inlay/plan/choose_level.hpp>
#include <iostream>
#include <system_error>

namespace inlay {
inline namespace v1 {
session_core::session_core(std::shared_ptr<const void> keep, const graph_data& g, const graph_view& v,
                           std::shared_ptr<bound_states> bound, session_options o, std::vector<provider_handle> list,
                           const session_core* parent)
    : graph(g),
      options(std::move(o)),
      handles(std::move(list)),
      keep_(std::move(keep)),
      view_(v),
      states_(std::move(bound)) {
    apply_shape_rules();
    if (parent) {
        names_ = parent->names_;
        options.partition = partition_by::order;
        options.progress = nullptr;  // plans of bodies are made while they run
        level = parent->level;
        run_bytes = parent->run_bytes;
        view_.precision = parent->view_.precision;
        executor_ = parent->executor_;
        flush_denormals_ = parent->flush_denormals_;
        failed_ = parent->failed_;
        devices_ = parent->devices_;
        engines_ = parent->engines_;
        plan_only = parent->plan_only;
        return;
    }
    for (const provider_handle& h : handles)
        if (!twin_) twin_ = h.twin.get();
    kept_pairs = find_kept_pairs(view_);
    counting_masks = find_counting_masks(view_, kept_pairs);
    std::vector<std::string> names;
    for (const provider_handle& h : handles) names.push_back(h.name);
    names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
    failed_ = std::make_shared<failed_providers>();
    failed_->which.assign(handles.size(), 0);
    open_devices();
    std::optional<isa::level> first_level;
    std::optional<int> threads = options.intra_op_num_threads;
    std::optional<precision> first_precision;
    for (const provider_handle& h : handles) {
        if (!first_level) first_level = h.level;
        if (!first_precision) first_precision = h.precision;
        if (!threads) threads = h.threads;
        flush_denormals_ |= h.flush_denormals;
    }
    view_.precision = first_precision.value_or(precision::standard);
    level = level_of(first_level);
    executor_ = options.executor;
    if (!executor_) start_threads(threads);
}
isa::level session_core::level_of(std::optional<isa::level> request) const {
    // Of `portable`: what it names, so that all processors that have it compute the same.
    constexpr isa::level same = std::size(isa::linked) > 1 ? isa::level::avx2 : isa::baseline;
    const bool portable = options.determinism == determinism::portable;
    if (portable && request && *request != same)
        raise({error_code::invalid_option, "inlay: determinism `portable` computes with " + std::string(name_of(same)) +
                                               ", and `isa` asks for " + std::string(name_of(*request)) +
                                               "; leave one of them out"});
    if (portable && !isa::available(same))
        raise({error_code::no_such_level,
               "inlay: determinism `portable` computes with " + std::string(name_of(same)) +
                   ", which this machine lacks; without it, results are those of this machine alone"});
    if (const auto chosen = choose_level(portable ? same : request, is_for_pairs(view_))) return *chosen;
    raise({error_code::no_such_level,
           "inlay: this machine lacks the instruction set that `isa` or INLAY_ISA asks for, or there is none of "
           "that name; sse2, avx2, avx512, avx512bf16 and amx are built in"});
}
void session_core::start_threads(std::optional<int> threads) {
    if (threads && *threads < 0)
        raise({error_code::invalid_option, "inlay: a session cannot have " + std::to_string(*threads) + " threads"});
    try {
        own_pool_ = std::make_unique<thread_pool>(threads.value_or(0), flush_denormals_);
    } catch (const std::system_error& e) {
        raise({error_code::out_of_memory, "inlay: the system gives no more threads for the session's pool (" +
                                              e.code().message() + "); intra_op_num_threads asks for fewer"});
    }
    executor_ = executor_ref(*own_pool_);
}

void session_core::note_log(severity s, std::string_view text) const {
    if (!logs(s)) return;
    if (options.log)
        options.log(s, text);
    else
        std::cerr << "inlay: " << name_of(s) << ": " << text << '\n';
}

context session_core::make_base(const run_options& o) const {
    context x;
    x.pool = executor_.pool;
    x.fork = executor_.fork;
    x.threads = executor_.threads;
    x.stop = o.stop;
    x.deadline = o.deadline;
    return x;
}

session_core& session_core::body(int node, int subgraph) {
    const std::lock_guard lock(mutex_);
    auto& b = bodies_[{node, subgraph}];
    if (!b)
        b = std::make_unique<session_core>(keep_, graph.subgraphs[std::size_t(subgraph)],
                                           view_.subgraphs[std::size_t(subgraph)], states_, options, handles, this);
    return *b;
}
}  // namespace v1
}  // namespace inlay
