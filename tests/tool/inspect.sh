#!/usr/bin/env bash
# inlay inspect, inlay providers and inlay operators.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 'tensor(float)  [batch,1,8,8]' inspect "$digits"
for line in 'opset 17' 'tensor(float)  [batch,10]' 'metadata: license = Apache-2.0' '2  Conv' 'rewrites by passes:' 'dynamic dimensions: batch = image[0]' 'a run with image[1,1,8,8]:' ' MFLOP: ' ' of memory: arena '; do printed "$line"; done
printed '10 nodes in the file, 10 after the passes'
expect 0 'on ReferenceExecutionProvider' inspect "$digits" --providers reference,cpu
expect 0 '"schema": "inlay.inspect"' inspect "$digits" --json
for line in '"version": 1' '"batch"' '"Conv": 2' '"parameter_bytes": ' '"file": {'; do printed "$line"; done

# What a run computes is what profile counts, and grows with the batch; the memory is what memory reports.
for batch in 1 3; do
    expect 0 '' inspect "$digits" --shape image=$batch,1,8,8 --json
    cp "$work/stdout" "$work/inspect.json"
    expect 0 '' memory "$digits" --shape image=$batch,1,8,8 --json
    cp "$work/stdout" "$work/memory.json"
    expect 0 '' profile "$digits" --random --shape image=$batch,1,8,8 --runs 1 --json
    cp "$work/stdout" "$work/profile.json"
    python3 - "$work" $batch << 'END' || fail "inspect, memory and profile do not agree: $(cat "$work/inspect.json")"
import json, sys
run, memory, profile = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("inspect", "memory", "profile"))
run, batch = run["run"], int(sys.argv[2])
assert run["shapes"] == {"image": [batch, 1, 8, 8]} and run["why_no_flop"] == run["why_no_plan"] == "", run
assert run["flop"] > 0 and abs(run["flop"] / 1e9 / profile["in_steps"]["gflop"] - 1) < 1e-9, (run["flop"], profile["in_steps"])
assert memory["bytes"].pop("held") == 0
assert {k: run["bytes"][k] for k in memory["bytes"]} == memory["bytes"], (run["bytes"], memory["bytes"])
assert run["bytes"]["peak"] == sum(memory["bytes"].values()) and sum(run["nodes"].values()) > 0
END
done
# What is in the file is not what the passes leave of it.
type=$(message 2 "$(message 1 "$(number 1 1)$(message 2 "$(message 1 "$(number 1 2)")")")")
nodes=$(message 1 "$(text 1 x)$(text 2 a)$(text 4 Identity)")$(message 1 "$(text 1 a)$(text 2 y)$(text 4 Relu)")
write_hex "$work/two.onnx" "$(number 1 8)$(message 7 "$nodes$(text 2 g)$(message 11 "$(text 1 x)$type")$(message 12 "$(text 1 y)$type")")$(message 8 "$(text 1 "")$(number 2 17)")"
expect 0 '2 nodes in the file, 1 after the passes' inspect "$work/two.onnx"
for line in '       1         0  Identity' '       1         1  Relu'; do printed "$line"; done

write_model "$work/unknown.onnx" Frobnicate com.example
expect 0 'memory unknown, for no plan can be made: ' inspect "$work/unknown.onnx"
printed 'dynamic dimensions: none'
expect 77 'Frobnicate' inspect "$work/unknown.onnx" --providers cpu
expect 0 'conv1: Conv-11' inspect "$digits" --node conv1
for line in 'attribute  pads = [' 'input      image: float [batch,1,8,8]' 'conv1.weight: float' ', constant'; do printed "$line"; done
expect 0 '"op": "Conv"' inspect "$digits" --node conv1 --json
expect 2 'did you mean `conv1`?' inspect "$digits" --node conv_1

expect 0 'ReferenceExecutionProvider' providers
printed 'threads = 0'
expect 0 'threads = 3' providers --providers cpu:threads=3
expect 0 '"short_name": "reference"' providers --json
printed '"schema": "inlay.providers"'

expect 0 'ai.onnx Relu ' operators
expect 0 'ai.onnx Relu ' operators --providers reference
if grep -qE ' cpu +[0-9]+-' "$work/stdout"; then fail "the reference has kernels of the device cpu"; fi
expect 0 '"domain": "ai.onnx"' operators --json
finish
