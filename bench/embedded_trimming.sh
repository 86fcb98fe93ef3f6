#!/usr/bin/env bash
# embedded_trimming.sh MODEL.onnx SHAPES: a program that embeds a model, static and stripped, stays the same to the byte when the library
# gets one more operator with kernels for both devices: not even the order of the operators' list reaches it.
. "$(dirname "$0")/embedded_build.sh"

# The larger library: its headers list an operator before all others, and its archive has that operator's rows.
mkdir "$work/include"
cp -R "$here"/../{include,kernels}/inlay "$work/include"
sed -i 's/^#define INLAY_ONNX_OPERATORS(X) \\$/&\n    X(unrelated, "onnx\/unrelated") \\/' "$work/include/inlay/onnx/operators.hpp"
sed 's/\bclip\b/unrelated/g; s/"Clip"/"Unrelated"/; s/clip_bounds/unrelated_bounds/g; s/\bgreatest\b/unrelated_greatest/g; s/\bleast\b/unrelated_least/g' "$work/include/inlay/onnx/clip.hpp" > "$work/include/inlay/onnx/unrelated.hpp"
sed 's/op::clip\b/op::unrelated/g; s/clip_bounds/unrelated_bounds/g; s/<inlay\/onnx\/clip\.hpp>/<inlay\/onnx\/unrelated.hpp>/' "$work/include/inlay/cpu/onnx/clip.hpp" > "$work/include/inlay/cpu/onnx/unrelated.hpp"
cat > "$work/rows.cpp" <<'END'
#include <inlay/sdk/catalogue.hpp>
#include <inlay/operators.hpp>
#include <inlay/onnx/unrelated.hpp>
#include <inlay/cpu/onnx/unrelated.hpp>
namespace inlay::inline v1 {
template std::span<const row> rows<op::unrelated, device::cpu>();
template std::span<const row> rows<op::unrelated, device::reference>();
}  // namespace inlay::inline v1
END
${CXX:-c++} "${flags[@]}" -I"$work/include" -c "$work/rows.cpp" -o "$work/rows.o"
cp "$kernels" "$work/libinlay_kernels.a"
ar rs "$work/libinlay_kernels.a" "$work/rows.o"
nm -C "$work/libinlay_kernels.a" > "$work/symbols"
grep -q 'kernel<inlay::v1::op::unrelated, inlay::v1::device::cpu' "$work/symbols" || fail "the larger library lacks the operator"
# The program is compiled against the longer list: the same question has another answer there.
printf '#include <inlay/operators.hpp>\nstatic_assert(sizeof(inlay::op::unrelated*));\n' > "$work/listed.cpp"
${CXX:-c++} "${flags[@]}" -I"$work/include" -fsyntax-only "$work/listed.cpp" || fail "the larger library's headers lack the operator"
! ${CXX:-c++} "${flags[@]}" -I"$include" -fsyntax-only "$work/listed.cpp" 2> /dev/null || fail "the library has an operator named unrelated already"

# No build id: it is a checksum of the symbols too, which strip removes.
build before embedded_app.cpp "$include" "$kernels" -static -Wl,--build-id=none
build after embedded_app.cpp "$work/include" "$work/libinlay_kernels.a" -static -Wl,--build-id=none
strip "$work/before" "$work/after"
cmp "$work/before" "$work/after" || fail "the programs differ"
"$work/after" || fail "the program does not run"
echo "the same $(stat -c %s "$work/after") bytes"
