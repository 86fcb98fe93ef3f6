// Regions as networks of Arm NN, by way of the module.
#include "rules.hpp"
#include <provider/lowering_module.hpp>

namespace inlay {
inline namespace v1 {
result<std::shared_ptr<engine>> armnn::open() const {
    static const opened_module<armnn, lowering_module> library({.library = "Arm NN",
                                                                .module = "inlay_armnn_module",
                                                                .variable = "INLAY_ARMNN_LIBRARY",
                                                                .folder = INLAY_ARMNN_FOLDER,
                                                                .build = INLAY_ARMNN_BUILD});
    auto module = library.module_for(*this);
    if (!module) return module.why();
    return engine_over<armnn_rules>(std::move(*module), armnn_versions[0]);
}
}  // namespace v1
}  // namespace inlay
