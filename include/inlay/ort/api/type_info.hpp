// Types of inputs, outputs and values: tensors, or sequences, maps and optionals around one.
#pragma once
#include "base.hpp"

namespace Ort {
struct TypeInfo;
namespace detail {
template <class T> struct TensorTypeAndShapeInfoImpl : Base<T> {
    using Base<T>::Base;
    ONNXTensorElementDataType GetElementType() const;
    // ORT_INVALID_ARGUMENT where a dimension is not fixed: there is no such number.
    std::size_t GetElementCount() const;
    std::size_t GetDimensionsCount() const;
    void GetDimensions(std::int64_t* values, std::size_t count) const;  // as GetShape(); the first `count` of them
    // The names of dimensions that are not fixed, "" where one has none; they live as long as this object.
    void GetSymbolicDimensions(const char** values, std::size_t count) const;
    std::vector<const char*> GetSymbolicDimensions() const;
    std::vector<std::int64_t> GetShape() const;  // -1: not fixed. Empty: a scalar, or nothing is known of the shape
};
extern template struct TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo>;
extern template struct TensorTypeAndShapeInfoImpl<Unowned<const OrtTensorTypeAndShapeInfo>>;

template <class T> struct SequenceTypeInfoImpl : Base<T> {
    using Base<T>::Base;
    TypeInfo GetSequenceElementType() const;
};
extern template struct SequenceTypeInfoImpl<OrtSequenceTypeInfo>;
extern template struct SequenceTypeInfoImpl<Unowned<const OrtSequenceTypeInfo>>;

template <class T> struct OptionalTypeInfoImpl : Base<T> {
    using Base<T>::Base;
    TypeInfo GetOptionalElementType() const;
};
extern template struct OptionalTypeInfoImpl<Unowned<const OrtOptionalTypeInfo>>;

template <class T> struct MapTypeInfoImpl : Base<T> {
    using Base<T>::Base;
    ONNXTensorElementDataType GetMapKeyType() const;
    TypeInfo GetMapValueType() const;
};
extern template struct MapTypeInfoImpl<OrtMapTypeInfo>;
extern template struct MapTypeInfoImpl<Unowned<const OrtMapTypeInfo>>;
}  // namespace detail
using ConstTensorTypeAndShapeInfo =
    detail::TensorTypeAndShapeInfoImpl<detail::Unowned<const OrtTensorTypeAndShapeInfo>>;
using ConstSequenceTypeInfo = detail::SequenceTypeInfoImpl<detail::Unowned<const OrtSequenceTypeInfo>>;
using ConstOptionalTypeInfo = detail::OptionalTypeInfoImpl<detail::Unowned<const OrtOptionalTypeInfo>>;
using ConstMapTypeInfo = detail::MapTypeInfoImpl<detail::Unowned<const OrtMapTypeInfo>>;

struct TensorTypeAndShapeInfo : detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo> {
    explicit TensorTypeAndShapeInfo(std::nullptr_t) {}
    explicit TensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* p) : TensorTypeAndShapeInfoImpl(p) {}
    ConstTensorTypeAndShapeInfo GetConst() const { return ConstTensorTypeAndShapeInfo{p_}; }
};
struct SequenceTypeInfo : detail::SequenceTypeInfoImpl<OrtSequenceTypeInfo> {
    explicit SequenceTypeInfo(std::nullptr_t) {}
    explicit SequenceTypeInfo(OrtSequenceTypeInfo* p) : SequenceTypeInfoImpl(p) {}
    ConstSequenceTypeInfo GetConst() const { return ConstSequenceTypeInfo{p_}; }
};
struct MapTypeInfo : detail::MapTypeInfoImpl<OrtMapTypeInfo> {
    explicit MapTypeInfo(std::nullptr_t) {}
    explicit MapTypeInfo(OrtMapTypeInfo* p) : MapTypeInfoImpl(p) {}
    ConstMapTypeInfo GetConst() const { return ConstMapTypeInfo{p_}; }
};

namespace detail {
// The four views are of parts of this object, and empty where the type is not of that kind: using such a view is
// ORT_INVALID_ARGUMENT. The types of a session's inputs and outputs are shared with it: their views are good for as
// long as the session.
template <class T> struct TypeInfoImpl : Base<T> {
    using Base<T>::Base;
    ConstTensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const;
    ConstSequenceTypeInfo GetSequenceTypeInfo() const;
    ConstMapTypeInfo GetMapTypeInfo() const;
    ConstOptionalTypeInfo GetOptionalTypeInfo() const;
    ONNXType GetONNXType() const;
};
extern template struct TypeInfoImpl<OrtTypeInfo>;
extern template struct TypeInfoImpl<Unowned<const OrtTypeInfo>>;
}  // namespace detail
using ConstTypeInfo = detail::TypeInfoImpl<detail::Unowned<const OrtTypeInfo>>;
struct TypeInfo : detail::TypeInfoImpl<OrtTypeInfo> {
    explicit TypeInfo(std::nullptr_t) {}
    explicit TypeInfo(OrtTypeInfo* p) : TypeInfoImpl(p) {}
    ConstTypeInfo GetConst() const { return ConstTypeInfo{p_}; }
};
}  // namespace Ort
