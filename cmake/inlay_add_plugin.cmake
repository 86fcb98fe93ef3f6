# inlay_add_plugin(name source...): the plugin <name>.so of C or C++ sources that export inlay_plugin_entry() (<inlay/plugin.h>), and nothing
# else: a library that shares names with others, as inline variables do, stays loaded for ever.
cmake_policy(VERSION 3.25)

function(inlay_add_plugin name)
    add_library(${name} MODULE ${ARGN})
    set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: inlay_plugin_entry; local: *; };\n")
    set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${exports})
    target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--gc-sections)
    if(NOT INLAY_SANITIZE)
        target_link_options(${name} PRIVATE -Wl,-z,defs)
    endif()
endfunction()
