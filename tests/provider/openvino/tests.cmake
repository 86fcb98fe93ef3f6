if(TARGET inlay_openvino)
    file(GLOB library ${INLAY_OPENVINO_HEADERS}/../libs/libopenvino_c.so*)
    inlay_add_engine_tests(openvino LIBRARY "${library}" ZOO --left NonMaxSuppression)
endif()
