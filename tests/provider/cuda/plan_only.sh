#!/usr/bin/env bash
# In a build without CUDA the tool says what it would run, and runs nothing.
. "$INLAY_SOURCE/tests/tool/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON
why='this program was built without it; configure with -DINLAY_CUDA=ON'

expect 0 "note: this is a plan only, no weights are packed and nothing can be run: CUDAExecutionProvider: $why" plan "$digits" --providers cuda,cpu
printed 'providers: CUDAExecutionProvider ('
printed 'CUDAExecutionProvider [cuda]'
printed 'transfer of image: host to cuda'
expect 0 '' plan "$digits" --providers cuda,cpu --shape image=4,1,8,8 --json
python3 - "$work/stdout" << 'END' || fail "the plan of CUDA: $(cat "$work/stdout")"
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["providers"][0]["name"] == "CUDAExecutionProvider" and plan["providers"][0]["nodes"] > 5, plan["providers"]
assert plan["providers"][1]["nodes"] == 0, plan["providers"]
assert plan["bytes"]["packed"] == -1 and plan["bytes"]["arena"] > 0, plan["bytes"]
assert {t["from"] + " to " + t["to"] for t in plan["transfers"]} == {"host to cuda", "cuda to host"}, plan["transfers"]
assert any(s["op"] == "FusedConv" and s["provider"] == "CUDAExecutionProvider" for s in plan["schedule"]), plan["schedule"]
END
expect 0 '' plan "$digits" --providers cuda:device_id=1,cpu --html "$work/plan.html"
grep -q 'cuda:1' "$work/plan.html" || fail "the page does not name the second device"
expect 0 'precision float16, with less than float in' plan "$digits" --providers 'cuda:precision=float16,cpu'
expect 2 'CUDAExecutionProvider: `precision` cannot be `half`' plan "$digits" --providers 'cuda:precision=half'
expect 0 'cuda: arena ' memory "$digits" --providers cuda,cpu
expect 0 'memory unknown: this is a plan only' inspect "$digits" --providers cuda,cpu

# check queries every provider for every node; what no provider runs has the reason of each.
expect 0 '      cuda' check "$digits" --providers cuda,cpu
printed 'every node has a provider'
printed "note: CUDAExecutionProvider is planned for only: $why"
write_model "$work/unknown.onnx" Frobnicate com.example
expect 77 'no provider runs it. CUDAExecutionProvider: no kernel for this operator' plan "$work/unknown.onnx" --providers cuda,cpu

for command in "run $digits --random" "bench $digits --runs 15" "profile $digits --random --runs 1"; do
    expect 10 "CUDAExecutionProvider: this session can only plan: $why" $command --providers cuda,cpu
done
expect 0 '' run "$digits" --random --providers cuda,cpu --fallback any --quiet
expect 0 "note: CUDAExecutionProvider failed: $why; the next providers of the list took over" plan "$digits" --providers cuda,cpu --fallback any

expect 0 "CUDAExecutionProvider        production, checked on device, plan only: $why" providers
printed 'gpu_mem_limit = 18446744073709551615'
printed 'CPUExecutionProvider         production, checked on device, built in'
expect 0 '"built_in": false' providers --json
printed "\"why_not\": \"$why\""
expect 0 "cuda: cannot be used: $why" devices
expect 0 'CUDAExecutionProvider (plan only)' doctor
expect 2 'CUDAExecutionProvider (plan only)' run "$digits" --random --providers gpu
finish
