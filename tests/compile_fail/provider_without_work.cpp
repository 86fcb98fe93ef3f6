// must print: P has neither `kernels` and `devices` nor `claims(graph, free)` and `compile(region)`
// A provider runs nodes with kernels, or claims regions; one with a name alone runs nothing.
#include <inlay/session.hpp>

struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
    std::vector<inlay::claim> claims(const inlay::graph_view&, std::span<const int>) const { return {}; }
#ifdef WITHOUT_MISUSE
    std::unique_ptr<inlay::executable> compile(const inlay::region&) const { return nullptr; }
#endif
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
