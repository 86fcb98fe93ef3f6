// Options of models, sessions and runs.
#include "built/session_texts.hpp"
#include "handles.hpp"

namespace inlay::c {
namespace {
struct setting {
    std::string_view name;
    bool (*set)(inlay_options&, std::string_view text);
    std::string_view values;
};
template <auto Limit> constexpr bool set_limit(inlay_options& o, std::string_view text) {
    auto& limit = o.model.limits.*Limit;
    auto value = limit;
    if (!from_text(text, value) || value < decltype(value){}) return false;
    limit = value;
    return true;
}
constexpr std::string_view flag = "true or false", size = "a number from 0";
constexpr setting model_settings[] = {
    {"optimize", [](inlay_options& o, std::string_view t) { return from_text(t, o.model.optimize); }, flag},
    {"without", [](inlay_options& o, std::string_view t) { return o.model.without.emplace_back(t), true; }, ""},
    {"folder", [](inlay_options& o, std::string_view t) { return o.model.folder = t, true; }, ""},
    {"limits.file_bytes", set_limit<&limits::file_bytes>, size},
    {"limits.total_bytes", set_limit<&limits::total_bytes>, size},
    {"limits.copied_bytes", set_limit<&limits::copied_bytes>, size},
    {"limits.elements_per_tensor", set_limit<&limits::elements_per_tensor>, size},
    {"limits.nodes", set_limit<&limits::nodes>, size},
    {"limits.inference", set_limit<&limits::inference>, size},
    {"limits.nesting", set_limit<&limits::nesting>, size},
    {"limits.run_bytes", set_limit<&limits::run_bytes>, size},
    {"limits.strict", set_limit<&limits::strict>, flag},
};
template <auto Option> bool set_count(inlay_options& o, std::string_view text, int least, int most) {
    int n = 0;
    if (!from_text(text, n) || n < least || n > most) return false;
    o.session.*Option = n;
    return true;
}
constexpr int any_number = std::numeric_limits<int>::max();
constexpr setting session_settings[] = {
    {"fallback", [](inlay_options& o, std::string_view t) { return from_text(t, o.session.fallback); }, fallback_texts},
    {"partition", [](inlay_options& o, std::string_view t) { return from_text(t, o.session.partition); },
     partition_texts},
    {"intra_op_num_threads",
     [](inlay_options& o, std::string_view t) {
         return set_count<&session_options::intra_op_num_threads>(o, t, 0, any_number);
     },
     size},
    {"plans",
     [](inlay_options& o, std::string_view t) { return set_count<&session_options::plans>(o, t, 1, any_number); },
     "a number from 1"},
    {"plan_only", [](inlay_options& o, std::string_view t) { return from_text(t, o.session.plan_only); }, flag},
    {"contexts", [](inlay_options& o, std::string_view t) { return from_text(t, o.session.contexts); }, context_texts},
    {"determinism", [](inlay_options& o, std::string_view t) { return from_text(t, o.session.determinism); },
     determinism_texts},
    {"log_severity_level",
     [](inlay_options& o, std::string_view t) {
         return set_count<&session_options::log_severity_level>(o, t, 0, int(severity::fatal));
     },
     "0 (verbose) to 4 (fatal)"},
};
constexpr std::string_view of_dimension = "dimension.";

constexpr std::string_view name_of(options_kind k) {
    constexpr std::string_view names[] = {"a model", "a session", "runs"};
    return names[int(k)];
}
std::string owner_of(const inlay_options& o) { return "options of " + std::string(name_of(o.kind)); }
void check_kind(const inlay_options& o, options_kind expected, const char* statement) {
    if (o.kind != expected)
        raise({error_code::invalid_argument, std::string("inlay: ") + statement + " of " +
                                                 std::string(name_of(expected)) + ", and these are " + owner_of(o)});
}
std::span<const setting> settings_of(options_kind k) {
    if (k == options_kind::model) return model_settings;
    if (k == options_kind::session) return session_settings;
    return {};
}
[[noreturn]] void raise_invalid(const inlay_options& o, std::string_view name, std::string_view text,
                                std::string_view values) {
    error e = invalid_option(owner_of(o), name, text);
    e.provider.clear();
    e.hint = "it is " + std::string(values);
    e.text += "; " + e.hint;
    raise(std::move(e));
}
void set_option_of(inlay_options& o, std::string_view name, std::string_view text) {
    if (o.kind == options_kind::model && name.starts_with(of_dimension)) {
        std::int64_t n = -1;
        if (!from_text(text, n) || n < 0) raise_invalid(o, name, text, size);
        o.model.free_dimension_overrides[std::string(name.substr(of_dimension.size()))] = n;
        return;
    }
    std::vector<std::string> names;
    for (const setting& s : settings_of(o.kind)) {
        if (s.name == name) {
            if (!s.set(o, text)) raise_invalid(o, name, text, s.values);
            return;
        }
        names.emplace_back(s.name);
    }
    error e = unknown_option(owner_of(o), name, names);
    e.provider.clear();
    raise(std::move(e));
}
inlay_failure* make_options(inlay_options** to, options_kind kind) {
    return guarded([&] {
        given(to, "options");
        *to = new inlay_options{kind};
    });
}
}  // namespace

const inlay_options* options_given(const inlay_options* o, options_kind expected) {
    if (o) check_kind(*o, expected, "this call takes options");
    return o;
}
run_options run_options_of(const inlay_options* o) {
    if (!options_given(o, options_kind::run)) return {};
    return {&o->cancelled, o->deadline};
}
}  // namespace inlay::c
using namespace inlay::c;
using inlay::raise;

inlay_failure* inlay_model_options_new(inlay_options** options) { return make_options(options, options_kind::model); }
inlay_failure* inlay_session_options_new(inlay_options** options) {
    return make_options(options, options_kind::session);
}
inlay_failure* inlay_run_options_new(inlay_options** options) { return make_options(options, options_kind::run); }
inlay_failure* inlay_options_set(inlay_options* options, const char* name, const char* text) {
    return guarded(
        [&] { set_option_of(given(options, "options"), text_given(name, "name"), text_given(text, "text")); });
}
inlay_failure* inlay_options_set_progress(inlay_options* options, inlay_progress callback, void* data) {
    return guarded([&] {
        inlay_options& o = given(options, "options");
        if (o.kind == options_kind::run)
            raise({inlay::error_code::invalid_argument,
                   "inlay: progress is reported while models and sessions are created, and these are " + owner_of(o)});
        inlay::progress_function tell;
        if (callback)
            tell = [callback, data](inlay::stage at, std::int64_t count, std::int64_t total) {
                return callback(data, std::int32_t(at), count, total) != 0;
            };
        (o.kind == options_kind::model ? o.model.progress : o.session.progress) = std::move(tell);
    });
}
inlay_failure* inlay_options_set_log(inlay_options* options, inlay_log callback, void* data) {
    return guarded([&] {
        inlay_options& o = given(options, "options");
        check_kind(o, options_kind::session, "a log is set in options");
        o.session.log = nullptr;
        if (callback)
            o.session.log = [callback, data](inlay::severity level, std::string_view text) {
                callback(data, std::int32_t(level), std::string(text).c_str());
            };
    });
}
inlay_failure* inlay_options_set_deadline(inlay_options* options, std::int64_t nanoseconds) {
    return guarded([&] {
        inlay_options& o = given(options, "options");
        check_kind(o, options_kind::run, "a deadline is set in options");
        using clock = std::chrono::steady_clock;
        const auto now = clock::now();
        o.deadline.reset();
        if (nanoseconds >= 0)  // without overflow: a time that far away means never
            o.deadline =
                now + std::min(clock::duration(std::chrono::nanoseconds(nanoseconds)), clock::time_point::max() - now);
    });
}
inlay_failure* inlay_options_set_cancelled(inlay_options* options, std::int32_t cancelled) {
    return guarded([&] {
        inlay_options& o = given(options, "options");
        check_kind(o, options_kind::run, "cancelled are runs with options");
        o.cancelled.store(cancelled != 0);
    });
}
void inlay_options_free(inlay_options* options) { delete options; }
