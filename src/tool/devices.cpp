// inlay devices: the devices of this machine that can run models, and why not more.
#include "common.hpp"
#include <inlay/impl/compiled.hpp>
#include <inlay/thread_pool.hpp>

namespace inlay::tool {
namespace {
struct devices_arguments {
    bool as_json = false, quiet = false;
};

json to_json(const device_inventory& inventory) {
    json j{{"usable", inventory.unusable.empty()}, {"why_not", inventory.unusable}};
    for (const auto& [library, version] : inventory.libraries) j[library] = version;
    j["devices"] = json::array();
    for (const device_description& d : inventory.devices) {
        json device{{"device_id", d.id}, {"name", d.name}, {"bytes", d.bytes}};
        for (const auto& [fact, text] : d.facts) device[fact] = text;
        j["devices"].push_back(std::move(device));
    }
    return j;
}
void print_inventory(const std::string& provider, const device_inventory& inventory) {
    fmt::print("{}: {}{}\n", provider, inventory.unusable.empty() ? "usable" : "cannot be used: ", inventory.unusable);
    std::string libraries;
    for (const auto& [library, version] : inventory.libraries)
        libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", library, version.empty() ? "none" : version);
    if (!libraries.empty()) fmt::print("    {}\n", libraries);
    for (const device_description& d : inventory.devices) {
        std::string facts;
        for (const auto& [fact, text] : d.facts) facts += fmt::format(", {} {}", fact, text);
        fmt::print("    device_id {}: {}, {}{}\n", d.id, d.name, size_text(d.bytes), facts);
    }
}

int devices(const devices_arguments& a) {
    std::vector<std::string> levels, missing;
    json level_list = json::array();
    for (isa::level l : isa::linked) {
        if (isa::available(l)) levels.emplace_back(isa::name_of(l));
        if (!isa::compiled(l)) missing.emplace_back(isa::name_of(l));
        level_list.push_back(
            {{"name", isa::name_of(l)}, {"available", isa::available(l)}, {"compiled", isa::compiled(l)}});
    }
    if (a.as_json) {
        json j{{"schema", "inlay.devices"},
               {"version", 1},
               {"cpu", {{"instruction_sets", level_list}, {"cores", usable_cores()}}}};
        for (const auto& [provider, inventory] : inventories()) j[provider] = to_json(inventory);
        print(j);
    }
    if (a.as_json || a.quiet) return exit_status::done;
    fmt::print("cpu: {} usable cores, instruction sets {}{}{}\n", usable_cores(), fmt::join(levels, ", "),
               missing.empty() ? "" : "; not compiled into this program (INLAY_LEVELS): ", fmt::join(missing, ", "));
    for (const auto& [provider, inventory] : inventories()) print_inventory(provider, inventory);
    return exit_status::done;
}
}  // namespace

void add_devices(command& app, action& task) {
    auto a = std::make_shared<devices_arguments>();
    command c = app.add_command(
        "devices", "List what this machine can run models on, and why a provider cannot be used where it cannot");
    add_json(c, a->as_json);
    add_plugin_option(c);
    add_quiet(c, a->quiet);
    choose(c, task, devices, a);
}
}  // namespace inlay::tool
