#!/usr/bin/env bash
# provider_table.sh <inlay> <README.md>: the table of providers has each that the program has or plans for, with the status and the check
# that its type states, and no other.
set -euo pipefail
known=$("$1" providers --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["providers"]:
    print("|", p["name"], "|", p["status"], "|", p["checked_on"], "|")
' | sort)
shown=$(awk -F ' \\| ' '/^\| `inlay::[a-z_]+` \| [A-Za-z]+ExecutionProvider \|/ {print "|", $2, "|", $3, "|", $4, "|"}' "$2" | sort)
[ -n "$known" ] || { echo "$1 providers lists none"; exit 1; }
diff <(echo "$shown") <(echo "$known") || { echo "the table in $2 (<) is not what the types of the providers state (>)"; exit 1; }
