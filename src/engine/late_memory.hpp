// Memory of values of data-dependent size: blocks that a context keeps, each reused once nothing refers to it.
#pragma once
#include <inlay/tensor.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
class late_memory {
    struct block {
        std::shared_ptr<void> storage;  // tensors taken from it share it: a block without other owners is free
        std::int64_t bytes;
        bool used;  // since begin_run()
        bool free() const { return storage.use_count() == 1; }
    };
    std::vector<block> blocks_;

    block* smallest_fit(std::int64_t bytes);
    block* find(const void* data);

  public:
    // Nothing where more memory is needed than is `left`. It allocates only where no free block has the size or up to
    // twice the size, so that runs with recurring sizes soon stop allocating. The block is not initialised; strings are
    // constructed, and have memory of their own.
    std::optional<tensor> take(element type, const shape& dims, std::int64_t& left);
    bool owns(const tensor& t) { return t.type() != element::string && find(t.data()); }
    void let_go(const tensor&);  // it leaves the context with its memory
    std::int64_t bytes() const;  // of all blocks
    void begin_run();
    void end_run();  // blocks that the run did not use go back to the system
    void drop_free();
};
}  // namespace v1
}  // namespace inlay
