# What stand-ins of vendors' libraries compute with: primitives by simple loops, with nothing of Inlay's.
add_library(stand_in_evaluator STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/axes.cpp ${CMAKE_CURRENT_LIST_DIR}/movement.cpp ${CMAKE_CURRENT_LIST_DIR}/windows.cpp)
target_compile_features(stand_in_evaluator PUBLIC cxx_std_20)
set_target_properties(stand_in_evaluator PROPERTIES POSITION_INDEPENDENT_CODE ON)
inlay_own(stand_in_evaluator)
