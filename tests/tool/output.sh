#!/usr/bin/env bash
# What commands write: whole files or none, devices, pipes and links that stay what they are, and standard output.
. "$(dirname "$0")/expect.sh"
file=$work/optimized.onnx
expect 0 '' optimize "$digits" -o "$file" -q

# A device, a pipe and a link get what is written, and stay.
expect 0 '/dev/null: written' optimize "$digits" -o /dev/null
expect 0 '' extract "$digits" --to features -o /dev/null -q
expect 0 '' quantize "$digits" -o /dev/null --form dynamic -q
expect 0 '' plan "$digits" --html /dev/null -q
[ -c /dev/null ] || fail "/dev/null is no device any more"
mkfifo "$work/pipe"
cat "$work/pipe" > "$work/through" &
expect 0 '' optimize "$digits" -o "$work/pipe" -q
wait
[ -p "$work/pipe" ] || fail "the pipe is none any more"
cmp "$work/through" "$file" || fail "another file came through the pipe"
mkdir "$work/far"
ln -s far/real.onnx "$work/link.onnx"
expect 0 '' optimize "$digits" -o "$work/link.onnx" -q
[ "$(readlink "$work/link.onnx")" = far/real.onnx ] || fail "the link is none any more"
cmp "$work/far/real.onnx" "$file" || fail "the file behind the link was not written"

# The mode of a file stays, and a file of the user's with a like name too.
cp "$digits" "$work/private.onnx"
chmod 600 "$work/private.onnx"
echo mine > "$work/private.onnx.new"
expect 0 '' optimize "$digits" -o "$work/private.onnx" -q
[ "$(stat -c %a "$work/private.onnx")" = 600 ] || fail "the mode is $(stat -c %a "$work/private.onnx")"
[ "$(cat "$work/private.onnx.new")" = mine ] || fail "a file of the user's was written"

# Where nothing more can be written the status is 11, the reason is printed, and the old file stays.
full=(/dev/full 'cannot write `/dev/full`: No space left on device')
expect 11 "${full[1]}" optimize "$digits" -o "${full[0]}"
expect 11 "${full[1]}" extract "$digits" --to features -o "${full[0]}"
expect 11 "${full[1]}" quantize "$digits" -o "${full[0]}" --form dynamic
expect 11 "${full[1]}" plan "$digits" --html "${full[0]}"
expect 11 "${full[1]}" memory "$digits" --html "${full[0]}"
expect 11 "${full[1]}" profile "$digits" --random --runs 1 --trace "${full[0]}"
expect 11 'No such file or directory' optimize "$digits" -o "$work/nowhere/m.onnx"
expect 11 'Is a directory' optimize "$digits" -o "$work"
compile=(compile "$digits" --name digits --shape batch=1)
ln -s /dev/full "$work/full.d"
expect 11 'No space left on device' "${compile[@]}" --out "$work/compiled" --depfile "$work/full.d"
mkdir -p "$work/blocked/digits.weights"
expect 11 'Is a directory' "${compile[@]}" --out "$work/blocked"
limited() { (ulimit -f 1; exec "$INLAY_TOOL" "$@") > "$work/stdout" 2> "$work/stderr"; }  # files of a kilobyte
cp "$digits" "$work/old.onnx"
limited optimize "$digits" -o "$work/old.onnx"
[ $? -eq 11 ] && grep -qF 'File too large' "$work/stderr" || fail "where the disk is full: $(cat "$work/stderr")"
cmp "$digits" "$work/old.onnx" || fail "the old file is not what it was"
for format in npy pb npz; do
    expect 0 '' run "$digits" --random --shape batch=200 --out "$work/results" --format $format -q
    cp -r "$work/results" "$work/before"
    limited run "$digits" --random --seed 1 --shape batch=200 --out "$work/results" --format $format
    [ $? -eq 11 ] && grep -qF 'File too large' "$work/stderr" || fail "run --format $format where the disk is full: $(cat "$work/stderr")"
    diff -r "$work/results" "$work/before" || fail "the old results are not what they were"
    rm -r "$work/results" "$work/before"
done

# Two writers of one file: it is one of the two, whole.
for k in 1 2 3 4; do
    "$INLAY_TOOL" optimize "$digits" -o "$work/shared.onnx" -q &
    "$INLAY_TOOL" optimize "$digits" --without fold_constants -o "$work/shared.onnx" -q &
done
wait
expect 0 'scores' run "$work/shared.onnx" --random
[ -z "$(find "$work" -name '*.new-*')" ] || fail "drafts are left: $(find "$work" -name '*.new-*')"

# Standard output that is full.
for words in "plan $digits" "plan $digits --json" "plan $digits --dot" "inspect $digits" "inspect $digits --json" "--help" "--version" "providers" "completion bash"; do
    "$INLAY_TOOL" $words > /dev/full 2> "$work/stderr"
    got=$?
    [ $got -eq 11 ] && grep -qF 'No space left on device' "$work/stderr" || fail "inlay $words to a full disk: $got, $(cat "$work/stderr")"
done
"$INLAY_TOOL" plan "$digits" -q > /dev/full || fail "nothing is written, and the status is $?"
finish
