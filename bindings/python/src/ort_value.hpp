// OrtValue: a value that stays where it is, in any memory, between runs.
#pragma once
#include "python.hpp"
#include <inlay/tensor.hpp>

namespace inlay::python {
struct ort_value {
    any_value value;
    const tensor& as_tensor() const;  // raises type_mismatch
};
const any_value* value_of_ort_value(nb::handle);  // null: it is none
void add_ort_value(nb::module_&);
}  // namespace inlay::python
