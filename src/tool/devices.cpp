// inlay devices: what this machine has to run models on, and why not more.
#include "common.hpp"
#include <inlay/thread_pool.hpp>

namespace inlay::tool {
namespace {
struct arguments {
    bool as_json = false, quiet = false;
};

#ifdef INLAY_WITH_CUDA
std::string version_of(int v) { return v ? fmt::format("{}.{}", v / 1000, v / 10 % 100) : std::string(); }
json cuda_to_json() {
    const cuda_inventory found = find_cuda();
    json j{{"usable", found.unusable.empty()},
           {"why_not", found.unusable},
           {"driver", version_of(found.driver)},
           {"runtime", version_of(found.runtime)},
           {"cublaslt", found.cublaslt},
           {"cudnn", found.cudnn},
           {"devices", json::array()}};
    for (const cuda_device& d : found.devices)
        j["devices"].push_back({{"device_id", d.id},
                                {"name", d.name},
                                {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                                {"multiprocessors", d.multiprocessors},
                                {"bytes", d.bytes}});
    return j;
}
void print_cuda() {
    const cuda_inventory found = find_cuda();
    const auto text = [](const std::string& version) { return version.empty() ? "none" : version; };
    if (found.unusable.empty())
        fmt::print("cuda: usable\n");
    else
        fmt::print("cuda: cannot be used: {}\n", found.unusable);
    fmt::print("    driver {}, runtime {} (in this program), cuBLASLt {}, cuDNN {}\n",
               found.driver ? "for CUDA " + version_of(found.driver) : "none", version_of(found.runtime),
               text(found.cublaslt), text(found.cudnn));
    for (const cuda_device& d : found.devices)
        fmt::print("    device_id {}: {}, compute capability {}.{}, {} multiprocessors, {}\n", d.id, d.name, d.major,
                   d.minor, d.multiprocessors, size_text(std::int64_t(d.bytes)));
}
#else
constexpr const char* not_built = "this program was built without it; configure with -DINLAY_CUDA=ON";
json cuda_to_json() { return {{"usable", false}, {"why_not", not_built}, {"devices", json::array()}}; }
void print_cuda() { fmt::print("cuda: cannot be used: {}\n", not_built); }
#endif

int devices(const arguments& a) {
    std::vector<std::string> levels;
    json all = json::array();
    for (isa::level l : isa::linked) {
        if (isa::available(l)) levels.emplace_back(isa::name_of(l));
        all.push_back({{"name", isa::name_of(l)}, {"available", isa::available(l)}});
    }
    if (a.as_json)
        print({{"schema", "inlay.devices"},
               {"version", 1},
               {"cpu", {{"instruction_sets", all}, {"cores", usable_cores()}}},
               {"cuda", cuda_to_json()}});
    if (a.as_json || a.quiet) return exit_status::done;
    fmt::print("cpu: {} usable cores, instruction sets {}\n", usable_cores(), fmt::join(levels, ", "));
    print_cuda();
    return exit_status::done;
}
}  // namespace

void add_devices(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand(
        "devices", "List what this machine can run models on, and why CUDA cannot be used where it cannot");
    add_json(*command, a->as_json);
    add_quiet(*command, a->quiet);
    choose(command, chosen, devices, a);
}
}  // namespace inlay::tool
