// DLPack: tensors exchanged with other libraries in one process, without a copy. Not part of inlay.hpp: it
// needs DLPack's own header.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "tensor.hpp"
#include <dlpack/dlpack.h>

namespace inlay {
inline namespace v1 {
// DLPack's name of an element type; `bits` is 0 where it has none (strings, and the types of a byte or less that ONNX
// added).
constexpr DLDataType dlpack_type(element e) {
    constexpr std::uint8_t boolean = 6;  // kDLBool, which old headers do not name
    const auto type = [](auto code, int bits) { return DLDataType{std::uint8_t(code), std::uint8_t(bits), 1}; };
    switch (e) {
        case element::boolean: return type(boolean, 8);
        case element::i8:
        case element::i16:
        case element::i32:
        case element::i64: return type(kDLInt, bits_of(e));
        case element::u8:
        case element::u16:
        case element::u32:
        case element::u64: return type(kDLUInt, bits_of(e));
        case element::f16:
        case element::f32:
        case element::f64: return type(kDLFloat, bits_of(e));
        case element::bf16: return type(kDLBfloat, bits_of(e));
        case element::c64:
        case element::c128: return type(kDLComplex, bits_of(e));
        default: return type(kDLOpaqueHandle, 0);
    }
}

// A view that keeps the tensor's memory alive until its deleter is called; the caller calls it once. `device`: where
// the memory is, if not on the host. Errors: type_mismatch; wrong_memory_space where the device is not that of the
// tensor's memory.
inline DLManagedTensor* to_dlpack(const tensor& t, DLDevice device = {kDLCPU, 0}) {
    const DLDataType type = dlpack_type(t.type());
    if (!type.bits)
        raise({error_code::type_mismatch,
               "inlay::to_dlpack: DLPack has no elements of type " + std::string(name_of(t.type()))});
    if (t.on_host() != (device.device_type == kDLCPU) ||
        (t.where().device >= 0 && t.where().device != device.device_id))
        raise({error_code::wrong_memory_space, "inlay::to_dlpack: the tensor is in the memory space `" +
                                                   std::string(t.where().name) + "`, not on DLPack's device " +
                                                   std::to_string(int(device.device_type)) + ":" +
                                                   std::to_string(device.device_id)});
    struct holder {
        DLManagedTensor managed{};
        tensor owner;
        shape dims;
    };
    auto capsule = std::make_unique<holder>(holder{{}, t, t.shape()});
    capsule->managed.dl_tensor = {
        capsule->owner.data(), device, capsule->dims.rank, type, capsule->dims.dims.data(), nullptr, 0};
    capsule->managed.manager_ctx = capsule.get();
    capsule->managed.deleter = [](DLManagedTensor* m) { delete static_cast<holder*>(m->manager_ctx); };
    return &capsule.release()->managed;
}

// The other library's memory; its deleter is called when the last copy of the tensor is gone, or at once if this raises
// an error. `location`: the space of memory that is not the host's, as space_on<Tag>(t.device.device_id). Errors:
// type_mismatch, shape_mismatch (strided memory, too many dimensions), wrong_memory_space.
inline tensor from_dlpack(DLManagedTensor* managed, const space& location = space_of<memory::host>) {
    if (!managed) raise({error_code::invalid_argument, "inlay::from_dlpack: no tensor"});
    std::shared_ptr<void> keep(managed, [](void* m) {
        if (auto* t = static_cast<DLManagedTensor*>(m); t->deleter) t->deleter(t);
    });
    const DLTensor& t = managed->dl_tensor;
    element type = element::undefined;
    for (int e = 1; e < int(element::object); ++e)
        if (const DLDataType d = dlpack_type(element(e));
            d.bits && d.code == t.dtype.code && d.bits == t.dtype.bits && t.dtype.lanes == 1)
            type = element(e);
    if (type == element::undefined)
        raise({error_code::type_mismatch, "inlay::from_dlpack: elements of code " + std::to_string(t.dtype.code) +
                                              ", " + std::to_string(t.dtype.bits) + " bits and " +
                                              std::to_string(t.dtype.lanes) + " lanes are none of ONNX's"});
    const bool host =
        t.device.device_type == kDLCPU || t.device.device_type == kDLCUDAHost || t.device.device_type == kDLROCMHost;
    if (host != (&location == &space_of<memory::host>) ||
        (location.device >= 0 && location.device != t.device.device_id))
        raise({error_code::wrong_memory_space,
               "inlay::from_dlpack: memory of device " + std::to_string(int(t.device.device_type)) + ":" +
                   std::to_string(t.device.device_id) + " is not in the space `" + std::string(location.name) + "`"});
    if (t.ndim < 0 || t.ndim > max_rank)
        raise({error_code::shape_mismatch, "inlay::from_dlpack: " + std::to_string(t.ndim) + " dimensions; at most " +
                                               std::to_string(max_rank) + " are supported"});
    shape dims;
    bool empty = false;
    for (int i = 0; i < t.ndim; ++i) {
        dims.push_back(t.shape[i]);
        empty |= t.shape[i] == 0;
    }
    if (!dims.known()) raise({error_code::shape_mismatch, "inlay::from_dlpack: negative dimensions"});
    std::int64_t step = 1;
    for (int i = t.ndim; i-- > 0;) {
        if (t.strides && !empty && dims[i] != 1 && t.strides[i] != step)
            raise(
                {error_code::shape_mismatch, "inlay::from_dlpack: the elements of " + to_string(dims) +
                                                 " do not lie one after the other; make the tensor contiguous first"});
        step = checked_product(step, std::max<std::int64_t>(dims[i], 1));
        if (step == too_large)
            raise({error_code::shape_mismatch, "inlay::from_dlpack: " + to_string(dims) + " has too many elements"});
    }
    return tensor::borrow(type, dims, static_cast<const std::byte*>(t.data) + t.byte_offset, location, std::move(keep));
}
}  // namespace v1
}  // namespace inlay
