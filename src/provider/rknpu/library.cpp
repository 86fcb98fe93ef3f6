#include "library.hpp"

namespace inlay {
inline namespace v1 {
namespace {
rknn_functions open() {
    rknn_functions f;
    constexpr const char* variable = "INLAY_RKNPU_LIBRARY";
    void* const library = open_library(named_by(variable, "librknnrt.so"), f.problem,
                                       "systems for Rockchip's boards have it; " + variable_may_name(variable, "file") +
                                           "; with simulator=true the simulator of rknn-toolkit2 computes, which "
                                           "scripts/setup --provider rknpu or pip brings");
    f.find_in(library);
    return f;
}
}  // namespace

const rknn_functions& rknn_library() {
    static const rknn_functions functions = open();
    return functions;
}
std::string text_of_rknn(int status) {
    constexpr const char* texts[] = {"no error",
                                     "it failed",
                                     "it took too long",
                                     "the device is unavailable",
                                     "no memory is left",
                                     "a parameter is invalid",
                                     "the model is invalid",
                                     "the context is invalid",
                                     "an input is invalid",
                                     "an output is invalid",
                                     "library and driver do not fit the device",
                                     "the model was compiled for another driver",
                                     "the model was compiled with another optimisation",
                                     "the model was compiled for another chip"};
    const bool has_text = status <= 0 && status > -int(std::size(texts));
    return "RKNN says: " + (has_text ? std::string(texts[-status]) : "error " + std::to_string(status));
}
}  // namespace v1
}  // namespace inlay
