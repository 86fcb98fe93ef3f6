if(TARGET inlay_armnn AND INLAY_BUILD_ONNX)  # the quicker models: CpuRef is made to be compared with, not to be fast
    inlay_add_engine_tests(armnn LIBRARY $<TARGET_FILE:inlay_armnn_module> ZOO mlp squeezenet shufflenet mobilenet_v2 mobilenet_v3 speech_gru speech_lstm
        --least mlp=6 squeezenet=67 shufflenet=154 mobilenet_v2=100 mobilenet_v3=140
        UNSEEN libarmnn Arm_CpuRef_backend)
    target_link_libraries(armnn_tests PRIVATE inlay_provider_conformance)
elseif(TARGET inlay_armnn)  # graphs made by hand, which an emulator runs on the backend of its processor
    inlay_add_tests(provider/armnn/graphs NAME armnn inlay_armnn inlay_provider_conformance)
    cmake_path(GET INLAY_ARMNN_LIBRARY PARENT_PATH libraries)
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^armnn\\.")
    set_property(TEST ${tests} APPEND PROPERTY LABELS aarch64)
    set_property(TEST ${tests} PROPERTY ENVIRONMENT "INLAY_ARMNN_LIBRARY=$<TARGET_FILE:inlay_armnn_module>;INLAY_ARMNN_BACKENDS=${libraries}/armnn22;LD_LIBRARY_PATH=${libraries}")
    set_property(TEST armnn.unavailable PROPERTY ENVIRONMENT INLAY_ARMNN_LIBRARY=/no/such/place)
    add_dependencies(aarch64_tests armnn_tests)
endif()
