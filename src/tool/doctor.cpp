// inlay doctor: one page for bug reports: what this program is, what it was built from and what it runs on.
#include "common.hpp"
#include <inlay/impl/compiled.hpp>
#include <boost/version.hpp>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>
#include <xsimd/config/xsimd_config.hpp>

namespace inlay::tool {
namespace {
struct doctor_arguments {
    bool as_json = false, quiet = false;
};

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "g++ " __VERSION__;
#else
    return "unknown";
#endif
}
std::string line_of(const char* file, std::string_view start) {  // the text after the colon or the equals sign
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(start)) {
            std::string text = line.substr(std::min(line.size(), line.find_first_of(":=") + 1));
            std::erase_if(text, [](char c) { return c == '"'; });
            return text.substr(std::min(text.size(), text.find_first_not_of(" \t")));
        }
    return "unknown";
}
json facts() {
    json j{{"schema", "inlay.doctor"}, {"version", 1}, {"inlay", INLAY_VERSION}};
    j["build"] = {{"type", INLAY_BUILD_TYPE},
                  {"compiler", compiler()},
                  {"standard", __cplusplus},
                  {"library",
#ifdef __GLIBCXX__
                   fmt::format("libstdc++ {}", __GLIBCXX__)
#else
                   "unknown"
#endif
                  }};
    j["libraries"] = {
        {"protobuf", INLAY_PROTOBUF_VERSION},
        {"onnx", INLAY_ONNX_VERSION},
        {"xsimd", fmt::format("{}.{}.{}", XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH)},
        {"boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"CLI11", cli11_version()},
        {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                      NLOHMANN_JSON_VERSION_PATCH)}};
    json levels = json::object();
    json compiled = json::object();
    for (isa::level l : isa::linked) {
        levels[std::string(isa::name_of(l))] = isa::available(l);
        compiled[std::string(isa::name_of(l))] = isa::compiled(l);
    }
    j["instruction_sets"] = std::move(levels);
    j["compiled_instruction_sets"] = std::move(compiled);
    j["providers"] = json::array();
    for (const provider_factory& f : provider_factories()) {
        json options = json::object();
        for (const auto& [name, value] : f.defaults()) options[name] = value;
        j["providers"].push_back({{"name", f.name},
                                  {"status", f.plan_only.empty() ? name_of(f.status) : "plan only"},
                                  {"options", std::move(options)}});
    }
    utsname system{};
    ::uname(&system);
    j["machine"] = {{"system", line_of("/etc/os-release", "PRETTY_NAME")},
                    {"kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
                    {"processor", line_of("/proc/cpuinfo", "model name")},
                    {"usable_cores", usable_cores()},
                    {"memory_bytes", std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE)}};
    j["environment"] = json::object();
    if (const char* level = std::getenv("INLAY_ISA")) j["environment"]["INLAY_ISA"] = level;
    return j;
}
void show(const json& j, const std::string& indent) {
    for (const auto& [key, value] : j.items()) {
        if (key == "schema" || key == "version") continue;
        if (value.is_object()) {
            fmt::print("{}{}:{}\n", indent, key, value.empty() ? " none" : "");
            show(value, indent + "    ");
        } else if (value.is_array()) {
            fmt::print("{}{}:\n", indent, key);
            for (const json& item : value) {
                fmt::print("{}    {} ({})\n", indent, item["name"].get<std::string>(),
                           item["status"].get<std::string>());
                show(item["options"], indent + "        ");
            }
        } else if (value.is_string())
            fmt::print("{}{}: {}\n", indent, key,
                       value.get<std::string>().empty() ? "(chosen when the session starts)"
                                                        : printable(value.get<std::string>()));
        else
            fmt::print("{}{}: {}\n", indent, key,
                       value.is_boolean() ? (value.get<bool>() ? "yes" : "no") : value.dump());
    }
}
int doctor(const doctor_arguments& a) {
    const json j = facts();
    if (a.as_json)
        print(j);
    else if (!a.quiet)
        show(j, "");
    return exit_status::done;
}
}  // namespace

void add_doctor(command& app, action& task) {
    auto a = std::make_shared<doctor_arguments>();
    command c = app.add_command(
        "doctor", "Tell what a bug report needs: version, compiler, libraries, providers, instruction sets, machine");
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    choose(c, task, doctor, a);
}
}  // namespace inlay::tool
