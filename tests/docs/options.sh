#!/usr/bin/env bash
# options.sh [--write] <inlay> <page.md>: the page's table of options has what the providers built into the program have; others
# may stand there too, of which this build has no headers.
set -euo pipefail
write=no
if [ "$1" = --write ]; then write=yes; shift; fi
table=$("$1" providers --json | python3 -c '
import json, sys
print("| provider | option | default |\n|---|---|---|")
for p in json.load(sys.stdin)["providers"]:
    for name, value in p["options"].items() if p["built_in"] else ():
        default = f"`{value}`" if value else "chosen when the session starts"
        print("|", "`" + p["short_name"] + "`", "|", f"`{name}`", "|", default, "|")
')
if [ "$write" = yes ]; then
    awk -v table="$table" '/^<!-- options:/ {print; print table; skip = 1; next} /^<!-- \/options/ {skip = 0} !skip' "$2" > "$2.new"
    mv "$2.new" "$2"
fi
shown=$(awk '/^<!-- options:/ {inside = 1; next} /^<!-- \/options/ {exit} inside' "$2")
built=$(echo "$table" | cut -d '|' -f 2 | sort -u)
diff <(echo "$shown" | awk -F '|' 'NR == FNR {built[$1]; next} $2 in built' <(echo "$built") -) <(echo "$table") || { echo "the options in $2 (<) are not those of the program (>)"; exit 1; }
