// TensorRT and TensorRT RTX: regions as engines for GPUs. Their libraries and the driver are opened when the
// first session needs them, so that the same program runs where they are missing: the library that
// $INLAY_TENSORRT_LIBRARY names, $INLAY_NV_TENSORRT_RTX_LIBRARY for RTX, else the system's. Link inlay::tensorrt.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct tensorrt {  // named as in ONNX Runtime
    int device_id = 0;
    std::size_t trt_max_workspace_size = 0;    // that a layer may use, in bytes; 0: what the device has
    bool trt_fp16_enable = false;              // float32 may be computed in fp16; TensorRT 10
    bool trt_int8_enable = false;              // quantized networks in int8; TensorRT 10
    bool trt_strict_type_constraints = false;  // layers keep their declared types; TensorRT 10
    bool trt_engine_cache_enable = false;      // engines are kept in files,
    std::string trt_engine_cache_path{};       // in this folder; empty: in the one that the program runs in
    bool use_tf32 = false;                     // float32 matmuls lose 13 bits, as they do in ONNX Runtime

    static constexpr std::string_view name = "TensorrtExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::stand_in;
    constexpr element operands(element type) const {
        return type == element::f32 && trt_fp16_enable ? element::f16 : type;
    }
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
struct nv_tensorrt_rtx {
    int device_id = 0;                      // -1: engines are built and saved where there is no GPU, and not run
    std::size_t nv_max_workspace_size = 0;  // that a layer may use, in bytes; 0: what the device has
    bool use_tf32 = false;                  // float32 matmuls lose 13 bits
    bool enable_cuda_graph = false;         // a run is passed to the driver as one graph
    std::string nv_runtime_cache_path{};    // a folder that keeps what is compiled for the device, for later sessions

    static constexpr std::string_view name = "NvTensorRTRTXExecutionProvider", short_name = "nv_tensorrt_rtx";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::library;
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::tensorrt, device_id, trt_max_workspace_size, trt_fp16_enable, trt_int8_enable,
                        trt_strict_type_constraints, trt_engine_cache_enable, trt_engine_cache_path, use_tf32);
BOOST_HANA_ADAPT_STRUCT(inlay::v1::nv_tensorrt_rtx, device_id, nv_max_workspace_size, use_tf32, enable_cuda_graph,
                        nv_runtime_cache_path);
namespace inlay {
inline namespace v1 {
static_assert(provider<tensorrt> && engine_provider<tensorrt>);
static_assert(provider<nv_tensorrt_rtx> && engine_provider<nv_tensorrt_rtx>);
}  // namespace v1
}  // namespace inlay
