# For the scripts next to this file: source it, then `expect STATUS TEXT ARGUMENT...` runs the tool and demands that it
# exits with STATUS and prints TEXT, on standard error where STATUS says bad usage or failure; `finish` ends the script.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digits=$INLAY_SOURCE/examples/digits/digits.onnx
wrong=0

fail() { echo "FAILED: $*"; wrong=$((wrong + 1)); }

expect() {
    local status=$1 text=$2; shift 2
    "$INLAY_TOOL" "$@" > "$work/stdout" 2> "$work/stderr" < /dev/null
    local got=$? stream=stdout
    case $status in 2 | 10 | 11 | 77) stream=stderr ;; esac
    [ $got -eq $status ] || fail "inlay $*: exit status $got, expected $status: $(cat "$work/stderr")"
    [ -z "$text" ] || grep -qF -- "$text" "$work/$stream" || fail "inlay $*: no \"$text\" on $stream: $(cat "$work/$stream")"
    [ $stream = stdout ] || [ "$(wc -l < "$work/stderr")" -eq 1 ] || fail "inlay $*: standard error is not one line: $(cat "$work/stderr")"
}
printed() { grep -qF -- "$1" "$work/stdout" || fail "no \"$1\" in: $(cat "$work/stdout")"; }  # by the tool as run last
finish() { [ $wrong -eq 0 ] || exit 1; }

# ONNX files by hand: hex text that protobuf's wire format makes of short fields.
hex_of() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }
number() { printf '%02x%02x' $(($1 << 3)) "$2"; }                          # field, value < 128
message() {                                                                # field, its contents in hex, under 16 kB
    local size=$((${#2} / 2))
    printf '%02x' $(($1 << 3 | 2))
    [ $size -lt 128 ] && printf '%02x' $size || printf '%02x%02x' $((size & 127 | 128)) $((size >> 7))
    printf %s "$2"
}
text() { message "$1" "$(hex_of "$2")"; }
write_hex() { printf "$(sed 's/../\\x&/g' <<< "$2")" > "$1"; }

# write_model FILE OPERATOR [DOMAIN]: one node from x to y, both float [2].
write_model() {
    local type node graph
    type=$(message 2 "$(message 1 "$(number 1 1)$(message 2 "$(message 1 "$(number 1 2)")")")")
    node=$(text 1 x)$(text 2 y)$(text 3 the_node)$(text 4 "$2")${3:+$(text 7 "$3")}
    graph=$(message 1 "$node")$(text 2 g)$(message 11 "$(text 1 x)$type")$(message 12 "$(text 1 y)$type")
    write_hex "$1" "$(number 1 8)$(message 7 "$graph")$(message 8 "$(text 1 "")$(number 2 17)")${3:+$(message 8 "$(text 1 "$3")$(number 2 1)")}"
}
# write_floats FILE HEX...: a TensorProto of these float32 numbers, little-endian.
write_floats() {
    local file=$1 all; shift
    all=$(printf %s "$@")
    write_hex "$file" "$(number 1 $#)$(number 2 1)$(message 9 "$all")"
}
