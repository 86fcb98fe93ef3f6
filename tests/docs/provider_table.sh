#!/usr/bin/env bash
# provider_table.sh <inlay> <providers.md> <README.md>: the page's table of providers has each that the program has or plans for, with the status
# and the check that its type states, and no other; README's table of tiers has each once, by the same check.
set -euo pipefail
known=$("$1" providers --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["providers"]:
    print("|", p["name"], "|", p["status"], "|", p["checked_on"], "|", p["short_name"])
' | sort)
[ -n "$known" ] || { echo "$1 providers lists none"; exit 1; }
shown=$(awk -F ' \\| ' '/^\| `inlay::[a-z_]+` \| [A-Za-z]+ExecutionProvider \|/ {print "|", $2, "|", $3, "|", $4, "|"}' "$2" | sort)
diff <(echo "$shown") <(sed 's/|[^|]*$/|/' <<< "$known") || { echo "the table in $2 (<) is not what the types of the providers state (>)"; exit 1; }
tiers=$(awk -F ' *\\| *' '/^\| .* \| (device|simulator|library|own stand-in) \| `/ {n = split($4, names, ", "); for (k = 1; k <= n; ++k) print $3, names[k]}' "$3" | tr -d '`' | sort)
diff <(echo "$tiers") <(sed -E 's/^.*\| ([^|]*) \| ([a-z_]+)$/\1 \2/' <<< "$known" | sort) || { echo "the tiers in $3 (<) are not what the types of the providers state (>)"; exit 1; }
