if(TARGET inlay_armnn)  # the quicker models: CpuRef is made to be compared with, not to be fast
    inlay_add_engine_tests(armnn LIBRARY $<TARGET_FILE:inlay_armnn_module> ZOO mlp squeezenet shufflenet mobilenet_v2 mobilenet_v3 speech_gru speech_lstm
        --least mlp=6 squeezenet=67 shufflenet=154 mobilenet_v2=100 mobilenet_v3=140
        UNSEEN libarmnn Arm_CpuRef_backend)
endif()
