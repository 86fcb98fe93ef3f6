#!/usr/bin/env bash
# inlay serve-bench: one line of facts, then one line of times for each line on standard input.
. "$(dirname "$0")/expect.sh"

expect 0 scores run "$digits" --random --shape image=3,1,8,8 --out "$work/data" --format pb --save-inputs
answers=$(printf '3\n0\n1\n' | "$INLAY_TOOL" serve-bench "$digits" "$work/data" 1) || fail "exit status $?"
number='[0-9][-+.e0-9]*'
{
    read -r facts
    [[ $facts == '{'*'"load_s":'*'"peak_mib":'*'"bound":true'*'}' ]] || fail "facts: $facts"
    for pattern in "$number,$number,$number" "" "$number"; do
        read -r line
        [[ $line =~ ^\[$pattern\]$ ]] || fail "times: $line"
    done
    read -r line && fail "one line too many: $line"
} <<< "$answers"
printf '' | expect 0 '"copied_values":0' serve-bench "$digits" "$work/data" 1 --on-device
expect 2 'THREADS' serve-bench "$digits" "$work/data"
expect 10 nowhere.onnx serve-bench "$work/nowhere.onnx" "$work/data" 1
finish
