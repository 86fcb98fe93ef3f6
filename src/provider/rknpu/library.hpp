// The functions of librknnrt.so as a table, opened when first used: a program must start where there is none.
#pragma once
#include "interface.hpp"
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
struct rknn_functions {
    INLAY_FUNCTION_TABLE(INLAY_RKNN_FUNCTIONS, INLAY_STATUS_FUNCTION)
};
const rknn_functions& rknn_library();
std::string text_of_rknn(int status);
}  // namespace v1
}  // namespace inlay
