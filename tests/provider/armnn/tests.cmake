if(NOT TARGET inlay_armnn)
    return()
endif()
inlay_add_tests(provider/armnn inlay_text_models inlay_armnn)
if(INLAY_PYTHON AND TARGET inlay_tool)  # the quicker ones: CpuRef is made to be compared with, not to be fast
    add_test(NAME armnn.zoo COMMAND ${INLAY_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/../zoo.py armnn mlp squeezenet shufflenet mobilenet_v2 mobilenet_v3 speech_gru speech_lstm
        --least mlp=6 squeezenet=67 shufflenet=154 mobilenet_v2=100 mobilenet_v3=140)
    set_tests_properties(armnn.zoo PROPERTIES LABELS armnn SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2)
endif()
get_property(names DIRECTORY PROPERTY TESTS)
list(FILTER names INCLUDE REGEX "^armnn\\.")
set_tests_properties(${names} PROPERTIES ENVIRONMENT "INLAY_ARMNN_LIBRARY=$<TARGET_FILE:inlay_armnn_module>;INLAY_TOOL=$<TARGET_FILE:inlay_tool>;INLAY_SOURCE=${PROJECT_SOURCE_DIR};PYTHONDONTWRITEBYTECODE=1")
inlay_label_engine_tests(armnn)
set_tests_properties(armnn.unavailable PROPERTIES ENVIRONMENT "INLAY_ARMNN_LIBRARY=/no/such/library")
