// The quantized model's message, in each of the forms.
#pragma once
#include "calibrate.hpp"
#include "editor.hpp"
#include "select.hpp"
#include "weights.hpp"

namespace inlay {
inline namespace v1 {
namespace quantizing {
struct encoding {  // a number is (quantized value - zero) * scale
    element type = element::u8;
    float scale = 1;
    int zero = 0;
};
encoding encoding_of(const value_range&, element type);

struct written {
    std::shared_ptr<ModelProto> message;
    std::int64_t nodes = 0;  // that were quantized
};
using ranges = std::map<std::string, measured_range, std::less<>>;
written write_static(const source_model&, const selection&, const ranges&, const quantize_options&);
written write_dynamic(const source_model&, std::span<const candidate* const>, const quantize_options&);

using rounded = std::map<int, blocked_weights>;  // by node
written write_weights(const source_model&, std::span<const candidate* const>, const rounded&, const quantize_options&);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
