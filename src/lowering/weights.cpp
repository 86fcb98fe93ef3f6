#include "refusal.hpp"
#include "weights.hpp"
#include <array>

namespace inlay {
inline namespace v1 {
namespace lowering {
std::vector<float> permuted(const float* x, const shape& dims, std::span<const int> axes) {
    const shape from = strides_of(dims, layout::plain);
    shape sizes = dims, steps = dims;
    for (int i = 0; i < dims.rank; ++i) {
        sizes[i] = dims[axes[std::size_t(i)]];
        steps[i] = from[axes[std::size_t(i)]];
    }
    std::vector<float> y(std::size_t(dims.elements()));
    shape at = shape::of_rank(dims.rank, 0);
    std::int64_t place = 0;
    for (float& element : y) {
        element = x[place];
        for (int i = dims.rank - 1; i >= 0; --i) {
            place += steps[i];
            if (++at[i] < sizes[i]) break;
            place -= at[i] * steps[i];
            at[i] = 0;
        }
    }
    return y;
}
const float* floats_of(const region& r, const operand& x, std::deque<std::vector<float>>& kept) {
    const float* all = nullptr;
    if (x.elements)
        all = kept.emplace_back(x.elements()).data();
    else if (all = static_cast<const float*>(r.constant(x.id)); !all)
        refuse("the elements of a constant are not there");
    if (x.order == layout::plain) return all;
    return kept.emplace_back(permuted(all, x.dims, std::array{0, 2, 3, 1})).data();
}
std::vector<char> byte_weights::quantized(const std::vector<float>& w, std::size_t channels, std::size_t inner) const {
    const float least = has_sign_ ? -128.f : 0.f, most = has_sign_ ? 127.f : 255.f;
    std::vector<char> all(w.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        const float code = std::nearbyint(w[k] / scale(k / inner % channels)) + float(zero());
        all[k] = char(int(std::clamp(code, least, most)));
    }
    return all;
}
std::vector<std::int32_t> byte_weights::quantized_bias(const std::vector<float>& bias) const {
    constexpr double least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> all;
    for (const float b : bias) {
        const double step = double(scale_of_input_) * double(scale(all.size()));
        all.push_back(std::int32_t(std::clamp(std::nearbyint(double(b) / step), least, most)));
    }
    return all;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
