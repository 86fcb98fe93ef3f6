# The library of the tests is a host implementation of the interface, of Inlay's own.
if(TARGET inlay_migraphx)
    inlay_add_host_of_onnx(migraphx_host ${CMAKE_CURRENT_LIST_DIR}/on_host/host.cpp)
    inlay_add_engine_tests(migraphx LIBRARY $<TARGET_FILE:migraphx_host> ZOO mlp squeezenet --contexts squeezenet)
    target_link_libraries(migraphx_tests PRIVATE inlay_provider_conformance)
    add_dependencies(migraphx_tests migraphx_host)
endif()
