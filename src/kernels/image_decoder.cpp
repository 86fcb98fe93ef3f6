#include <inlay/support/image_codecs.hpp>
#include <kernels/module.hpp>

namespace inlay {
inline namespace v1 {
const image_codecs* image_codecs_by_libraries() noexcept {
    static const auto* const table = table_of_module<image_codecs>("INLAY_IMAGES_LIBRARY", "inlay_images_module");
    return table;
}
}  // namespace v1
}  // namespace inlay
