// Image formats whose decoders are third-party libraries, by functions of a module that inlay::kernels opens on first
// use: null where there is none. Programs that link nothing of Inlay have none.
#pragma once
#include <cstdint>
#include <span>

namespace inlay {
inline namespace v1 {
using image_file = std::span<const std::uint8_t>;
struct image_size {
    std::int64_t height = 0, width = 0;
};
struct image_codec {
    std::int64_t room;  // bytes per pixel that decoding needs at most, besides its result
    bool (*measure)(image_file, image_size&) noexcept;
    bool (*decode)(image_file, const image_size&, std::uint8_t* rgb) noexcept;  // false: the file is damaged
};
struct image_codecs {
    image_codec jpeg, png, tiff, webp, jpeg2000;
};
#ifdef INLAY_HEADER_ONLY
inline const image_codecs* image_codecs_by_libraries() noexcept { return nullptr; }
#else
const image_codecs* image_codecs_by_libraries() noexcept;
#endif
}  // namespace v1
}  // namespace inlay
