#!/usr/bin/env bash
# check_output.sh <page.md> <program>: the program prints the lines of the page's first block of ```text in their order; lines may be left out there.
set -euo pipefail
shown=$(awk '/^```text$/ {inside = 1; next} inside && /^```$/ {exit} inside && $0 != "..."' "$1")
[ "$(wc -l <<< "$shown")" -ge 2 ] || { echo "$1 shows no output"; exit 1; }
missing=$(awk 'NR == FNR {wanted[++count] = $0; next} $0 == wanted[at + 1] {++at} END {if (at < count) print wanted[at + 1]}' <(echo "$shown") <("$2"))
[ -z "$missing" ] || { echo "$1 shows what $2 does not print there: $missing"; exit 1; }
