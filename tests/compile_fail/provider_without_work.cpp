// must print: P has neither `kernels` and `devices` nor `result<std::shared_ptr<engine>> open() const`
// A provider runs nodes with kernels, or opens an engine; one with a name alone runs nothing.
#include <inlay/session.hpp>

struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
#ifdef WITHOUT_MISUSE
    inlay::result<std::shared_ptr<inlay::engine>> open() const { return nullptr; }
#endif
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
