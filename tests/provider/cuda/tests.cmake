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
