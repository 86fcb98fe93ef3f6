// NumPy's arrays as tensors and tensors as arrays, without a copy where both have the same elements in memory.
#pragma once
#include "python.hpp"
#include <inlay/tensor.hpp>
#include <vector>

namespace inlay::python {
void import_numpy();  // before all else; raises ImportError

// The owner of Python objects whose memory tensors borrow. Its destroyer holds the GIL.
using kept_objects = std::vector<nb::object>;

bool is_array(nb::handle);
// The array's memory where it can be borrowed: contiguous, aligned, in the machine's byte order, of whole bytes and no
// strings; else memory of its own. `subject` is named in errors, as in "input `x`".
tensor tensor_of(nb::handle array, kept_objects& owners, std::string_view subject);
// Also for what NumPy converts to an array (numbers, lists), with `element_type` as its elements, and for DLPack's
// tensors.
tensor tensor_from(nb::handle object, element element_type, kept_objects& owners, std::string_view subject);
// As tensor_from, but what it borrows lives as long as the tensor and its copies.
tensor lasting_tensor_from(nb::handle object, element element_type, std::string_view subject);
// An array over the tensor's memory, which it owns. Strings are copied to an array of objects, elements of less than a
// byte to one byte each.
nb::object array_of(const tensor&);
nb::object scalar_of(const tensor&);  // of a tensor without dimensions: Python's number or string

element element_of_dtype(nb::handle anything_numpy_takes_for_a_dtype);
nb::object dtype_of(element);  // raises ImportError where NumPy has none and ml_dtypes is not installed
shape shape_from(nb::handle sequence_of_numbers, std::string_view subject);
nb::tuple tuple_of(const shape&);
}  // namespace inlay::python
