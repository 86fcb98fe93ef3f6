// QNN, Qualcomm's interface to its processors: the library of a backend, such as libQnnHtp, is opened when the first
// session needs it, so that the same program runs where it is missing: in the folder that $INLAY_QNN_LIBRARY names,
// else where the system looks. Link inlay::qnn.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
enum class qnn_backend_type : std::uint8_t {
    htp,   // Hexagon's tensor processor; on x86-64 its simulator
    cpu,   // reference code, to compare with
    gpu,   // Adreno
    saver  // records calls in a folder saver_output, and computes nothing
};
bool from_text(std::string_view text, qnn_backend_type& to);
std::string to_text(qnn_backend_type);

enum class qnn_priority : std::uint8_t { low, normal, normal_high, high };  // of a session among others on the device
bool from_text(std::string_view text, qnn_priority& to);
std::string to_text(qnn_priority);

struct qnn {  // named as in ONNX Runtime
    qnn_backend_type backend_type = qnn_backend_type::htp;
    std::string backend_path{};  // the library of a backend, in place of the one that backend_type names
    int htp_arch = 0;            // 68, 69, 73, 75, ...: what is compiled for; 0: as QNN chooses
    int soc_model = 0;           // QNN's number of a chip; 0: as QNN chooses
    int vtcm_mb = 0;             // of the fast memory that a graph may use; 0: as QNN chooses
    int htp_graph_finalization_optimization_mode = 0;  // 0: QNN's default; 1 to 3: faster graphs, slower to compile
    bool enable_htp_fp16_precision = true;  // float32 is computed in fp16, unless the processor has to use 32 bits
    qnn_priority qnn_context_priority = qnn_priority::normal;

    static constexpr std::string_view name = "QNNExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::simulator;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::qnn, backend_type, backend_path, htp_arch, soc_model, vtcm_mb,
                        htp_graph_finalization_optimization_mode, enable_htp_fp16_precision, qnn_context_priority);
namespace inlay {
inline namespace v1 {
static_assert(provider<qnn> && engine_provider<qnn>);
}  // namespace v1
}  // namespace inlay
