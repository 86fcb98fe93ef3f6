#!/usr/bin/env bash
# The tool in a build with ROCm's provider, on a machine with or without a GPU.
. "$INLAY_SOURCE/tests/tool/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 '' devices
grep -qE '^rocm: (usable|cannot be used: .+)$' "$work/stdout" || fail "no word about ROCm in: $(cat "$work/stdout")"
expect 0 'enable_hip_graph = false' providers
printed 'ROCMExecutionProvider        deprecated, checked on own stand-in, built in'
# refused TEXT: where no session can be made, plans are, and say of every node which provider runs it; a run is refused
# with the reason.
refused() {
    expect 0 "note: this is a plan only, no weights are packed and nothing can be run: ROCMExecutionProvider: $1" plan "$digits" --providers rocm,cpu
    printed 'transfer of image: host to hip'
    expect 0 '' plan "$digits" --providers rocm,cpu --json
    python3 - "$work/stdout" << 'END' || fail "the plan of ROCm: $(cat "$work/stdout")"
import json, sys
plan = json.load(open(sys.argv[1]))
rocm, cpu = plan["providers"]
assert rocm["name"] == "ROCMExecutionProvider" and rocm["nodes"] > 5 and cpu["nodes"] == 0, plan["providers"]
nodes = [step for step in plan["schedule"] if step["op"]]
assert all(step["provider"] == rocm["name"] for step in nodes), plan["schedule"]
assert {step["op"] for step in nodes} >= {"FusedConv", "FusedGemm", "MaxPool", "Softmax"}, plan["schedule"]
END
    expect 10 "ROCMExecutionProvider: $1" run "$digits" --random --providers rocm,cpu
    expect 0 "note: ROCMExecutionProvider: $1" plan "$digits" --providers rocm,cpu --fallback any
    expect 0 '' run "$digits" --random --providers rocm,cpu --fallback any --quiet
}
! grep -q 'rocm: cannot be used: no device' <("$INLAY_TOOL" devices) || refused 'no device: '
export INLAY_HIP_LIBRARY=/nowhere/libamdhip64.so
expect 0 'rocm: cannot be used: library missing: HIP: ' devices
printed 'the environment variable INLAY_HIP_LIBRARY may name the file'
refused 'library missing: HIP: '
finish
