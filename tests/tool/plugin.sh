#!/usr/bin/env bash
# --plugin: a provider from a shared library, listed, queried, planned with and run; and what is none.
. "$(dirname "$0")/expect.sh"

expect 0 "$INLAY_PLUGIN" devices --plugin "$INLAY_PLUGIN"
printed 'relu_in_c: usable'
printed "plugin $INLAY_PLUGIN, version 1.0, library 1.0"
expect 0 '"relu_in_c": {' devices --json --plugin "$INLAY_PLUGIN"
expect 0 "preview, plugin $INLAY_PLUGIN 1.0" providers --plugin "$INLAY_PLUGIN"
printed 'largest = 1000000'
expect 0 "\"plugin\": \"$INLAY_PLUGIN\"" providers --json --plugin "$INLAY_PLUGIN"

write_model "$work/relu.onnx" Relu
expect 0 'RectifierExecutionProvider' plan "$work/relu.onnx" --plugin "$INLAY_PLUGIN" --providers relu_in_c,cpu
expect 0 'more elements than `largest` allows' plan "$work/relu.onnx" --plugin "$INLAY_PLUGIN" --providers 'rectifier:largest=1,cpu'
expect 0 'relu_in_c' check "$work/relu.onnx" --plugin "$INLAY_PLUGIN"
expect 0 '' run "$work/relu.onnx" --random --plugin "$INLAY_PLUGIN" --providers RectifierExecutionProvider
expect 0 '' bench "$work/relu.onnx" --runs 15 --plugin "$INLAY_PLUGIN" --providers rectifier
expect 0 '' compile "$work/relu.onnx" --plugin "$INLAY_PLUGIN" --providers rectifier -o "$work/saved.onnx"
expect 0 '' run "$work/saved.onnx" --random --contexts refuse --plugin "$INLAY_PLUGIN" --providers rectifier
expect 77 'is not in the list of providers' run "$work/saved.onnx" --random --contexts refuse

expect 2 'did you mean `largest`?' plan "$work/relu.onnx" --plugin "$INLAY_PLUGIN" --providers rectifier:largset=1
expect 2 'there is no provider `rectifier`' plan "$work/relu.onnx" --providers rectifier
expect 2 'which this program has already' devices --plugin "$INLAY_PLUGIN" --plugin "$INLAY_PLUGIN"
expect 2 'there is no plugin' devices --plugin "$work/nowhere.so"
expect 10 'cannot be used' devices --plugin "$work/relu.onnx"
finish
