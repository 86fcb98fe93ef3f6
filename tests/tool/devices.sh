#!/usr/bin/env bash
# The machine as it is: the instruction sets, and every provider with devices of its own, or the reason why not.
. "$(dirname "$0")/expect.sh"

expect 0 'cpu: ' devices
printed 'sse2'
sed 1d "$work/stdout" | grep '^[^ ]' | grep -vE '^[a-z0-9_]+: (usable|cannot be used: .+)$' && fail "neither usable nor a reason: $(cat "$work/stdout")"
for provider in "$INLAY_SOURCE"/src/provider/*/; do printed "$(basename "$provider"): "; done
expect 0 '"schema": "inlay.devices"' devices --json
printed '"instruction_sets"'
for provider in "$INLAY_SOURCE"/src/provider/*/; do printed "\"$(basename "$provider")\": {"; done
grep -qE '"usable": (true|false)' "$work/stdout" || fail "no provider with a device in: $(cat "$work/stdout")"
finish
