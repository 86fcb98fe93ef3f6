# How Inlay's own targets are made: warnings, libraries from globbed sources, one object library per instruction set.

# inlay_require(package target [version]): a library that only building Inlay needs, not using it.
function(inlay_require package target)
    if(NOT TARGET ${target})
        find_package(${package} ${ARGN} QUIET GLOBAL)
        if(NOT TARGET ${target})
            message(FATAL_ERROR "inlay: ${package} ${ARGN} is missing; scripts/setup installs it")
        endif()
    endif()
endfunction()

# inlay_find_tool_packages(lacking): what the tool is built with. Where Inlay is a project's subfolder, or a wheel, what
# is missing only costs the tool, and `lacking` has the words for it.
function(inlay_find_tool_packages lacking)
    set(missing)
    foreach(package "CLI11;CLI11::CLI11" "fmt;${INLAY_FMT}" "nlohmann_json;nlohmann_json::nlohmann_json")
        list(GET package 0 name)
        list(GET package 1 target)
        if(PROJECT_IS_TOP_LEVEL AND NOT SKBUILD)
            inlay_require(${name} ${target})
        elseif(NOT TARGET ${target})
            find_package(${name} QUIET GLOBAL)
            if(NOT TARGET ${target})
                list(APPEND missing ${name})
            endif()
        endif()
    endforeach()
    list(JOIN missing ", " missing)
    set(${lacking} "${missing}" PARENT_SCOPE)
    set_property(GLOBAL PROPERTY INLAY_TOOL_LACKS "${missing}")
endfunction()

# inlay_own(target): the warnings of our own code.
function(inlay_own target)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall$<SEMICOLON>-Wextra> $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${INLAY_WERROR}>>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict$<SEMICOLON>-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread>)  # false alarms of g++ 12
    endif()
endfunction()

# inlay_set_up(target): how the sources of our libraries are compiled.
function(inlay_set_up target)
    target_link_libraries(${target} PUBLIC inlay_headers)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections $<$<NOT:$<BOOL:${INLAY_OPTIMIZE}>>:-O0>)
    inlay_own(${target})
endfunction()

# inlay_add_library(name pattern...): the static library inlay_<name>; a new source file needs no edit here.
function(inlay_add_library name)
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    add_library(inlay_${name} STATIC ${sources})
    set_target_properties(inlay_${name} PROPERTIES EXPORT_NAME ${name})
    inlay_set_up(inlay_${name})
endfunction()

# inlay_join_sources(target): its sources are compiled by six, for the headers of each cost more time than it does. In
# the preset `debug` they are alone, for editors, and to see that each includes what it uses.
function(inlay_join_sources target)
    if(INLAY_JOIN_SOURCES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)  # g++ takes what is included for a header
    endif()
endfunction()

# inlay_build_on_demand(target): where Inlay is a subfolder, it is built only if a target depends on it.
function(inlay_build_on_demand target)
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT INLAY_INSTALL)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# inlay_add_module(target user source... [HEADERS folder...] LIBRARIES library...): a file of Inlay's own that alone is
# linked with libraries of others, and that `user` opens when it is needed: next to the programs, or among the installed
# libraries.
function(inlay_add_module target user)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "HEADERS;LIBRARIES")
    add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
    set_property(GLOBAL APPEND PROPERTY INLAY_MODULES ${target})  # packages have them next to libinlay.so
    inlay_set_up(${target})
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    list(REMOVE_ITEM arg_HEADERS /usr/include ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})  # named again, they would come before the C++ library's
    target_include_directories(${target} SYSTEM PRIVATE ${arg_HEADERS})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ${CMAKE_DL_LIBS})
    target_link_options(${target} PRIVATE $<$<NOT:$<BOOL:${INLAY_SANITIZE}>>:-Wl,-z,defs>)
    add_dependencies(${user} ${target})
    inlay_build_on_demand(${target})
    if(INLAY_INSTALL)
        install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c)  # libinlay.so opens it too
    elseif(SKBUILD)
        install(TARGETS ${target} LIBRARY DESTINATION inlayrt COMPONENT python)
    endif()
endfunction()

# inlay_publish(name object...): inlay::<name>, which is the static library inlay_<name>, or with BUILD_SHARED_LIBS the
# shared library of its objects and of those given, which exports what public.map lists. The tool and the tests always
# link the static one: they use more.
function(inlay_publish name)
    add_library(inlay_${name}_shared SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:inlay_${name}> ${ARGN})
    set_target_properties(inlay_${name}_shared PROPERTIES OUTPUT_NAME inlay_${name} EXPORT_NAME ${name} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/public.map)
    target_link_libraries(inlay_${name}_shared PUBLIC inlay_headers)
    target_link_options(inlay_${name}_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/public.map -Wl,--gc-sections)
    if(NOT INLAY_SANITIZE)
        target_link_options(inlay_${name}_shared PRIVATE -Wl,-z,defs)
    endif()
    if(BUILD_SHARED_LIBS)
        set_target_properties(inlay_${name}_shared PROPERTIES EXCLUDE_FROM_ALL OFF)
        add_library(inlay::${name} ALIAS inlay_${name}_shared)
    else()
        add_library(inlay::${name} ALIAS inlay_${name})
    endif()
endfunction()

set(inlay_level_options -fno-exceptions -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -ffp-contract=fast -fno-math-errno -fno-trapping-math)

# inlay_add_level(level flag...): compiles the instruction-set sources for one level. Kernels are measured and fast only
# when optimised, so they are in every configuration; only fuzzers and the memory sanitizer sanitize them, because the
# sanitizers' helpers are weak symbols of all levels.
function(inlay_add_level level)
    if(NOT inlay_isa_sources)
        return()
    endif()
    add_library(inlay_isa_${level} OBJECT ${inlay_isa_sources})
    if(NOT inlay_sanitize_whole)
        set_property(TARGET inlay_isa_${level} PROPERTY INLAY_UNSANITIZED ON)
    endif()
    target_link_libraries(inlay_isa_${level} PRIVATE inlay_headers xsimd)
    target_compile_options(inlay_isa_${level} PRIVATE $<IF:$<BOOL:${inlay_sanitize_whole}>,-O1,-O2> ${ARGN} -DINLAY_LEVEL=${level} ${inlay_level_options})
    if(INLAY_COVERAGE AND NOT INLAY_COVERAGE_LEVELS)
        set_property(TARGET inlay_isa_${level} PROPERTY INLAY_UNCOUNTED ON)
    endif()
    if(INLAY_COVERAGE AND INLAY_COVERAGE_LEVELS)  # counters keep loops from being vectorised anyway
        target_compile_options(inlay_isa_${level} PRIVATE -O1)
    elseif(NOT inlay_sanitize_whole)
        set(dense ${inlay_isa_sources})
        list(FILTER dense INCLUDE REGEX "/(gemm|conv|depthwise)_[^/]*$")
        set_property(SOURCE ${dense} PROPERTY COMPILE_OPTIONS -O3)
    endif()
    inlay_own(inlay_isa_${level})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(inlay_isa_${level} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)  # g++ 12 finds that in its own AVX-512 header
    elseif(INLAY_FUZZ OR (INLAY_COVERAGE AND INLAY_COVERAGE_LEVELS))
        target_compile_options(inlay_isa_${level} PRIVATE -Wno-pass-failed)  # clang makes no vectors of loops whose branches it counts
    endif()
    list(APPEND inlay_level_objects $<TARGET_OBJECTS:inlay_isa_${level}>)
    set(inlay_level_objects ${inlay_level_objects} PARENT_SCOPE)
    foreach(source IN LISTS inlay_isa_sources)
        inlay_add_to_family(${source} ${level} ${ARGN})
    endforeach()
endfunction()

# inlay_add_to_family(source level flag...): where Inlay is a subfolder, a source of kernels is also the library
# inlay_family_<its name>, which has it for all levels, and of which inlay_add_model() links those that the model needs,
# instead of building all of inlay::kernels.
function(inlay_add_to_family source level)
    if(PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    cmake_path(GET source STEM name)
    set(file ${PROJECT_BINARY_DIR}/inlay_families/${level}/${name}.cpp)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include \"@source@\"\n")
    set(dense "")
    if(name MATCHES "^(gemm|conv|depthwise)_")
        set(dense -O3)
    endif()
    set_property(SOURCE ${file} PROPERTY COMPILE_OPTIONS ${ARGN} -DINLAY_LEVEL=${level} ${dense})
    if(NOT TARGET inlay_family_${name})
        add_library(inlay_family_${name} STATIC EXCLUDE_FROM_ALL)
        target_link_libraries(inlay_family_${name} PRIVATE inlay_headers)
        target_include_directories(inlay_family_${name} SYSTEM PRIVATE $<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>)  # no more of it: programs elsewhere do not know what xsimd links
        target_compile_definitions(inlay_family_${name} PRIVATE $<TARGET_PROPERTY:xsimd,INTERFACE_COMPILE_DEFINITIONS>)
        target_compile_options(inlay_family_${name} PRIVATE -O2 ${inlay_level_options} $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized$<SEMICOLON>-Wno-maybe-uninitialized>)
        inlay_own(inlay_family_${name})
    endif()
    target_sources(inlay_family_${name} PRIVATE ${file})
endfunction()

# inlay_find_native_level(result): the best instruction set of this machine, as inlay::kernels would take it.
function(inlay_find_native_level result)
    if(NOT INLAY_NATIVE_LEVEL)
        try_run(runs compiles SOURCE_FROM_CONTENT level.cpp "#include <inlay/impl/isa.cpp>
#include <cstdio>
int main() {
    for (inlay::isa::level l : inlay::isa::linked)
        if (inlay::isa::available(l)) std::printf(\";%s\", inlay::isa::name_of(l).data());
}
" CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/include CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON RUN_OUTPUT_VARIABLE levels COMPILE_OUTPUT_VARIABLE log)
        if(NOT compiles OR NOT runs EQUAL 0)
            message(FATAL_ERROR "inlay: INLAY_LEVELS=native, but this machine does not tell its instruction set: ${log}")
        endif()
        list(GET levels -1 level)
        set(INLAY_NATIVE_LEVEL ${level} CACHE INTERNAL "The instruction set that INLAY_LEVELS=native found")
    endif()
    message(STATUS "inlay: the CPU kernels are compiled for ${INLAY_NATIVE_LEVEL} alone; programs run on machines that have it")
    set(${result} ${INLAY_NATIVE_LEVEL} PARENT_SCOPE)
endfunction()

# Kernel files that sanitizers leave out: element by element, they compute no index from data, and compiling them and
# their tests takes a tenth of the sanitized build. Their tests run in the other suites.
set(inlay_element_wise binary bitwise cast clip comparison is_nan unary where)

# inlay_leave_out_element_wise(files): takes them out of the list in a sanitized build.
function(inlay_leave_out_element_wise files)
    if(INLAY_SANITIZE AND NOT inlay_sanitize_whole)
        list(JOIN inlay_element_wise "|" names)
        list(FILTER ${files} EXCLUDE REGEX "/(${names})\\.[a-z]+$")
        set(${files} ${${files}} PARENT_SCOPE)
    endif()
endfunction()

# inlay_split_sanitized(files): in a sanitized build, the files that need not be sanitized are taken out of the list and
# compiled as in every other build, so that ccache has them already; `files` gets their objects instead.
function(inlay_split_sanitized files)
    if(NOT INLAY_SANITIZE OR inlay_sanitize_whole)
        return()
    endif()
    set(rest ${${files}})
    inlay_leave_out_element_wise(rest)
    set(plain ${${files}})
    list(REMOVE_ITEM plain ${rest})
    add_library(inlay_unsanitized_kernels OBJECT ${plain})
    set_property(TARGET inlay_unsanitized_kernels PROPERTY INLAY_UNSANITIZED ON)
    inlay_set_up(inlay_unsanitized_kernels)
    set(${files} ${rest} $<TARGET_OBJECTS:inlay_unsanitized_kernels> PARENT_SCOPE)
endfunction()

# inlay_join_kernels(target file...): where nothing is optimised, the generated sources of kernels are compiled by
# eight, which takes half the time or less; elsewhere each is an object of its own, of which a static program links what
# it needs.
function(inlay_join_kernels target)
    if((INLAY_SANITIZE AND NOT INLAY_FUZZ) OR NOT INLAY_OPTIMIZE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
        set(batch 0)
        set(files ${ARGN})
        list(FILTER files INCLUDE REGEX "^${inlay_generated_kernels}/")
        while(files)
            list(SUBLIST files 0 8 joined)
            list(REMOVE_ITEM files ${joined})
            set_property(SOURCE ${joined} PROPERTY UNITY_GROUP kernels${batch})
            math(EXPR batch "${batch} + 1")
        endwhile()
    endif()
endfunction()

set(inlay_generated_kernels ${PROJECT_BINARY_DIR}/inlay_kernels)

# inlay_kernel_sources(result device [function]): one generated source per kernel file of the lists
# kernels/inlay/*/operators.hpp, which compiles the rows of that file's operators for the device, and next to the CPU's
# for the reference kernels; so a new operator needs no edit here. The device's header comes first, or the operator's
# where there is none, and is so seen to include what it uses. function: another template than rows() that gives the
# rows of an operator on a device.
function(inlay_kernel_sources result device)
    set(files)
    set(sources)
    set(function rows)
    if(ARGC GREATER 2)
        set(function ${ARGV2})
    endif()
    file(GLOB lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/inlay/*/operators.hpp)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lists})
    foreach(list IN LISTS lists)
        file(READ ${list} text)
        string(REGEX MATCHALL "X\\([a-z0-9_]+, \"[a-z0-9_/]+\"\\)" entries "${text}")
        foreach(entry IN LISTS entries)
            string(REGEX REPLACE "X\\(([a-z0-9_]+), \"([a-z0-9_/]+)\"\\)" "\\1;\\2" entry "${entry}")
            list(GET entry 0 operator)
            list(GET entry 1 file)
            list(APPEND files ${file})
            string(MAKE_C_IDENTIFIER ${file} rows)
            string(APPEND rows_${rows} "template std::span<const row> ${function}<op::${operator}, device::${device}>();\n")
            if(device STREQUAL cpu)
                string(APPEND rows_${rows} "template std::span<const row> rows<op::${operator}, device::reference>();\n")
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES files)
    foreach(file IN LISTS files)
        if(device STREQUAL cpu)
            set(source ${inlay_generated_kernels}/${file}.cpp)
        else()
            set(source ${inlay_generated_kernels}/${device}/${function}/${file}.cpp)
        endif()
        string(MAKE_C_IDENTIFIER ${file} rows)
        set(device_header "")
        if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/inlay/${device}/device.hpp)
            set(device_header "#include <inlay/${device}/device.hpp>\n")
        endif()
        if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/inlay/${device}/${file}.hpp)
            string(APPEND device_header "#include <inlay/${device}/${file}.hpp>\n")
        endif()
        file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Generated from the lists of operators.
${device_header}#include <inlay/${file}.hpp>
#include <inlay/sdk/catalogue.hpp>

namespace inlay::inline v1 {
${rows_${rows}}}  // namespace inlay::inline v1
")
        list(APPEND sources ${source})
    endforeach()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

# What calls, or is called by, functions that know the same C structs by other names: clang's check of function types
# refuses such calls.
function(inlay_call_foreign_types target)
    if(INLAY_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
        target_compile_options(${target} PRIVATE -fno-sanitize=function)
    endif()
endfunction()
