// Selection, search, and the content of the panel next to the picture.
"use strict";
function mark() {
    const near = new Set(selected?.links ?? []), found = new Set(matches.filter(n => stepOfNode[n] >= 0).map(n => boxOfStep[stepOfNode[n]]));
    for (const b of boxes) {
        b.element.classList.toggle("selected", b === selected);
        b.element.classList.toggle("match", found.has(b));
        b.element.classList.toggle("dim", matches.length > 0 && !found.has(b) && b !== selected);
    }
    links.forEach((l, k) => { l.path.classList.toggle("near", near.has(k)); l.path.classList.toggle("dim", matches.length > 0 && !near.has(k)); });
}
function select(b) {
    selected = b;
    mark();
    if (b) { showBox(b); describe(b); } else overview();
}
function toggle(g, open) {
    g.open = open;
    const old = g.steps.map(k => boxOfStep[k]);
    const fixed = old[0], before = {x: at.x + at.scale * fixed.x, y: at.y + at.scale * fixed.y};
    draw();
    const now = boxOfStep[g.steps[0]];
    move({x: before.x - at.scale * now.x, y: before.y - at.scale * now.y});  // what was clicked stays in its place
    select(now);
}
const stepOfNode = nodes.map(() => -1);
steps.forEach((s, k) => { for (const n of s.nodes) stepOfNode[n] = k; });
function showNode(n) {
    const k = stepOfNode[n];
    if (k < 0) { selected = null; mark(); return describeNode(n); }
    if (groupOf[k] && !groupOf[k].open) { groupOf[k].open = true; draw(); }
    centre(boxOfStep[k]);
    select(boxOfStep[k]);
}
function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    matches = words.length ? nodes.flatMap((n, k) => {
        const all = [n.name, n.op, n.domain, n.provider, n.kernel, n.fused_into, ...n.answers.map(a => a.text)].join(" ").toLowerCase();
        return words.every(w => all.includes(w)) ? [k] : [];
    }) : [];
    const exact = nodes.findIndex(n => n.name.toLowerCase() === text.toLowerCase());
    if (exact >= 0) matches = [exact, ...matches.filter(k => k !== exact)];
    matchAt = -1;
    $("found").textContent = words.length ? plural(matches.length, "match").replace("matchs", "matches") : "";
    mark();
    if (words.length) list(`Nodes with “${text}”`, matches); else overview();
}
function nextMatch(step) {
    if (!matches.length) return;
    matchAt = (matchAt + step + matches.length) % matches.length;
    $("found").textContent = `${matchAt + 1} of ${matches.length}`;
    showNode(matches[matchAt]);
}

// --- the panel ----------------------------------------------------------------------------------------------------------
const panel = $("panel");
function html(name, parent, text, attributes = {}) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    parent.append(e);
    return e;
}
function heading(text) { panel.replaceChildren(); panel.scrollTop = 0; html("h2", panel, text); }
function facts(rows) {
    const dl = html("dl", panel);
    for (const [key, text] of rows) if (text !== "" && text !== undefined) { html("dt", dl, key); html("dd", dl, text); }
}
function items(title, all, write) {
    if (!all.length) return;
    html("h3", panel, title);
    const ul = html("ul", panel);
    for (const one of all.slice(0, 400)) write(html("li", ul), one);
    if (all.length > 400) html("li", ul, `and ${all.length - 400} more`);
}
function link(parent, text, act) { html("button", parent, text, {class: "link", type: "button"}).addEventListener("click", act); }
function nodeLink(parent, n) { link(parent, `${nodes[n].name || "(unnamed)"} (${nodes[n].op})`, () => showNode(n)); }
function timeText(seconds) { return seconds === undefined ? undefined : `${(seconds * 1e6).toFixed(1)} µs`; }
function list(title, all) { heading(title); items(plural(all.length, "node"), all, nodeLink); if (!all.length) html("p", panel, "None."); }
function answers(n) {
    for (const a of nodes[n].answers) html("p", panel, `${shortName(a.provider)}: ${a.text}`, {class: "refusal"});
}
function describeNode(n) {
    const line = nodes[n];
    heading(line.name || "(unnamed)");
    facts([["operator", `${line.domain || "ai.onnx"} ${line.op}-${line.version}`], ["provider", line.provider === "(folded)" ? "none: computed before the run" : line.provider || "nobody"], ["kernel", line.kernel], ["part of", line.fused_into]]);
    if (line.answers.length) html("h3", panel, "Why not elsewhere");
    answers(n);
    items("Nodes of its body", line.body ?? [], (li, b) => { li.textContent = `${b.name} (${b.op}): ${b.provider || "nobody"}`; for (const a of b.answers) html("p", li, `${shortName(a.provider)}: ${a.text}`, {class: "refusal"}); });
}
function arguments_(s) {
    const write = other => (li, id) => {
        const v = values[id];
        li.textContent = `${valueText(v)}, ${sizeText(v.bytes)}${v.constant ? ", constant" : v.layout === "channels_last" ? ", channels last" : ""} `;
        const k = other(id);
        if (!v.constant) for (const one of k.slice(0, 8)) { html("br", li); link(li, `${opText(steps[one])} ${steps[one].name}`, () => { if (groupOf[one] && !groupOf[one].open) { groupOf[one].open = true; draw(); } centre(boxOfStep[one]); select(boxOfStep[one]); }); }
    };
    items("Inputs", s.inputs, write(id => producer[id] < 0 ? [] : [producer[id]]));
    items("Outputs", s.outputs, write(id => readers[id]));
}
function describe(b) {
    if (b.kind === "step") {
        const s = steps[b.step];
        if (s.kind === "node") describeNode(s.nodes[0]);
        else {
            heading(s.op ? `${s.op} (fused)` : s.name);
            facts([["provider", s.provider], ["kernel", nodes[s.nodes[0]].kernel]]);
            html("h3", panel, "Its nodes");
            for (const n of s.nodes) { html("div", panel, `${nodes[n].name} (${nodes[n].op}-${nodes[n].version})`); answers(n); }
        }
        facts([["step", `${b.step + 1} of ${steps.length}`], ["predicted", timeText(s.predicted_seconds)], ["measured", timeText(s.measured_seconds)]]);
        arguments_(s);
    } else if (b.kind === "copy") {
        const s = steps[b.step], v = values[s.inputs[0]], to = values[s.outputs[0]];
        heading(`${s.kind === "transfer" ? "Transfer" : "Layout conversion"} of ${s.name}`);
        facts([["from", `${v.space}, ${v.layout}`], ["to", `${to.space}, ${to.layout}`], ["cost", `${sizeText(v.bytes)} read and written`], ["step", `${b.step + 1} of ${steps.length}`]]);
        arguments_(s);
    } else if (b.kind === "group") {
        heading(b.group.title);
        facts([["provider", b.provider], ["steps", `${b.group.steps[0] + 1} to ${b.group.steps.at(-1) + 1}`]]);
        link(panel, "Open the group (Enter)", () => toggle(b.group, true));
        items("Steps", countOps(b.group.steps), (li, [op, count]) => li.textContent = `${count} × ${op}`);
        items("Why not elsewhere", b.group.steps.flatMap(refusals), (li, a) => li.textContent = `${a.node}: ${shortName(a.provider)}: ${a.text}`);
    } else if (b.kind === "boundary") {
        heading(`${b.op}: ${sizeText(b.bytes)} cross`);
        html("p", panel, b.copies.length ? "Steps of the group that takes them copy them to another memory or layout." : "Both sides read the same memory in the same layout, so nothing is copied.");
        items("Values", b.values, (li, id) => li.textContent = `${valueText(values[id])}, ${sizeText(values[id].bytes)}`);
    } else {
        heading(`${b.way} ${values[b.value].name}`);
        facts([["type", values[b.value].type], ["shape", shapeText(values[b.value])], ["size", sizeText(values[b.value].bytes)]]);
    }
    const g = b.kind === "step" || b.kind === "copy" ? groupOf[b.step] : null;
    if (g?.open) { html("p", panel); link(panel, `Close ${g.title} (Backspace)`, () => toggle(g, false)); }
}
function overview() {
    heading("Overview");
    const b = data.bytes, moved = [...data.conversions, ...data.transfers].reduce((sum, c) => sum + Math.max(0, c.bytes), 0);
    facts([["arena", `${sizeText(b.arena)}, least possible ${sizeText(b.live)}`], ["scratch", sizeText(b.scratch)], ["packed weights", sizeText(b.packed)], ["constants", sizeText(b.constants)],
        ["copies", `${plural(data.conversions.length, "conversion")}, ${plural(data.transfers.length, "transfer")}, ${sizeText(moved)} per run`]]);
    if (data.costs) facts([["chosen by cost", `of ${data.costs.plans_tried} plans`], ["greedy", timeText(data.costs.greedy_seconds)], ["chosen", timeText(data.costs.chosen_seconds)],
        ["predicted", timeText(data.costs.predicted_seconds)], ["lower bound", timeText(data.costs.lower_bound_seconds)]]);
    for (const n of data.notes) html("p", panel, n, {class: "refusal"});
    const refused = nodes.flatMap((n, k) => n.answers.length ? [k] : []), reasons = new Map();
    for (const n of refused) for (const a of nodes[n].answers) { const key = `${shortName(a.provider)}: ${a.text}`; reasons.set(key, (reasons.get(key) ?? []).concat(n)); }
    items("Refusals, by reason", [...reasons].sort((x, y) => y[1].length - x[1].length), (li, [text, all]) => link(li, `${all.length} × ${text}`, () => { matches = all; matchAt = -1; mark(); list(text, all); }));
    if (!refused.length) html("p", panel, "No provider refused a node for which it was queried.", {class: "faint"});
    items("Computed before the run", nodes.flatMap((n, k) => n.provider === "(folded)" ? [k] : []), nodeLink);
    html("h3", panel, "Keys");
    const keys = html("p", panel, undefined, {class: "faint"});
    for (const [key, what] of [["/", "search"], ["n p", "next, previous match"], ["← ↑ → ↓", "walk along the links"], ["Enter", "open a group"], ["Backspace", "close it"], ["+ −", "zoom"], ["0", "show all"], ["Esc", "back"]]) { html("kbd", keys, key); keys.append(` ${what}  `); }
    html("p", panel, "Drag or turn the wheel to move, Ctrl and the wheel to zoom. ! marks steps that a provider refused, or runs with a slower kernel.", {class: "faint"});
}
