#!/usr/bin/env bash
# inlay quantize: forms, data, what is refused.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

mkdir "$work/samples"
for seed in 1 2 3; do expect 0 '' run "$digits" --random --seed $seed --out "$work/samples/s$seed" --format pb --save-inputs -q; done
rm "$work"/samples/*/output_0.pb

expect 0 'int8.onnx: 9 nodes quantized' quantize "$digits" -o "$work/int8.onnx" --data "$work/samples" --speed 0
for line in 'SQNR dB' 'Conv' 'size: 96.' 'layer' 'output'; do printed "$line"; done
grep -q 'speed:' "$work/stdout" && fail "speed was measured"
expect 0 'scores' run "$work/int8.onnx" --random
expect 0 'QuantizeLinear' inspect "$work/int8.onnx"
cp "$work/int8.onnx" "$work/first.onnx"
expect 0 '' quantize "$digits" -o "$work/int8.onnx" --data "$work/samples" --speed 0 -q
[ -s "$work/stdout" ] && fail "--quiet printed $(cat "$work/stdout")"
cmp "$work/first.onnx" "$work/int8.onnx" || fail "the same quantization twice is not the same file"
expect 0 '' quantize "$digits" -o "$work/one.onnx" --data "$work/samples/s1" --data "$work/samples" --samples 1 --speed 0 -q
cmp -s "$work/first.onnx" "$work/one.onnx" && fail "one sample gives the ranges of three"
mkdir "$work/files"
for seed in 1 2 3; do
    expect 0 '' run "$digits" --random --seed $seed --out "$work/file" --save-inputs -q
    mv "$work/file/input_0.npy" "$work/files/0$seed.npy"
done
expect 0 '' quantize "$digits" -o "$work/of_files.onnx" --data "$work/files" --speed 0 -q
cmp "$work/first.onnx" "$work/of_files.onnx" || fail "a file for each sample gives another model than a folder for each"
expect 0 'times as fast' quantize "$digits" -o "$work/int8.onnx" --random 2 --shape image=2,1,8,8 --speed 0.1
expect 0 '"schema": "inlay.quantize"' quantize "$digits" -o "$work/dynamic.onnx" --form dynamic --json --speed 0.05
python3 - "$work/stdout" << 'END' || fail "quantize's JSON"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["nodes"] == 2 and report["layers"] == [], report
assert report["bytes"]["after"] < report["bytes"]["before"], report
assert report["times_as_fast"]["median"] > 0, report
END
expect 0 'MatMulInteger' inspect "$work/dynamic.onnx"
expect 0 'int4.onnx: 2 nodes quantized' quantize "$digits" -o "$work/int4.onnx" --form matmulnbits --speed 0
expect 0 'MatMulNBits' inspect "$work/int4.onnx"
expect 0 'stays float: conv1 (Conv): it is excluded' quantize "$digits" -o "$work/int8.onnx" --random 1 --exclude 'conv1*' --speed 0
expect 0 'it does most harm' quantize "$digits" -o "$work/int8.onnx" --random 1 --keep-worst 1 --speed 0

rm -f "$work/none.onnx"
none=(quantize "$digits" -o "$work/none.onnx")
expect 2 'there is no calibration data' "${none[@]}"
expect 2 'exclude each other' "${none[@]}" --data "$work/samples" --random 2
expect 2 'holds no inputs of the model' "${none[@]}" --data "$work"
expect 2 'there is no such file or folder' "${none[@]}" --data "$work/nowhere"
expect 2 '`--bits` is of --form weights and matmulnbits' "${none[@]}" --random 1 --bits 8
expect 2 '`--method` is of --form static' "${none[@]}" --form dynamic --method entropy
expect 2 'no node has the name `nosuch`' "${none[@]}" --random 1 --exclude nosuch
expect 2 'did you mean `Conv`' "${none[@]}" --random 1 --operators Cnv
expect 2 'sample 0 of the calibration data' "${none[@]}" --random 1 --shape image=1,2,8,8
expect 77 'quantized already' quantize "$work/first.onnx" -o "$work/none.onnx" --random 1
expect 77 'is of opset 17' "${none[@]}" --form weights
write_model "$work/sin.onnx" Sin
expect 77 'no node of the model can be quantized' quantize "$work/sin.onnx" -o "$work/none.onnx" --form matmulnbits
expect 10 "$work/nowhere.onnx" quantize "$work/nowhere.onnx" -o "$work/none.onnx" --random 1
[ -e "$work/none.onnx" ] && fail "a file was written in spite of an error"
expect 11 'nowhere' quantize "$digits" -o "$work/nowhere/int8.onnx" --random 1
finish
