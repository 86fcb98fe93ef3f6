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
// Copies the elements of a tensor in host memory to the memory of another of the same type and shape, wherever it is.
void write_elements(const tensor& from, tensor to, std::string_view subject);
void add_ort_value(nb::module_&);
}  // namespace inlay::python
