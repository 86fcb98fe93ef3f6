#!/usr/bin/env bash
# inlay bench and inlay advise: order of the quantiles, the sweep over threads and models, baselines.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

write_model "$work/relu.onnx" Relu
expect 0 'median ms' bench "$digits" "$work/relu.onnx" --runs 20 --threads 1,2
[ "$(wc -l < "$work/stdout")" -eq 5 ] || fail "not one line for each model and number of threads: $(cat "$work/stdout")"
[ -s "$work/stderr" ] && fail "progress although standard error is no terminal: $(cat "$work/stderr")"

expect 0 '"schema": "inlay.bench"' bench "$digits" --runs 40 --threads 1,2 --json
cp "$work/stdout" "$work/now.json"
python3 - "$work" << 'END' || fail "the report does not add up"
import json, sys
work = sys.argv[1]
report = json.load(open(f"{work}/now.json"))
assert report["version"] == 1 and [r["threads"] for r in report["results"]] == [1, 2]
for r in report["results"]:
    s = r["seconds"]
    assert 0 < s["min"] <= s["p10"] <= s["median"] <= s["p90"] <= s["p99"] <= s["max"] and s["min"] <= s["mean"] <= s["max"]
    assert s["load"] > 0 and s["first"] > 0 and r["runs"] == 40 and abs(r["runs_per_second"] * s["mean"] - 1) < 1e-9
    assert len(r["slices"]) == 15 and all(s["min"] <= t <= s["max"] for t in r["slices"]) and r["mib"]["resident"] > 0
    assert r["heap_calls_per_run"] in (0, None), r["heap_calls_per_run"]
END
python3 - "$work" << 'END'
import json, sys
work = sys.argv[1]
for name, factor in ("slow", 1000), ("fast", 0.001):
    report = json.load(open(f"{work}/now.json"))
    for r in report["results"]:
        r["slices"] = [t * factor for t in r["slices"]]
    json.dump(report, open(f"{work}/{name}.json", "w"))
END
expect 0 '] faster' bench "$digits" --runs 20 --threads 1 --baseline "$work/slow.json"
expect 0 '] slower' bench "$digits" --runs 20 --threads 1 --baseline "$work/fast.json"
expect 0 '"verdict": "slower"' bench "$digits" --runs 20 --threads 1 --baseline "$work/fast.json" --json
expect 0 'not in the baseline' bench "$work/relu.onnx" --runs 20 --threads 1 --baseline "$work/now.json"
expect 0 'GFLOP/s' bench "$digits" --runs 15 --threads 1 --roofline
expect 0 scores run "$digits" --random --out "$work/model/data" --format pb --save-inputs
cp "$digits" "$work/model/digits.onnx"
expect 0 'digits.onnx' bench "$work/model/digits.onnx" --data data --runs 15 --threads 1

# Interleaved: a larger model is slower, in every round; and so are the reference kernels.
python3 "$INLAY_SOURCE/tests/tool/chain.py" "$work/chain.onnx" 3000
expect 0 '] faster' bench "$work/relu.onnx" --against "$work/chain.onnx" --runs 60 --threads 1
printed "against $work/chain.onnx, interleaved: "
[ "$(wc -l < "$work/stdout")" -eq 4 ] || fail "not a row for each model and one for both: $(cat "$work/stdout")"
expect 0 '] slower' bench "$work/chain.onnx" --against "$work/relu.onnx" --runs 30 --threads 1
expect 0 '] faster' bench "$digits" --against-providers reference --shape image=64,1,8,8 --runs 30 --threads 1
expect 0 '' bench "$digits" "$work/relu.onnx" --against "$work/chain.onnx" --against-providers reference --runs 45 --threads 1 --json
python3 - "$work/stdout" << 'END' || fail "the report of interleaved runs does not add up: $(cat "$work/stdout")"
import json, sys
results = json.load(open(sys.argv[1]))["results"]
assert len(results) == 2
for r in results:
    a = r["against"]
    assert a["result"]["model"].endswith("chain.onnx") and a["result"]["providers"] == "reference" and r["providers"] == ""
    assert a["rounds"] * a["runs_per_turn"] == r["runs"] == a["result"]["runs"] >= 45, a
    assert 1 < a["low"] <= a["ratio"] <= a["high"] and a["verdict"] == "faster", a
END
expect 0 '' bench "$digits" --providers reference,cpu --against-partition cost --shape image=64,1,8,8 --runs 15 --threads 1
printed "against by cost, interleaved: "
expect 2 'order' bench "$digits" --against-partition luck
expect 2 '--roofline' bench "$digits" --against "$digits" --roofline
expect 10 "$work/nowhere.onnx" bench "$digits" --against "$work/nowhere.onnx" --runs 15
expect 2 'there is no provider `gpu`' bench "$digits" --against-providers gpu --runs 15

expect 0 '--providers cpu --threads 1' advise "$digits" --seconds 0
expect 0 '"schema": "inlay.advise"' advise "$digits" --seconds 0 --json
expect 2 'no input' advise "$digits" --shape picture=1

expect 2 'no report of inlay bench' bench "$digits" --baseline "$digits"
expect 2 'cannot read the baseline' bench "$digits" --baseline "$work/nowhere.json"
expect 2 'no folder' bench "$digits" --data nowhere
expect 2 '--runs' bench "$digits" --runs 0
expect 10 "$work/nowhere.onnx" bench "$work/nowhere.onnx"
finish
