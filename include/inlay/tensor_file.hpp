// Tensors and other values in files: ONNX test data (.pb) and NumPy arrays (.npy, .npz).
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "model.hpp"

namespace inlay {
inline namespace v1 {
// A TensorProto, SequenceProto, MapProto or OptionalProto: the file does not say which, so `kind` does.
result<any_value> read_pb(const std::filesystem::path& file, value_kind kind = value_kind::tensor, const limits& = {});
result<void> write_pb(const std::filesystem::path& file, const any_value& v, std::string_view name = {});

// One array. Big-endian and Fortran-ordered ones are converted; strings are dtype U or S. NumPy has no bfloat16, nor
// types of less than a byte.
result<tensor> read_npy(const std::filesystem::path& file, const limits& = {});
result<void> write_npy(const std::filesystem::path& file, const tensor& t);
// Arrays by name, stored as they are or compressed (numpy.savez, numpy.savez_compressed); written as they are.
result<std::map<std::string, tensor>> read_npz(const std::filesystem::path& file, const limits& = {});
result<void> write_npz(const std::filesystem::path& file, const std::map<std::string, tensor>& arrays);
}  // namespace v1
}  // namespace inlay
