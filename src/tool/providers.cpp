// inlay providers: the providers that are built in or come from plugins, and those that can only be planned for.
#include "common.hpp"

namespace inlay::tool {
namespace {
struct providers_arguments {
    session_arguments session;
    bool as_json = false;
};
struct row {
    std::string name;
    provider_status status;
    provider_check checked_on;
    option_list options;
    std::string_view plan_only;  // the reason; empty: it can be run
};
std::string origin(const row& r) {
    if (const plugin* const p = find_plugin(r.name))
        return fmt::format(", plugin {}{}{}", p->path(), p->version().empty() ? "" : " ", p->version());
    return r.plan_only.empty() ? ", built in" : ", plan only: " + std::string(r.plan_only);
}
std::string check_of(const row& r) {
    if (r.checked_on == provider_check::unstated) return {};
    return fmt::format(", checked on {}", name_of(r.checked_on));
}
// All that are built in, with their defaults; or those of --providers as these would be configured.
std::vector<row> rows_for(const session_arguments& a) {
    std::vector<row> rows;
    const std::vector<provider_choice> list = provider_list(a.providers);
    if (list.empty())
        for (const provider_factory& f : provider_factories())
            rows.push_back({std::string(f.name), f.status, f.checked_on, f.defaults(), f.plan_only});
    else
        for (const provider_handle& h : provider_handles(list))
            rows.push_back({std::string(h.name), h.status, h.checked_on, h.options(h.object.get()), h.plan_only});
    return rows;
}
std::vector<std::string> available_levels() {
    std::vector<std::string> names;
    for (isa::level l : isa::linked)
        if (isa::available(l)) names.emplace_back(isa::name_of(l));
    return names;
}
json to_json(const std::vector<row>& rows) {
    json j{{"schema", "inlay.providers"}, {"version", 1}, {"providers", json::array()}};
    for (const row& r : rows) {
        json options = json::object();
        for (const auto& [name, value] : r.options) options[name] = value;
        const plugin* const p = find_plugin(r.name);
        j["providers"].push_back({{"name", r.name},
                                  {"short_name", short_name(r.name)},
                                  {"status", name_of(r.status)},
                                  {"checked_on", name_of(r.checked_on)},
                                  {"built_in", r.plan_only.empty() && !p},
                                  {"plugin", p ? p->path() : ""},
                                  {"plugin_version", p ? p->version() : ""},
                                  {"why_not", r.plan_only},
                                  {"options", options}});
    }
    j["instruction_sets"] = available_levels();
    j["cores"] = usable_cores();
    return j;
}
int providers(const providers_arguments& a) {
    options_from(a.session);  // refuses a bad --fallback
    const std::vector<row> rows = or_exit(exit_status::bad_input, [&] { return rows_for(a.session); });
    if (a.as_json) print(to_json(rows));
    if (a.as_json || a.session.quiet) return exit_status::done;
    for (const row& r : rows) {
        fmt::print("{:<12} {:<28} {}{}{}\n", short_name(r.name), r.name, name_of(r.status), check_of(r), origin(r));
        for (const auto& [name, value] : r.options)
            fmt::print("    {} = {}\n", name, value.empty() ? "(chosen when the session starts)" : value);
    }
    fmt::print("instruction sets of this machine: {}; usable cores: {}\n", fmt::join(available_levels(), ", "),
               usable_cores());
    return exit_status::done;
}
}  // namespace

void add_providers(command& app, action& task) {
    auto a = std::make_shared<providers_arguments>();
    command c = app.add_command(
        "providers", "List the providers built in and those that are planned for only, with their status and options");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, task, providers, a);
}
}  // namespace inlay::tool
