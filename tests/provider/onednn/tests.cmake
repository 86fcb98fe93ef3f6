if(TARGET inlay_onednn)
    file(GLOB library ${INLAY_ONEDNN_HEADERS}/../lib/libdnnl.so.3)
    inlay_add_engine_tests(onednn ORDERED LIBRARY "${library}" ZOO --contract efficientnet_b0 mlp mobilenet_v2 mobilenet_v3 shufflenet speech_gru speech_lstm squeezenet yolo
        UNSEEN libdnnl libgomp)
    target_include_directories(onednn_tests SYSTEM PRIVATE ${INLAY_ONEDNN_HEADERS})
endif()
