#!/usr/bin/env bash
# The machine as it is: the instruction sets, and CUDA or the reason why not.
. "$(dirname "$0")/expect.sh"

expect 0 'cpu: ' devices
printed 'sse2'
grep -qE '^cuda: (usable|cannot be used: .+)$' "$work/stdout" || fail "no word about CUDA in: $(cat "$work/stdout")"
expect 0 '"schema": "inlay.devices"' devices --json
printed '"instruction_sets"'
grep -qE '"usable": (true|false)' "$work/stdout" || fail "no word about CUDA in: $(cat "$work/stdout")"
if grep -q 'CUDAExecutionProvider' <("$INLAY_TOOL" providers); then
    expect 0 'gpu_mem_limit = 18446744073709551615' providers
    if grep -q 'cannot be used' <("$INLAY_TOOL" devices); then  # then a session says it too
        expect 10 'CUDAExecutionProvider: ' plan "$digits" --providers cuda,cpu
        expect 0 'note: CUDAExecutionProvider: ' plan "$digits" --providers cuda,cpu --fallback any
        expect 0 '' run "$digits" --random --providers cuda,cpu --fallback any --quiet
    fi
fi
finish
