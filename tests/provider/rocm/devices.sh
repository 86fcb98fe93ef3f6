#!/usr/bin/env bash
# The tool in a build with ROCm's provider, on a machine with or without a GPU.
. "$INLAY_SOURCE/tests/tool/expect.sh"

expect 0 '' devices
grep -qE '^rocm: (usable|cannot be used: .+)$' "$work/stdout" || fail "no word about ROCm in: $(cat "$work/stdout")"
expect 0 'enable_hip_graph = false' providers
printed 'ROCMExecutionProvider        deprecated, built in'
export INLAY_HIP_LIBRARY=/nowhere/libamdhip64.so
expect 0 'rocm: cannot be used: library missing: HIP: ' devices
printed 'the environment variable INLAY_HIP_LIBRARY may name the file'
expect 10 'ROCMExecutionProvider: library missing: HIP: ' run "$digits" --random --providers rocm,cpu
expect 0 '' run "$digits" --random --providers rocm,cpu --fallback any --quiet
finish
