// Regions as networks of Arm NN, by way of the module.
#include <inlay/provider/armnn.hpp>
#include <provider/engine_module.hpp>

namespace inlay {
inline namespace v1 {
result<std::shared_ptr<engine>> armnn::open() const {
    static const opened_module<armnn> module({.library = "Arm NN",
                                              .module = "inlay_armnn_module",
                                              .variable = "INLAY_ARMNN_LIBRARY",
                                              .folder = INLAY_ARMNN_FOLDER,
                                              .build = INLAY_ARMNN_BUILD});
    return module.engine_for(*this);
}
}  // namespace v1
}  // namespace inlay
