#!/usr/bin/env bash
# What the command line accepts, and how it answers what it does not.
. "$(dirname "$0")/expect.sh"

expect 0 'inlay 0.' --version
expect 0 'serve-bench' --help
for command in inspect check plan memory optimize run test compare bench profile providers serve-bench; do expect 0 '--fallback' $command --help; done
for command in diff shapes advise compile size doctor completion; do expect 0 'Usage' $command --help; done

expect 0 'Five commands to begin with:'
[ "$(grep -c '^  inlay ' "$work/stdout")" -eq 5 ] || fail "inlay shows no five commands: $(cat "$work/stdout")"
printed 'inlay --help'
expect 2 'inlay --help' frobnicate
expect 2 'did you mean `plan`?' plans
expect 2 'inlay run --help' run
expect 2 'inlay run --help' run "$digits" --frobnicate
expect 2 '--threads' run "$digits" --random --threads -1
expect 2 'there is no provider `gpu`' run "$digits" --random --providers gpu
expect 2 'did you mean `threads`?' run "$digits" --random --providers cpu:thread=2
expect 2 'key=value' run "$digits" --random --providers cpu:threads
expect 2 '`threads` cannot be `many`' plan "$digits" --providers cpu:threads=many
expect 2 'twice' plan "$digits" --providers cpu,CPUExecutionProvider
expect 2 'implicit_cpu, never, any or only:' plan "$digits" --fallback sometimes
expect 2 'did you mean `image`?' plan "$digits" --shape imag=1,1,8,8
expect 2 'is no shape' plan "$digits" --shape image=1,x,8,8
expect 2 'names no input' run "$digits" --in picture=x.npy
expect 2 'give a folder with input_0.npy or .pb, an .npz file, --in image=FILE, or --random' run "$digits"
expect 2 'no folder' run "$digits" "$work/nowhere"

expect 10 "$work/nowhere.onnx" run "$work/nowhere.onnx" --random
expect 10 "$work/nowhere.onnx" inspect "$work/nowhere.onnx"
expect 10 "$work/nowhere.onnx" plan "$work/nowhere.onnx"
write_model "$work/unknown.onnx" Frobnicate com.example
for command in 'run --random' plan memory 'bench --runs 15' 'profile --random' 'inspect --providers cpu' 'advise --seconds 0'; do expect 77 'Frobnicate' ${command%% *} "$work/unknown.onnx" ${command#"${command%% *}"}; done
for command in plan memory 'bench --runs 15' 'profile --random' inspect check optimize advise; do expect 10 "$work/nowhere.onnx" ${command%% *} "$work/nowhere.onnx" ${command#"${command%% *}"}; done
# Its exit status says that at least 97 % of the digits are right.
expect 0 'of 359 handwritten digits right' demo --output "$work/written.onnx"
cmp -s "$work/written.onnx" "$digits" || fail "inlay demo --output does not write the network of examples/digits"
expect 0 'of 359 handwritten digits right' demo --providers reference
expect 11 "$work/nowhere/digits.onnx" demo --output "$work/nowhere/digits.onnx"

# Errors name the row of the page that explains their code; a fault of the command line is explained by its text.
page=docs/reference/errors.md
names_its_row() {  # CODE STATUS ARGUMENT...
    local code=$1 status=$2; shift 2
    expect "$status" "(see $page#$code)" "$@"
    grep -q "^| <a id=\"$code\"></a>" "$INLAY_SOURCE/$page" || fail "$page has no row $code"
}
names_its_row unknown_provider 2 run "$digits" --random --providers gpu
names_its_row unknown_option 2 run "$digits" --random --providers cpu:thread=2
names_its_row invalid_option 2 plan "$digits" --providers cpu:threads=many
names_its_row duplicate_provider 2 plan "$digits" --providers cpu,CPUExecutionProvider
names_its_row not_found 10 inspect "$work/nowhere.onnx"
names_its_row no_provider 77 plan "$work/unknown.onnx"
expect 2 'inlay --help' frobnicate
grep -q "$page" "$work/stderr" && fail "a fault of the command line names a page: $(cat "$work/stderr")"
head -c 5000 "$digits" > "$work/half.onnx"
expect 10 half.onnx inspect "$work/half.onnx"
finish
