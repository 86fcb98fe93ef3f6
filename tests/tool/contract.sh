#!/usr/bin/env bash
# Plans for providers that are not here, by their capability tables.
. "$(dirname "$0")/expect.sh"

# Partition, reasons and a time, in every build; the same whether the provider is in it or not.
expect 0 'predicted, by the contracts'"'"' cost parameters: ' plan "$digits" --as qnn,cpu
printed 'QNNExecutionProvider ('
printed 'QNNExecutionProvider: its contract, QAIRT 2.51, is all that is here: --as requested it'
for list in acl armnn azure cann coreml cuda dml migraphx nnapi nv_tensorrt_rtx onednn openvino qnn rknpu rocm tensorrt tvm vitisai xnnpack; do
    expect 0 '"predicted_seconds": ' plan "$digits" --json --as "$list,cpu"
    printed 'this is a plan only'
done
expect 0 '"predicted_seconds": ' plan "$digits" --json --as cpu
expect 0 'VitisAIExecutionProvider: a DPU gets no tensors of type float here' plan "$digits" --as vitisai,cpu
expect 0 'Core ML specification 7, is all' plan "$digits" --as 'coreml:sdk_version=7;MLComputeUnits=CPUOnly,cpu'
expect 0 'digraph "digits" {' plan "$digits" --dot --as tensorrt,cpu
expect 0 '' plan "$digits" --html "$work/plan.html" --as tensorrt,cpu
grep -q predicted_seconds "$work/plan.html" || fail "the page has no times"

expect 2 'CoreMLExecutionProvider: `sdk_version` cannot be `5`' plan "$digits" --as coreml:sdk_version=5,cpu
expect 2 'QNNExecutionProvider: no option `backend`' plan "$digits" --as qnn:backend=htp,cpu
expect 2 'there is no provider `qmm`' plan "$digits" --as qmm,cpu
expect 2 '--providers' plan "$digits" --as qnn,cpu --providers cpu

# What they take.
expect 0 'by the contract of QAIRT 2.51, from' operators --providers qnn
printed 'Gelu com.microsoft:Gelu'
expect 0 '"since": "29"' operators --providers nnapi --json
# Without the library, only a plan.
if "$INLAY_TOOL" providers | grep -q 'RknpuExecutionProvider .*plan only'; then
    expect 10 'RknpuExecutionProvider' run "$digits" --random --providers rknpu,cpu
    expect 0 '"name": "scores"' run "$digits" --random --providers rknpu,cpu --fallback any --json
fi
finish
