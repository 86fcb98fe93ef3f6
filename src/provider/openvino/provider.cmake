# inlay::openvino: built with the C headers of OpenVINO, as PyPI's package openvino has them; its library is opened by the program when
# it needs it.
# words: openvino OpenVINO
option(INLAY_OPENVINO "Build inlay::openvino, the provider of OpenVINO (needs the headers of PyPI's package openvino)" OFF)
if(NOT INLAY_OPENVINO)
    inlay_lacks_provider(openvino "this program was built without it; configure with -DINLAY_OPENVINO=ON")
    return()
endif()
file(GLOB inlay_openvino_hints ${inlay_cache}/venv/lib/python3*/site-packages/openvino)
find_path(INLAY_OPENVINO_HEADERS openvino/c/openvino.h HINTS ${inlay_openvino_hints} PATH_SUFFIXES include)
if(NOT INLAY_OPENVINO_HEADERS)
    message(FATAL_ERROR "inlay: INLAY_OPENVINO is ON, but openvino/c/openvino.h was not found; scripts/setup --provider openvino installs it, or set INLAY_OPENVINO_HEADERS")
endif()
inlay_add_library(openvino src/provider/openvino/*.cpp)
add_library(inlay::openvino ALIAS inlay_openvino)
target_include_directories(inlay_openvino SYSTEM PRIVATE ${INLAY_OPENVINO_HEADERS})
target_link_libraries(inlay_openvino PUBLIC inlay_onnx PRIVATE ${CMAKE_DL_LIBS})
inlay_has_provider(openvino TYPE openvino HEADER inlay/provider/openvino.hpp)
