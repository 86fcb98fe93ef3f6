#!/usr/bin/env bash
# check.sh <program of cases.cpp>: it ends with 77 where a case is skipped, not where one fails besides, and says why.
set -uo pipefail
wrong=0
expect() {  # expect STATUS CASES
    "$program" "$2" > "$output" 2>&1
    local status=$?
    [ $status -eq "$1" ] || { echo "$2 ended with $status, not with $1"; cat "$output"; wrong=1; }
}
program=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
expect 0 '[passing]'
expect 1 '[failing]'
expect 1 '[missing],[failing]'
expect 77 '[missing]'
expect 77 '[missing],[passing]'
grep -q 'skipped: nothing is missing but 1 reason' "$output" || { echo "it does not say why"; cat "$output"; wrong=1; }
exit $wrong
