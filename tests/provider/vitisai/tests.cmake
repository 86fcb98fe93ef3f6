# VART opens a library of the tests' in the place of a device's.
if(TARGET inlay_vitisai AND INLAY_BUILD_ONNX)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/plugin/*.cpp)
    add_library(vitisai_test_runner MODULE EXCLUDE_FROM_ALL ${sources})
    target_include_directories(vitisai_test_runner SYSTEM PRIVATE ${INLAY_XIR_HEADERS} ${INLAY_VART_HEADERS} ${INLAY_UNILOG_HEADERS})
    target_link_libraries(vitisai_test_runner PRIVATE stand_in_evaluator ${INLAY_XIR_LIBRARY} ${INLAY_VART_LIBRARY})
    inlay_own(vitisai_test_runner)
    inlay_add_engine_tests(vitisai LIBRARY $<TARGET_FILE:inlay_vitisai_module> ZOO mlp --least mlp=0
        UNSEEN libxir libvart libunilog libglog libprotobuf)
    target_link_libraries(vitisai_tests PRIVATE inlay_provider_conformance)
    set_property(GLOBAL APPEND PROPERTY INLAY_OWN_CONFORMANCE vitisai)  # sessions.cpp: of floats, which default options leave to others
    target_compile_definitions(vitisai_tests PRIVATE VITISAI_TEST_RUNNER="$<TARGET_FILE:vitisai_test_runner>")
    add_dependencies(vitisai_tests vitisai_test_runner)
endif()
