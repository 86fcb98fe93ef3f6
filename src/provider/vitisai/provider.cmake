# inlay::vitisai: opens libinlay_vitisai_module when it is needed, which is linked with XIR and VART and calls them.
# words: vitis vitisai VitisAI Vitis xilinx Xilinx XILINX
inlay_engine_option(vitisai "Debian's libxir-dev and libvart-dev" MODULE)
find_path(INLAY_XIR_HEADERS xir/graph/graph.hpp)
find_path(INLAY_VART_HEADERS vart/runner.hpp)
find_path(INLAY_UNILOG_HEADERS UniLog/UniLog.hpp)
find_library(INLAY_XIR_LIBRARY xir)
find_library(INLAY_VART_LIBRARY vart-runner)
find_library(INLAY_UNILOG_LIBRARY unilog)
inlay_engine_needs(vitisai INLAY_XIR_HEADERS xir/graph/graph.hpp INLAY_VART_HEADERS vart/runner.hpp INLAY_UNILOG_HEADERS UniLog/UniLog.hpp
    INLAY_XIR_LIBRARY "the library xir" INLAY_VART_LIBRARY "the library vart-runner" INLAY_UNILOG_LIBRARY "the library unilog")
inlay_add_engine(vitisai)
inlay_add_engine_module(vitisai HEADERS ${INLAY_XIR_HEADERS} ${INLAY_VART_HEADERS} ${INLAY_UNILOG_HEADERS}
    LIBRARIES ${INLAY_XIR_LIBRARY} ${INLAY_VART_LIBRARY} ${INLAY_UNILOG_LIBRARY})
target_sources(inlay_vitisai_module PRIVATE ${PROJECT_SOURCE_DIR}/src/lowering/weights.cpp)
# The number behind libxir.so, which its headers do not tell.
file(REAL_PATH ${INLAY_XIR_LIBRARY} inlay_xir_file)
string(REGEX MATCH "[0-9]+\\.[0-9.]*[0-9]$" inlay_xir_version ${inlay_xir_file})
target_compile_definitions(inlay_vitisai_module PRIVATE INLAY_XIR_VERSION="${inlay_xir_version}")
