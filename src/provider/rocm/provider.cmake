# inlay::rocm: kernels/inlay/cuda by clang, as HIP; what it shares of src/provider/cuda, the rows of every operator and
# src/provider/rocm by the host's compiler. HIP's library is opened by the program when it needs it.
# others' words: cuda Cuda CUDA nvcc migraphx
option(INLAY_ROCM "Build inlay::rocm, the deprecated provider of AMD's GPUs (needs clang 15 with lld, and HIP's headers and device functions)" OFF)
if(NOT INLAY_ROCM)
    inlay_lacks_provider(rocm "this program was built without it; configure with -DINLAY_ROCM=ON")
    return()
endif()
if(INLAY_CUDA)
    message(FATAL_ERROR "inlay: INLAY_CUDA and INLAY_ROCM are both ON: a program has one set of their kernels")
endif()
set(INLAY_HIP_ARCHITECTURES gfx90a CACHE STRING "What kernels are compiled for")
find_program(INLAY_HIP_COMPILER NAMES clang++-15 clang++)
find_path(INLAY_HIP_HEADERS hip/hip_runtime.h PATHS /opt/rocm/include)
find_path(INLAY_HIP_DEVICE_FUNCTIONS ockl.bc PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /opt/rocm PATH_SUFFIXES amdgcn/bitcode)
inlay_engine_needs(rocm INLAY_HIP_COMPILER "clang 15" INLAY_HIP_HEADERS "hip/hip_runtime.h" INLAY_HIP_DEVICE_FUNCTIONS "ockl.bc, the functions of devices")

# inlay_hip_objects(result source...): objects with code for the host and for each architecture; six sources make one, for the headers
# of each cost more time than it does. What clang's code calls of HIP's library is kernels.cpp's, under names of its own: a program may
# link the library too.
function(inlay_hip_objects result)
    set(renamed "")
    foreach(call __hipRegisterFatBinary __hipRegisterFunction __hipUnregisterFatBinary __hipPushCallConfiguration __hipPopCallConfiguration hipLaunchKernel)
        string(REGEX REPLACE "^(__)?hip" inlay_hip ours ${call})
        list(APPEND renamed --redefine-sym ${call}=${ours})
    endforeach()
    list(TRANSFORM INLAY_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
    cmake_path(GET INLAY_HIP_HEADERS PARENT_PATH root)
    set(names ${PROJECT_SOURCE_DIR}/src/provider/rocm/names)
    set(folders ${names} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/kernels)
    list(TRANSFORM folders PREPEND -I)
    if(NOT INLAY_HIP_HEADERS IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)  # named again, they would come before the C++ library's
        list(APPEND folders -isystem ${INLAY_HIP_HEADERS})
    endif()
    set(objects)
    while(ARGN)
        list(LENGTH objects number)
        set(joined ${CMAKE_CURRENT_BINARY_DIR}/hip/kernels_${number})
        set(includes "")
        foreach(i RANGE 5)
            list(POP_FRONT ARGN source)
            if(source)
                string(APPEND includes "#include \"${source}\"\n")
            endif()
        endforeach()
        file(CONFIGURE OUTPUT ${joined}.cu CONTENT "${includes}")
        add_custom_command(OUTPUT ${joined}.o DEPENDS ${joined}.cu DEPFILE ${joined}.o.d VERBATIM COMMENT "Building HIP object hip/kernels_${number}.o"
            COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${INLAY_HIP_COMPILER} -x hip ${architectures} -std=c++20 -O3 -DNDEBUG -ffp-contract=on -fPIC -D__HIP_PLATFORM_AMD__
                --rocm-path=${root} --hip-device-lib-path=${INLAY_HIP_DEVICE_FUNCTIONS} ${folders} -include ${names}/kernels.hpp
                "-DINLAY_ON_DEVICE=__host__ __device__" -MD -MF ${joined}.o.d -c ${joined}.cu -o ${joined}.o
            COMMAND ${CMAKE_OBJCOPY} ${renamed} ${joined}.o)
        list(APPEND objects ${joined}.o)
    endwhile()
    set(${result} ${objects} PARENT_SCOPE)
endfunction()

file(GLOB inlay_rocm_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/inlay/cuda/*/*.cu ${PROJECT_SOURCE_DIR}/src/provider/rocm/*.cu)
inlay_hip_objects(inlay_rocm_objects ${inlay_rocm_kernels})
inlay_add_library(rocm src/provider/rocm/*.cpp src/provider/cuda/arena.cpp src/provider/cuda/memory.cpp src/provider/cuda/provider.cpp src/provider/cuda/runtime.cpp)
add_library(inlay::rocm ALIAS inlay_rocm)
inlay_kernel_sources(inlay_rocm_rows cuda)
target_sources(inlay_rocm PRIVATE ${inlay_rocm_rows} ${inlay_rocm_objects})
inlay_join_sources(inlay_rocm)
target_include_directories(inlay_rocm BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/src/provider/rocm/names)
target_include_directories(inlay_rocm SYSTEM PRIVATE ${INLAY_HIP_HEADERS})
target_compile_definitions(inlay_rocm PRIVATE __HIP_PLATFORM_AMD__)
target_link_libraries(inlay_rocm PUBLIC inlay_kernels PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
inlay_has_provider(rocm TYPE rocm_provider HEADER inlay/provider/rocm.hpp)
