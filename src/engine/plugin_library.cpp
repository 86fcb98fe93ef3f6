// Plugins: opens the library, checks its table, and adds its provider to those of the program.
#include "plugin_library.hpp"
#include "returned.hpp"
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>

namespace inlay {
inline namespace v1 {
namespace {
struct configured_plugin {
    std::shared_ptr<const plugin::library> library;
    option_list settings;
};
error refused_plugin(const std::string& file, const std::string& reason) {
    return {error_code::provider_unavailable, "inlay: the plugin `" + file + "` cannot be used: " + reason};
}
std::string text_or_nothing(const char* text) { return text ? text : ""; }

// Why a table cannot be used; empty: it can.
std::string table_problem(const inlay_plugin* table) {
    const std::string program_version = std::to_string(INLAY_PLUGIN_VERSION);
    if (!table) return "it needs a newer version of the plugin interface than this program has, " + program_version;
    constexpr std::size_t required = offsetof(inlay_plugin, run) + sizeof(inlay_plugin::run);
    if (table->size < offsetof(inlay_plugin, name))
        return "its table has " + std::to_string(table->size) + " bytes and no version";
    if (table->version < 1 || table->version > INLAY_PLUGIN_VERSION)
        return "it has version " + std::to_string(table->version) +
               " of the plugin interface, and this program the versions 1 to " + program_version;
    if (table->size < required)
        return "its table has " + std::to_string(table->size) + " bytes, and version 1 has " + std::to_string(required);
    const std::string name = text_or_nothing(table->name);
    constexpr std::string_view suffix = "ExecutionProvider";
    if (!name.ends_with(suffix) || name.size() == suffix.size())
        return "its name `" + name + "` is not SomethingExecutionProvider";
    const std::pair<const char*, bool> functions[] = {{"open", table->open},
                                                      {"close", table->close},
                                                      {"propose", table->propose},
                                                      {"compile", table->compile},
                                                      {"destroy_compiled", table->destroy_compiled},
                                                      {"instance", table->instance},
                                                      {"destroy_executable", table->destroy_executable},
                                                      {"run", table->run}};
    for (const auto& [function, is_set] : functions)
        if (!is_set) return "its table has no function " + std::string(function) + "()";
    if (table->option_count > 0 && !table->options) return "its table has a number of options and none of them";
    for (std::size_t k = 0; k < table->option_count; ++k) {
        const inlay_option* const o = table->options[k];
        if (!o || o->size < sizeof(inlay_option) || !o->name || !o->initial || !o->type)
            return "option " + std::to_string(k) + " of its table lacks its name, value or type";
    }
    return {};
}
// The value as options spell it; nothing where the text is none of its values.
std::optional<std::string> canonical(std::string_view type, const std::string& text) {
    if (type == "text") return text;
    if (type == "integer") {
        std::int64_t x = 0;
        return from_text(text, x) ? std::optional(to_text(x)) : std::nullopt;
    }
    if (type == "boolean") {
        bool x = false;
        return from_text(text, x) ? std::optional(to_text(x)) : std::nullopt;
    }
    for (std::size_t from = 0; from <= type.size();) {
        const std::size_t to = std::min(type.find('|', from), type.size());
        if (type.substr(from, to - from) == text) return text;
        from = to + 1;
    }
    return std::nullopt;
}
provider_handle plugin_handle(std::shared_ptr<const plugin::library> l, option_list settings) {
    provider_handle h;
    h.name = l->name;
    h.status = l->factory.status;
    h.type = l->source_table;
    for (const auto& [name, value] : settings) {
        if (name == "device_id") (void)from_text(value, h.device);
        if (name == "precision") h.own_precision = true;
    }
    h.accepts = [](const void*, const node_view&) { return yes(); };
    h.options = [](const void* o) { return static_cast<const configured_plugin*>(o)->settings; };
    h.open_engine = [](const void* o) {
        const auto& p = *static_cast<const configured_plugin*>(o);
        return open_plugin(p.library, p.settings);
    };
    if (l->table.operands)
        h.operands = [](const void* o) {
            const auto& p = *static_cast<const configured_plugin*>(o);
            const plugin_settings settings(p.settings);
            int type = int(element::f32);
            (void)ask_plugin([&]() -> inlay_error* {
                type = p.library->table.operands(settings.data(), settings.size());
                return nullptr;
            });
            return type > 0 && type < int(element::object) ? element(type) : element::f32;
        };
    h.object = std::make_shared<const configured_plugin>(configured_plugin{std::move(l), std::move(settings)});
    return h;
}
}  // namespace

plugin::library::~library() {
    if (handle) dlclose(handle);
}
result<void> plugin::library::open(const std::string& file) {
    path = file;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const std::string reason = text_or_nothing(dlerror());
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) return refused_plugin(file, reason);
        return error(error_code::not_found, "inlay: there is no plugin `" + file + "`: " + reason);
    }
    const auto entry = reinterpret_cast<inlay_plugin_entry_function>(dlsym(handle, "inlay_plugin_entry"));
    if (!entry) return refused_plugin(file, "it has no function inlay_plugin_entry()");
    const auto outcome = ask_plugin([&]() -> inlay_error* {
        source_table = entry(INLAY_PLUGIN_VERSION);
        return nullptr;
    });
    const std::string problem = outcome ? table_problem(source_table) : outcome.why().text;
    if (!problem.empty()) return refused_plugin(file, problem);
    std::memcpy(&table, source_table, std::min(source_table->size, sizeof table));
    name = source_table->name;
    short_name = text_or_nothing(source_table->short_name);
    version = text_or_nothing(source_table->library_version);
    for (std::size_t k = 0; k < source_table->option_count; ++k) {
        const inlay_option& o = *source_table->options[k];
        const auto value = canonical(o.type, o.initial);
        if (!value)
            return refused_plugin(file, "the value `" + std::string(o.initial) + "` of its option `" + o.name +
                                            "` is not of the type " + o.type);
        defaults.emplace_back(o.name, *value);
        types.emplace_back(o.type);
    }
    const bool has_status = source_table->status >= 0 && source_table->status <= int(provider_status::community);
    factory = {name,
               has_status ? provider_status(source_table->status) : provider_status::preview,
               [](const void* o) { return static_cast<const library*>(o)->defaults; },
               [](const void* o, const option_list& options) -> result<provider_handle> {
                   const auto* const l = static_cast<const library*>(o);
                   auto settings = l->configured(options);
                   if (!settings) return settings.why();
                   return plugin_handle(l->shared_from_this(), std::move(*settings));
               },
               {},
               short_name,
               this};
    return {};
}
result<option_list> plugin::library::configured(const option_list& options) const {
    option_list settings = defaults;
    for (const auto& [option, text] : options) {
        const auto at = std::ranges::find(settings, option, &option_list::value_type::first);
        if (at == settings.end()) {
            std::vector<std::string> names;
            for (const auto& entry : settings) names.push_back(entry.first);
            return unknown_option(name, option, names);
        }
        const auto value = canonical(types[std::size_t(at - settings.begin())], text);
        if (!value) return invalid_option(name, option, text);
        if (table.check_option)
            if (const auto good = ask_plugin([&] { return table.check_option(option.c_str(), value->c_str()); });
                !good) {
                error e = good.why();
                e.provider = name;
                if (!e.text.starts_with(name)) e.text = name + ": " + e.text;
                return e;
            }
        at->second = *value;
    }
    return settings;
}

result<plugin> plugin::try_load(const std::string& path, onnx_writer write) {
    return returned<plugin>([&]() -> result<plugin> {
        auto l = std::make_shared<library>();
        l->write = write;
        if (const auto outcome = l->open(path); !outcome) return outcome.why();
        return plugin(std::move(l));
    });
}
const std::string& plugin::path() const { return library_->path; }
std::string_view plugin::name() const { return library_->name; }
std::string_view plugin::short_name() const { return library_->short_name; }
std::string_view plugin::version() const { return library_->version; }
provider_status plugin::status() const { return library_->factory.status; }
option_list plugin::options() const { return library_->defaults; }
const provider_factory& plugin::factory() const { return library_->factory; }
provider_choice plugin::with(option_list options) const {
    provider_choice choice(library_->name, std::move(options));
    choice.factory = std::shared_ptr<const provider_factory>(library_, &library_->factory);
    return choice;
}
result<provider_handle> plugin::handle(const option_list& options) const { return factory().make(options); }
}  // namespace v1
}  // namespace inlay
