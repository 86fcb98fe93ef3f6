// Regions as functions of the Arm Compute Library, by way of the module.
#include "module.hpp"
#include <inlay/provider/acl.hpp>
#include <inlay/sdk/engine.hpp>
#include <provider/shared_library.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* variable = "INLAY_ACL_LIBRARY";
struct opened_module {
    std::string problem{};  // empty: it is there
    acl_module_maker* make = nullptr;
};
opened_module open_module() {
    opened_module m;
    void* const library = open_library(module_files(variable, "libinlay_acl_module.so", INLAY_ACL_FOLDER).front(),
                                       m.problem, variable_may_name(variable, "file"));
    find_function(library, acl_module_function, m.make, m.problem);
    return m;
}

class acl_engine final : public engine {
    std::shared_ptr<const acl_module> module_;

  public:
    explicit acl_engine(std::shared_ptr<const acl_module> m) : module_(std::move(m)) {}
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) { return module_->refusal(free.graph, free.graph.nodes[std::size_t(i)]); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override { return module_->compile(r); }
};
}  // namespace

result<std::shared_ptr<engine>> acl::open() const {
    static const opened_module module = open_module();
    if (!module.problem.empty())
        return error(error_code::provider_unavailable,
                     std::string(name) + ": the Arm Compute Library cannot be used: " + module.problem);
    result<std::shared_ptr<const acl_module>> made = std::shared_ptr<const acl_module>();
    module.make(INLAY_ACL_BUILD, enable_fast_math, made);
    if (!made) return error(made.why().code, std::string(name) + ": " + made.why().text);
    return std::make_shared<acl_engine>(std::move(*made));
}
}  // namespace v1
}  // namespace inlay
