#!/usr/bin/env bash
# inlay memory: lifetimes that fit into the arena, sums that agree with the plan.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 'memory of digits for image[1,1,8,8]' memory "$digits"
for line in 'host: arena ' 'alive at once, fragmentation' 'most is alive in step' ', input' 'besides: scratch'; do printed "$line"; done
"$INLAY_TOOL" plan "$digits" --json --shape image=5,1,8,8 > "$work/plan.json"
expect 0 '"schema": "inlay.memory"' memory "$digits" --json --shape image=5,1,8,8 --html "$work/memory.html"
python3 - "$work" << 'END' || fail "the report does not add up"
import json, sys
work = sys.argv[1]
memory, plan = (json.load(open(f"{work}/{name}")) for name in ("stdout", "plan.json"))
assert memory["version"] == 1 and memory["inputs"] == plan["inputs"] == [{"name": "image", "shape": [5, 1, 8, 8]}]
steps, bytes_ = memory["steps"], memory["bytes"]
assert len(steps) == plan["steps"] > 0 and [s["name"] for s in steps] == [s["name"] for s in plan["schedule"]]
held = bytes_.pop("held")  # of runs that are over: there was none
assert held == 0 and {k: plan["bytes"][k] for k in bytes_} == bytes_ and memory["aliased"] == plan["aliased"]
assert sum(s["arena_bytes"] for s in memory["spaces"]) == plan["bytes"]["arena"] and sum(s["live_bytes"] for s in memory["spaces"]) == plan["bytes"]["live"]
planned = {v["name"] for v in plan["values"] if not v["constant"]}
for space in memory["spaces"]:
    values = space["values"]
    assert values and {v["value"] for v in values} <= planned and {v["offset"] % 64 for v in values} == {0}
    assert any(v["input"] for v in values) and any(v["output"] for v in values)
    assert max(v["offset"] + v["bytes"] for v in values) <= space["arena_bytes"] and max(space["live"]) <= space["live_bytes"] <= space["arena_bytes"]
    assert abs(space["fragmentation"] - (1 - space["live_bytes"] / space["arena_bytes"])) < 1e-9
    for i, a in enumerate(values):
        assert -1 <= a["first"] <= a["last"] <= len(steps) and values[a["root"]]["root"] == a["root"]
        for b in values[:i]:  # what lives at the same time has its own bytes, unless one is in place of the other
            if a["root"] != b["root"] and a["first"] <= b["last"] and b["first"] <= a["last"]:
                assert a["offset"] >= b["offset"] + b["bytes"] or b["offset"] >= a["offset"] + a["bytes"], (a, b)
END
grep -q '"schema":"inlay.memory"' "$work/memory.html" || fail "the page has no data"
expect 2 'did you mean `image`?' memory "$digits" --shape imag=1,1,8,8
expect 10 "$work/nowhere.onnx" memory "$work/nowhere.onnx"
expect 11 "$work/nowhere/page.html" memory "$digits" --html "$work/nowhere/page.html"
finish
