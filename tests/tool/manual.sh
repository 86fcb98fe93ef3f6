#!/usr/bin/env bash
# The help of every command ends with examples, which run as they stand, the exit statuses and the environment.
. "$(dirname "$0")/expect.sh"

mkdir "$work/bin" "$work/play"
ln -s "$INLAY_TOOL" "$work/bin/inlay"
ln -s "$INLAY_TOOL" "$work/play/program"
cp "$digits" "$work/play/model.onnx"
expect 0 '' extract "$digits" --to logits -o "$work/play/other.onnx"
expect 0 '' run "$digits" --random --out "$work/play/data" --format pb --save-inputs
expect 0 '' run "$digits" --random --out "$work/npy" --save-inputs
cp "$work/npy/input_0.npy" "$work/play/x.npy"
expect 0 '' run "$digits" --random --out "$work/npz" --format npz --save-inputs
cp "$work/npz/inputs.npz" "$work/play/arrays.npz"
mkdir "$work/play/expected"
cp "$work/npy/output_0.npy" "$work/play/expected/scores.npy"

for command in $("$INLAY_TOOL" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    expect 0 "inlay $command" $command --help
    for part in 'Examples:' 'Exit status:' '  77  ' 'Environment:' 'INLAY_ISA'; do printed "$part"; done
    mapfile -t lines < <(sed -n '/^Examples:/,/^$/s/^  \(inlay .*[^ ]\) *# .*/\1/p' "$work/stdout")
    [ ${#lines[@]} -gt 0 ] || fail "$command has no example"
    for line in "${lines[@]}"; do
        (cd "$work/play" && PATH=$work/bin:$PATH timeout 60 bash -c "${line/#inlay bench/inlay bench --runs 15}" > "$work/stdout" 2> "$work/stderr" < /dev/null)
        got=$?
        [ $got -eq 0 ] || { [ "$command" = diff ] && [ $got -eq 1 ]; } || fail "$line: exit status $got: $(cat "$work/stderr")"
    done
done
for part in 'Exit status:' 'Environment:'; do expect 0 "$part" --help; done
finish
