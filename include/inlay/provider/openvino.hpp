// OpenVINO: its library, libopenvino_c, is opened when the first session needs it, so that the same program runs
// where there is none: the file that $INLAY_OPENVINO_LIBRARY names, else the system's. Link inlay::openvino.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
enum class openvino_precision : std::uint8_t {  // that float32 operators compute in
    FP32,
    FP16,
    BF16,
    ACCURACY  // that of the model's types
};
bool from_text(std::string_view text, openvino_precision& to);
std::string to_text(openvino_precision);

struct openvino {  // named as in ONNX Runtime
    // As OpenVINO names devices: CPU, GPU.1, AUTO; with the precision after it, as programs for older versions of ONNX
    // Runtime write it: CPU_FP32, GPU.1_FP16.
    std::string device_type = "CPU";
    openvino_precision precision = openvino_precision::FP32;
    int num_of_threads = 0;   // of one session; 0: as OpenVINO chooses
    std::string cache_dir{};  // a folder that keeps what was compiled, for later processes; empty: none

    static constexpr std::string_view name = "OpenVINOExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::device;
    constexpr element operands(element type) const {
        const openvino_precision p = device_type.ends_with("_FP16") ? openvino_precision::FP16 : precision;
        return type != element::f32            ? type
               : p == openvino_precision::FP16 ? element::f16
               : p == openvino_precision::BF16 ? element::bf16
                                               : element::f32;
    }
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::openvino, device_type, precision, num_of_threads, cache_dir);
namespace inlay {
inline namespace v1 {
static_assert(provider<openvino> && engine_provider<openvino>);
}  // namespace v1
}  // namespace inlay
