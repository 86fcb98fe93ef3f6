// Memory of values whose size only the run tells: blocks that a context keeps, each taken again once nobody has it.
#pragma once
#include <inlay/tensor.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
class late_memory {
    struct block {
        std::shared_ptr<void> storage;  // what is taken shares it: a block that nobody else has is free
        std::int64_t bytes;
        bool used;  // since begin_run()
        bool free() const { return storage.use_count() == 1; }
    };
    std::vector<block> blocks_;

    block* smallest_fit(std::int64_t bytes);
    block* find(const void* data);

  public:
    // Nothing where more memory is needed than is `left`. Of the system it asks only where no free block has the size
    // or up to twice of it, so that runs whose sizes repeat soon ask for none. What it holds is left to whoever fills
    // it; strings are constructed, and have memory of their own.
    std::optional<tensor> take(element type, const shape& dims, std::int64_t& left);
    bool owns(const tensor& t) { return t.type() != element::string && find(t.data()); }
    void let_go(const tensor&);  // it leaves the context with its memory
    std::int64_t bytes() const;  // of all blocks
    void begin_run();
    void end_run();  // blocks that the run had no use for go back to the system
    void drop_free();
};
}  // namespace v1
}  // namespace inlay
