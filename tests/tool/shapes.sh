#!/usr/bin/env bash
# inlay shapes: types and shapes of all values, with symbols by name or by size.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 '[batch,16,8,8]' shapes "$digits"
for line in 'image' 'tensor(float)' 'Conv conv1' 'output of Softmax softmax' 'input'; do printed "$line"; done
grep -q 'conv1.weight' "$work/stdout" && fail "constants are listed unasked"
expect 0 'constant' shapes "$digits" --constants
printed '[16,1,3,3]'
expect 0 '[8,288]' shapes "$digits" --shape batch=8
cp "$work/stdout" "$work/of_symbol"
expect 0 '[8,288]' shapes "$digits" --shape image=8,1,8,8
cmp "$work/stdout" "$work/of_symbol" || fail "the shape of the input and the size of its symbol are two things"
expect 0 '[8,288]' shapes "$digits" --set batch=8  # as it was called
"$INLAY_TOOL" shapes --help | grep -q -e --set && fail "a deprecated option is in the help"
grep -q batch "$work/stdout" && fail "a symbol that was set is still there"
expect 0 '"schema": "inlay.shapes"' shapes "$digits" --shape batch=0 --json
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
expect 2 'the model has no input `bath`, and its inputs no symbolic dimension of that name; they have batch; did you mean `batch`?' shapes "$digits" --shape bath=8
expect 2 'names no input and no symbol' shapes "$digits" --shape 8
expect 2 'is no size' shapes "$digits" --shape batch=many
expect 2 'is a range' shapes "$digits" --shape batch=1..8
expect 2 'given twice' shapes "$digits" --shape batch=1 --shape batch=2
write_model "$work/relu.onnx" Relu
expect 0 '[2]' shapes "$work/relu.onnx"
expect 2 'all their dimensions are numbers' shapes "$work/relu.onnx" --shape N=1
expect 10 "$work/nowhere.onnx" shapes "$work/nowhere.onnx"
finish
