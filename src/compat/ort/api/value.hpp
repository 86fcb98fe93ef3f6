#pragma once
#include "memory.hpp"
#include <inlay/ort/api/value.hpp>

struct OrtValue {
    inlay::any_value value;
    // Of a map, its keys and values as tensors: created on first use, so that their memory is that of the
    // map's value, as programs expect.
    std::shared_ptr<struct map_rows> rows{};
};

namespace Ort::detail {
Value value_of(inlay::any_value v);
const inlay::tensor& tensor_of(const OrtValue* v);  // raises ORT_INVALID_ARGUMENT where it is none, or empty
// Checked against the limits of tensors: rank, sizes, overflow.
inlay::shape shape_of(const std::int64_t* dims, std::size_t rank);
}  // namespace Ort::detail
