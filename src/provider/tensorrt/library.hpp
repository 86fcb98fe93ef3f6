// TensorRT's library and TensorRT RTX's, each with its reader of ONNX, opened when first used.
#pragma once
#include "interfaces.hpp"
#include <string>

namespace inlay {
inline namespace v1 {
struct nv_library {
    std::string name;     // of the product
    std::string problem;  // empty: it can be used
    std::string version;
    const nv_places* at = nullptr;
    bool old_logger = false, portable = false;  // portable: engines are for every device that the library knows
    std::int32_t number = 0, reader_number = 0;
    void* (*createInferBuilder_INTERNAL)(void* logger, std::int32_t version) = nullptr;
    void* (*createInferRuntime_INTERNAL)(void* logger, std::int32_t version) = nullptr;
    void* (*createNvOnnxParser_INTERNAL)(void* network, void* logger, std::int32_t version) = nullptr;

    void* logger() const;
    nv_builder make_builder() const { return {*at, createInferBuilder_INTERNAL(logger(), number)}; }
    nv_runtime make_runtime() const { return {*at, createInferRuntime_INTERNAL(logger(), number)}; }
    nv_parser make_parser(const nv_network& n) const {
        return {*at, createNvOnnxParser_INTERNAL(n.get(), logger(), reader_number)};
    }
};
const nv_library& tensorrt_library();
const nv_library& tensorrt_rtx_library();

// What a library of another version would not answer; empty: the places in its tables are those that are called here.
std::string nv_self_test(const nv_library&);

// y = Relu(x) of float[2, 3], as ONNX.
std::string nv_smallest_model();
// The first error that a library reported to this thread since the last call.
std::string take_nv_error();
}  // namespace v1
}  // namespace inlay
