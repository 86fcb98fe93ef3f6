# inlay_write_attribute_names(folder): attribute_names.hpp, the names of all attributes that kernels and operators read, found in their
# headers by the calls that read them; so those of a new operator join the hostile ones by themselves.
function(inlay_write_attribute_names folder)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/inlay/*/*.hpp)
    set(names)
    foreach(header IN LISTS headers)
        file(READ ${header} text)
        string(REGEX MATCHALL "[a-z_]\\.(integer|integers|real|reals|text|texts|tensor)\\([ \n]*\"[A-Za-z_0-9]+\"" calls "${text}")
        list(APPEND names ${calls})
    endforeach()
    list(TRANSFORM names REPLACE ".*(\"[A-Za-z_0-9]+\")" "\\1")
    list(REMOVE_DUPLICATES names)
    list(SORT names)
    list(JOIN names ",\n    " names)
    file(CONFIGURE OUTPUT ${folder}/attribute_names.hpp @ONLY CONTENT "// Generated: names of attributes that kernels read.
#pragma once
#include <string_view>
namespace inlay::testing {
inline constexpr std::string_view attribute_names[] = {
    @names@};
}  // namespace inlay::testing
")
endfunction()
