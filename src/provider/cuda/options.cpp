// The provider's options as text.
#include <inlay/provider/cuda.hpp>

namespace inlay {
inline namespace v1 {
bool from_text(std::string_view text, conv_algo_search& to) {
    for (const conv_algo_search s :
         {conv_algo_search::EXHAUSTIVE, conv_algo_search::HEURISTIC, conv_algo_search::DEFAULT})
        if (text == to_text(s)) {
            to = s;
            return true;
        }
    return false;
}
bool from_text(std::string_view text, cuda_precision& to) {
    for (const cuda_precision p :
         {cuda_precision::standard, cuda_precision::strict, cuda_precision::float16, cuda_precision::bfloat16})
        if (text == to_text(p)) {
            to = p;
            return true;
        }
    return false;
}
std::string to_text(conv_algo_search s) {
    constexpr const char* names[] = {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"};
    return names[int(s)];
}
std::string to_text(cuda_precision p) {
    constexpr const char* names[] = {"standard", "strict", "float16", "bfloat16"};
    return names[int(p)];
}
}  // namespace v1
}  // namespace inlay
