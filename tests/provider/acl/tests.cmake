if(TARGET inlay_acl)  # graphs are made by hand, so that onnx need not be there
    inlay_add_tests(provider/acl inlay_acl inlay_provider_conformance)
    set_property(TEST acl.operators acl.networks acl.sessions acl.unavailable APPEND PROPERTY LABELS aarch64)
    set_property(TEST acl.operators acl.networks acl.sessions PROPERTY ENVIRONMENT INLAY_ACL_LIBRARY=$<TARGET_FILE:inlay_acl_module>)
    set_property(TEST acl.unavailable PROPERTY ENVIRONMENT INLAY_ACL_LIBRARY=/no/such/place)
    add_dependencies(aarch64_tests acl_tests)
endif()
