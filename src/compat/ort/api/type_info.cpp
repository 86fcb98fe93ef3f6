#include "errors.hpp"
#include "type_info.hpp"

namespace Ort {
namespace detail {
void OrtRelease(OrtTypeInfo* t) noexcept { delete t; }
void OrtRelease(OrtTensorTypeAndShapeInfo* t) noexcept { delete t; }
void OrtRelease(OrtSequenceTypeInfo* t) noexcept { delete t; }
void OrtRelease(OrtMapTypeInfo* t) noexcept { delete t; }

ONNXTensorElementDataType element_type(inlay::element e) {
    return e == inlay::element::object ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED : ONNXTensorElementDataType(e);
}
inlay::element element_of_type(ONNXTensorElementDataType type) {
    const inlay::element e = inlay::element_numbered(type);
    if (e == inlay::element::undefined)
        raise(ORT_INVALID_ARGUMENT, "Ort: " + std::to_string(int(type)) + " is no element type of tensors");
    return e;
}
OrtTensorTypeAndShapeInfo tensor_info(const inlay::tensor& t) {
    return {element_type(t.type()),
            {t.shape().begin(), t.shape().end()},
            std::vector<std::string>(std::size_t(t.shape().rank))};
}

static std::shared_ptr<type_parts> parts_of(const inlay::value_type& type) {
    auto parts = std::make_shared<type_parts>();
    if (!type.known()) return parts;
    switch (type.kind()) {
        case inlay::value_kind::tensor:
            parts->kind = type.is_tensor() ? ONNX_TYPE_TENSOR : ONNX_TYPE_UNKNOWN;
            parts->tensor.type = element_type(type.type);
            for (const std::int64_t d : type.shape) parts->tensor.dims.push_back(d < 0 ? -1 : d);
            parts->tensor.names.resize(parts->tensor.dims.size());
            break;
        case inlay::value_kind::sequence:
            parts->kind = ONNX_TYPE_SEQUENCE;
            parts->sequence.type = type;
            break;
        case inlay::value_kind::map:
            parts->kind = ONNX_TYPE_MAP;
            parts->map.type = type;
            break;
        case inlay::value_kind::optional:
            parts->kind = ONNX_TYPE_OPTIONAL;
            parts->optional.type = type;
            break;
    }
    return parts;
}
std::shared_ptr<const type_parts> parts_of(const inlay::port& p) {
    const auto parts = parts_of(p.value_type);
    if (p.kind != inlay::value_kind::tensor || parts->kind != ONNX_TYPE_TENSOR) return parts;
    parts->tensor.dims.clear();
    for (const std::int64_t d : p.shape) parts->tensor.dims.push_back(d < 0 ? -1 : d);
    parts->tensor.names = p.dim_names;
    parts->tensor.names.resize(parts->tensor.dims.size());
    return parts;
}
TypeInfo type_info_of(std::shared_ptr<const type_parts> parts) { return TypeInfo(new OrtTypeInfo{std::move(parts)}); }
TypeInfo type_info_of(const inlay::value_type& type) { return type_info_of(parts_of(type)); }

// The type of a value; of an empty container, only that it is one.
static inlay::value_type type_of(const inlay::any_value& v) {
    using inlay::value_kind;
    inlay::value_type inner;
    value_kind kind = value_kind::tensor;
    inlay::element key = inlay::element::undefined;
    if (const inlay::tensor* t = v.as_tensor()) {
        inner.type = t->type();
        inner.shape = t->shape();
        return inner;
    }
    if (const inlay::sequence* s = v.as_sequence()) {
        kind = value_kind::sequence;
        if (!s->empty()) inner = type_of(s->front());
    } else if (const inlay::map* m = v.as_map()) {
        kind = value_kind::map;
        if (!m->empty()) {
            inner = type_of(m->begin()->second);
            key = m->begin()->first.index() == 0 ? inlay::element::i64 : inlay::element::string;
        }
    } else {
        kind = value_kind::optional;
        if (const auto& contents = v.as_optional()->contents) inner = type_of(*contents);
    }
    if (inner.depth == inlay::value_type::max_depth)
        raise(ORT_NOT_IMPLEMENTED, "Ort: the value is nested deeper than types are");
    return inner.within({kind, key});
}
TypeInfo type_info_of(const inlay::any_value& v) { return type_info_of(type_of(v)); }

static constexpr const char* tensor_name = "TensorTypeAndShapeInfo";
template <class T> ONNXTensorElementDataType TensorTypeAndShapeInfoImpl<T>::GetElementType() const {
    return need(this->p_, tensor_name).type;
}
template <class T> std::size_t TensorTypeAndShapeInfoImpl<T>::GetElementCount() const {
    const auto& dims = need(this->p_, tensor_name).dims;
    std::size_t count = 1;
    for (const std::int64_t d : dims) {
        if (d < 0)
            raise(ORT_INVALID_ARGUMENT,
                  "Ort: GetElementCount() of a shape whose dimensions are not all fixed; "
                  "GetShape() has -1 for those that are not");
        count *= std::size_t(d);
    }
    return count;
}
template <class T> std::size_t TensorTypeAndShapeInfoImpl<T>::GetDimensionsCount() const {
    return need(this->p_, tensor_name).dims.size();
}
template <class T> void TensorTypeAndShapeInfoImpl<T>::GetDimensions(std::int64_t* values, std::size_t count) const {
    const auto& dims = need(this->p_, tensor_name).dims;
    std::copy_n(dims.begin(), std::min(count, dims.size()), values);
}
template <class T>
void TensorTypeAndShapeInfoImpl<T>::GetSymbolicDimensions(const char** values, std::size_t count) const {
    const auto& names = need(this->p_, tensor_name).names;
    for (std::size_t k = 0; k < std::min(count, names.size()); ++k) values[k] = names[k].c_str();
}
template <class T> std::vector<const char*> TensorTypeAndShapeInfoImpl<T>::GetSymbolicDimensions() const {
    std::vector<const char*> names(GetDimensionsCount());
    GetSymbolicDimensions(names.data(), names.size());
    return names;
}
template <class T> std::vector<std::int64_t> TensorTypeAndShapeInfoImpl<T>::GetShape() const {
    return need(this->p_, tensor_name).dims;
}
template struct TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo>;
template struct TensorTypeAndShapeInfoImpl<Unowned<const OrtTensorTypeAndShapeInfo>>;

template <class T> TypeInfo SequenceTypeInfoImpl<T>::GetSequenceElementType() const {
    return type_info_of(need(this->p_, "SequenceTypeInfo").type.contents());
}
template struct SequenceTypeInfoImpl<OrtSequenceTypeInfo>;
template struct SequenceTypeInfoImpl<Unowned<const OrtSequenceTypeInfo>>;
template <class T> TypeInfo OptionalTypeInfoImpl<T>::GetOptionalElementType() const {
    return type_info_of(need(this->p_, "OptionalTypeInfo").type.contents());
}
template struct OptionalTypeInfoImpl<Unowned<const OrtOptionalTypeInfo>>;
template <class T> ONNXTensorElementDataType MapTypeInfoImpl<T>::GetMapKeyType() const {
    return element_type(need(this->p_, "MapTypeInfo").type.containers[0].key);
}
template <class T> TypeInfo MapTypeInfoImpl<T>::GetMapValueType() const {
    return type_info_of(need(this->p_, "MapTypeInfo").type.contents());
}
template struct MapTypeInfoImpl<OrtMapTypeInfo>;
template struct MapTypeInfoImpl<Unowned<const OrtMapTypeInfo>>;

// A view of a part where the type is of its kind, else an empty one.
template <class View, class Part> static View view_of(const type_parts& parts, ONNXType kind, const Part& part) {
    return View(parts.kind == kind ? &part : nullptr);
}
static const type_parts& parts_behind(const OrtTypeInfo* p) { return *need(p, "TypeInfo").parts; }
template <class T> ConstTensorTypeAndShapeInfo TypeInfoImpl<T>::GetTensorTypeAndShapeInfo() const {
    const type_parts& p = parts_behind(this->p_);
    return view_of<ConstTensorTypeAndShapeInfo>(p, ONNX_TYPE_TENSOR, p.tensor);
}
template <class T> ConstSequenceTypeInfo TypeInfoImpl<T>::GetSequenceTypeInfo() const {
    const type_parts& p = parts_behind(this->p_);
    return view_of<ConstSequenceTypeInfo>(p, ONNX_TYPE_SEQUENCE, p.sequence);
}
template <class T> ConstMapTypeInfo TypeInfoImpl<T>::GetMapTypeInfo() const {
    const type_parts& p = parts_behind(this->p_);
    return view_of<ConstMapTypeInfo>(p, ONNX_TYPE_MAP, p.map);
}
template <class T> ConstOptionalTypeInfo TypeInfoImpl<T>::GetOptionalTypeInfo() const {
    const type_parts& p = parts_behind(this->p_);
    return view_of<ConstOptionalTypeInfo>(p, ONNX_TYPE_OPTIONAL, p.optional);
}
template <class T> ONNXType TypeInfoImpl<T>::GetONNXType() const { return parts_behind(this->p_).kind; }
template struct TypeInfoImpl<OrtTypeInfo>;
template struct TypeInfoImpl<Unowned<const OrtTypeInfo>>;
}  // namespace detail
}  // namespace Ort
