// Sessions: created, run, queried.
#include "built/owned_value.hpp"
#include "handles.hpp"
#include <inlay/report_json.hpp>

namespace inlay::c {
namespace {
using named_shapes = std::vector<std::pair<std::string_view, shape>>;
named_shapes shapes_given(const char* const* names, const std::int32_t* ranks, const std::int64_t* dims,
                          std::int64_t count) {
    const auto all_names = list_given(names, count, "names");
    const auto all_ranks = list_given(ranks, count, "ranks");
    named_shapes shapes;
    for (std::size_t k = 0; k < all_names.size(); ++k) {
        shapes.emplace_back(text_given(all_names[k], "names[]"), shape_given(dims, all_ranks[k]));
        if (dims) dims += all_ranks[k];
    }
    return shapes;
}
const session_base& session_of(const inlay_session::present& p) { return p.session; }
std::shared_ptr<const inlay_session::present> make_present(const model& m, const inlay_providers* list,
                                                           const session_options& o) {
    std::vector<provider_choice> choices;
    if (list) choices = list->list;
    any_session session(m, choices, o, built_providers());
    return std::make_shared<inlay_session::present>(inlay_session::present{std::move(session), std::move(choices)});
}
// The choices that would create the same list again.
std::vector<provider_choice> choices_of(const inlay_session::present& p) {
    std::vector<provider_choice> choices;
    for (auto& [name, options] : p.session.provider_options()) {
        const std::string plain = name.substr(0, name.find(':'));  // the options name its device
        choices.emplace_back(plain, std::move(options));
        for (const provider_choice& c : p.list)
            if (c.factory && c.factory->name == plain) choices.back().factory = c.factory;
    }
    return choices;
}
std::vector<std::string_view> output_names_given(const session_base& s, const char* const* names, std::int64_t count,
                                                 const kv_cache* cache) {
    std::vector<std::string_view> output_names;
    if (names) {
        for (const char* name : list_given(names, count, "output_names"))
            output_names.emplace_back(text_given(name, "output_names[]"));
        return output_names;
    }
    const std::size_t output_count = s.outputs().size() - (cache ? cache->pairs().size() : 0);
    if (count != std::int64_t(output_count))
        raise({error_code::invalid_argument, "inlay: all outputs are " + std::to_string(output_count) +
                                                 ", and there is room for " + std::to_string(count)});
    return output_names;
}
}  // namespace
}  // namespace inlay::c
using namespace inlay::c;
using inlay::raise;

inlay_failure* inlay_session_new(const inlay_model* model, const inlay_providers* providers,
                                 const inlay_options* options, inlay_session** session) {
    return guarded([&] {
        given(session, "session");
        const inlay_options* const o = options_given(options, options_kind::session);
        auto handle = std::make_unique<inlay_session>();
        handle->now = make_present(given(model, "model").model, providers, o ? o->session : inlay::session_options{});
        *session = handle.release();
    });
}
inlay_failure* inlay_session_set_providers(inlay_session* session, const inlay_providers* providers) {
    return guarded([&] {
        inlay_session& s = given(session, "session");
        const auto before = s.get();
        auto replacement = make_present(before->session.model(), providers, before->session.options());
        const std::lock_guard hold(s.lock);
        s.now.swap(replacement);
    });
}
inlay_failure* inlay_session_providers(const inlay_session* session, inlay_providers** list) {
    return guarded([&] {
        given(list, "list");
        *list = new inlay_providers{choices_of(*given(session, "session").get())};
    });
}
inlay_failure* inlay_session_model(const inlay_session* session, inlay_model** model) {
    return guarded([&] {
        given(model, "model");
        *model = new inlay_model(given(session, "session").get()->session.model());
    });
}
inlay_failure* inlay_session_run(const inlay_session* session, const char* const* input_names,
                                 inlay_any_value* const* inputs, std::int64_t input_count,
                                 const char* const* output_names, inlay_any_value** outputs, std::int64_t output_count,
                                 inlay_cache* cache, const inlay_options* options) {
    return guarded([&] {
        const auto present = given(session, "session").get();
        const inlay::session_base& s = session_of(*present);
        const std::vector<inlay::feed> feeds = feeds_given(input_names, inputs, input_count);
        const auto to = list_given(outputs, output_count, "outputs");
        const inlay::run_options o = run_options_of(options);
        inlay::one_at_a_time no_cache;  // where there is no cache
        const inlay::taken hold = take(cache ? cache->use : no_cache, "cache");
        const auto names = output_names_given(s, output_names, output_count, cache ? &cache->cache : nullptr);
        if (output_names && names.empty())
            raise({inlay::error_code::invalid_argument, "inlay: no output is requested"});
        const inlay::fetched results = cache ? s.run(feeds, cache->cache, names, o) : s.run(feeds, names, o);
        std::vector<std::unique_ptr<inlay_any_value>> handles;
        for (const auto& [name, value] : results)
            handles.push_back(std::make_unique<inlay_any_value>(inlay_any_value{owned(value)}));
        // LCOV_EXCL_START: as many as output_names_given() reported before the run
        if (handles.size() != to.size())
            raise({inlay::error_code::provider_failed, "inlay: the run gave " + std::to_string(handles.size()) +
                                                           " outputs, not " + std::to_string(to.size())});
        // LCOV_EXCL_STOP
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = handles[k].release();
    });
}
inlay_failure* inlay_session_bind(const inlay_session* session, const char* const* names, const std::int32_t* ranks,
                                  const std::int64_t* dims, std::int64_t count, inlay_binding** binding) {
    return guarded([&] {
        given(binding, "binding");
        const auto present = given(session, "session").get();
        auto state =
            std::make_shared<inlay_binding::shared>(present->session.bind(shapes_given(names, ranks, dims, count)));
        *binding = new inlay_binding{std::move(state)};
    });
}
inlay_failure* inlay_session_make_cache(const inlay_session* session, std::int64_t rows, inlay_cache** cache) {
    return guarded([&] {
        given(cache, "cache");
        *cache = new inlay_cache{given(session, "session").get()->session.make_cache(rows)};
    });
}
inlay_failure* inlay_session_plan(const inlay_session* session, const char* const* names, const std::int32_t* ranks,
                                  const std::int64_t* dims, std::int64_t count, char** json) {
    return guarded([&] {
        given(json, "json");
        const auto present = given(session, "session").get();
        const named_shapes shapes = shapes_given(names, ranks, dims, count);
        *json = text_to_free(json_of(shapes.empty() ? present->session.plan() : present->session.plan(shapes)));
    });
}
inlay_failure* inlay_session_memory(const inlay_session* session, const char* const* names, const std::int32_t* ranks,
                                    const std::int64_t* dims, std::int64_t count, char** json) {
    return guarded([&] {
        given(json, "json");
        const auto present = given(session, "session").get();
        const named_shapes shapes = shapes_given(names, ranks, dims, count);
        *json = text_to_free(json_of(shapes.empty() ? present->session.memory() : present->session.memory(shapes)));
    });
}
inlay_failure* inlay_session_release_memory(const inlay_session* session) {
    return guarded([&] { given(session, "session").get()->session.release_memory(); });
}
void inlay_session_free(inlay_session* session) { delete session; }
