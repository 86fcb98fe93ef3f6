// Opens an engine over one of the libraries.
#pragma once
#include "library.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
struct nv_build_options {
    std::size_t workspace = 0;
    bool tf32 = false, f16 = false, i8 = false, obey_types = false;
    std::string cache{};  // a folder; empty: none
    std::string text() const {
        return std::to_string(workspace) + (tf32 ? " tf32" : "") + (f16 ? " f16" : "") + (i8 ? " i8" : "") +
               (obey_types ? " obey" : "");
    }
};
struct nv_run_options {   // of TensorRT RTX alone
    bool graph = false;   // a run is given to the driver as one graph
    std::string cache{};  // a folder that keeps what was compiled for the device; empty: none
};
// Where engines are kept: as ONNX Runtime has it, in the folder that the program runs in if none is named.
inline std::string cache_folder_of(const tensorrt& options) {
    if (!options.trt_engine_cache_enable) return {};
    return options.trt_engine_cache_path.empty() ? "." : options.trt_engine_cache_path;
}
result<std::shared_ptr<engine>> open_nv_engine(std::string_view provider, const nv_library&, int device_id,
                                               nv_build_options, nv_run_options = {});
}  // namespace v1
}  // namespace inlay
