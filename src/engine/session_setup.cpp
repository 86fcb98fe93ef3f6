#include "session_setup.hpp"
#include <inlay/impl/compiled.hpp>
#include <inlay/plan/choose_level.hpp>
#include <system_error>

namespace inlay {
inline namespace v1 {
static std::shared_ptr<const std::vector<std::string>> names_of(const std::vector<provider_handle>& handles) {
    std::vector<std::string> names;
    for (const provider_handle& h : handles) names.push_back(h.name);
    return std::make_shared<const std::vector<std::string>>(std::move(names));
}
session_setup::session_setup(session_options o, std::vector<provider_handle> list, const graph_view& g)
    : options(std::move(o)),
      handles(std::move(list)),
      names(names_of(handles)),
      failed(handles, options),
      backends(handles, failed, options) {
    std::optional<isa::level> first_level;
    std::optional<int> threads = options.intra_op_num_threads;
    std::optional<inlay::precision> first_precision;
    for (const provider_handle& h : handles) {
        if (!first_level) first_level = h.level;
        if (!first_precision) first_precision = h.precision;
        if (!threads) threads = h.threads;
        flush_denormals |= h.flush_denormals;
    }
    precision = first_precision.value_or(inlay::precision::standard);
    graph_view of_precision = g;
    of_precision.precision = precision;
    level = level_of(first_level, of_precision);
    executor = options.executor;
    if (!executor) start_threads(threads);
}
static std::string compiled_levels() {  // their names
    std::string names;
    for (isa::level l : isa::linked)
        if (isa::compiled(l)) names.append(names.empty() ? "" : ", ").append(name_of(l));
    return names;
}
isa::level session_setup::level_of(std::optional<isa::level> request, const graph_view& g) const {
    // For `portable`: the features that it names, so that all processors that have them compute the same.
    constexpr isa::level same = std::size(isa::linked) > 1 ? isa::level::avx2 : isa::baseline;
    const bool portable = options.determinism == determinism::portable;
    if (portable && request && *request != same)
        raise({error_code::invalid_option, "inlay: determinism `portable` computes with " + std::string(name_of(same)) +
                                               ", and `isa` requests " + std::string(name_of(*request)) +
                                               "; leave one of them out"});
    if (portable && !isa::available(same))
        raise({error_code::no_such_level,
               "inlay: determinism `portable` computes with " + std::string(name_of(same)) +
                   ", which this machine lacks; without it, results are those of this machine alone"});
    if (const auto level = choose_level(portable ? same : request, is_for_pairs(g))) return *level;
    raise({error_code::no_such_level,
           "inlay: this machine or this build lacks the instruction set that `isa` or INLAY_ISA requests, or there is "
           "none of that name; built in: " +
               compiled_levels()});
}
void session_setup::start_threads(std::optional<int> threads) {
    if (threads && *threads < 0)
        raise({error_code::invalid_option, "inlay: a session cannot have " + std::to_string(*threads) + " threads"});
    try {
        pool_ = std::make_unique<thread_pool>(threads.value_or(0), flush_denormals);
    } catch (const std::system_error& e) {
        raise({error_code::out_of_memory, "inlay: the system gives no more threads for the session's pool (" +
                                              e.code().message() + "); set a smaller intra_op_num_threads"});
    }
    executor = executor_ref(*pool_);
}

context session_setup::base(const run_options& o) const {
    context x;
    x.pool = executor.pool;
    x.fork = executor.fork;
    x.threads = executor.threads;
    x.stop = o.stop;
    x.deadline = o.deadline;
    return x;
}
erased_providers session_setup::list(const constant_source* constants, const restored_target* restored) const {
    erased_providers list(handles, options.fallback, failed.which(), backends.engines, &failed.barred, constants);
    list.set_restored(restored);
    list.keep_pairs(precision == inlay::precision::bfloat16 && level == isa::level::amx);
    return list;
}
}  // namespace v1
}  // namespace inlay
