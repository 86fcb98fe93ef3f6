// Included first by every public header: without it, a compiler that reads C++20 as C++17 reports pages of errors.
#pragma once
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "inlay: its headers are C++20: compile with -std=c++20, or in CMake set CMAKE_CXX_STANDARD to 20"
#include <inlay/impl/compile_with_cxx20>  // a missing header: compilers stop here, as they do not at an #error
#endif
