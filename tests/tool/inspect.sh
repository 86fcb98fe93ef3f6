#!/usr/bin/env bash
# inlay inspect and inlay providers.
. "$(dirname "$0")/expect.sh"

expect 0 'tensor(float)  [batch,1,8,8]' inspect "$digits"
for line in 'opset 17' 'tensor(float)  [batch,10]' 'metadata: license = Apache-2.0' '2  Conv' 'rewrites by passes:'; do printed "$line"; done
expect 0 'on ReferenceExecutionProvider' inspect "$digits" --providers reference,cpu
expect 0 '"schema": "inlay.inspect"' inspect "$digits" --json
for line in '"version": 1' '"batch"' '"Conv": 2' '"parameter_bytes": '; do printed "$line"; done

expect 0 'ReferenceExecutionProvider' providers
printed 'threads = 0'
expect 0 'threads = 3' providers --providers cpu:threads=3
expect 0 '"short_name": "reference"' providers --json
printed '"schema": "inlay.providers"'
finish
