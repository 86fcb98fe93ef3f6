#!/usr/bin/env bash
# check.sh <cmake> <build folder> <digits.onnx>: inlay_add_model from an installed package, with each generator that is there: it builds, does
# nothing twice, follows the model when that changes, and explains its misuse.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
"$cmake" --install "$2" --prefix "$work/inlay" > "$work/log"
mkdir "$work/models"
model=$work/models/digits.onnx

expect_weight() {  # VALUE: both programs print it
    [ "$("$build/embedded")" = "digits 1 $1" ] || fail "embedded printed $("$build/embedded"), not the weight $1"
    [ "$("$build/a/folder/mapped")" = "digits 4 $1" ] || fail "mapped printed $("$build/a/folder/mapped"), not the weight $1"
}
stamps() { find "$build" -type f \( -name 'main*.o' -o -name digits.o -o -name '*.hpp' -o -name embedded -o -name mapped -o -name '*.weights' \) -printf '%p %T+\n' | sort; }

for generator in Ninja "Unix Makefiles"; do
    tool=make; [ "$generator" = Ninja ] && tool=ninja
    command -v $tool > /dev/null || { echo "no $tool: $generator is not tested"; continue; }
    build="$work/build of $tool"
    cp "$3" "$model"
    "$cmake" -S "$here" -B "$build" -G "$generator" -DCMAKE_PREFIX_PATH="$work/inlay" -DMODEL="$model" > "$work/log" || fail "$(cat "$work/log")"
    "$cmake" --build "$build" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
    weights=$(find "$build" -path '*embedded*' -name digits.weights)
    expect_weight "$(od -An -tf4 -N4 "$weights" | awk '{printf "%g", $1}')"

    before=$(stamps)
    "$cmake" --build "$build" > "$work/log" 2>&1
    ! grep -q 'Compiling the model' "$work/log" || fail "$generator: an unchanged model is compiled again"
    [ "$(stamps)" = "$before" ] || fail "$generator: a build without changes did something: $(diff <(echo "$before") <(stamps))"

    # Another weight: the programs follow, and no source is compiled again.
    sleep 1.1  # file systems with coarse time stamps
    pattern=$(od -An -tx1 -N8 "$weights" | sed 's/ /\\x/g')
    offset=$(LC_ALL=C grep -obUaP -- "$pattern" "$model" | head -1 | cut -d: -f1)
    printf '\000\000\050\102' | dd of="$model" bs=1 seek="$offset" conv=notrunc status=none
    before=$(stamps | grep -E 'main|digits.hpp')
    "$cmake" --build "$build" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
    expect_weight 42
    [ "$(stamps | grep -E 'main|digits.hpp')" = "$before" ] || fail "$generator: another weight compiled the sources again"
    "$cmake" --build "$build" > "$work/log" 2>&1
    ! grep -q 'Compiling the model' "$work/log" || fail "$generator: a model that changed once is compiled again and again"
done

says() { tr -s ' \n' ' ' < "$work/log" | grep -qF -- "$1" || fail "no \"$1\" in: $(cat "$work/log")"; }
refuse() {  # TEXT ARGUMENT...
    local text=$1 IFS=';'; shift
    ! "$cmake" -S "$here" -B "$work/misuse" -DCMAKE_PREFIX_PATH="$work/inlay" -DMODEL="$model" -DMISUSE="$*" > "$work/log" 2>&1 || fail "$* was accepted"
    says "$text"
}
"$cmake" -S "$here" -B "$work/absent" -DCMAKE_PREFIX_PATH="$work/inlay" -DMODEL="$model" -DMISUSE="embedded;$work/none.onnx" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
says "there is no file $work/none.onnx"
refuse 'there is no target nothing' nothing "$model"
refuse 'WEIGHTS somewhere is unknown; it is embed, file or mapped' embedded "$model" NAME digits WEIGHTS somewhere
refuse 'PRECISION half is unknown; it is standard, strict or bfloat16' embedded "$model" NAME digits PRECISION half
refuse 'not understood: SHAPE' embedded "$model" NAME digits SHAPE batch=1
