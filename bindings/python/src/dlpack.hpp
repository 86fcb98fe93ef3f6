// Tensors in DLPack's capsules.
#pragma once
#include "python.hpp"
#include <inlay/tensor.hpp>

namespace inlay::python {
bool has_dlpack(nb::handle);
tensor tensor_of_dlpack(nb::handle);   // of an object with __dlpack__, or its capsule; keeps the other library's memory
bool holds_bytes(nb::handle capsule);  // uint8; the capsule is not taken
nb::object dlpack_of(const tensor&);   // a capsule, which keeps the tensor's memory
nb::tuple dlpack_device(const tensor&);  // as __dlpack_device__ returns it
}  // namespace inlay::python
