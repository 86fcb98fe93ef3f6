// Where keys and indices to be sorted lie in scratch, each twice.
#pragma once
#include <cstddef>
#include <cstdint>

namespace inlay {
inline namespace v1 {
template <class Key> struct sorted_pairs {
    std::int64_t elements;
    static constexpr std::int64_t rounded(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }
    constexpr std::int64_t keys(int buffer) const { return buffer * rounded(elements * std::int64_t(sizeof(Key))); }
    constexpr std::int64_t indices(int buffer) const { return keys(2) + buffer * rounded(elements * 4); }
    constexpr std::int64_t bytes() const { return indices(2); }
    Key* keys_in(std::byte* scratch, int buffer) const { return reinterpret_cast<Key*>(scratch + keys(buffer)); }
    std::int32_t* indices_in(std::byte* scratch, int buffer) const {
        return reinterpret_cast<std::int32_t*>(scratch + indices(buffer));
    }
};
}  // namespace v1
}  // namespace inlay
