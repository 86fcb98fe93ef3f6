#!/usr/bin/env bash
# inlay plan: shapes, the order of providers, fallback.
. "$(dirname "$0")/expect.sh"

expect 0 'plan of digits for image[1,1,8,8]' plan "$digits"
printed 'note: `image` was taken to be [1,1,8,8]: --shape gives other shapes'
expect 0 'plan.html: written' plan "$digits" --html "$work/plan.html"
grep -q 'was taken to be' "$work/plan.html" || fail "the page does not say for which sizes it is"
expect 0 'plan.html: written' plan "$digits" --as cpu --html "$work/plan.html"
grep -q 'id="predicted">predicted, by the contracts' "$work/plan.html" || fail "the page does not predict the time"
expect 0 'for image[5,1,8,8]' plan "$digits" --shape batch=5
grep -q 'was taken to be' "$work/stdout" && fail "a size that is given is called assumed"
expect 0 'for image[5,1,8,8]' plan "$digits" --shape image=5,1,8,8
expect 0 'ReferenceExecutionProvider' plan "$digits" --providers reference --threads 1
printed 'implicit CPU'
expect 0 'deterministic: same bits over threads and runs, alone and in a batch; not over instruction sets' plan "$digits"
expect 0 '"policy": "portable"' plan "$digits" --json --determinism portable
printed '"exceptions": []'
expect 2 'machine' plan "$digits" --determinism always
expect 0 '"schema": "inlay.plan"' plan "$digits" --json --providers ReferenceExecutionProvider --fallback never
for line in '"version": 1' '"op": "Conv"' '"provider": "ReferenceExecutionProvider"' '"arena": '; do printed "$line"; done
grep -q CPUExecutionProvider "$work/stdout" && fail "--fallback never added the CPU"

# Where no plan can be made for dimensions of 1, it says so, and how to go on: y = x x, x is [a,2].
type() { message 2 "$(message 1 "$(number 1 1)$(message 2 "$1")")"; }
square=$(text 1 x)$(text 1 x)$(text 2 y)$(text 3 square)$(text 4 MatMul)
graph=$(message 1 "$square")$(text 2 g)$(message 11 "$(text 1 x)$(type "$(message 1 "$(text 2 a)")$(message 1 "$(number 1 2)")")")$(message 12 "$(text 1 y)$(message 2 "$(message 1 "$(number 1 1)")")")
write_hex "$work/square.onnx" "$(number 1 8)$(message 7 "$graph")$(message 8 "$(text 1 "")$(number 2 17)")"
expect 0 'note: no steps, since the model cannot be planned where symbolic dimensions are 1; give the inputs'"'"' shapes: square' plan "$work/square.onnx"
expect 0 'plan of g for x[2,2]' plan "$work/square.onnx" --shape x=2,2
expect 10 '`x` was taken to be [1,2]: --shape gives other shapes' check "$work/square.onnx"
expect 10 '`x` was taken to be [1,2]: --shape gives other shapes' bench "$work/square.onnx"
expect 0 'every node has a provider' check "$work/square.onnx" --shape x=2,2

# Every step is in the schedule, and reads what an earlier one made.
expect 0 '"schedule": ' plan "$digits" --json --html "$work/plan.html"
python3 - "$work" << 'END' || fail "the schedule does not fit the nodes"
import json, sys
plan = json.load(open(f"{sys.argv[1]}/stdout"))
values, made = plan["values"], set()
assert len(plan["schedule"]) == plan["steps"] > 0
for s in plan["schedule"]:
    for v in s["inputs"]:
        assert v in made or values[v]["constant"] or values[v]["name"] in {i["name"] for i in plan["inputs"]}, s
    made.update(s["outputs"])
assert set(plan["outputs"]) <= made and [values[v]["name"] for v in plan["outputs"]] == ["scores"]
assert sorted(n for s in plan["schedule"] for n in s["nodes"]) == [k for k, n in enumerate(plan["nodes"]) if n["provider"] != "(folded)"]
assert any(s["kind"] == "fused" and len(s["nodes"]) > 1 for s in plan["schedule"])
END
grep -q 'inlay.plan' "$work/plan.html" || fail "the page has no data"
expect 0 'digraph "digits" {' plan "$digits" --dot
printed ' -> '
expect 2 '--dot' plan "$digits" --dot --json
expect 11 "$work/nowhere/page.html" plan "$digits" --html "$work/nowhere/page.html"
expect 0 'precision bfloat16, with less than float in' plan "$digits" --providers 'cpu:precision=bfloat16'
expect 0 '"precision": "bfloat16"' plan "$digits" --json --providers 'cpu:precision=bfloat16'
expect 2 'CPUExecutionProvider: `precision` cannot be `half`' plan "$digits" --providers 'cpu:precision=half'

write_model "$work/unknown.onnx" Frobnicate com.example
expect 77 'Frobnicate' plan "$work/unknown.onnx"
finish
