# inlay::armnn: opens libinlay_armnn_module when it is needed, which is linked with Arm NN and calls it.
# words: armnn ArmNN
inlay_engine_option(armnn "Debian's libarmnn-dev")
find_path(INLAY_ARMNN_HEADERS armnn/ArmNN.hpp)
find_library(INLAY_ARMNN_LIBRARY armnn)
inlay_engine_needs(armnn INLAY_ARMNN_HEADERS armnn/ArmNN.hpp INLAY_ARMNN_LIBRARY "the library armnn")
inlay_add_engine(armnn)
set(inlay_armnn_build ${PROJECT_VERSION}-${CMAKE_CXX_COMPILER_ID}-${CMAKE_CXX_COMPILER_VERSION})  # module and library have to be of one
target_compile_definitions(inlay_armnn PRIVATE INLAY_ARMNN_BUILD="${inlay_armnn_build}" INLAY_ARMNN_FOLDER="${CMAKE_INSTALL_LIBDIR}")
file(GLOB inlay_armnn_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/provider/armnn/module/*.cpp)
add_library(inlay_armnn_module MODULE ${inlay_armnn_sources})
inlay_set_up(inlay_armnn_module)
set_target_properties(inlay_armnn_module PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)  # beside the programs
target_compile_definitions(inlay_armnn_module PRIVATE INLAY_ARMNN_BUILD="${inlay_armnn_build}")
target_include_directories(inlay_armnn_module SYSTEM PRIVATE ${INLAY_ARMNN_HEADERS})
target_link_libraries(inlay_armnn_module PRIVATE ${INLAY_ARMNN_LIBRARY})
target_link_options(inlay_armnn_module PRIVATE $<$<NOT:$<BOOL:${INLAY_SANITIZE}>>:-Wl,-z,defs>)
add_dependencies(inlay_armnn inlay_armnn_module)
if(INLAY_INSTALL)
    install(TARGETS inlay_armnn_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
