#!/usr/bin/env bash
# Every command that reads a model reads one of the Hugging Face cache, whose files are links, with external data.
. "$(dirname "$0")/expect.sh"

# write_external FILE LOCATION: y = x + w, all float [2]; w lies in the file LOCATION.
write_external() {
    local type node weights graph
    type=$(message 2 "$(message 1 "$(number 1 1)$(message 2 "$(message 1 "$(number 1 2)")")")")
    node=$(text 1 x)$(text 1 w)$(text 2 y)$(text 4 Add)
    weights=$(number 1 2)$(number 2 1)$(text 8 w)$(message 13 "$(text 1 location)$(text 2 "$2")")$(number 14 1)
    graph=$(message 1 "$node")$(text 2 g)$(message 5 "$weights")$(message 11 "$(text 1 x)$type")$(message 12 "$(text 1 y)$type")
    write_hex "$1" "$(number 1 8)$(message 7 "$graph")$(message 8 "$(text 1 "")$(number 2 17)")"
}
hub=$work/models--org--name snapshot=$work/models--org--name/snapshots/1
mkdir -p "$hub/blobs" "$hub/refs" "$snapshot"
printf 1 > "$hub/refs/main"
write_external "$hub/blobs/11aa" model.onnx_data
write_hex "$hub/blobs/22bb" 0000c03f00002040  # 1.5, 2.5
ln -s ../../blobs/11aa "$snapshot/model.onnx"
ln -s ../../blobs/22bb "$snapshot/model.onnx_data"
model=$snapshot/model.onnx
mkdir "$work/data"
write_floats "$work/data/input_0.pb" 0000803f 00000040   # 1, 2
write_floats "$work/data/output_0.pb" 00002040 00009040  # 2.5, 4.5
adds() { expect 0 '' test "$1" "$work/data"; }

adds "$model"
for command in inspect check plan memory optimize bench; do expect 0 '' $command "$model" --quiet; done
expect 0 '' quantize "$model" -o "$work/quantised.onnx" --random 2 --quiet
expect 0 '' run "$work/quantised.onnx" --random --quiet
expect 0 '' compile "$model" --name hub --out "$work/type" --depfile "$work/hub.d" --quiet
grep -qF "$snapshot/model.onnx_data" "$work/hub.d" || fail "the depfile has no external data: $(cat "$work/hub.d")"

# A part is a file of its own, which is no link: what it could not read comes into it.
for part in "$snapshot/part.onnx" "$work/part.onnx"; do
    expect 0 '1 of 1 node' extract "$model" --to y -o "$part"
    adds "$part"
done
mkdir "$work/plain"
write_external "$work/plain/model.onnx" w.bin
cp "$hub/blobs/22bb" "$work/plain/w.bin"
expect 0 '' extract "$work/plain/model.onnx" --to y -o "$work/plain/part.onnx"
grep -qF w.bin "$work/plain/part.onnx" || fail "a part in the folder of its weights has them too"
adds "$work/plain/part.onnx"

write_hex "$work/secret" 0000c03f00002040
ln -sf ../../../secret "$snapshot/model.onnx_data"
expect 10 "leads out of the model's folder" test "$model" "$work/data"
finish
