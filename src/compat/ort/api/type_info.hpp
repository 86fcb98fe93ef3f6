#pragma once
#include <inlay/model.hpp>
#include <inlay/ort/api/type_info.hpp>
#include <inlay/tensor.hpp>

struct OrtTensorTypeAndShapeInfo {
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    std::vector<std::int64_t> dims{};  // -1: not fixed
    std::vector<std::string> names{};  // one per axis
};
// The whole type: the type inside a sequence, map or optional is its contents().
struct OrtSequenceTypeInfo {
    inlay::value_type type;
};
struct OrtMapTypeInfo {
    inlay::value_type type;
};
struct OrtOptionalTypeInfo {
    inlay::value_type type;
};

namespace Ort::detail {
struct type_parts {
    ONNXType kind = ONNX_TYPE_UNKNOWN;
    OrtTensorTypeAndShapeInfo tensor{};
    OrtSequenceTypeInfo sequence{};
    OrtMapTypeInfo map{};
    OrtOptionalTypeInfo optional{};
};
ONNXTensorElementDataType element_type(inlay::element);
inlay::element element_of_type(ONNXTensorElementDataType);  // raises ORT_INVALID_ARGUMENT where there is none
OrtTensorTypeAndShapeInfo tensor_info(const inlay::tensor&);
std::shared_ptr<const type_parts> parts_of(const inlay::port&);
TypeInfo type_info_of(std::shared_ptr<const type_parts>);
TypeInfo type_info_of(const inlay::value_type&);
TypeInfo type_info_of(const inlay::any_value&);
}  // namespace Ort::detail

struct OrtTypeInfo {
    std::shared_ptr<const Ort::detail::type_parts> parts;
};
