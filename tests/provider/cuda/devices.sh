#!/usr/bin/env bash
# The tool in a build with CUDA, on a machine with or without a GPU.
. "$INLAY_SOURCE/tests/tool/expect.sh"

expect 0 '' devices
grep -qE '^cuda: (usable|cannot be used: .+)$' "$work/stdout" || fail "no word about CUDA in: $(cat "$work/stdout")"
expect 0 'gpu_mem_limit = 18446744073709551615' providers
printed 'CUDAExecutionProvider        production, checked on device, built in'
if grep -q 'cuda: cannot be used' <("$INLAY_TOOL" devices); then  # then a session says it too
    expect 0 'note: this is a plan only, no weights are packed and nothing can be run: CUDAExecutionProvider: ' plan "$digits" --providers cuda,cpu
    printed 'providers: CUDAExecutionProvider ('
    expect 10 'CUDAExecutionProvider: ' run "$digits" --random --providers cuda,cpu
    expect 0 'note: CUDAExecutionProvider: ' plan "$digits" --providers cuda,cpu --fallback any
    expect 0 '' run "$digits" --random --providers cuda,cpu --fallback any --quiet
fi
finish
