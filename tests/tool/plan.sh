#!/usr/bin/env bash
# inlay plan: shapes, the order of providers, fallback.
. "$(dirname "$0")/expect.sh"

expect 0 'plan of digits for image[1,1,8,8]' plan "$digits"
expect 0 'for image[5,1,8,8]' plan "$digits" --shape image=5,1,8,8
expect 0 'ReferenceExecutionProvider' plan "$digits" --providers reference --threads 1
printed 'implicit CPU'
expect 0 '"schema": "inlay.plan"' plan "$digits" --json --providers ReferenceExecutionProvider --fallback never
for line in '"version": 1' '"op": "Conv"' '"provider": "ReferenceExecutionProvider"' '"arena": '; do printed "$line"; done
grep -q CPUExecutionProvider "$work/stdout" && fail "--fallback never added the CPU"

write_model "$work/unknown.onnx" Frobnicate com.example
expect 10 'Frobnicate' plan "$work/unknown.onnx"
finish
