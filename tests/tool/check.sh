#!/usr/bin/env bash
# inlay check, optimize, diff, extract and doctor.
. "$(dirname "$0")/expect.sh"
command -v python3 > /dev/null || { echo "python3 is missing"; exit 1; }  # reads the JSON

expect 0 'every node has a provider' check "$digits" --providers cpu,reference
for line in 'digits: valid' 'Conv-11' '       cpu   reference' 'all'; do printed "$line"; done
grep -q $'\x1b' "$work/stdout" && fail "colours although standard output is no terminal"
expect 0 '"schema": "inlay.check"' check "$digits" --json
printed '"uncovered": []'
write_model "$work/unknown.onnx" Frobnicate com.example
"$INLAY_TOOL" check "$work/unknown.onnx" > "$work/stdout" 2> "$work/stderr"
[ $? -eq 77 ] || fail "an unknown operator: not status 77"
printed 'no provider runs 1 node: the_node (com.example.Frobnicate-1)'
printed 'cpu: no kernel for this operator (com.example.Frobnicate): the_node'
write_model "$work/twice.onnx" Relu ai.onnx  # which is a domain with a second import
"$INLAY_TOOL" check "$work/twice.onnx" > "$work/stdout" 2> "$work/stderr"
[ $? -eq 10 ] || fail "a model that is not valid: not status 10"
for line in 'g: not valid' 'the domain `ai.onnx` is imported twice: version 1, the last one, is meant' 'every node has a provider'; do printed "$line"; done
"$INLAY_TOOL" check "$work/twice.onnx" --json > "$work/stdout"
printed '"valid": false'
# A node of data-dependent shape is checked as the run does: without its library no provider runs it, with it one does.
write_open_model() {  # FILE OPERATOR ELEMENT_IN ELEMENT_OUT ATTRIBUTE: one node from x to y, of any rank
    local node graph
    node=$(text 1 x)$(text 2 y)$(text 3 the_node)$(text 4 "$2")$5
    graph=$(message 1 "$node")$(text 2 g)$(message 11 "$(text 1 x)$(message 2 "$(message 1 "$(number 1 "$3")")")")
    graph+=$(message 12 "$(text 1 y)$(message 2 "$(message 1 "$(number 1 "$4")")")")
    write_hex "$1" "$(number 1 8)$(message 7 "$graph")$(message 8 "$(text 1 "")$(number 2 20)")"
}
write_open_model "$work/regex.onnx" RegexFullMatch 8 9 "$(message 5 "$(text 1 pattern)$(text 4 a+)")"
write_open_model "$work/image.onnx" ImageDecoder 2 2 ""
write_open_model "$work/open.onnx" Relu 1 1 ""
INLAY_RE2_LIBRARY=/nowhere "$INLAY_TOOL" check "$work/regex.onnx" --providers cpu > "$work/stdout" 2> "$work/stderr"
[ $? -eq 77 ] || fail "no regular expressions: not status 77"
printed 'cpu: regular expressions need RE2'
printed 'no provider runs 1 node: the_node (RegexFullMatch-20)'
INLAY_IMAGES_LIBRARY=/nowhere "$INLAY_TOOL" check "$work/image.onnx" --providers cpu > "$work/stdout" 2> "$work/stderr"
printed 'note: ImageDecoder reads BMP and PNM files alone here: JPEG files need libinlay_images_module.so'
expect 0 'every node has a provider' check "$work/open.onnx" --providers cpu,reference
nine_type=$(message 2 "$(message 1 "$(number 1 1)$(message 2 "$(printf '%.0s'"$(message 1 "$(number 1 1)")" 1 2 3 4 5 6 7 8 9)")")")
nine_graph=$(message 1 "$(text 1 x)$(text 2 y)$(text 4 Relu)")$(text 2 g)$(message 11 "$(text 1 x)$nine_type")$(message 12 "$(text 1 y)$nine_type")
write_hex "$work/nine.onnx" "$(number 1 8)$(message 7 "$nine_graph")$(message 8 "$(text 1 "")$(number 2 20)")"
expect 77 '`x` has 9 dimensions; 8 are supported' check "$work/nine.onnx"
head -c 5000 "$digits" > "$work/half.onnx"
expect 10 'half.onnx' check "$work/half.onnx"
expect 2 'there is no provider `gpu`' check "$digits" --providers gpu

expect 0 'rewrites  pass' optimize "$digits" --compare
for line in 'fuse_conv_activation' 'nodes: ' 'computes the same as before'; do printed "$line"; done
expect 0 '"schema": "inlay.optimize"' optimize "$digits" --json --without fuse_conv_activation
grep -q '"name": "fuse_conv_activation"' "$work/stdout" && fail "--without left the pass in"
expect 0 'computes the same as before' optimize "$digits" --output "$work/optimised.onnx" --compare
printed "$work/optimised.onnx: written"
expect 0 'no difference' diff "$work/optimised.onnx" "$work/optimised.onnx"
expect 0 'scores' run "$work/optimised.onnx" --random
expect 0 '"file": "' optimize "$work/optimised.onnx" --output "$work/again.onnx" --json
cmp "$work/optimised.onnx" "$work/again.onnx" || fail "an optimised model is not the same when optimised again"
expect 11 'nowhere' optimize "$digits" --output "$work/nowhere/optimised.onnx"
expect 2 'fuse_everything' optimize "$digits" --without fuse_everything

expect 0 'no difference' diff "$digits" "$digits"
write_model "$work/relu.onnx" Relu
write_model "$work/sigmoid.onnx" Sigmoid
expect 1 '- node the_node: Relu-14 (x) -> y' diff "$work/relu.onnx" "$work/sigmoid.onnx"
printed '+ node the_node: Sigmoid-13 (x) -> y'
printed '1 difference'
expect 1 '"schema": "inlay.diff"' diff "$digits" "$work/relu.onnx" --json
expect 1 '' diff "$digits" "$work/relu.onnx" --quiet
[ -s "$work/stdout" ] && fail "--quiet printed $(cat "$work/stdout")"
expect 10 "$work/nowhere.onnx" diff "$digits" "$work/nowhere.onnx"

# A part computes what the whole computes: features to logits, with the whole's own features as its input.
expect 0 'features.onnx: ' extract "$digits" --to features -o "$work/features.onnx"
expect 0 'logits.onnx: 3 of 10 nodes' extract "$digits" --from features --to logits -o "$work/logits.onnx"
expect 0 'whole.onnx' extract "$digits" --to logits -o "$work/whole.onnx"
expect 0 logits run "$work/whole.onnx" --random --seed 5 --out "$work/whole" --format pb --save-inputs
expect 0 features run "$work/features.onnx" "$work/whole" --out "$work/features" --format pb
mkdir "$work/part"
cp "$work/features/output_0.pb" "$work/part/input_0.pb"
cp "$work/whole/output_0.pb" "$work/part/output_0.pb"
expect 0 'agrees: 1 output' test "$work/logits.onnx" "$work/part"
expect 0 '[batch,288]' inspect "$work/logits.onnx"
expect 0 '"schema": "inlay.extract"' extract "$digits" --to logits -o "$work/again.onnx" --json
cmp "$work/whole.onnx" "$work/again.onnx" || fail "the same part twice is not the same file"
expect 0 'features.onnx: ' extract "$digits" --to conv1 -o "$work/features.onnx"
expect 0 '1  Conv' inspect "$work/features.onnx"
expect 0 'logits.onnx: ' extract "$digits" --from conv2 --to logits -o "$work/logits.onnx"
expect 0 '1         1  Conv' inspect "$work/logits.onnx"
expect 2 'there is no value `nosuch`' extract "$digits" --to nosuch -o "$work/none.onnx"
expect 2 'no output wanted depends on `nosuch`' extract "$digits" --from nosuch --to logits -o "$work/none.onnx"
expect 2 'neither --from nor --to' extract "$digits" -o "$work/none.onnx"
expect 10 "$work/nowhere.onnx" extract "$work/nowhere.onnx" --to y -o "$work/none.onnx"
[ -e "$work/none.onnx" ] && fail "a file was written in spite of an error"

expect 0 'protobuf: ' doctor
for line in 'inlay: 0.' 'compiler: ' 'onnx: 1.' 'CPUExecutionProvider (' 'processor: ' 'avx2: '; do printed "$line"; done
grep -q ': unknown' "$work/stdout" && fail "doctor does not know something: $(cat "$work/stdout")"
expect 0 '"schema": "inlay.doctor"' doctor --json
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/stdout" || fail "doctor's JSON"
finish
