#!/usr/bin/env bash
# inlay profile: every step of the plan, sums that add up, files for other programs, and what it refuses.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 'profile of digits: 3 runs' profile "$digits" --random --runs 3 --threads 1
for line in 'random inputs: seed 0' 'GFLOP/s' 'cpu [cpu]' 'in steps' 'outside them'; do printed "$line"; done

"$INLAY_TOOL" plan "$digits" --json --threads 1 > "$work/plan.json"
expect 0 '"schema": "inlay.profile"' profile "$digits" --random --runs 5 --threads 1 --json --trace "$work/trace.json" --html "$work/page.html"
python3 - "$work" << 'END' || fail "the profile does not add up"
import json, sys
from math import isclose
work = sys.argv[1]
profile, plan, trace = (json.load(open(f"{work}/{name}")) for name in ("stdout", "plan.json", "trace.json"))
steps, operators, total = profile["steps"], profile["operators"], profile["total"]
assert profile["version"] == 1 and profile["runs"] == 5 and profile["threads"] == 1 and profile["instruction_set"] == plan["instruction_set"]
assert len(steps) == plan["steps"] > 0
ran = {name for s in steps for name in s["sources"]}
assert ran == {n["name"] for n in plan["nodes"] if n["provider"] != "(folded)"}
for key in "seconds", "share", "gflop", "bytes":
    assert isclose(sum(s[key] for s in steps), profile["in_steps"][key], rel_tol=1e-6), key
    assert isclose(sum(o[key] for o in operators), profile["in_steps"][key], rel_tol=1e-6), key
assert isclose(profile["in_steps"]["seconds"] + profile["outside_steps"]["seconds"], total["seconds"]) and total["median_of_runs"] > 0
assert isclose(profile["in_steps"]["share"] + profile["outside_steps"]["share"], 1)
assert sum(o["steps"] for o in operators) == len(steps) and {o["op"] for o in operators} == {s["op"] for s in steps}
assert profile["peaks"]["gflop_per_s"] > 0 and profile["peaks"]["gb_per_s"] > 0
first = next(s for s in steps if "Conv" in s["op"])
x, w, y = first["inputs"][0]["shape"], first["inputs"][1]["shape"], first["outputs"][0]["shape"]
assert first["inputs"][1]["constant"] and not first["inputs"][0]["constant"]
assert isclose(first["gflop"] * 1e9, 2 * y[0] * y[1] * y[2] * y[3] * w[1] * w[2] * w[3]), first
assert isclose(first["roofline"] * first["seconds"], max(first["gflop"] / profile["peaks"]["gflop_per_s"], first["bytes"] / 1e9 / profile["peaks"]["gb_per_s"]), rel_tol=1e-6)
assert trace["schema"] == "inlay.trace" and trace["version"] == 1 and trace["model"] == profile["model"] and trace["threads"] == 1
events = trace["traceEvents"]
assert len(events) == 5 * (len(steps) + 1) and all(e["ph"] == "X" and e["dur"] >= 0 for e in events)
page = open(f"{work}/page.html").read()
assert all(s["node"] in page for s in steps) and "prefers-color-scheme" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")
END

expect 0 'profile of digits' profile "$digits" --random --runs 1 --shape image=4,1,8,8 --providers reference --threads 2
printed '[4,1,8,8]'
printed 'reference [reference]'
expect 0 '' run "$digits" --random --quiet --out "$work/data" --save-inputs
expect 0 'profile of digits' profile "$digits" "$work/data" --runs 2

write_model "$work/named.onnx" Relu   # names come from the file: they must not become markup
sed -i 's/the_node/<b>_node/' "$work/named.onnx"
expect 0 '<b>_node' profile "$work/named.onnx" --random --runs 1 --html "$work/named.html"
grep -q '&lt;b&gt;_node' "$work/named.html" || fail "the page does not show <b>_node"
grep -q '<b>_node' "$work/named.html" && fail "the page has markup from the model"

expect 0 'quiet.html: written' profile "$digits" --random --runs 1 --html "$work/quiet.html"
expect 2 'there is no value for `image`: tensor(float) [batch,1,8,8]; give a folder with input_0.npy' profile "$digits"
expect 2 'or --random' profile "$digits"
expect 2 '--runs' profile "$digits" --random --runs 0
expect 2 'there is no provider `gpu`' profile "$digits" --random --providers gpu
expect 10 "$work/nowhere.onnx" profile "$work/nowhere.onnx" --random
head -c 5000 "$digits" > "$work/half.onnx"
expect 10 half.onnx profile "$work/half.onnx" --random
expect 11 "$work/nowhere/page.html" profile "$digits" --random --runs 1 --quiet --html "$work/nowhere/page.html"
finish
