#include "code_lanes.hpp"
#include "quantize_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::quantize_f32 {
using namespace code_lanes;
template <class T> INLAY_LOCAL void quantize(const float* x, T* y, std::int64_t n, float scale, int zero) noexcept {
    make_codes(y, n, zero, [=](std::int64_t i, std::int64_t count) INLAY_INLINED {
        return load_some(x + i, count) / lanes(scale);
    });
}
template <class T> INLAY_LOCAL void dequantize(const T* x, float* y, std::int64_t n, float scale, int zero) noexcept {
    along(n, [=](std::int64_t i, std::int64_t count) INLAY_INLINED {
        store_some(y + i, count, (numbers(x + i, count) - lanes(float(zero))) * lanes(scale));
    });
}
template <class T> INLAY_INLINE lanes zeros_at(const T* zeros, std::int64_t i, std::int64_t n) {
    return zeros ? numbers(zeros + i, n) : lanes(0.f);
}
template <class T>
INLAY_LOCAL void quantize_each(const float* x, T* y, std::int64_t n, const float* scales, const T* zeros) noexcept {
    along(n, [=](std::int64_t i, std::int64_t count) INLAY_INLINED {
        const lanes steps = load_some(x + i, count) / load_some(scales + i, count, 1.f);
        store_codes(y + i, count, codes_of_steps<T>(steps, zeros_at(zeros, i, count)));
    });
}
template <class T>
INLAY_LOCAL void dequantize_each(const T* x, float* y, std::int64_t n, const float* scales, const T* zeros) noexcept {
    along(n, [=](std::int64_t i, std::int64_t count) INLAY_INLINED {
        store_some(y + i, count, (numbers(x + i, count) - zeros_at(zeros, i, count)) * load_some(scales + i, count));
    });
}
template <class T>
INLAY_LOCAL constexpr quantize_f32_table::codes<T> codes_of{quantize<T>, dequantize<T>, quantize_each<T>,
                                                            dequantize_each<T>};
}  // namespace INLAY_LEVEL::quantize_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(quantize_f32, codes_of<std::uint8_t>, codes_of<std::int8_t>, codes_of<std::uint16_t>,
            codes_of<std::int16_t>)
