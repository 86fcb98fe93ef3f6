// Regions as functions of the Arm Compute Library, by way of the module.
#include <inlay/provider/acl.hpp>
#include <provider/engine_module.hpp>

namespace inlay {
inline namespace v1 {
result<std::shared_ptr<engine>> acl::open() const {
    static const opened_module<acl> module({.library = "the Arm Compute Library",
                                            .module = "inlay_acl_module",
                                            .variable = "INLAY_ACL_LIBRARY",
                                            .folder = INLAY_ACL_FOLDER,
                                            .build = INLAY_ACL_BUILD});
    return module.engine_for(*this);
}
}  // namespace v1
}  // namespace inlay
