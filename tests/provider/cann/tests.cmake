# The library of the tests is a host implementation of the interface, of Inlay's own.
if(TARGET inlay_cann)
    inlay_add_host_of_onnx(cann_host ${CMAKE_CURRENT_LIST_DIR}/on_host/host.cpp)
    target_include_directories(cann_host SYSTEM PRIVATE ${INLAY_CANN_HEADERS})
    inlay_add_engine_tests(cann LIBRARY $<TARGET_FILE:cann_host> ZOO mlp squeezenet --contexts squeezenet)
    target_link_libraries(cann_tests PRIVATE inlay_provider_conformance)
    target_include_directories(cann_tests SYSTEM PRIVATE ${INLAY_CANN_HEADERS})
    add_dependencies(cann_tests cann_host)
endif()
