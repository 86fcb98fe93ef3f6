# Engines are built and saved without a GPU, by TensorRT RTX's library where scripts/setup --provider tensorrt brought it; what needs a GPU
# says that it is skipped where there is none. TensorRT itself is in no package.
if(TARGET inlay_tensorrt)
    file(GLOB library ${inlay_cache}/venv/lib/python3*/site-packages/onnxruntime_ep_nv_tensorrt_rtx/libtensorrt_rtx.so*)
    inlay_add_tests(provider/tensorrt inlay_text_models inlay_tensorrt inlay_contracts inlay_laws)
    add_library(tensorrt_driver SHARED ${CMAKE_CURRENT_LIST_DIR}/on_host/driver.c)  # under the name that the driver is opened by
    set_target_properties(tensorrt_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tensorrt_driver)
    add_dependencies(tensorrt_tests tensorrt_driver)
    set(environment PYTHONDONTWRITEBYTECODE=1)
    if(library)
        list(APPEND environment INLAY_NV_TENSORRT_RTX_LIBRARY=${library})
    endif()
    if(TARGET inlay_tool)
        inlay_add_tool_test(tensorrt.devices ${CMAKE_CURRENT_LIST_DIR}/devices.sh)
    endif()
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^tensorrt\\.")
    inlay_suite_of(tensorrt suite)
    set_property(TEST ${tests} APPEND PROPERTY LABELS ${suite})
    set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT "${environment}")
    set_property(TEST tensorrt.stand_in PROPERTY ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/tensorrt_driver")
    set_tests_properties(tensorrt.stand_in PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: LD_LIBRARY_PATH")
    if(NOT INLAY_SANITIZE STREQUAL "thread")  # there it is the only one
        set_property(TEST tensorrt.unavailable PROPERTY ENVIRONMENT "INLAY_NV_TENSORRT_RTX_LIBRARY=/no/such/place;INLAY_TENSORRT_LIBRARY=/no/such/place")
        set_tests_properties(tensorrt.contract tensorrt.engines tensorrt.self_test tensorrt.on_device PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: TensorRT RTX cannot be used")  # all of their cases
    endif()
    add_dependencies(engines_tests tensorrt_tests)
endif()
