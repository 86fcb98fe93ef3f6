#!/usr/bin/env bash
# inlay compare: agreement, the first difference with its node, the model that is written of it, folders and other models as side b.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON
cd "$work" || exit 1

expect 0 'agrees: ' compare "$digits"
for line in 'random inputs: seed 0' ' steps compared, ' 'output `scores`: largest absolute error '; do printed "$line"; done
[ -e divergence ] && fail "something was written although the sides agree"
expect 0 'of whole runs: largest absolute error' compare "$digits" --a reference --b cpu --whole --shape batch=3 --seed 2
expect 0 '10 of 10 steps compared' compare "$digits" --a reference --b 'cpu:isa=sse2'
expect 0 '' compare "$digits" --quiet
[ -s "$work/stdout" ] && fail "--quiet printed $(cat "$work/stdout")"

# Without a tolerance the roundings of the first convolution differ. The CPU has it with its activation as one node.
expect 1 'differs: within 2 nodes' compare "$digits" --rtol 0 --atol 0 --out part --a cpu:threads=1
for line in '`conv1` (Conv-11)' '`relu1` (Relu-14)' 'on cpu, step ' 'output `edges.relu`[0,' '; allowed 0; ' 'to repeat it: inlay test part/model.onnx part'; do printed "$line"; done
for file in model.onnx input_0.pb output_0.pb a_output_0.pb tolerance.json; do [ -s "part/$file" ] || fail "no $file"; done
expect 0 'agrees: 1 output, largest absolute error 0' test part/model.onnx part --providers reference
expect 1 'differs: output `edges.relu`' test part/model.onnx part --providers cpu:threads=1
expect 0 'Conv' inspect part/model.onnx
expect 1 '"agrees": false' compare "$digits" --rtol 0 --atol 0 --out part --json --a cpu
python3 - << 'END' || fail "the report"
import json
r = json.load(open("stdout"))
d = r["divergence"]
assert [n["name"] for n in d["nodes"]] == ["conv1", "relu1"] and d["provider"] == "CPUExecutionProvider", d
assert d["folder"] == "part" and d["why_no_folder"] is None and d["value"] == "edges.relu", d
assert float(d["a"]) != 0 and d["error"]["absolute"] > d["allowed"] == 0 and 0 < d["wrong"] <= d["elements"], d
assert r["reached"] < r["steps"] and r["largest_error"]["absolute"] > 0, r
END

# Only one side is in memory at a time.
python3 - "$digits" << 'END' || fail "a shadow run takes more than 1.2 times the memory of a run"
import os, sys
def peak(*words):  # of a run of the tool, in kB
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(os.environ["INLAY_TOOL"], ["inlay", *words])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, status
    return usage.ru_maxrss
size = ["--shape", "batch=3000", "--random"]
run, both = peak("run", sys.argv[1], *size), peak("compare", sys.argv[1], *size)
print(f"run {run} kB, compare {both} kB")
assert both <= 1.2 * run
END

# Another model as side b: values are paired by their names. A part of one node is one node.
write_model relu.onnx Relu
write_model sigmoid.onnx Sigmoid
expect 1 'differs: node `the_node` (Relu-14)' compare relu.onnx --b sigmoid.onnx --out relu
printed 'output `y`[0]: a '
expect 0 'agrees' test relu/model.onnx relu --providers reference --atol 2
expect 0 '' extract "$digits" --to logits -o logits.onnx
expect 0 'agrees: ' compare "$digits" --b logits.onnx
printed 'not compared: `scores`: the other model has no value of that name'

# A folder of values that are expected.
mkdir expected
expect 0 '' run "$digits" --random --seed 4 --out data --save-inputs
cp data/output_0.npy expected/scores.npy
expect 0 'not compared: `features`: the folder has no file of it' compare "$digits" data --b expected
printed '1 value; largest absolute error 0'
expect 0 '1 value' compare "$digits" data --b data  # test data: output_0.npy
expect 0 '' run "$digits" --random --seed 5 --out other
cp other/output_0.npy expected/scores.npy
expect 1 'differs: node `softmax` (Softmax-13)' compare "$digits" data --b expected
mkdir empty
expect 2 'nothing was compared' compare "$digits" data --b empty
expect 2 '`--whole` compares runs' compare "$digits" data --b expected --whole

expect 2 'there is no provider `gpu`' compare "$digits" --a gpu
expect 2 'there is no provider `nowhere`' compare "$digits" --b nowhere
expect 2 'they have batch' compare "$digits" --shape N=3
expect 10 nowhere.onnx compare nowhere.onnx
write_model unknown.onnx Frobnicate com.example
expect 77 Frobnicate compare unknown.onnx
touch blocked
expect 1 'no model of it was written: ' compare "$digits" --rtol 0 --atol 0 --out blocked/part
finish
