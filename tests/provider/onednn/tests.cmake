if(TARGET inlay_onednn)
    file(GLOB library ${INLAY_ONEDNN_HEADERS}/../lib/libdnnl.so.3)
    inlay_add_engine_tests(onednn LIBRARY "${library}" ZOO --contract alexnet densenet121 efficientnet_b0 gpt2 inception_v1 inception_v2 mlp mobilenet_v2 mobilenet_v3 resnet50 resnet50_fp16 shufflenet speech_gru speech_lstm squeezenet yolo zfnet512
        UNSEEN libdnnl libgomp)
    target_include_directories(onednn_tests SYSTEM PRIVATE ${INLAY_ONEDNN_HEADERS})
endif()
