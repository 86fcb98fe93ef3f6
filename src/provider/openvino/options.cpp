// The provider's options as text.
#include <inlay/provider/openvino.hpp>

namespace inlay {
inline namespace v1 {
bool from_text(std::string_view text, openvino_precision& to) {
    for (const openvino_precision p :
         {openvino_precision::FP32, openvino_precision::FP16, openvino_precision::BF16, openvino_precision::ACCURACY})
        if (text == to_text(p)) {
            to = p;
            return true;
        }
    return false;
}
std::string to_text(openvino_precision p) {
    constexpr const char* names[] = {"FP32", "FP16", "BF16", "ACCURACY"};
    return names[int(p)];
}
}  // namespace v1
}  // namespace inlay
