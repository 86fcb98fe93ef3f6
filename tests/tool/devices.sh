#!/usr/bin/env bash
# The machine as it is: the instruction sets, and every provider with devices of its own, or the reason why not.
. "$(dirname "$0")/expect.sh"

expect 0 'cpu: ' devices
printed 'sse2'
cp "$work/stdout" "$work/text"
sed 1d "$work/stdout" | grep '^[^ ]' | grep -vE '^[a-z0-9_]+: (usable|cannot be used: .+)$' && fail "neither usable nor a reason: $(cat "$work/stdout")"
for provider in "$INLAY_SOURCE"/src/provider/*/; do printed "$(basename "$provider"): "; done
expect 0 '"schema": "inlay.devices"' devices --json
printed '"instruction_sets"'
for provider in "$INLAY_SOURCE"/src/provider/*/; do printed "\"$(basename "$provider")\": {"; done
grep -qE '"usable": (true|false)' "$work/stdout" || fail "no provider with a device in: $(cat "$work/stdout")"

# Of the twenty each is there; without libraries those that cannot be used say in their line what is missing, and how to
# get it.
for provider in $(sed 1d "$work/text" | grep -oE '^[a-z0-9_]+'); do export "INLAY_${provider^^}_LIBRARY=/no/such/place"; done
expect 0 'cpu: ' devices
lines=$(sed 1d "$work/stdout" | grep '^[^ ]')
[ "$(wc -l <<< "$lines")" -eq 19 ] || fail "not nineteen providers next to the processor's: $lines"
library='(has|have) (it|them).*INLAY_[A-Z_]+_LIBRARY may name|INLAY_[A-Z_]+_LIBRARY may name .* has them|built with this program'
library+='|pip install .+ brings (it|them); the environment variable INLAY_[A-Z_]+_LIBRARY may name'
ways="configure with -DINLAY_|scripts/setup --provider [a-z0-9]+ installs it|$library|(is for|is part of) .*INLAY_[A-Z_]+_LIBRARY may name|for Arm.s processors|where ModelCacheDirectory names a folder|.endpoint. is empty"
grep ': cannot be used: ' <<< "$lines" | grep -vE "$ways" && fail 'these lines do not say how to get what is missing'
finish
