if(TARGET inlay_xnnpack AND INLAY_BUILD_ONNX)
    inlay_add_engine_tests(xnnpack ZOO --least mobilenet_v2=100 mobilenet_v3=140 efficientnet_b0=239 squeezenet=59 shufflenet=103 yolo=193 mlp=6)
    target_link_libraries(xnnpack_tests PRIVATE inlay_laws)
endif()
