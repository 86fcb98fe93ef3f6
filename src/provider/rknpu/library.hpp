// The functions of librknnrt.so as a table, opened when first used: a program must start where there is none.
#pragma once
#include "interface.hpp"
#include <string>

namespace inlay {
inline namespace v1 {
struct rknn_functions {
    std::string problem;  // empty: all are there
#define INLAY_MEMBER(name, arguments) int(*name) arguments = nullptr;
    INLAY_RKNN_FUNCTIONS(INLAY_MEMBER)
#undef INLAY_MEMBER
};
const rknn_functions& rknn_library();
std::string text_of_rknn(int status);
}  // namespace v1
}  // namespace inlay
