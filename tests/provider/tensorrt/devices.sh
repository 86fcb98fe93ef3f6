#!/usr/bin/env bash
# What the tool reports of both providers, on a machine with or without libraries and GPU.
. "$INLAY_SOURCE/tests/tool/expect.sh"

expect 0 '' devices
for provider in tensorrt nv_tensorrt_rtx; do
    grep -qE "^$provider: (usable|cannot be used: .+)$" "$work/stdout" || fail "no word about $provider in: $(cat "$work/stdout")"
done
expect 0 'trt_fp16_enable = false' providers
export INLAY_NV_TENSORRT_RTX_LIBRARY=/no/such/place
expect 0 'nv_tensorrt_rtx: cannot be used: /no/such/place' devices
expect 10 'NvTensorRTRTXExecutionProvider: TensorRT RTX cannot be used: /no/such/place' run "$digits" --random --providers nv_tensorrt_rtx,cpu
finish
