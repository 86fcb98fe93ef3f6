# The kernels' bodies, which a launcher runs over grid and block on the host, and plain loops in the place of the libraries: their
# arithmetic, and what is asked of the libraries, is tested where there is no GPU.
file(GLOB bodies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/inlay/cuda/*/*.cu)
inlay_leave_out_element_wise(bodies)
set_source_files_properties(${bodies} PROPERTIES LANGUAGE CXX)
file(GLOB libraries CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/on_host/*.cpp)
add_library(inlay_cuda_bodies STATIC ${bodies})
add_library(inlay_cuda_on_host STATIC ${libraries})
target_link_libraries(inlay_cuda_on_host PUBLIC inlay_cuda_bodies)
target_link_libraries(inlay_cuda_bodies PUBLIC inlay::inlay)
foreach(target inlay_cuda_bodies inlay_cuda_on_host)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    inlay_own(${target})
    inlay_join_sources(${target})
endforeach()
inlay_test_device(cuda inlay_cuda_on_host)
if(NOT INLAY_SANITIZE STREQUAL "thread")
    inlay_add_tests(provider/cuda/kernels NAME cuda_kernels inlay_run_on inlay_cuda_on_host)
endif()

# Where the provider is not built, the tool plans for it. Where it is, what can be tested without a GPU runs without one; the rest says
# that it is skipped.
if(NOT TARGET inlay_tool)
    return()
endif()
if(NOT TARGET inlay_cuda)
    inlay_add_tool_test(cuda.plan_only ${CMAKE_CURRENT_LIST_DIR}/plan_only.sh)
    return()
endif()
inlay_add_tool_test(cuda.devices ${CMAKE_CURRENT_LIST_DIR}/devices.sh)
inlay_add_tests(provider/cuda inlay_text_models inlay_cuda)
set_property(GLOBAL APPEND PROPERTY INLAY_ZOO_PROGRAMS $<TARGET_FILE:cuda_tests>)
target_include_directories(cuda_tests SYSTEM PRIVATE ${INLAY_CUDA_HEADERS} ${INLAY_CUDNN_HEADERS})
inlay_add_model(cuda_tests ../examples/digits/digits.onnx SHAPES batch=1)
get_property(names DIRECTORY PROPERTY TESTS)
list(FILTER names INCLUDE REGEX "^cuda\\.")
set_tests_properties(${names} PROPERTIES ENVIRONMENT_MODIFICATION "LD_LIBRARY_PATH=path_list_append:${CUDAToolkit_LIBRARY_DIR}")  # cuDNN plans without a GPU too
if(CUDA_cuda_driver_LIBRARY)  # the stub, under the name that cuDNN opens
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver)
    file(CREATE_LINK ${CUDA_cuda_driver_LIBRARY} ${CMAKE_CURRENT_BINARY_DIR}/driver/libcuda.so.1 SYMBOLIC)
    set_property(TEST cuda.attention_plans APPEND PROPERTY ENVIRONMENT_MODIFICATION "LD_LIBRARY_PATH=path_list_append:${CMAKE_CURRENT_BINARY_DIR}/driver")
endif()
set_tests_properties(cuda.on_device PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: CUDA cannot be used")  # all of its cases
set_tests_properties(cuda.attention_plans PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: cuDNN plans no attention")
set_tests_properties(cuda.zoo PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: INLAY_ZOO")  # zoo.small runs it with its models
