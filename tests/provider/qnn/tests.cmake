if(TARGET inlay_qnn AND INLAY_QNN_FOLDER)
    inlay_add_engine_tests(qnn LIBRARY "${INLAY_QNN_FOLDER}" ZOO mlp squeezenet mobilenet_v2 mobilenet_v2_int8_qdq shufflenet
        --least mlp=6 squeezenet=67 mobilenet_v2=100 mobilenet_v2_int8_qdq=207 shufflenet=106 --contexts mlp squeezenet
        UNSEEN libQnn libHtp)
    target_compile_definitions(qnn_tests PRIVATE RECORDS="${CMAKE_CURRENT_LIST_DIR}/records")
endif()
