#!/usr/bin/env bash
# embedded_symbols.sh MODEL.onnx SHAPES: a static program that embeds a model has no symbol of protobuf or onnx, and nothing of Inlay's
# runs before main.
. "$(dirname "$0")/embedded_build.sh"

build app embedded_app.cpp "$include" "$kernels" -static -Wl,-Map="$work/app.map"
nm -C "$work/app" > "$work/symbols"
grep -q 'inlay::' "$work/symbols" || fail "no symbols of Inlay: the test sees nothing"
! grep -iE 'protobuf|onnx' "$work/symbols" || fail "symbols of protobuf or onnx"

# The linker's map names the object that each entry of .init_array comes from.
awk '/^Linker script and memory map/ { mapped = 1 } mapped && /^ \.(preinit_array|init_array|ctors)/ { if (NF < 4) { first = $0; getline; $0 = first $0 } if ($3 !~ /^0x0*$/) print $4 }' "$work/app.map" > "$work/before_main"
[ -s "$work/before_main" ] || fail "nothing at all runs before main: the test sees nothing"
! grep -F -e "$work/" -e "$(basename "$kernels")" "$work/before_main" || fail "these run before main"
echo "before main: $(sed 's/.*\///' "$work/before_main" | tr '\n' ' ')"
