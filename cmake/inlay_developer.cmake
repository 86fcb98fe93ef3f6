# Defaults of a build of Inlay itself, never of a project that includes it.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(INLAY_CCACHE ccache)
mark_as_advanced(INLAY_CCACHE)
if(INLAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${INLAY_CCACHE})
endif()
if(INLAY_SANITIZE)
    # Unoptimised, for most of the time would go into compiling. What has the property INLAY_UNSANITIZED is compiled as
    # in every other build of this type, so that ccache has it already.
    set(inlay_sanitized -fsanitize=${INLAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -D_GLIBCXX_ASSERTIONS)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # has no macros of its own for that, as g++ does
        foreach(sanitizer address memory thread)
            if(INLAY_SANITIZE MATCHES ${sanitizer})
                string(TOUPPER ${sanitizer} name)
                list(APPEND inlay_sanitized -D__SANITIZE_${name}__)
            endif()
        endforeach()
    endif()
    set(inlay_sanitize_whole ${INLAY_FUZZ})
    if(INLAY_SANITIZE MATCHES memory)
        # Memory that code it did not compile has written counts as never written: so the instruction-set objects too,
        # and the C++ library, which scripts/setup --memory builds. What that one lacks of C++20 is in
        # tests/msan/libcxx.
        set(inlay_msan ON)
        set(inlay_sanitize_whole ON)
        file(GLOB inlay_libcxx ${inlay_cache}/libcxx-*-msan)
        if(NOT inlay_libcxx)
            message(FATAL_ERROR "inlay: INLAY_SANITIZE=memory needs a C++ library that is compiled with it; scripts/setup --memory builds one in ${inlay_cache}")
        endif()
        list(GET inlay_libcxx -1 inlay_libcxx)
        list(APPEND inlay_sanitized -fsanitize-memory-track-origins=1)
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-nostdinc++> "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-isystem ${PROJECT_SOURCE_DIR}/tests/msan/libcxx>"
            "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-isystem ${inlay_libcxx}/include/c++/v1>" $<$<COMPILE_LANGUAGE:CXX>:-D_LIBCPP_ENABLE_ASSERTIONS=1>)
        add_link_options(-nostdlib++)
        set(CMAKE_CXX_STANDARD_LIBRARIES "${CMAKE_CXX_STANDARD_LIBRARIES} ${inlay_libcxx}/lib/libc++.a ${inlay_libcxx}/lib/libc++abi.a")
    endif()
    list(APPEND inlay_sanitized $<IF:$<BOOL:${INLAY_FUZZ}>,-O1,-O0>)
    add_compile_options("$<$<NOT:$<BOOL:$<TARGET_PROPERTY:INLAY_UNSANITIZED>>>:${inlay_sanitized}>")
    add_link_options(-fsanitize=${INLAY_SANITIZE})
endif()
if(INLAY_COVERAGE)
    # What is not counted is compiled as in the preset asan-ubsan, so that ccache has it already.
    add_compile_options("$<$<NOT:$<BOOL:$<TARGET_PROPERTY:INLAY_UNCOUNTED>>>:-fprofile-instr-generate;-fcoverage-mapping>")
    add_link_options(-fprofile-instr-generate)
endif()
