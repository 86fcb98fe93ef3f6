#!/usr/bin/env bash
# compare.sh <readelf> <nm> <without> <with> <provider>...: the same program, linked without providers and with all those of the build,
# which it does not list: they add no library that it needs, nothing that is called before main(), and under 20 kB; and what Inlay
# itself is made of has none of them.
set -euo pipefail
readelf=$1 nm=$2 without=$3 with=$4; shift 4
providers=$(IFS='|'; echo "$*")
needed() { "$readelf" -d "$1" | grep -oP 'NEEDED.*\[\K[^]]+' | sort; }
bytes_of() {  # of the sections whose names match, in a file that is not stripped
    "$readelf" -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$2" '$1 ~ name && $0 ~ / A/ {print $5}' | while read -r size; do echo $((16#$size)); done | awk '{sum += $1} END {print sum + 0}'
}
inner=$("$nm" -C --defined-only "$without" | grep -oE "inlay::v1::($providers)::[a-z_]+" | sort -u || true)
[ -z "$inner" ] || { echo "it has parts of providers: $inner"; exit 1; }
more=$(comm -13 <(needed "$without") <(needed "$with"))
[ -z "$more" ] || { echo "it needs more libraries: $more"; exit 1; }
for section in '^\.init_array$' '^\.preinit_array$' '^\.ctors$'; do
    [ "$(bytes_of "$without" "$section")" -eq "$(bytes_of "$with" "$section")" ] || { echo "more is called before main(): $section"; exit 1; }
done
grown=$(($(bytes_of "$with" '^\.') - $(bytes_of "$without" '^\.')))
echo "$(bytes_of "$without" '^\.') bytes without, $grown more with"
[ "$(bytes_of "$without" '^\.')" -gt 100000 ] || { echo "the sections were not read"; exit 1; }
[ $grown -lt 20000 ] || { echo "it grew by $grown bytes"; exit 1; }
