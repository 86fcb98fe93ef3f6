#!/usr/bin/env bash
# The pages of inlay plan, memory and profile in a browser: no word on the console, nothing from the network, search, groups, both themes.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/browser.sh"

no_overlaps() {  # of boxes in the page that dom read last
    python3 - "$work/dom" << 'END' || fail "boxes overlap"
import re, sys
boxes = []
for x, y, inside in re.findall(r'<g class="box[^>]*transform="translate\(([-.e\d]+),([-.e\d]+)\)"[^>]*>(.*?)</g>', open(sys.argv[1]).read(), re.S):
    left, top, width, height = (float(re.search(rf'<rect x="[^>]*{key}="([-.e\d]+)"' if key != "x" else r'<rect x="([-.e\d]+)"', inside).group(1)) for key in ("x", "y", "width", "height"))
    boxes.append((float(y) + top, float(x) + left, width, height))
boxes.sort()
assert len(boxes) > 5, len(boxes)
for k, (y, x, w, h) in enumerate(boxes):
    for y2, x2, w2, h2 in boxes[k + 1:]:
        if y2 >= y + h: break
        assert x + w <= x2 or x2 + w2 <= x, ((x, y, w, h), (x2, y2, w2, h2))
END
}

# The browser must be able to fail: a page with a wrong script writes to the console.
echo '<script>missing();</script>' > "$work/wrong.html"
"$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --log-level=0 --user-data-dir="$work/browser" --dump-dom "file://$work/wrong.html" > /dev/null 2> "$work/console"
grep -qF CONSOLE "$work/console" || fail "an error of a script is not seen"

# Three providers, two of them partial: hand-overs with and without a copy, refusals, fused steps.
"$INLAY_PARTIAL_PLAN" "$digits" "$work/plan.html" "$work/memory.html" || fail "partial_plan"
dom "$work/plan.html" ''
no_overlaps
for text in 'data-boxes="' 'BoardExecutionProvider: ' 'CPUExecutionProvider: ' 'no kernel for this operator (Conv)' 'class="box copy"' 'host → board'; do in_dom "$text"; done
node=$("$INLAY_TOOL" plan "$digits" --json | python3 -c 'import json, sys; print(next(n["name"] for n in json.load(sys.stdin)["nodes"] if n["op"] == "Conv"))')
dom "$work/plan.html" "#search=$node"
for text in "<h2>$node</h2>" '1 of ' 'Why not elsewhere' 'Board: no kernel for this operator (Conv)' 'match selected'; do in_dom "$text"; done
dom "$work/plan.html" '#search=no_such_node'
in_dom '0 matches'
not_in_dom 'match selected'
dom "$work/plan.html" '#group=partition'
in_dom 'class="box group"'
screenshot "$work/plan.html" '' digits
screenshot "$work/plan.html" "#search=$node" digits-search
dom "$work/memory.html" '#search=image'
for text in 'data-bars="' 'board: arena ' 'image: float [1,1,8,8]' 'bar found selected'; do in_dom "$text"; done
screenshot "$work/memory.html" '' digits-memory

expect 0 '' profile "$digits" --random --runs 2 --quiet --html "$work/profile.html"
dom "$work/profile.html" ''
for text in '<th tabindex="0">' 'class="part selected"' 'run: ' 'outside the steps' '% of the roofline' 'GFLOP/s, '; do in_dom "$text"; done
parts=$(grep -o 'data-parts="[0-9]*"' "$work/dom" | tr -dc 0-9)
[ "$parts" -ge 8 ] || fail "the flame has $parts parts"
dom "$work/profile.html" "#search=$node"
for text in '1 of 1' "Conv $node" 'part found selected'; do in_dom "$text"; done
dom "$work/profile.html" '#search=no_such_node'
in_dom '0 found'
not_in_dom 'part found'
keys='for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"]) document.getElementById("flame").dispatchEvent(new KeyboardEvent("keydown", {key}));'
sed "s|</body>|<script>$keys</script></body>|" "$work/profile.html" > "$work/keys.html"
dom "$work/keys.html" ''
[ "$(grep -o 'class="part above"' "$work/dom" | wc -l)" -eq 2 ] || fail "two steps down, one to the right and Enter do not zoom to the second step"
screenshot "$work/profile.html" '' digits-profile
screenshot "$work/profile.html" "#search=$node" digits-profile-search

# 1,000 nodes, with names of scopes: closed groups at first; a search opens the one that it needs.
if ! python3 "$(dirname "$0")/chain.py" "$work/chain.onnx" 1000; then fail "chain.py"; fi
expect 0 '' plan "$work/chain.onnx" --html "$work/chain.html"
dom "$work/chain.html" ''
in_dom 'class="box group"'
no_overlaps
boxes=$(grep -o 'data-boxes="[0-9]*"' "$work/dom" | tr -dc 0-9)
[ "$boxes" -ge 5 ] && [ "$boxes" -le 160 ] || fail "1,000 nodes start with $boxes boxes"
dom "$work/chain.html" '#search=layer7/block3/node_4'
in_dom '<h2>layer7/block3/node_4</h2>'
dom "$work/chain.html" '#group=none'
[ "$(grep -o 'data-boxes="[0-9]*"' "$work/dom" | tr -dc 0-9)" -ge 1000 ] || fail "without groups not every step has a box"
no_overlaps
screenshot "$work/chain.html" '' chain
screenshot "$work/chain.html" '#group=none' chain-open

# Names from a file never become markup or script.
write_model "$work/named.onnx" Relu
sed -i 's/the_node/<\/b>node/' "$work/named.onnx"
expect 0 '' plan "$work/named.onnx" --html "$work/named.html"
expect 0 '' memory "$work/named.onnx" --html "$work/named_memory.html"
grep -F '</b>' "$work/named.html" "$work/named_memory.html" && fail "a page has markup from the model"
dom "$work/named.html" '#search=node'
in_dom '&lt;/b&gt;node'
for page in plan memory profile chain named; do grep -qE '(src|href)=|https?://[^w]|@import' "$work/$page.html" && fail "$page.html refers to something outside"; done
finish
