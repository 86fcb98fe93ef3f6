# Libraries that single operators need: each is linked by a module, which inlay::kernels opens when a node needs it, so
# that nothing else is linked with them. INLAY_<NAME>: ON, OFF, or AUTO, where they are found; a wheel has no place for
# modules.

# inlay_add_kernel_module(name source why found [HEADERS folder...] [LIBRARIES library...]): INLAY_<NAME>, whose
# libraries are `found` or not; why: what is to be installed. inlay_has_<name>: whether the module is built.
function(inlay_add_kernel_module name source why found)
    cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "HEADERS;LIBRARIES")
    string(TOUPPER INLAY_${name} option)
    set(inlay_has_${name} OFF PARENT_SCOPE)
    if(NOT ${option} OR ("${${option}}" STREQUAL "AUTO" AND (SKBUILD OR NOT found)))
        return()
    elseif(NOT found)
        message(FATAL_ERROR "inlay: ${option} is ON, but ${why}")
    endif()
    inlay_add_module(inlay_${name}_module inlay_kernels src/kernels/modules/${source} HEADERS ${arg_HEADERS} LIBRARIES ${arg_LIBRARIES})
    if(TARGET inlay_family_base)
        add_dependencies(inlay_family_base inlay_${name}_module)
    endif()
    set(inlay_has_${name} ON PARENT_SCOPE)
endfunction()

set_property(SOURCE src/kernels/regular_expression.cpp src/kernels/image_decoder.cpp src/kernels/modules/regular_expression.cpp src/kernels/modules/image_decoder.cpp
    PROPERTY COMPILE_DEFINITIONS INLAY_MODULE_BUILD="${PROJECT_VERSION}-${CMAKE_CXX_COMPILER_ID}-${CMAKE_CXX_COMPILER_VERSION}" INLAY_MODULE_FOLDER="${CMAKE_INSTALL_LIBDIR}")
foreach(target inlay_kernels inlay_kernels_shared)
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
if(INLAY_RE2)
    find_path(inlay_re2_include re2/re2.h)
    find_library(inlay_re2_library re2)
    set(found OFF)
    if(inlay_re2_include AND inlay_re2_library)
        set(found ON)
    endif()
    inlay_add_kernel_module(re2 regular_expression.cpp "RE2 was not found; Debian's libre2-dev has it" ${found} HEADERS ${inlay_re2_include} LIBRARIES ${inlay_re2_library})
endif()
if(INLAY_IMAGES)
    find_package(JPEG QUIET)
    find_package(PNG QUIET)
    find_package(TIFF 4.5 QUIET)  # whose options bound what it takes
    find_path(inlay_webp_include webp/decode.h)
    find_library(inlay_webp_library webp)
    find_path(inlay_openjpeg_include openjpeg.h PATH_SUFFIXES openjpeg-2.5 openjpeg-2.6)
    find_library(inlay_openjpeg_library openjp2)
    set(found ON)
    foreach(part JPEG_FOUND PNG_FOUND TIFF_FOUND inlay_webp_include inlay_webp_library inlay_openjpeg_include inlay_openjpeg_library)
        if(NOT ${part})
            set(found OFF)
        endif()
    endforeach()
    inlay_add_kernel_module(images image_decoder.cpp "one of libjpeg, libpng, libtiff 4.5, libwebp and OpenJPEG was not found; scripts/setup --python installs them" ${found}
        HEADERS ${JPEG_INCLUDE_DIRS} ${PNG_INCLUDE_DIRS} ${TIFF_INCLUDE_DIRS} ${inlay_webp_include} ${inlay_openjpeg_include}
        LIBRARIES ${JPEG_LIBRARIES} ${PNG_LIBRARIES} ${TIFF_LIBRARIES} ${inlay_webp_library} ${inlay_openjpeg_library})
endif()
