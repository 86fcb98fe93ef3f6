// Regions as graphs of XIR, by way of the module.
#include "rules.hpp"
#include <provider/lowering_module.hpp>

namespace inlay {
inline namespace v1 {
result<std::shared_ptr<engine>> vitisai::open() const {
    static const opened_module<vitisai, lowering_module> library({.library = "Vitis AI",
                                                                  .module = "inlay_vitisai_module",
                                                                  .variable = "INLAY_VITISAI_LIBRARY",
                                                                  .folder = INLAY_VITISAI_FOLDER,
                                                                  .build = INLAY_VITISAI_BUILD});
    auto module = library.module_for(*this);
    if (!module) return module.why();
    const std::string_view version = vitisai_versions[0];
    return mode == vitisai_mode::ref ? engine_over<xir_rules>(std::move(*module), version)
                                     : engine_over<vitisai_rules>(std::move(*module), version);
}
}  // namespace v1
}  // namespace inlay
