#include "custom_ops.hpp"
#include "errors.hpp"
#include "session.hpp"
#include <inlay/model_file.hpp>
#include <inlay/ort/api/config_keys.hpp>
#include <algorithm>

namespace Ort::detail {
namespace {
OrtLoggingLevel level_of(inlay::severity s) { return OrtLoggingLevel(int(s)); }
static_assert(int(inlay::severity::verbose) == ORT_LOGGING_LEVEL_VERBOSE &&
              int(inlay::severity::fatal) == ORT_LOGGING_LEVEL_FATAL);

inlay::model_options model_options_of(const OrtSessionOptions& o) {
    inlay::model_options m;
    m.optimize = o.optimize;
    m.free_dimension_overrides = o.free_dimensions;
    if (const std::string* folder = o.find(kOrtSessionOptionsModelExternalInitializersFileFolderPath))
        m.folder = *folder;
    return m;
}
inlay::session_options session_options_of(const OrtSessionOptions& o, const OrtSession& s) {
    inlay::session_options to;
    if (o.says(kOrtSessionOptionsDisableCPUEPFallback)) to.fallback = inlay::fallback::never();
    if (o.threads.value_or(0) > 0) to.intra_op_num_threads = o.threads;
    if (o.shared_threads) {
        if (!s.env->pool)
            raise(ORT_INVALID_ARGUMENT,
                  "Ort: DisablePerSessionThreads() needs an Env with threads: make it with "
                  "ThreadingOptions");
        to.executor = *s.env->pool;
    }
    to.log_severity_level = int(s.log->level());
    to.log = [log = s.log](inlay::severity level, std::string_view text) { log->write(level_of(level), text); };
    return to;
}
bool is_cpu(const inlay::provider_choice& c) { return inlay::names_provider(c.name, inlay::cpu::name); }
std::vector<inlay::provider_choice> providers_of(const OrtSessionOptions& o, const inlay::model& m,
                                                 const OrtSession& s) {
    std::vector<inlay::provider_choice> list = o.providers;
    auto cpu = std::ranges::find_if(list, is_cpu);
    if (cpu == list.end() && !o.says(kOrtSessionOptionsDisableCPUEPFallback)) {
        list.emplace_back(std::string(inlay::cpu::name));
        cpu = std::prev(list.end());
    }
    const bool denormals_are_zero =
        o.says(kOrtSessionOptionsConfigSetDenormalAsZero) || (o.shared_threads && s.env->denormals_are_zero);
    if (denormals_are_zero && cpu != list.end()) cpu->options.emplace_back("flush_denormals", "true");
    if (!o.domains.empty()) list.push_back(custom_provider(o.domains, m, s.log));
    return list;
}
// The files written when a session is created: the graph after its passes, and what engines compiled.
void write_files(const OrtSessionOptions& o, const inlay::session_base& session, const std::filesystem::path& source) {
    if (!o.optimized_file.empty()) {
        if (source.empty())
            raise(ORT_NOT_IMPLEMENTED, "Ort: SetOptimizedModelFilePath() of a model in memory; load it from its file");
        write_file(o.optimized_file, inlay::model_file(session.model(), source));
    }
    if (!o.says(kOrtSessionOptionEpContextEnable)) return;
    const std::string* file_path = o.find(kOrtSessionOptionEpContextFilePath);
    if (source.empty() && !file_path)
        raise(ORT_INVALID_ARGUMENT, std::string("Ort: a model in memory needs `") + kOrtSessionOptionEpContextFilePath +
                                        "` for what engines compiled of it");
    std::filesystem::path beside = source;
    beside.replace_filename(source.stem().string() + "_ctx.onnx");
    session.save(file_path ? std::filesystem::path(*file_path) : beside,
                 {.embed = o.says(kOrtSessionOptionEpContextEmbedMode)});
}
void tell_notes(const OrtSessionOptions& o, const session_log& log) {
    for (const auto& [option_name, text] : o.notes) log.warn(text);
}

OrtSession* make_session(const Env& env, const SessionOptions& options, const std::filesystem::path& source,
                         const std::function<inlay::model(const inlay::model_options&)>& load) {
    return guarded(
        [&] {
            const OrtEnv* const e = env;
            const OrtSessionOptions* const caller_options = options;
            const OrtSessionOptions o = caller_options ? *caller_options : OrtSessionOptions();
            auto s = std::make_unique<OrtSession>();
            s->env = need(e, "Env").shared;
            s->log = std::make_shared<const session_log>(s->env, o.log_id.value_or(s->env->id()), o.log_level);
            tell_notes(o, *s->log);
            const inlay::model m = [&] {
                const inlay::foreign_operators registration(types_of(o.domains));
                return load(model_options_of(o));
            }();
            s->session = std::make_unique<inlay::any_session>(m, providers_of(o, m, *s), session_options_of(o, *s),
                                                              inlay::built_providers());
            for (const inlay::port& p : s->session->inputs()) s->input_types.push_back(parts_of(p));
            for (const inlay::port& p : s->session->outputs()) s->output_types.push_back(parts_of(p));
            write_files(o, *s->session, source);
            if (!o.profile_prefix.empty()) s->recorder.begin(o.profile_prefix);
            return s.release();
        },
        ORT_NO_SUCHFILE);
}
OrtSession* from_file(const Env& env, const std::filesystem::path& file, const SessionOptions& options) {
    return make_session(env, options, file, [&](const inlay::model_options& o) { return inlay::model(file, o); });
}
OrtSession* from_memory(const Env& env, const void* bytes, std::size_t count, const SessionOptions& options) {
    return make_session(env, options, {}, [&](const inlay::model_options& o) {
        if (!bytes) raise(ORT_INVALID_ARGUMENT, "Ort: the bytes of the model are a null pointer");
        return inlay::model::from_memory({static_cast<const std::byte*>(bytes), count}, o);
    });
}
template <class C> const C* path_text(const C* file) {
    if (!file) raise(ORT_INVALID_ARGUMENT, "Ort: the file of the model is a null pointer");
    return file;
}
OrtSession* warned(OrtSession* s, const OrtPrepackedWeightsContainer* container) {
    if (container)
        s->log->warn("a container of packed weights means nothing here: sessions of one loaded model share them");
    return s;
}
}  // namespace

void OrtRelease(OrtSession* s) noexcept { delete s; }
}  // namespace Ort::detail

namespace Ort {
using namespace detail;
Session::Session(const Env& env, const char* file, const SessionOptions& options)
    : SessionImpl(from_file(env, path_text(file), options)) {}
Session::Session(const Env& env, const wchar_t* file, const SessionOptions& options)
    : SessionImpl(from_file(env, path_text(file), options)) {}
Session::Session(const Env& env, const void* bytes, std::size_t count, const SessionOptions& options)
    : SessionImpl(from_memory(env, bytes, count, options)) {}
Session::Session(const Env& env, const char* file, const SessionOptions& options,
                 OrtPrepackedWeightsContainer* container)
    : SessionImpl(warned(from_file(env, path_text(file), options), container)) {}
Session::Session(const Env& env, const void* bytes, std::size_t count, const SessionOptions& options,
                 OrtPrepackedWeightsContainer* container)
    : SessionImpl(warned(from_memory(env, bytes, count, options), container)) {}
}  // namespace Ort
