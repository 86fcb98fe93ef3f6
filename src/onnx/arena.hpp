// Messages on arenas. Where an allocation fails within a message, protobuf loses parts of it that exist already; an
// arena owns them all, and frees them with the message.
#pragma once
#include <cstring>
#include <google/protobuf/arena.h>
#include <google/protobuf/message_lite.h>
#include <memory>
#include <new>
#include <stdexcept>

namespace inlay {
inline namespace v1 {
namespace loading {
using google::protobuf::Arena;

// Zeros, for the arena destroys a string even if there was no memory to construct it: zeros are an empty one.
inline void* allocate_zeros(std::size_t bytes) { return std::memset(::operator new(bytes), 0, bytes); }
inline void free_zeros(void* block, std::size_t) { ::operator delete(block); }
inline std::shared_ptr<Arena> new_arena() {
    google::protobuf::ArenaOptions o;
    o.block_alloc = allocate_zeros;
    o.block_dealloc = free_zeros;
    return std::make_shared<Arena>(o);
}
// A message, or a repeated field, that lives as long as the arena.
template <class Message> Message& make_on(Arena& arena) { return *Arena::CreateMessage<Message>(&arena); }

// A message on an arena of its own, which its owners share with everything that is allocated on it.
template <class Message> std::shared_ptr<Message> new_message() {
    const auto arena = new_arena();
    return {arena, &make_on<Message>(*arena)};
}
template <class Message> std::shared_ptr<Message> copy_of(const Message& m) {
    auto copy = new_message<Message>();
    *copy = m;
    return copy;
}
// The arena of a message, or of a repeated field: everything that the loader changes is on one.
template <class Part> Arena& arena_of(const Part& part) {
    if (Arena* const arena = part.GetArena()) return *arena;
    throw std::logic_error("a message that is on no arena");
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
