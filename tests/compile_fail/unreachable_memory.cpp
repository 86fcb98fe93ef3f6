// must print: inlay: the provider's `memory` tag needs inlay::memory_space<Tag> and inlay::transfer<Tag, memory::host> both ways
// Memory that nothing can be copied to.
#include <inlay/session.hpp>

struct board_memory {};
namespace inlay {
template <> struct memory_space<board_memory> : memory_space<memory::host> {
    static constexpr std::string_view name = "board";
};
#ifdef WITHOUT_MISUSE
template <> struct transfer<memory::host, board_memory> : transfer<memory::host, memory::host> {};
#endif
template <> struct transfer<board_memory, memory::host> : transfer<memory::host, memory::host> {};
}  // namespace inlay

struct accelerator : inlay::only<inlay::cpu, inlay::op::identity> {
    using memory = board_memory;
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
