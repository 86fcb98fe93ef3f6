// must print: inlay: two provider types of one list have the same name; a name stands for one type
#include <inlay/session.hpp>

struct accelerator : inlay::only<inlay::cpu, inlay::op::identity> {
#ifdef WITHOUT_MISUSE
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
#endif
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
