// Included by every public header before all else: what a compiler says of C++20 that it takes for C++17 fills pages.
#pragma once
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "inlay: its headers are C++20: compile with -std=c++20, or in CMake set CMAKE_CXX_STANDARD to 20"
#include <inlay/impl/compile_with_cxx20>  // which there is not: compilers end here, as they do not at an #error
#endif
