#include "refusal.hpp"
#include "weights.hpp"
#include <array>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
constexpr std::array channels_to_end{0, 2, 3, 1};
template <class T> void permute(T* to, const T* from, const shape& dims, std::span<const int> axes) {
    const shape strides = strides_of(dims, layout::plain);
    shape sizes = dims, steps = dims;
    for (int i = 0; i < dims.rank; ++i) {
        sizes[i] = dims[axes[std::size_t(i)]];
        steps[i] = strides[axes[std::size_t(i)]];
    }
    shape at = shape::of_rank(dims.rank, 0);
    std::int64_t place = 0;
    for (std::int64_t k = dims.elements(); k > 0; --k) {
        *to++ = from[place];
        for (int i = dims.rank - 1; i >= 0; --i) {
            place += steps[i];
            if (++at[i] < sizes[i]) break;
            place -= at[i] * steps[i];
            at[i] = 0;
        }
    }
}
// An image's elements of this type, with its channels last.
template <class T> void turn(void* to, const void* from, const shape& dims) {
    permute(static_cast<T*>(to), static_cast<const T*>(from), dims, channels_to_end);
}
}  // namespace

const void* constant_of(const region& r, const operand& x) {
    const void* const data = r.constant(x.id);
    if (!data) refuse("the elements of a constant are not there");
    return data;
}
std::vector<float> permuted(const float* x, const shape& dims, std::span<const int> axes) {
    std::vector<float> y(std::size_t(dims.elements()));
    permute(y.data(), x, dims, axes);
    return y;
}
const float* floats_of(const region& r, const operand& x, std::deque<std::vector<float>>& storage) {
    const float* floats = nullptr;
    if (x.elements)
        floats = storage.emplace_back(x.elements()).data();
    else if (const void* const data = constant_of(r, x); x.type == element::f16) {
        const auto* const halves = static_cast<const float16*>(data);
        floats = storage.emplace_back(halves, halves + x.dims.elements()).data();
    } else {
        floats = static_cast<const float*>(data);
    }
    if (x.order == layout::plain) return floats;
    return storage.emplace_back(permuted(floats, x.dims, channels_to_end)).data();
}
std::vector<char> stored(const std::vector<float>& x, element type) {
    if (type != element::f32 && type != element::f16) refuse("floats do not become " + std::string(name_of(type)));
    std::vector<char> bytes(std::size_t(bytes_of(type, std::int64_t(x.size()))));
    if (type == element::f32) std::memcpy(bytes.data(), x.data(), bytes.size());
    if (type == element::f16) {
        const std::vector<float16> halves(x.begin(), x.end());
        std::memcpy(bytes.data(), halves.data(), bytes.size());
    }
    return bytes;
}
std::vector<char> stored_elements(const region& r, const operand& x) {
    std::deque<std::vector<float>> storage;
    if (x.elements || x.is_quantized()) {
        const float* const floats = floats_of(r, x, storage);
        const std::vector<float> values(floats, floats + x.dims.elements());
        return x.is_quantized() ? byte_weights(*x.quantized, x).quantized(values, 1, values.size())
                                : stored(values, x.type);
    }
    const void* const data = constant_of(r, x);
    std::vector<char> bytes(std::size_t(bytes_of(x.type, x.dims.elements())));
    switch (x.order == layout::plain ? 0 : bytes_of(x.type, 1)) {
        case 0: std::memcpy(bytes.data(), data, bytes.size()); break;
        case 1: turn<std::uint8_t>(bytes.data(), data, x.dims); break;
        case 2: turn<std::uint16_t>(bytes.data(), data, x.dims); break;
        case 4: turn<std::uint32_t>(bytes.data(), data, x.dims); break;
        default: turn<std::uint64_t>(bytes.data(), data, x.dims);
    }
    return bytes;
}
std::vector<char> byte_weights::quantized(const std::vector<float>& w, std::size_t channels, std::size_t inner) const {
    const float least = has_sign_ ? -128.f : 0.f, most = has_sign_ ? 127.f : 255.f;
    std::vector<char> values(w.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        const float code = std::nearbyint(w[k] / scale(k / inner % channels)) + float(zero());
        values[k] = char(int(std::clamp(code, least, most)));
    }
    return values;
}
std::vector<std::int32_t> byte_weights::quantized_bias(const std::vector<float>& bias) const {
    constexpr double least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> values;
    for (const float b : bias) {
        const double step = double(scale_of_input_) * double(scale(values.size()));
        values.push_back(std::int32_t(std::clamp(std::nearbyint(double(b) / step), least, most)));
    }
    return values;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
