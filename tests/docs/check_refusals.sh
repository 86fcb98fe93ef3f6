#!/usr/bin/env bash
# check_refusals.sh <embedded.md> <tests/compile_fail>: each error that the page prints is demanded by one of the tests there, but for the
# wrapping of its texts.
set -euo pipefail
printed=$(grep -oE '`(no_provider_for|no_such_port|port_differs)<[^`]*>`' "$1" | tr -d '`')
[ "$(wc -l <<< "$printed")" -ge 3 ] || { echo "$1 prints too few errors"; exit 1; }
demanded=$(sed -n '1s|^// must print: ||p' "$2"/*.cpp -s | sed -E 's/inlay::v1::fixed_text<[0-9]+>\{("[^"]*")\}/\1/g')
if unknown=$(grep -vxFf <(cat <<< "$demanded") <<< "$printed"); then
    echo "$1 prints what no test of $2 demands:"
    echo "$unknown"
    exit 1
fi
