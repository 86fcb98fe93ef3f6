// The documents' tensors, element types, devices and what allocates and copies there.
#pragma once
#include "status.hpp"
#include <inlay/element.hpp>
#include <inlay/shape.hpp>
#include <memory>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace ort {
class OrtDevice {
  public:
    using DeviceType = std::int8_t;
    using MemoryType = std::int8_t;
    using DeviceId = std::int16_t;
    static constexpr DeviceType CPU = 0, GPU = 1, FPGA = 2, NPU = 3;
    struct MemType {
        static constexpr MemoryType DEFAULT = 0;
    };

    constexpr OrtDevice() = default;
    constexpr OrtDevice(DeviceType type, MemoryType memory, DeviceId id) : type_(type), memory_(memory), id_(id) {}
    constexpr DeviceType Type() const { return type_; }
    constexpr MemoryType MemType() const { return memory_; }
    constexpr DeviceId Id() const { return id_; }
    std::string ToString() const {
        return "device of type " + std::to_string(type_) + ", number " + std::to_string(id_);
    }
    friend constexpr bool operator==(const OrtDevice&, const OrtDevice&) = default;

  private:
    DeviceType type_ = CPU;
    MemoryType memory_ = 0;
    DeviceId id_ = 0;
};
enum OrtAllocatorType { OrtInvalidAllocator = -1, OrtDeviceAllocator = 0, OrtArenaAllocator = 1 };
enum OrtMemType { OrtMemTypeCPUInput = -2, OrtMemTypeCPUOutput = -1, OrtMemTypeDefault = 0 };
inline constexpr const char* CPU = "Cpu";
struct OrtMemoryInfo {
    const char* name = CPU;
    OrtAllocatorType alloc_type = OrtDeviceAllocator;
    OrtDevice device{};
    int id = 0;
    OrtMemType mem_type = OrtMemTypeDefault;

    OrtMemoryInfo() = default;
    OrtMemoryInfo(const char* name, OrtAllocatorType type, OrtDevice device = {}, int id = 0,
                  OrtMemType mem_type = OrtMemTypeDefault)
        : name(name), alloc_type(type), device(device), id(id), mem_type(mem_type) {}
};

// Memory of a device; of any alignment.
class IAllocator {
    OrtMemoryInfo info_;

  public:
    explicit IAllocator(const OrtMemoryInfo& info) : info_(info) {}
    virtual ~IAllocator() = default;
    virtual void* Alloc(size_t size) = 0;
    virtual void Free(void* p) = 0;
    const OrtMemoryInfo& Info() const { return info_; }
};
using AllocatorPtr = std::shared_ptr<IAllocator>;

class TensorShape {
    std::vector<std::int64_t> dims_;

  public:
    TensorShape() = default;
    TensorShape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
    TensorShape(std::span<const std::int64_t> dims) : dims_(dims.begin(), dims.end()) {}
    TensorShape(const std::vector<std::int64_t>& dims) : dims_(dims) {}
    TensorShape(const std::int64_t* dims, size_t count) : dims_(dims, dims + count) {}
    explicit TensorShape(const shape& s) : dims_(s.begin(), s.end()) {}
    std::int64_t operator[](size_t k) const { return dims_[k]; }
    size_t NumDimensions() const { return dims_.size(); }
    std::span<const std::int64_t> GetDims() const { return dims_; }
    std::int64_t Size() const { return SizeFromDimension(0); }
    std::int64_t SizeFromDimension(size_t first) const { return product(first, dims_.size()); }
    std::int64_t SizeToDimension(size_t end) const { return product(0, end); }
    std::string ToString() const {
        std::string text;
        for (std::int64_t d : dims_) text += (text.empty() ? "" : ",") + std::to_string(d);
        return "{" + text + "}";
    }
    friend bool operator==(const TensorShape&, const TensorShape&) = default;

  private:
    std::int64_t product(size_t first, size_t end) const {
        std::int64_t n = 1;
        for (size_t k = first; k < end; ++k) n *= dims_[k];
        return n;
    }
};

using MLFloat16 = float16;
using BFloat16 = bfloat16;
// An element type: the documents' type of a tensor and that of its elements are one object here.
class DataTypeImpl {
    element type_;
    constexpr explicit DataTypeImpl(element type) : type_(type) {}
    template <std::size_t... I> static const DataTypeImpl* at(std::size_t k, std::index_sequence<I...>) {
        static constexpr DataTypeImpl data_types[] = {DataTypeImpl(element(I))...};
        return &data_types[k];
    }
    static std::vector<const DataTypeImpl*> list(std::initializer_list<element> types) {
        std::vector<const DataTypeImpl*> data_types;
        for (element e : types) data_types.push_back(Of(e));
        return data_types;
    }

  public:
    constexpr element Type() const { return type_; }
    static const DataTypeImpl* Of(element e) {
        return at(std::size_t(e), std::make_index_sequence<std::size_t(element_count)>());
    }
    template <one_element T> static const DataTypeImpl* GetType() { return Of(element_of<T>); }
    template <one_element T> static const DataTypeImpl* GetTensorType() { return Of(element_of<T>); }
    static const std::vector<const DataTypeImpl*>& AllNumericTensorTypes() {
        using enum element;
        static const auto data_types = list({f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64});
        return data_types;
    }
    static const std::vector<const DataTypeImpl*>& AllFixedSizeTensorTypes() {  // all of the above, and bool
        using enum element;
        static const auto data_types = list({f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean});
        return data_types;
    }
};
using MLDataType = const DataTypeImpl*;

// Elements at a given address, or in memory that it allocates.
class Tensor {
    MLDataType type_ = nullptr;
    TensorShape shape_;
    void* data_ = nullptr;
    OrtMemoryInfo location_;
    std::shared_ptr<void> owned_;
    friend class OpKernelContext;

  public:
    Tensor() = default;
    Tensor(MLDataType type, const TensorShape& shape, void* data, const OrtMemoryInfo& location)
        : type_(type), shape_(shape), data_(data), location_(location) {}
    Tensor(MLDataType type, const TensorShape& shape, AllocatorPtr allocator)
        : type_(type), shape_(shape), location_(allocator->Info()) {
        data_ = allocator->Alloc(SizeInBytes());
        if (!data_ && SizeInBytes() > 0) ORT_THROW("no memory for a tensor of ", SizeInBytes(), " bytes");
        owned_ = std::shared_ptr<void>(data_, [allocator](void* p) { allocator->Free(p); });
    }
    MLDataType DataType() const { return type_; }
    std::int32_t GetElementType() const { return std::int32_t(type_->Type()); }
    template <one_element T> bool IsDataType() const { return type_->Type() == element_of<T>; }
    const TensorShape& Shape() const { return shape_; }
    const OrtMemoryInfo& Location() const { return location_; }
    size_t SizeInBytes() const { return size_t(bytes_of(type_->Type(), shape_.Size())); }
    const void* DataRaw() const { return data_; }
    void* MutableDataRaw() { return data_; }
    template <one_element T> const T* Data() const { return static_cast<const T*>(checked<T>()); }
    template <one_element T> T* MutableData() { return static_cast<T*>(checked<T>()); }
    template <one_element T> std::span<const T> DataAsSpan() const { return {Data<T>(), size_t(shape_.Size())}; }
    template <one_element T> std::span<T> MutableDataAsSpan() { return {MutableData<T>(), size_t(shape_.Size())}; }

  private:
    template <class T> void* checked() const {
        if (!IsDataType<T>())
            ORT_THROW("a tensor of ", name_of(type_->Type()), " is queried for elements of ", name_of(element_of<T>));
        return data_;
    }
};

class IDataTransfer {
  public:
    virtual ~IDataTransfer() = default;
    virtual bool CanCopy(const OrtDevice& from, const OrtDevice& to) const = 0;
    virtual Status CopyTensor(const Tensor& from, Tensor& to) const = 0;
};
}  // namespace ort
}  // namespace v1
}  // namespace inlay
