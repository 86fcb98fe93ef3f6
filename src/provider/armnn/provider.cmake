# inlay::armnn: opens libinlay_armnn_module when it is needed, which is linked with Arm NN and calls it.
# words: armnn ArmNN
inlay_engine_option(armnn "Debian's libarmnn-dev" MODULE)
find_path(INLAY_ARMNN_HEADERS armnn/ArmNN.hpp)
find_library(INLAY_ARMNN_LIBRARY armnn)
inlay_engine_needs(armnn INLAY_ARMNN_HEADERS armnn/ArmNN.hpp INLAY_ARMNN_LIBRARY "the library armnn")
inlay_add_engine(armnn)
inlay_add_engine_module(armnn HEADERS ${INLAY_ARMNN_HEADERS} LIBRARIES ${INLAY_ARMNN_LIBRARY})
target_sources(inlay_armnn_module PRIVATE ${PROJECT_SOURCE_DIR}/src/lowering/weights.cpp)
