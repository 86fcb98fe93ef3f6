#!/usr/bin/env bash
# inlay compile: a header that compiles, the same bytes each time, and an answer to each misuse.
. "$(dirname "$0")/expect.sh"
out=$work/out
header=$out/inlay/models/digits.hpp

expect 0 "$header: 10 nodes, 95.8 kB of weights" compile "$digits" --name digits --out "$out" --shape batch=1
for text in 'struct digits {' '{"conv1", "", "Conv", 11,' '{"conv1+relu1", "inlay", "FusedConv", 1,' '{"image", f32, {1, 1, 8, 8}}' 'inlay::pack<inlay::op::conv, ' 'static_assert(inlay::embedded_model<digits>);'; do
    grep -qF -- "$text" "$header" || fail "no \"$text\" in the header"
done
[ "$(wc -c < "$out/digits.weights")" -eq "$(sed -n 's/.*weight_bytes = \([0-9]*\);/\1/p' "$header")" ] || fail "the weights have another size than the header says"

# Stable, and left alone where nothing changes.
touch -d '2001-01-01' "$header" "$out/digits.weights" "$out/digits.S"
expect 0 'unchanged' compile "$digits" --name digits --out "$out" --shape batch=1
[ -z "$(find "$out" -type f -newermt '2002-01-01')" ] || fail "unchanged files were written again: $(find "$out" -type f -newermt '2002-01-01')"
expect 0 '' compile "$digits" --name digits --out "$work/again" --shape batch=1 --quiet
[ ! -s "$work/stdout" ] || fail "--quiet printed: $(cat "$work/stdout")"
diff -r "$out" "$work/again" || fail "two runs differ"
expect 0 '' compile "$digits" --name digits --out "$work/again" --shapes batch=2  # as it was called
cmp -s "$out/digits.weights" "$work/again/digits.weights" || fail "the weights depend on the batch"
expect 0 'unchanged' compile "$digits" --name digits --out "$work/again" --shape image=2,1,8,8
grep -qF '{"image", f32, {2, 1, 8, 8}}' "$work/again/inlay/models/digits.hpp" || fail "the batch is not 2"
expect 0 '' compile "$digits" --name digits --out "$work/bounds" --shape batch=1..8
for text in '"batch"=1..8;' '{"image", f32, {8, 1, 8, 8}}' 'inlay::shape{-2, 1, 8, 8}' 'inlay::dimension{"batch", 1, 8}'; do
    grep -qF -- "$text" "$work/bounds/inlay/models/digits.hpp" || fail "no \"$text\" in the header of a model with bounds"
done
[ -z "$(find "$out" "$work/again" -name '*.new*')" ] || fail "temporary files are left"

# A compiler takes what it writes, with all warnings; the weights are where the header says.
cat > "$work/use.cpp" << 'END'
#include <inlay/models/digits.hpp>
#include <cstdio>
using model = inlay::models::digits;
static_assert(model::name == "digits" && model::graph.nodes.size() == 10 && model::graph.fused.size() == 3 && model::input_names[0] == "image" && model::output_names[0] == "scores");
int main() {
    float first;
    __builtin_memcpy(&first, model::weights() + model::constants[std::size_t(model::graph.values[1].constant)], sizeof(first));
    std::printf("%s %d %.9g\n", model::graph.values[1].name.data(), int(reinterpret_cast<std::uintptr_t>(model::weights()) % 64), double(first));
}
END
includes=(-I "$out" -I "$INLAY_SOURCE/include" -I "$INLAY_SOURCE/kernels")
if "$INLAY_CXX" -std=c++20 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" "$work/use.cpp" -x assembler-with-cpp "$out/digits.S" -Wa,-I,"$out" -o "$work/use"; then
    expected="conv1.weight 0 $(od -An -tf4 -N4 "$out/digits.weights" | awk '{printf "%.6g", $1}')"
    got=$("$work/use" | awk '{printf "%s %s %.6g", $1, $2, $3}')
    [ "$got" = "$expected" ] || fail "the program printed \"$got\", not \"$expected\""
else
    fail "the header does not compile"
fi

expect 0 '' compile "$digits" --name digits --out "$work/mapped" --shape batch=1 --weights mapped --depfile "$work/a b.stamp.d" --quiet
grep -qF 'place = inlay::weights_place::mapped' "$work/mapped/inlay/models/digits.hpp" || fail "the weights are not mapped"
grep -qF 'weights_file = "digits.weights"' "$work/mapped/inlay/models/digits.hpp" || fail "the file of the weights has no name"
grep -qF "$(basename "$work")/a\\ b.stamp: \\" "$work/a b.stamp.d" && grep -qF "$digits" "$work/a b.stamp.d" || fail "the depfile is $(cat "$work/a b.stamp.d")"

expect 0 '' compile "$digits" --name digits --out "$work/half" --shape batch=1 --precision bfloat16 --quiet
grep -qF '"digits", inlay::precision::bfloat16};' "$work/half/inlay/models/digits.hpp" || fail "the header does not state the precision"
! grep -qF 'precision' "$header" || fail "the header of a standard model states a precision"
cmp -s "$out/digits.weights" "$work/half/digits.weights" || fail "the weights depend on the precision"

# make and ninja read the depfile: the target is built again when the external data change, whatever the name of their
# file is.
write_external() {  # FILE LOCATION: y = x + w, and w lies in LOCATION
    local type node tensor graph
    type=$(message 2 "$(message 1 "$(number 1 1)$(message 2 "$(message 1 "$(number 1 2)")")")")
    node=$(text 1 x)$(text 1 w)$(text 2 y)$(text 4 Add)
    tensor=$(number 1 2)$(number 2 1)$(text 8 w)$(message 13 "$(text 1 location)$(text 2 "$2")")$(number 14 1)
    graph=$(message 1 "$node")$(text 2 g)$(message 5 "$tensor")$(message 11 "$(text 1 x)$type")$(message 12 "$(text 1 y)$type")
    write_hex "$1" "$(number 1 8)$(message 7 "$graph")$(message 8 "$(text 1 "")$(number 2 17)")"
}
for program in make ninja; do command -v $program > /dev/null || { echo "$program is missing"; exit 1; }; done
mkdir "$work/build"
printf 'out.stamp:\n\ttouch out.stamp\n\techo made\n-include out.stamp.d\n' > "$work/build/Makefile"
printf 'rule copy\n  command = cp kept.d out.stamp.d && touch out.stamp\n  depfile = out.stamp.d\nbuild out.stamp: copy\n' > "$work/build/build.ninja"
builds() {  # "made", or nothing where there is nothing to do; by the program $1
    case $1 in
        make) make -C "$work/build" 2>&1 | grep -x made ;;
        ninja) ninja -C "$work/build" 2>&1 | grep -q 'no work to do' || echo made ;;
    esac
}
for name in 'a b' 'a#b' 'a$b' 'a$(touch pwned)b' 'a\b' 'a\ b' 'a:b' 'a=b' 'a!=touch pwned' 'a%b'; do
    rm -rf "$work/model" && mkdir "$work/model"
    printf '\0\0\200?\0\0\200?' > "$work/model/$name"
    touch -d 2001-01-01 "$work/model/$name"
    write_external "$work/model/m.onnx" "$name"
    touch -d 2001-01-01 "$work/model/m.onnx"
    expect 0 '' compile "$work/model/m.onnx" --name m --out "$work/build/out" --depfile "$work/build/out.stamp.d" -q
    sed -i "s|^[^ ]*out.stamp:|out.stamp:|" "$work/build/out.stamp.d"
    cp "$work/build/out.stamp.d" "$work/build/kept.d"
    for program in make ninja; do
        rm -f "$work/build/out.stamp" "$work/build"/.ninja*
        touch -d 2001-01-01 "$work/model/$name"
        cp "$work/build/kept.d" "$work/build/out.stamp.d"
        [ "$(builds $program)" = made ] || fail "$program with \`$name\` makes nothing"
        cp "$work/build/kept.d" "$work/build/out.stamp.d"
        [ -z "$(builds $program)" ] || fail "$program with \`$name\` makes a target that is up to date"
        touch -d '+1 minute' "$work/model/$name"
        [ "$(builds $program)" = made ] || fail "$program with \`$name\` does not see that it changed"
    done
done
write_external "$work/model/m.onnx" $'a\nall: ; touch pwned'
expect 10 'the location `a\nall: ; touch pwned` has a control character' compile "$work/model/m.onnx" --name m --out "$work/none" --depfile "$work/none.d"
printf '\0\0\200?\0\0\200?' > "$work/model/a;touch pwned"
write_external "$work/model/m.onnx" 'a;touch pwned'
expect 2 'cannot stand in a file that make and ninja read: it has a `;`' compile "$work/model/m.onnx" --name m --out "$work/none" --depfile "$work/none.d"
[ -z "$(find "$work" . -maxdepth 2 -name pwned)" ] || fail "a name of the model was run as a command"

# Misuse.
expect 2 '--precision: half not in {standard,strict,bfloat16}' compile "$digits" --name digits --out "$work/none" --shape batch=1 --precision half
expect 2 'the model has free dimensions without a size: batch; give each a size or bounds: --shape batch=1' compile "$digits" --name digits --out "$work/none"
expect 2 'no free dimension `bath`; it has batch; did you mean `batch`?' compile "$digits" --name digits --out "$work/none" --shape bath=1
expect 2 'gives `batch` twice' compile "$digits" --name digits --out "$work/none" --shape batch=1 --shape batch=2
for text in batch batch= =1 batch=x batch=-1 batch=3..2 batch=1.. batch=1..x; do expect 2 "\`--shape $text\` is no size" compile "$digits" --name digits --out "$work/none" --shape "$text"; done
for text in '' 1digits two-words class a__b _x std inlay; do expect 2 'cannot be the name of a C++ type' compile "$digits" --name "$text" --out "$work/none" --shape batch=1; done
expect 2 '--weights' compile "$digits" --name digits --out "$work/none" --shape batch=1 --weights somewhere
expect 2 'must end in .d' compile "$digits" --name digits --out "$work/none" --shape batch=1 --depfile "$work/x"
expect 10 "$work/nowhere.onnx" compile "$work/nowhere.onnx" --name digits --out "$work/none"
expect 2 'inlay compile --help' compile "$digits"
touch "$work/file"
write_model "$work/unknown.onnx" Frobnicate my.domain
expect 0 '1 node' compile "$work/unknown.onnx" --name unknown --out "$work/unknown"  # a provider of the program's own may run it
grep -qF 'using operators = inlay::pack<>;' "$work/unknown/inlay/models/unknown.hpp" || fail "an unknown operator is listed"
expect 77 'no provider runs it. CPUExecutionProvider: no kernel for this operator (my.domain.Frobnicate); ReferenceExecutionProvider:' compile "$work/unknown.onnx" --name unknown --out "$work/none" --providers cpu,reference
expect 0 '' compile "$digits" --name digits --out "$out" --shape batch=1 --providers reference --quiet
expect 2 'there is no provider `gpu`' compile "$digits" --name digits --out "$work/none" --shape batch=1 --providers gpu
expect 11 'cannot make the folder' compile "$digits" --name digits --out "$work/file" --shape batch=1
# A file with what engines compiled: the tests of providers with engines write some. Here is none.
expect 2 '--name, or --output with a model file, is required' compile "$digits"
expect 2 'must end in .onnx' compile "$digits" --output "$work/none"
expect 2 '--name excludes --output' compile "$digits" --output "$work/none.onnx" --name digits
expect 2 '--embed-mode requires --output' compile "$digits" --name digits --embed-mode 0
expect 2 '--embed-mode: Value 2 not in range' compile "$digits" --output "$work/none.onnx" --embed-mode 2
expect 11 'there is nothing to save: no engine has compiled a part of the model' compile "$digits" --output "$work/none.onnx" --shape image=1,1,8,8
expect 11 'there is nothing to save' compile "$digits" --output "$work/none.onnx" --add --without-original
expect 10 "$work/nowhere.onnx" compile "$work/nowhere.onnx" --output "$work/none.onnx"
[ ! -e "$work/none.onnx" ] || fail "a failure left a file behind"
[ ! -e "$work/none" ] || fail "a failure left files behind: $(find "$work/none")"
finish
