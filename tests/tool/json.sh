#!/usr/bin/env bash
# Every command prints its report as JSON with --json: one document, with the name and version of its schema, and nothing besides. With --quiet it prints nothing.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 scores run "$digits" --random --out "$work/data" --format pb --save-inputs
expect 0 'features.onnx: ' extract "$digits" --to features -o "$work/features.onnx"
declare -A arguments=(
    [demo]= [inspect]="$digits" [check]="$digits" [plan]="$digits" [memory]="$digits" [optimize]="$digits --compare" [quantize]="$digits --random 2 --speed 0 -o $work/int8.onnx" [diff]="$digits $digits" [extract]="$digits --to logits -o $work/logits.onnx" [shapes]="$digits" [compare]="$digits --out $work/divergence"
    [run]="$digits --random" [test]="$digits $work/data" [bench]="$digits --runs 15 --threads 1" [profile]="$digits --random --runs 2" [advise]="$digits --seconds 0"
    [compile]="$digits --name digits --out $work/generated --shape batch=1" [size]="$INLAY_TOOL" [providers]= [operators]= [devices]= [doctor]=
)
speak_otherwise="serve-bench completion"  # a protocol, a script

commands=$("$INLAY_TOOL" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<< "$commands")" -eq $((${#arguments[@]} + $(wc -w <<< "$speak_otherwise"))) ] || fail "not the commands that are tested here: $commands"
for command in $commands; do
    [[ " $speak_otherwise " == *" $command "* ]] && continue
    [ -n "${arguments[$command]+there}" ] || { fail "$command is not tested"; continue; }
    expect 0 '' $command ${arguments[$command]} --json
    python3 - "$command" "$work/stdout" << 'END' || fail "$command --json: $(cat "$work/stdout")"
import json, sys
command, file = sys.argv[1:]
report = json.load(open(file))
assert list(report)[:2] == ["schema", "version"], list(report)
assert report["schema"] == f"inlay.{command}" and type(report["version"]) is int and report["version"] >= 1, report
END
    expect 0 '' $command ${arguments[$command]} --json --quiet
    [ -s "$work/stdout" ] || fail "$command: --quiet took the JSON away"
    expect 0 '' $command ${arguments[$command]} --quiet
    [ ! -s "$work/stdout" ] || fail "$command --quiet printed $(cat "$work/stdout")"
done

expect 1 '"agrees": false' test "$digits" "$work/data" --rtol 0 --atol 0 --providers reference --json
expect 1 '"changes": [' diff "$digits" "$work/features.onnx" --json
expect 1 '' diff "$digits" "$work/features.onnx" --quiet
expect 0 '' completion bash --quiet
[ -s "$work/stdout" ] || fail "completion --quiet: no script"
expect 0 '"mean": ' run "$digits" --random --seed 3 --json
printed '"seed": 3'
finish
