#include "late_memory.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
late_memory::block* late_memory::smallest_fit(std::int64_t bytes) {
    constexpr std::int64_t small = 4096;  // below this size a larger block is no waste
    block* best = nullptr;
    for (block& b : blocks_)
        if (b.bytes >= bytes && b.bytes <= std::max(2 * bytes, small) && (!best || b.bytes < best->bytes) && b.free())
            best = &b;
    return best;
}
late_memory::block* late_memory::find(const void* data) {
    const auto at = std::ranges::find_if(blocks_, [&](const block& b) { return b.storage.get() == data; });
    return at == blocks_.end() ? nullptr : &*at;
}
std::optional<tensor> late_memory::take(element type, const shape& dims, std::int64_t& left) {
    const std::int64_t bytes = bytes_of(type, dims.elements());
    if (type == element::string) {
        if (bytes > left) return {};
        left -= bytes;
        return tensor(type, dims);
    }
    block* b = smallest_fit(bytes);
    if (!b) {
        if (bytes > left) {
            const std::int64_t before = this->bytes();
            drop_free();
            left += before - this->bytes();
        }
        if (bytes > left) return {};
        const space& host = space_of<memory::host>;
        void* const p = host.allocate(std::size_t(std::max<std::int64_t>(bytes, 1)));
        if (!p) raise(host.refused(std::size_t(bytes)));
        blocks_.push_back({std::shared_ptr<void>(p, [](void* q) { space_of<memory::host>.release(q); }), bytes, true});
        left -= bytes;
        b = &blocks_.back();
    }
    b->used = true;
    return tensor::borrow(type, dims, b->storage.get(), space_of<memory::host>, b->storage);
}
void late_memory::let_go(const tensor& t) {
    std::erase_if(blocks_, [&](const block& b) { return b.storage.get() == t.data(); });
}
std::int64_t late_memory::bytes() const {
    std::int64_t sum = 0;
    for (const block& b : blocks_) sum += b.bytes;
    return sum;
}
void late_memory::begin_run() {
    for (block& b : blocks_) b.used = false;
}
void late_memory::end_run() {
    std::erase_if(blocks_, [](const block& b) { return !b.used && b.free(); });
}
void late_memory::drop_free() { std::erase_if(blocks_, &block::free); }
}  // namespace v1
}  // namespace inlay
