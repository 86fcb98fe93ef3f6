if(TARGET inlay_tvm)
    file(GLOB folders ${INLAY_TVM_HEADERS}/../lib ${INLAY_TVM_HEADERS}/../../tvm/lib)
    string(REPLACE ";" ":" folders "${folders}")
    inlay_add_engine_tests(tvm EMBEDS LIBRARY "${folders}" ZOO mlp squeezenet mobilenet_v2 minilm_real shufflenet speech_gru
        --left GRU --least mlp=6 squeezenet=67 mobilenet_v2=100 minilm_real=317 shufflenet=154 speech_gru=6
        --contract mlp squeezenet mobilenet_v2 minilm_real shufflenet speech_gru
        --contexts mlp squeezenet minilm_real shufflenet speech_gru --restoring load_native_code=true
        UNSEEN libtvm)
endif()
