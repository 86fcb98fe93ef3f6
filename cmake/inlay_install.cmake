# Installs a relocatable package: find_package(inlay) gives inlay::inlay, inlay::kernels, inlay::engine, inlay::onnx, inlay::built, inlay::ort, inlay::c, inlay::provider_conformance and inlay::tool.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/inlay)
set(targets inlay_headers)
get_property(built_providers GLOBAL PROPERTY INLAY_PROVIDERS)
foreach(name kernels engine onnx built ort provider_conformance ${built_providers} tool)
    if(TARGET inlay::${name} AND NOT (name STREQUAL engine AND BUILD_SHARED_LIBS AND INLAY_BUILD_ONNX))
        get_target_property(target inlay::${name} ALIASED_TARGET)
        list(APPEND targets ${target})
    endif()
endforeach()
install(TARGETS ${targets} EXPORT inlay_targets)
if(TARGET inlay_c)  # the component c, which needs the target inlay_c alone
    install(TARGETS inlay_c EXPORT inlay_targets COMPONENT c)
    install(FILES include/inlay.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c)
endif()
install(EXPORT inlay_targets FILE inlayTargets.cmake NAMESPACE inlay:: DESTINATION ${package})
# The .cpp files are for INLAY_HEADER_ONLY.
install(DIRECTORY include/ kernels/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.cpp PATTERN *.cuh)
set(users_link_onnx ${INLAY_BUILD_ONNX})
get_property(provider_dependencies GLOBAL PROPERTY INLAY_PROVIDER_DEPENDENCIES)  # of what is linked into the program
if(BUILD_SHARED_LIBS)  # what the shared libraries are made from is linked into them
    set(users_link_onnx OFF)
    set(provider_dependencies)
endif()
configure_package_config_file(cmake/inlayConfig.cmake.in inlayConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(inlayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/inlayConfig.cmake ${PROJECT_BINARY_DIR}/inlayConfigVersion.cmake cmake/inlay_dependencies.cmake cmake/inlay_old_targets.cmake cmake/inlay_add_model.cmake cmake/inlay_add_plugin.cmake DESTINATION ${package})
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/inlay)
if(TARGET inlay_tool AND NOT CMAKE_CROSSCOMPILING)  # the tool writes it
    add_custom_command(TARGET inlay_tool POST_BUILD COMMAND inlay_tool completion bash > ${PROJECT_BINARY_DIR}/inlay.bash VERBATIM)
    install(FILES ${PROJECT_BINARY_DIR}/inlay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME inlay)
endif()
