// Regions as functions of the Arm Compute Library, by way of the module.
#include "rules.hpp"
#include <provider/lowering_module.hpp>

namespace inlay {
inline namespace v1 {
result<std::shared_ptr<engine>> acl::open() const {
    static const opened_module<acl, lowering_module> library({.library = "the Arm Compute Library",
                                                              .module = "inlay_acl_module",
                                                              .variable = "INLAY_ACL_LIBRARY",
                                                              .folder = INLAY_ACL_FOLDER,
                                                              .build = INLAY_ACL_BUILD});
    auto module = library.module_for(*this);
    if (!module) return module.why();
    return engine_over<acl_rules>(std::move(*module), acl_versions[0]);
}
}  // namespace v1
}  // namespace inlay
