// Real numbers whose element type is known only at run time: those of any_float, and of 8 bits.
#pragma once
#include "on_device.hpp"
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
struct any_float {};  // as a type constraint
template <>
inline constexpr element_set elements_of<any_float> = element_set::of({element::f32, element::f64, element::f16,
                                                                       element::bf16});
constexpr bool is_any_float(element e) { return elements_of<any_float>.has(e); }
constexpr bool is_float8(element e) {  // with a fraction
    return e == element::f8e4m3fn || e == element::f8e4m3fnuz || e == element::f8e5m2 || e == element::f8e5m2fnuz;
}
template <floating A> INLAY_ON_DEVICE A load_float(element e, const void* data, std::int64_t i) noexcept {
    switch (e) {
        case element::f64: return static_cast<A>(static_cast<const double*>(data)[i]);
        case element::f16: return static_cast<A>(static_cast<float>(static_cast<const float16*>(data)[i]));
        case element::bf16: return static_cast<A>(static_cast<float>(static_cast<const bfloat16*>(data)[i]));
        case element::f8e4m3fn: return static_cast<A>(static_cast<float>(static_cast<const float8e4m3fn*>(data)[i]));
        case element::f8e4m3fnuz:
            return static_cast<A>(static_cast<float>(static_cast<const float8e4m3fnuz*>(data)[i]));
        case element::f8e5m2: return static_cast<A>(static_cast<float>(static_cast<const float8e5m2*>(data)[i]));
        case element::f8e5m2fnuz:
            return static_cast<A>(static_cast<float>(static_cast<const float8e5m2fnuz*>(data)[i]));
        default: return static_cast<A>(static_cast<const float*>(data)[i]);
    }
}
template <floating A> void store_float(element e, void* data, std::int64_t i, A x) noexcept {
    switch (e) {
        case element::f64: static_cast<double*>(data)[i] = x; break;
        case element::f16: static_cast<float16*>(data)[i] = float16(static_cast<float>(x)); break;
        case element::bf16: static_cast<bfloat16*>(data)[i] = bfloat16(static_cast<float>(x)); break;
        case element::f8e4m3fn: static_cast<float8e4m3fn*>(data)[i] = float8e4m3fn(static_cast<float>(x)); break;
        case element::f8e4m3fnuz: static_cast<float8e4m3fnuz*>(data)[i] = float8e4m3fnuz(static_cast<float>(x)); break;
        case element::f8e5m2: static_cast<float8e5m2*>(data)[i] = float8e5m2(static_cast<float>(x)); break;
        case element::f8e5m2fnuz: static_cast<float8e5m2fnuz*>(data)[i] = float8e5m2fnuz(static_cast<float>(x)); break;
        default: static_cast<float*>(data)[i] = static_cast<float>(x);
    }
}
}  // namespace v1
}  // namespace inlay
