// Regions as networks of Arm NN, by way of the module.
#include "module.hpp"
#include <inlay/provider/armnn.hpp>
#include <inlay/sdk/region_file.hpp>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace inlay {
inline namespace v1 {
namespace {
// The files to try, the first first: that of the variable alone, else one beside this program or library, one in the
// folder of libraries beside its own, and one where the system looks.
std::vector<std::string> module_files() {
    if (const char* variable = std::getenv("INLAY_ARMNN_LIBRARY"); variable && *variable) return {variable};
    const std::string name = "libinlay_armnn_module.so";
    std::vector<std::string> files;
    Dl_info here{};
    std::error_code none;
    if (dladdr(reinterpret_cast<const void*>(&module_files), &here) && here.dli_fname) {
        const auto folder = std::filesystem::weakly_canonical(here.dli_fname, none).parent_path();
        for (const auto& file : {folder / name, folder.parent_path() / INLAY_ARMNN_FOLDER / name})
            if (std::filesystem::exists(file, none)) files.push_back(file.string());
    }
    files.push_back(name);
    return files;
}
struct opened_module {
    std::string problem;  // empty: it is there
    armnn_module_maker* make = nullptr;
};
opened_module open_module() {
    const std::string file = module_files().front();
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = dlerror();
        return {(why ? why : file) + std::string("; the environment variable INLAY_ARMNN_LIBRARY may name the file")};
    }
    const auto make = reinterpret_cast<armnn_module_maker*>(dlsym(library, armnn_module_function));
    return make ? opened_module{{}, make} : opened_module{file + " has no function " + armnn_module_function};
}

class armnn_engine final : public engine {
    std::shared_ptr<const armnn_module> module_;

  public:
    explicit armnn_engine(std::shared_ptr<const armnn_module> m) : module_(std::move(m)) {}
    void propose(const free_nodes& free, proposals& out) override {
        std::vector<int> taken;
        for (int i : free.nodes)
            if (std::string why = module_->refusal(free.graph, free.graph.nodes[std::size_t(i)]); why.empty())
                taken.push_back(i);
            else
                out.refuse(i, std::move(why));
        for (std::vector<int>& set : convex_sets(free.graph, taken)) out.take(std::move(set));
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override { return module_->compile(r); }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"Arm NN", module_->version()}, {"backends", module_->backends()}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> armnn::open() const {
    static const opened_module module = open_module();
    if (!module.problem.empty())
        return error(error_code::provider_unavailable,
                     std::string(name) + ": Arm NN cannot be used: " + module.problem);
    result<std::shared_ptr<const armnn_module>> made = std::shared_ptr<const armnn_module>();
    module.make(INLAY_ARMNN_BUILD, backend, made);
    if (!made) return error(made.why().code, std::string(name) + ": " + made.why().text);
    return std::make_shared<armnn_engine>(std::move(*made));
}
}  // namespace v1
}  // namespace inlay
