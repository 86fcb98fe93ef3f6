// The reason of a failure, in a text that the reporter owns.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace inlay {
inline namespace v1 {
// A copy of a given text. A short one lies in the object; a longer one takes memory, and where there is none its
// beginning is kept. It throws nothing, and while it is empty it calls no heap.
class failure_text {
    static constexpr std::size_t room = 120;
    char buffer_[room];
    char* long_ = nullptr;  // null: the text is in buffer_
    std::size_t size_ = 0;

    static std::size_t beginning(std::string_view text) noexcept {  // no character of several bytes is cut
        std::size_t size = std::min(text.size(), room);
        while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
        return size;
    }

  public:
    failure_text() noexcept {}
    explicit failure_text(std::string_view text) noexcept { *this = text; }
    failure_text(const failure_text& source) noexcept { *this = source.view(); }
    failure_text& operator=(const failure_text& source) noexcept { return *this = source.view(); }
    ~failure_text() { std::free(long_); }
    failure_text& operator=(std::string_view text) noexcept {  // which may be part of this one
        char* const fresh = text.size() > room ? static_cast<char*>(std::malloc(text.size())) : nullptr;
        const std::size_t size = fresh ? text.size() : beginning(text);
        if (size > 0) std::memmove(fresh ? fresh : buffer_, text.data(), size);
        std::free(std::exchange(long_, fresh));
        size_ = size;
        return *this;
    }
    bool empty() const noexcept { return size_ == 0; }
    std::string_view view() const noexcept { return {long_ ? long_ : buffer_, size_}; }
    operator std::string_view() const noexcept { return view(); }
};
}  // namespace v1
}  // namespace inlay
