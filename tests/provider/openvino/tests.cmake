if(TARGET inlay_openvino)
    file(GLOB library ${INLAY_OPENVINO_HEADERS}/../libs/libopenvino_c.so*)
    inlay_add_engine_tests(openvino EMBEDS ORDERED LIBRARY "${library}" ZOO --left NonMaxSuppression
        --contract efficientnet_b0 mlp mobilenet_v2 mobilenet_v2_int8_qdq mobilenet_v3 shufflenet speech_gru speech_lstm squeezenet
        UNSEEN libopenvino libtbb)
    if(INLAY_SANITIZE STREQUAL "thread")
        set_property(TEST openvino.sessions APPEND PROPERTY ENVIRONMENT TBB_ENABLE_SANITIZERS=1)  # it would open a library in a way that they end the program for
        return()  # what is below has no threads
    endif()
    # As a plugin, without onnx: regions are written by the program that loads it.
    inlay_add_plugin(plugin_openvino ${CMAKE_CURRENT_LIST_DIR}/plugin/export.cpp)
    target_link_libraries(plugin_openvino PRIVATE $<TARGET_FILE:inlay_openvino> inlay_engine)
    add_dependencies(plugin_openvino inlay_openvino)
    inlay_own(plugin_openvino)
    target_compile_definitions(openvino_tests PRIVATE PLUGIN_OPENVINO="$<TARGET_FILE:plugin_openvino>")
    add_dependencies(openvino_tests plugin_openvino)
endif()
