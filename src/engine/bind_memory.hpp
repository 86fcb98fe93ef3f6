// Memory that a binding reads and writes outside the arenas: tensors of the caller, in any memory space.
#pragma once
#include "run_context.hpp"

namespace inlay {
inline namespace v1 {
struct bound_output {
    tensor memory;                  // the caller's, or
    const space* target = nullptr;  // where the result stays; neither: a view of the arena
    tensor result;                  // what output() returns, of the two
};
struct outside_copy {  // before the steps or after them
    const void* from;
    const space* from_space;
    void* to;
    const space* to_space;
    std::size_t bytes;
    std::shared_ptr<void> host;  // on the way from one memory of a device to another
    bool run() const noexcept;
};
struct bound_memory {
    std::vector<tensor> inputs;
    std::vector<bound_output> outputs;
    std::vector<tensor> on_host;  // of inputs in other spaces that the host reads
    std::vector<outside_copy> before, after;
};
void bind_memory(run_context&, bound_memory&);  // from then on the context reads and writes that memory
}  // namespace v1
}  // namespace inlay
