#!/usr/bin/env bash
# inlay shapes: types and shapes of all values, with symbols by name or by size.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 '[batch,16,8,8]' shapes "$digits"
for line in 'image' 'tensor(float)' 'Conv conv1' 'output of Softmax softmax' 'input'; do printed "$line"; done
grep -q 'conv1.weight' "$work/stdout" && fail "constants are listed unasked"
expect 0 'constant' shapes "$digits" --constants
printed '[16,1,3,3]'
expect 0 '[8,288]' shapes "$digits" --set batch=8
grep -q batch "$work/stdout" && fail "a symbol that was set is still there"
expect 0 '"schema": "inlay.shapes"' shapes "$digits" --set batch=0 --json
python3 - "$work/stdout" << 'END' || fail "the report"
import json, sys
r = json.load(open(sys.argv[1]))
values = {v["name"]: v for v in r["values"]}
assert r["set"] == {"batch": 0}, r
assert values["image"]["kind"] == "input" and values["image"]["shape"] == [0, 1, 8, 8] and values["image"]["node"] is None
assert values["features"]["shape"] == [0, 288] and values["features"]["node"].startswith("Flatten")
assert values["scores"]["kind"] == "output" and values["scores"]["type"] == "tensor(float)"
END
expect 0 '"batch"' shapes "$digits" --json
expect 2 'the model'"'"'s inputs have no symbolic dimension `bath`; they have batch' shapes "$digits" --set bath=8
expect 2 'sets no symbol' shapes "$digits" --set 8
expect 2 'is no size' shapes "$digits" --set batch=many
expect 2 'is a range' shapes "$digits" --set batch=1..8
expect 2 'given twice' shapes "$digits" --set batch=1 --set batch=2
write_model "$work/relu.onnx" Relu
expect 0 '[2]' shapes "$work/relu.onnx"
expect 2 'all their dimensions are numbers' shapes "$work/relu.onnx" --set N=1
expect 10 "$work/nowhere.onnx" shapes "$work/nowhere.onnx"
finish
