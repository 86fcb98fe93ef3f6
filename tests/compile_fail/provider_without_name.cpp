// must print: P has no `static constexpr std::string_view name`
// A provider's name is a constant of its type.
#include <inlay/session.hpp>

struct accelerator : inlay::only<inlay::cpu, inlay::op::identity> {
#ifdef WITHOUT_MISUSE
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
#else
    int name = 0;
#endif
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
