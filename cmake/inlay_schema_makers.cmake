# cmake -D FOLDERS=<include folders of onnx> -D OUT=<file> -P inlay_schema_makers.cmake: writes the table that src/onnx/schemas.hpp declares,
# a row for every operator and version that the headers of the onnx library list.
foreach(folder IN LISTS FOLDERS)
    file(GLOB headers RELATIVE ${folder} ${folder}/onnx/defs/operator_sets*.h)
    foreach(header IN LISTS headers)
        string(APPEND includes "#include <${header}>\n")
        file(READ ${folder}/${header} text)
        string(REGEX MATCHALL "GetOpSchema<" uses "${text}")
        string(REGEX MATCHALL "GetOpSchema<[ \n]*[A-Z_]+\\([A-Za-z0-9_, ]+\\)[ \n]*>" found "${text}")
        list(LENGTH uses listed)
        list(LENGTH found read)
        if(NOT listed EQUAL read)
            message(FATAL_ERROR "inlay: ${folder}/${header} lists ${listed} schemas, ${read} of them in the way that is known")
        endif()
        list(APPEND rows ${found})
    endforeach()
endforeach()
if(NOT rows)
    message(FATAL_ERROR "inlay: no onnx/defs/operator_sets.h in ${FOLDERS}")
endif()
list(TRANSFORM rows REPLACE "^GetOpSchema<[ \n]*([A-Z_]+\\([A-Za-z, ]*([0-9]+), *([A-Za-z0-9_]+)\\))[ \n]*>$" "    {\"\\3\", \\2, &::onnx::GetOpSchema<::onnx::\\1>},\n")
list(TRANSFORM rows REPLACE ", ([0-9])," ",  \\1,")  # so that versions sort as numbers
list(SORT rows)
list(TRANSFORM rows REPLACE "^.*\\(OnnxML,.*$" "#ifdef ONNX_ML\n\\0#endif\n")
list(JOIN rows "" rows)
file(WRITE ${OUT} "// Made by cmake/inlay_schema_makers.cmake.
#include <onnx/schemas.hpp>
${includes}
namespace inlay::inline v1::loading {
static constexpr schema_maker rows[] = {
${rows}};
static_assert(std::ranges::is_sorted(rows, {}, [](const schema_maker& m) { return std::pair(m.name, m.version); }));
const std::span<const schema_maker> schema_makers = rows;
}  // namespace inlay::inline v1::loading
")
