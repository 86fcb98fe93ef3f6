// must print: inlay: the provider's `memory` tag needs inlay::memory_space<Tag> and inlay::transfer<Tag, memory::host> both ways
// Memory spaces report failure by a null pointer: a throwing allocate() would end the program inside a run.
#include <inlay/session.hpp>

struct board_memory {};
namespace inlay {
template <> struct memory_space<board_memory> {
    static constexpr std::string_view name = "board";
#ifdef WITHOUT_MISUSE
    static void* allocate(std::size_t bytes) noexcept { return memory_space<memory::host>::allocate(bytes); }
#else
    static void* allocate(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(64)); }
#endif
    static void release(void* p) noexcept { memory_space<memory::host>::release(p); }
};
template <> struct transfer<memory::host, board_memory> : transfer<memory::host, memory::host> {};
template <> struct transfer<board_memory, memory::host> : transfer<memory::host, memory::host> {};
}  // namespace inlay

struct accelerator : inlay::only<inlay::cpu, inlay::op::identity> {
    using memory = board_memory;
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
};
using use = inlay::session<accelerator, inlay::cpu>;
static_assert(sizeof(use) > 0);
