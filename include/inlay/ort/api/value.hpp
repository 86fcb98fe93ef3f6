// Values that go into a run and come out of it. A tensor owns its memory, or borrows it from the program or an
// allocator: no call copies elements.
#pragma once
#include "float16.hpp"
#include "memory.hpp"
#include "type_info.hpp"

namespace Ort {
struct Value;
namespace detail {
// A program reads elements as R, which must suit the tensor's: the same type, integers of the same size, or bytes.
struct ElementRequest {
    ONNXTensorElementDataType type;
    std::size_t bytes;
    bool integer;
};
template <class R> constexpr ElementRequest request_of() {
    if constexpr (std::is_void_v<R>)
        return {ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, 1, true};
    else if constexpr (requires { TypeToTensorType<R>::type; })
        return {TypeToTensorType<R>::type, sizeof(R), std::is_integral_v<R> && !std::is_same_v<R, bool>};
    else
        return {ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, sizeof(R), std::is_integral_v<R>};
}

template <class T> struct ConstValueImpl : Base<T> {
    using Base<T>::Base;
    bool IsTensor() const;
    bool IsSparseTensor() const { return false; }  // a model's sparse constants are dense here
    bool HasValue() const;                         // false: an optional without contents
    // Of a sequence its length, of a map 2: keys and values.
    std::size_t GetCount() const;
    // A member of a sequence, sharing its memory; of a map a tensor with the keys (0) or values (1), whose memory the
    // map's value keeps. It is the host's, whatever the allocator.
    Value GetValue(int index, OrtAllocator* allocator) const;

    // The bytes of all strings of a tensor together, then these one after another with the offset of each.
    std::size_t GetStringTensorDataLength() const;
    void GetStringTensorContent(void* buffer, std::size_t bytes, std::size_t* offsets, std::size_t count) const;
    std::size_t GetStringTensorElementLength(std::size_t index) const;
    void GetStringTensorElement(std::size_t bytes, std::size_t index, void* buffer) const;
    std::string GetStringTensorElement(std::size_t index) const;

    // The elements, where they are: of a tensor in a device's memory the device's address. Other types are
    // ORT_INVALID_ARGUMENT, as are values that are no tensors.
    template <class R> const R* GetTensorData() const { return static_cast<const R*>(elements(request_of<R>())); }
    const void* GetTensorRawData() const;
    std::size_t GetTensorSizeInBytes() const;
    TypeInfo GetTypeInfo() const;
    TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const;
    ConstMemoryInfo GetTensorMemoryInfo() const;

  protected:
    void* elements(ElementRequest) const;
    void* element_at(ElementRequest, const std::vector<std::int64_t>& location) const;
};
extern template struct ConstValueImpl<OrtValue>;
extern template struct ConstValueImpl<Unowned<OrtValue>>;
extern template struct ConstValueImpl<Unowned<const OrtValue>>;

template <class T> struct ValueImpl : ConstValueImpl<T> {
    using ConstValueImpl<T>::ConstValueImpl;
    template <class R> R* GetTensorMutableData() { return static_cast<R*>(this->elements(request_of<R>())); }
    void* GetTensorMutableRawData();
    // One element of a tensor in the host's memory, by its indices.
    template <class R> R& At(const std::vector<std::int64_t>& location) {
        return *static_cast<R*>(this->element_at(request_of<R>(), location));
    }
    void FillStringTensor(const char* const* texts, std::size_t count);
    void FillStringTensorElement(const char* text, std::size_t index);
    char* GetResizedStringTensorElementBuffer(std::size_t index, std::size_t bytes);
};
extern template struct ValueImpl<OrtValue>;
extern template struct ValueImpl<Unowned<OrtValue>>;
}  // namespace detail
using ConstValue = detail::ConstValueImpl<detail::Unowned<const OrtValue>>;
using UnownedValue = detail::ValueImpl<detail::Unowned<OrtValue>>;

struct Value : detail::ValueImpl<OrtValue> {
    explicit Value(std::nullptr_t) {}
    explicit Value(OrtValue* p) : ValueImpl(p) {}
    Value(Value&&) = default;
    Value& operator=(Value&&) = default;
    ConstValue GetConst() const { return ConstValue{p_}; }
    UnownedValue GetUnowned() const { return UnownedValue{p_}; }

    // Over the program's memory, which outlives the value and whatever shares it. `info` says where it is.
    template <class T>
    static Value CreateTensor(const OrtMemoryInfo* info, T* data, std::size_t count, const std::int64_t* shape,
                              std::size_t rank) {
        return CreateTensor(info, const_cast<std::remove_const_t<T>*>(data), count * sizeof(T), shape, rank,
                            TypeToTensorType<std::remove_const_t<T>>::type);
    }
    static Value CreateTensor(const OrtMemoryInfo* info, void* data, std::size_t bytes, const std::int64_t* shape,
                              std::size_t rank, ONNXTensorElementDataType type);
    // Over memory that the value owns: the allocator's Free gets it when the last value that shares it is gone.
    template <class T>
    static Value CreateTensor(OrtAllocator* deleter, T* data, std::size_t count, const std::int64_t* shape,
                              std::size_t rank) {
        return CreateTensor(deleter, static_cast<void*>(data), count * sizeof(T), shape, rank,
                            TypeToTensorType<T>::type);
    }
    static Value CreateTensor(OrtAllocator* deleter, void* data, std::size_t bytes, const std::int64_t* shape,
                              std::size_t rank, ONNXTensorElementDataType type);
    // In memory of the allocator, zeroed where that is the host's. Strings are empty, and in the host's memory.
    template <class T> static Value CreateTensor(OrtAllocator* allocator, const std::int64_t* shape, std::size_t rank) {
        return CreateTensor(allocator, shape, rank, TypeToTensorType<T>::type);
    }
    static Value CreateTensor(OrtAllocator* allocator, const std::int64_t* shape, std::size_t rank,
                              ONNXTensorElementDataType type);
    // Keys: a row of int64 or strings; values: as many elements. Both are copied.
    static Value CreateMap(const Value& keys, const Value& values);
    static Value CreateSequence(const std::vector<Value>& values);  // shares their memory
};
}  // namespace Ort
