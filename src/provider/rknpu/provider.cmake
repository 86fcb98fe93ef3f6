# inlay::rknpu: built with declarations of its own, on any system; the compiler is a process in Python, whose script is in the library, and
# the runtime's library is opened by the program when it needs it.
# words: rknpu RKNPU rknn RKNN rockchip Rockchip
inlay_engine_option(rknpu "nothing but a compiler" READS_ONNX)
inlay_add_engine(rknpu)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/worker.py)
file(READ ${CMAKE_CURRENT_LIST_DIR}/worker.py rknpu_worker)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rknpu/rknpu_worker.hpp @ONLY CONTENT "// Made of src/provider/rknpu/worker.py.
#pragma once
#include <string_view>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view rknpu_worker = R\"worker(${rknpu_worker})worker\";
}  // namespace v1
}  // namespace inlay
")
target_include_directories(inlay_rknpu PRIVATE ${PROJECT_BINARY_DIR}/rknpu)
inlay_found_by_python(INLAY_RKNPU_PYTHON INTERPRETER rknn/api/)
