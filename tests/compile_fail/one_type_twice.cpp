// must print: inlay: a provider type stands twice in one list, and has no `device_id` that could tell the two apart
#include <inlay/session.hpp>

struct accelerator : inlay::only<inlay::cpu, inlay::op::identity> {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
#ifdef WITHOUT_MISUSE
    int device_id = 0;
#endif
};
using use = inlay::session<accelerator, accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
