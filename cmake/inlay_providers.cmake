# Providers beside the CPU's are packages, found by the build: each folder src/provider/<name> has a provider.cmake, which
# makes inlay::<name> where its option says so and tells it by one of these; its tests are tests/provider/<name>/tests.cmake.

# inlay_has_provider(name TYPE type HEADER header [DEPENDENCY package version]): inlay_<name> is part of this build.
# DEPENDENCY: what programs that link the static library have to find.
function(inlay_has_provider name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TYPE;HEADER" DEPENDENCY)
    set_property(GLOBAL APPEND PROPERTY INLAY_PROVIDERS ${name})
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_HEADERS "#include <${arg_HEADER}>\n")
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_TYPES ", ${arg_TYPE}")
    list(JOIN arg_DEPENDENCY " " dependency)
    if(dependency)
        set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDER_DEPENDENCIES "find_dependency(${dependency})\n")
    endif()
endfunction()

# inlay_lacks_provider(name why): it is not; the tool tells how to get it.
function(inlay_lacks_provider name why)
    set_property(GLOBAL APPEND_STRING PROPERTY INLAY_PROVIDERS_LACKING "    {\"${name}\", \"${why}\"},\n")
endfunction()

# inlay_write_provider_types(file): the header that lists what is in the build, for the one source of a program that makes providers
# by name.
function(inlay_write_provider_types file)
    foreach(part PROVIDER_HEADERS PROVIDER_TYPES PROVIDERS_LACKING)
        get_property(${part} GLOBAL PROPERTY INLAY_${part})
    endforeach()
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated: the providers of this build, and those that it lacks.
#pragma once
#include <inlay/provider/cpu.hpp>
#include <inlay/provider/reference.hpp>
@PROVIDER_HEADERS@#include <array>
#include <string_view>

namespace inlay {
inline namespace v1 {
template <template <class...> class List> using with_built_providers = List<cpu, reference@PROVIDER_TYPES@>;
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

file(GLOB inlay_provider_packages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/provider/*/provider.cmake)
foreach(package IN LISTS inlay_provider_packages)
    include(${package})
endforeach()
inlay_write_provider_types(${PROJECT_BINARY_DIR}/generated/provider_types.hpp)
