# Targets by the names that they had before, for one release: of the source tree and of the installed package.
if(TARGET inlay::provider_conformance AND NOT TARGET inlay::laws)
    add_library(inlay::laws INTERFACE IMPORTED GLOBAL)
    set_target_properties(inlay::laws PROPERTIES INTERFACE_LINK_LIBRARIES inlay::provider_conformance
        DEPRECATION "it is now inlay::provider_conformance")
endif()
