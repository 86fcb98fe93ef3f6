// If (since 1), Loop (since 1) and Scan (since 8), and of com.microsoft GreedySearch, Sampling, BeamSearch and
// WhisperBeamSearch (since 1): bodies that are graphs, for which the engine creates plans of their own. They have no
// kernels, and so no entries in catalogues.
#pragma once
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace op {
struct control_flow {
    static constexpr std::string_view domain = "";
};
struct branch : control_flow {
    static constexpr std::string_view onnx_name = "If";
};
struct loop : control_flow {
    static constexpr std::string_view onnx_name = "Loop";
};
struct scan : control_flow {
    static constexpr std::string_view onnx_name = "Scan";
};
struct generation {
    static constexpr std::string_view domain = "com.microsoft";
};
struct greedy_search : generation {
    static constexpr std::string_view onnx_name = "GreedySearch";
};
struct sampling : generation {
    static constexpr std::string_view onnx_name = "Sampling";
};
struct beam_search : generation {
    static constexpr std::string_view onnx_name = "BeamSearch";
};
struct whisper_beam_search : generation {
    static constexpr std::string_view onnx_name = "WhisperBeamSearch";
};
}  // namespace op
constexpr bool has_beams(std::string_view op) {  // of those that generate texts
    return op == op::beam_search::onnx_name || op == op::whisper_beam_search::onnx_name;
}
constexpr bool is_generation(std::string_view domain, std::string_view op) {  // of texts, by a decoder
    return domain == op::generation::domain &&
           (op == op::greedy_search::onnx_name || op == op::sampling::onnx_name || has_beams(op));
}
constexpr bool is_control_flow(std::string_view domain, std::string_view op) {
    return is_generation(domain, op) ||
           (domain == op::control_flow::domain &&
            (op == op::branch::onnx_name || op == op::loop::onnx_name || op == op::scan::onnx_name));
}
}  // namespace v1
}  // namespace inlay
