#!/usr/bin/env bash
# inlay test: agreement, differences, what is not supported, bad input.
. "$(dirname "$0")/expect.sh"

expect 0 scores run "$digits" --random --seed 1 --out "$work/one" --format pb --save-inputs
expect 0 scores run "$digits" --random --seed 2 --out "$work/two" --format pb --save-inputs
expect 0 'agrees: 2 outputs, largest absolute error' test "$digits" "$work/one" "$work/two" --providers reference
cp "$work/two/output_0.pb" "$work/one/"
expect 1 'differs: output `scores`[0,' test "$digits" "$work/two" "$work/one"
expect 0 'agrees' test "$digits" "$work/two" "$work/one" --atol 1
cp "$digits" "$work/digits.onnx"
echo '{"rtol": 0.001, "atol": 1.0}' > "$work/tolerance.json"
expect 0 'agrees' test "$work/digits.onnx" "$work/one"
echo '{"rtol": "much"}' > "$work/tolerance.json"
expect 2 'is not a number' test "$work/digits.onnx" "$work/one"
rm "$work/tolerance.json"

# Relu, its data written by hand as the bytes of float32: bf80 is -1, 7f80 infinity, 7fc0 NaN.
write_model "$work/relu.onnx" Relu
mkdir "$work/relu"
write_floats "$work/relu/input_0.pb" 000080bf 0000807f
write_floats "$work/relu/output_0.pb" 00000000 0000807f
expect 0 'agrees: 1 output, largest absolute error 0' test "$work/relu.onnx" "$work/relu"
write_floats "$work/relu/output_0.pb" 00000000 0000803f
expect 1 'output `y`[1]: got inf, want 1; 1 of 2 elements differ' test "$work/relu.onnx" "$work/relu"
write_floats "$work/relu/input_0.pb" 0000c07f 000080ff
write_floats "$work/relu/output_0.pb" 0000c07f 00000000
expect 0 'agrees' test "$work/relu.onnx" "$work/relu"
write_floats "$work/relu/output_0.pb" 0000c07f
expect 1 'output `y`: got shape [2], want [1]' test "$work/relu.onnx" "$work/relu"
write_floats "$work/relu/output_0.pb" 0000c07f 0000c07f
expect 1 'output `y`[1]: got 0, want nan' test "$work/relu.onnx" "$work/relu"
write_floats "$work/relu/input_0.pb" 0000c07f 00000000 00000000
expect 2 'has shape [3]' test "$work/relu.onnx" "$work/relu"

write_model "$work/unknown.onnx" Frobnicate com.example
expect 77 'Frobnicate' test "$work/unknown.onnx" "$work/relu"
expect 2 'no folder' test "$digits" "$work/nowhere"
mkdir "$work/empty"
expect 2 '' test "$digits" "$work/empty"
expect 10 "$work/nowhere.onnx" test "$work/nowhere.onnx" "$work/one"
echo damaged > "$work/one/input_0.pb"
expect 2 'input_0.pb' test "$digits" "$work/one"
finish
