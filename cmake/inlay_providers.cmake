# Providers other than the CPU's are packages, found by the build: each folder src/provider/<name> has a provider.cmake,
# which builds inlay::<name> where its option says so and declares it by one of these; its tests are
# tests/provider/<name>/tests.cmake, which every build with tests includes.

# inlay_has_provider(name TYPE type HEADER header [DEPENDENCY package version]): inlay_<name> is part of this build.
# DEPENDENCY: what programs that link the static library have to find.
function(inlay_has_provider name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TYPE;HEADER" DEPENDENCY)
    set_property(GLOBAL APPEND PROPERTY INLAY_PROVIDERS ${name})
    set_property(GLOBAL APPEND PROPERTY INLAY_PROVIDER_NAMES ${name})
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_HEADERS "#include <${arg_HEADER}>\n")
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_TYPES ", ${arg_TYPE}")
    list(JOIN arg_DEPENDENCY " " dependency)
    if(dependency)
        set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_DEPENDENCIES "find_dependency(${dependency})\n")
    endif()
endfunction()

# inlay_has_provider_type(type): the header of the package has this one too.
function(inlay_has_provider_type type)
    set_property(GLOBAL APPEND PROPERTY INLAY_PROVIDER_NAMES ${type})
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_TYPES ", ${type}")
endfunction()

# inlay_lacks_provider(name why): it is not; the tool says how to get it.
function(inlay_lacks_provider name why)
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDERS_LACKING "    {\"${name}\", \"${why}\"},\n")
endfunction()

# inlay_plans_for_provider(name why TYPE type HEADER header SOURCES pattern... [DEVICE device]): it is not, but what a
# plan needs of it requires no library of its device: the tool plans for it, and says how to get it. SOURCES: what the
# header declares of that, and planned_kernels_of<type>(); DEVICE: the folder and tag of its kernels. They are in
# inlay_<name>_plans.
function(inlay_plans_for_provider name why)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TYPE;HEADER;DEVICE" SOURCES)
    inlay_add_library(${name}_plans ${arg_SOURCES})
    set_target_properties(inlay_${name}_plans PROPERTIES EXCLUDE_FROM_ALL ON)
    target_link_libraries(inlay_${name}_plans PUBLIC inlay_kernels)
    target_compile_options(inlay_${name}_plans PRIVATE $<$<CONFIG:Release>:-O1>)
    if(arg_DEVICE)
        inlay_kernel_sources(rows ${arg_DEVICE} planned_rows)
        target_sources(inlay_${name}_plans PRIVATE ${rows})
        set_target_properties(inlay_${name}_plans PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)  # each does less than its headers
    endif()
    set_property(GLOBAL APPEND PROPERTY INLAY_PLANNED_PROVIDERS ${name})
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_HEADERS "#include <${arg_HEADER}>\n")
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PLANNED_STRUCTS "struct planned_${name} {
    using type = ${arg_TYPE};
    static constexpr std::string_view why = \"${why}\";
};
")
endfunction()

# inlay_engine_option(name needs [READS_ONNX] [MODULE] [TYPES type...]): the package src/provider/<name> of an engine is
# built if INLAY_<NAME> says so, or INLAY_ENGINES, where that says nothing; else its file ends here. READS_ONNX: its
# library gets regions as ONNX. MODULE: a file of its own is linked with its library, which wheels for others cannot have:
# they have it where its own option is ON. TYPES: its providers, where it is not one of that name. inlay_builds_<name> is
# ON, OFF, or AUTO: it is built where its headers are found, and its tests are left to builds that say ON. Not where
# Inlay's libraries are shared: they export less than providers use.
macro(inlay_engine_option name needs)
    cmake_parse_arguments(inlay_engine "READS_ONNX;MODULE" "" "TYPES" ${ARGN})
    string(TOUPPER ${name} inlay_option)
    set(INLAY_${inlay_option} "" CACHE STRING "Build inlay::${name}, which needs ${needs}: ON, OFF, AUTO where that is found; empty: as INLAY_ENGINES says")
    set(inlay_builds_${name} "${INLAY_${inlay_option}}")
    if(inlay_builds_${name} STREQUAL "")
        set(inlay_builds_${name} ${INLAY_ENGINES})
    endif()
    if(NOT inlay_engine_TYPES)
        set(inlay_engine_TYPES ${name})
    endif()
    if(inlay_builds_${name} STREQUAL "AUTO" AND (BUILD_SHARED_LIBS OR (inlay_engine_READS_ONNX AND NOT INLAY_BUILD_ONNX)))
        set(inlay_builds_${name} OFF)
    elseif(inlay_engine_MODULE AND SKBUILD AND NOT INLAY_${inlay_option})
        set(inlay_builds_${name} OFF)
    endif()
    if(NOT inlay_builds_${name})
        inlay_lacks_providers("this program was built without it; configure with -DINLAY_${inlay_option}=ON" ${inlay_engine_TYPES})
        return()
    endif()
    if(inlay_engine_READS_ONNX AND NOT INLAY_BUILD_ONNX)
        message(FATAL_ERROR "inlay: INLAY_${inlay_option} needs INLAY_BUILD_ONNX: its library gets regions as ONNX")
    endif()
endmacro()
# inlay_lacks_providers(why type...)
function(inlay_lacks_providers why)
    foreach(type IN LISTS ARGN)
        inlay_lacks_provider(${type} "${why}")
    endforeach()
endfunction()
# inlay_first_lacking(result (variable what)...): what the first variable stands for that was not found.
function(inlay_first_lacking result)
    set(${result} "" PARENT_SCOPE)
    while(ARGN)
        list(POP_FRONT ARGN variable what)
        if(NOT ${variable})
            set(${result} "${what}" PARENT_SCOPE)
            set(inlay_lacking_variable ${variable} PARENT_SCOPE)
            return()
        endif()
    endwhile()
endfunction()
# inlay_engine_needs(name (variable what)...): where one of the variables was not found, an error; or with AUTO the
# package's file ends here.
macro(inlay_engine_needs name)
    string(TOUPPER ${name} inlay_option)
    inlay_first_lacking(inlay_lacking ${ARGN})
    if(inlay_lacking AND "${inlay_builds_${name}}" STREQUAL "AUTO")
        inlay_lacks_providers("this program was built without it, for ${inlay_lacking} was not found; scripts/setup --provider ${name} installs it" ${inlay_engine_TYPES})
        return()
    elseif(inlay_lacking)
        message(FATAL_ERROR "inlay: INLAY_${inlay_option} is ON, but ${inlay_lacking} was not found; scripts/setup --provider ${name} installs it, or set ${inlay_lacking_variable}")
    endif()
endmacro()
# inlay_add_engine(name header_folder...): inlay::<name>, of the sources and the type of that name.
function(inlay_add_engine name)
    inlay_add_library(${name} src/provider/${name}/*.cpp)
    add_library(inlay::${name} ALIAS inlay_${name})
    target_include_directories(inlay_${name} SYSTEM PRIVATE ${ARGN})
    target_link_libraries(inlay_${name} PUBLIC $<IF:$<BOOL:${INLAY_BUILD_ONNX}>,inlay_onnx,inlay_engine> PRIVATE ${CMAKE_DL_LIBS})
    inlay_join_sources(inlay_${name})
    inlay_build_on_demand(inlay_${name})
    if(inlay_builds_${name} STREQUAL "AUTO")
        set_property(GLOBAL APPEND PROPERTY INLAY_AUTOMATIC_PROVIDERS ${inlay_engine_TYPES})
    endif()
    inlay_has_provider(${name} TYPE ${name} HEADER inlay/provider/${name}.hpp)
endfunction()

# inlay_add_engine_module(name HEADERS folder... LIBRARIES library...): libinlay_<name>_module, of
# src/provider/<name>/module, which alone is linked with the engine's libraries, and which inlay_<name> opens. Both have
# their names as definitions, for they have to be of one build.
function(inlay_add_engine_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
    string(TOUPPER ${name} option)
    set(module inlay_${name}_module)
    set(build INLAY_${option}_BUILD="${PROJECT_VERSION}-${CMAKE_CXX_COMPILER_ID}-${CMAKE_CXX_COMPILER_VERSION}")
    target_compile_definitions(inlay_${name} PRIVATE ${build} INLAY_${option}_FOLDER="${CMAKE_INSTALL_LIBDIR}")
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/provider/${name}/module/*.cpp)
    inlay_add_module(${module} inlay_${name} ${sources} HEADERS ${arg_HEADERS} LIBRARIES ${arg_LIBRARIES})
    target_compile_definitions(${module} PRIVATE ${build})
endfunction()

# inlay_found_by_python(variable [INTERPRETER] pattern...): where Python's package manager puts the library of an engine,
# below a folder of packages: a pattern of a file's name, or a folder, which ends with `/`. The Python package uses what
# it finds there as if the environment variable had it; of several patterns all, with ':' between them. INTERPRETER: not
# that place, but the running Python.
function(inlay_found_by_python variable)
    cmake_parse_arguments(PARSE_ARGV 1 arg "INTERPRETER" "" "")
    list(JOIN arg_UNPARSED_ARGUMENTS ":" patterns)
    if(arg_INTERPRETER)
        set(is_interpreter true)
    else()
        set(is_interpreter false)
    endif()
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PYTHON_PLACES "    {\"${variable}\", \"${patterns}\", ${is_interpreter}},\n")
endfunction()

# inlay_write_python_places(file): the header that lists them, for the Python package.
function(inlay_write_python_places file)
    get_property(places GLOBAL PROPERTY INLAY_PYTHON_PLACES)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated: where Python's packages have the libraries of this build's providers.
#pragma once
#include <array>
#include <string_view>

namespace inlay {
inline namespace v1 {
struct python_place {
    std::string_view variable, patterns;  // with ':' between them
    bool is_interpreter;
};
inline constexpr auto python_places = std::to_array<python_place>({
@places@    {},  // the end
});
}  // namespace v1
}  // namespace inlay
")
endfunction()

# inlay_write_provider_types(file): the header that lists what is in the build, for the one source of a program that
# makes providers by name.
function(inlay_write_provider_types file)
    foreach(part PROVIDER_HEADERS PROVIDER_TYPES PLANNED_STRUCTS PROVIDERS_LACKING)
        get_property(${part} GLOBAL PROPERTY INLAY_${part})
    endforeach()
    get_property(PLANNED_TYPES GLOBAL PROPERTY INLAY_PLANNED_PROVIDERS)
    list(TRANSFORM PLANNED_TYPES PREPEND planned_)
    list(JOIN PLANNED_TYPES ", " PLANNED_TYPES)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated: the providers of this build, those that it only plans for, and those that it lacks.
#pragma once
#include <inlay/provider/cpu.hpp>
#include <inlay/provider/reference.hpp>
@PROVIDER_HEADERS@#include <array>
#include <string_view>

namespace inlay {
inline namespace v1 {
template <template <class...> class List> using with_built_providers = List<cpu, reference@PROVIDER_TYPES@>;
@PLANNED_STRUCTS@template <template <class...> class List> using with_planned_providers = List<@PLANNED_TYPES@>;
struct lacking_provider {
    std::string_view name, why;
};
inline constexpr auto lacking_providers = std::to_array<lacking_provider>({
@PROVIDERS_LACKING@    {},  // the end
});
}  // namespace v1
}  // namespace inlay
")
endfunction()

# inlay_write_provider_contracts(file): the source that lists the capability tables of all packages, whether they are in
# the build or not: src/provider/<folder>/contract.hpp has <folder>_contract, of the type <folder>; <name>_contract.hpp
# there <name>_contract, of <name>; of a provider over src/lowering its rules.hpp has it.
function(inlay_write_provider_contracts file)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/provider/*/*contract.hpp)
    file(GLOB rule_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/provider/*/rules.hpp)
    foreach(header IN LISTS rule_headers)
        cmake_path(GET header PARENT_PATH folder)
        if(NOT "${folder}/contract.hpp" IN_LIST headers)
            list(APPEND headers ${header})
        endif()
    endforeach()
    list(SORT headers)
    set(includes "")
    set(contracts "")
    foreach(header IN LISTS headers)
        cmake_path(GET header STEM name)
        if(name MATCHES "^(contract|rules)$")
            cmake_path(GET header PARENT_PATH folder)
            cmake_path(GET folder FILENAME name)
            string(APPEND includes "#include <inlay/provider/${name}.hpp>\n")
            string(APPEND name _contract)
        endif()
        string(REGEX REPLACE "_contract$" "" type ${name})
        string(APPEND includes "#include <${header}>\n")
        string(APPEND contracts "        contract_of<${type}>(${name}),\n")
    endforeach()
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated: the contracts of all packages.
@includes@
#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"  // the types of some are

namespace inlay {
inline namespace v1 {
std::span<const provider_contract* const> provider_contracts() {
    static constexpr auto contracts = std::to_array<provider_contract>({
@contracts@    });
    static constexpr auto pointers = [] {
        std::array<const provider_contract*, contracts.size()> all{};
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = &contracts[k];
        return all;
    }();
    return pointers;
}
}  // namespace v1
}  // namespace inlay
")
endfunction()

set(INLAY_ENGINES AUTO CACHE STRING "Providers whose engines are libraries of others, unless the option of one says something else: AUTO, those that can be compiled here; ON, all; OFF, none")
file(GLOB inlay_provider_packages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/provider/*/provider.cmake)
foreach(package IN LISTS inlay_provider_packages)
    include(${package})
endforeach()
inlay_write_provider_types(${PROJECT_BINARY_DIR}/generated/provider_types.hpp)
