// A run as a flame: time to the right, and downwards what is within: stretches of steps on one provider, steps, the steps of bodies.
"use strict";
const high = 24, flame = $("flame"), shortName = p => p.replace(/ExecutionProvider(?=$|:)/, "");
const colours = new Map(data.operators.slice(0, 8).map((o, k) => [o.op, k]));
const shapes = list => list.map(a => a.shape ? `[${a.shape.join(",")}]` : "[...]").join(" ");
const rate = c => `${c.gflop_per_s.toFixed(1)} GFLOP/s, ${c.gb_per_s.toFixed(1)} GB/s, ${c.roofline === null ? "no roofline" : `${(100 * c.roofline).toFixed(0)} % of the roofline`}`;
const partOf = (name, seconds, inside, about, op) => ({name, seconds, inside, about, op});

function stepPart(s) {
    const who = [shortName(s.provider), s.kernel && `[${s.kernel}]`].filter(Boolean).join(" ");
    const about = [who, s.times === undefined ? "" : `${s.times.toLocaleString("en")} times in a run`, rate(s), `${shapes(s.inputs)} → ${shapes(s.outputs)}`, s.sources.length > 1 ? `of ${s.sources.join(", ")}` : ""];
    return partOf(`${s.op} ${s.node}`, s.seconds, (s.body ?? []).map(stepPart), about.filter(Boolean).join("; "), s.op);
}
function stretches(steps) {  // conversions are no provider's: they go with the steps before
    const all = [];
    for (const s of steps) {
        const who = s.op === "(transfer)" ? "transfers" : s.provider;
        if (!all.length || (who && all.at(-1).who && who !== all.at(-1).who)) all.push({who, steps: []});
        all.at(-1).who ||= who;
        all.at(-1).steps.push(s);
    }
    return all.map(a => {
        const sum = key => a.steps.reduce((x, s) => x + s[key], 0), seconds = sum("seconds");
        return partOf(`${shortName(a.who) || "conversions"}: ${plural(a.steps.length, "step")}`, seconds, a.steps.map(stepPart), `${(sum("gflop") / seconds || 0).toFixed(1)} GFLOP/s, ${(sum("bytes") / seconds / 1e9 || 0).toFixed(1)} GB/s`);
    });
}
const whole = partOf("run", data.total.seconds, [...stretches(data.steps), partOf("outside the steps", data.outside_steps.seconds, [], "calls, clocks, waiting")], rate(data.in_steps));
const parts = [];
(function place(p, from, width, above, depth) {  // medians need not add up: where they exceed the part around them, they are drawn smaller
    const sum = p.inside.reduce((x, i) => x + i.seconds, 0), scale = sum > p.seconds ? p.seconds / sum : 1;
    Object.assign(p, {from, width, above, depth});
    parts.push(p);
    for (const i of p.inside) { place(i, from, width * i.seconds * scale / (p.seconds || 1), p, depth + 1); from += i.width; }
})(whole, 0, 1, null, 0);
const deepest = Math.max(...parts.map(p => p.depth));

let zoomed = whole, selected = whole, found = [], foundAt = -1;
const within = (p, other) => p === other || (p !== null && within(p.above, other));
function draw() {
    const wide = flame.clientWidth;
    flame.replaceChildren();
    const svg = element("svg", {width: wide, height: (deepest + 1) * high}, flame);
    for (const p of parts) {
        const above = p !== zoomed && within(zoomed, p);
        p.drawn = null;
        if (!above && !within(p, zoomed)) continue;
        const x = above ? 0 : (p.from - zoomed.from) / (zoomed.width || 1) * wide, width = above ? wide : p.width / (zoomed.width || 1) * wide, k = p.op ? colours.get(p.op) ?? "x" : "x";
        const is = `${found.includes(p) ? " found" : ""}${p === selected ? " selected" : ""}${above ? " above" : ""}`;
        p.drawn = element("rect", {class: `part${is}`, tabindex: -1, role: "img", "aria-label": textOf(p), x, y: p.depth * high, width: Math.max(width, 0.6), height: high - 1, rx: 2, style: `--fill:var(--fill${k});--edge:var(--edge${k})`}, svg);
        element("title", {}, p.drawn, textOf(p));
        p.drawn.addEventListener("click", () => { zoomed = p; select(p); });
        p.drawn.addEventListener("mouseenter", () => tell(p));
        const letters = Math.floor((width - 8) / 6.2);
        if (letters > 2) element("text", {class: is, x: x + 4, y: p.depth * high + 16}, svg, p.name.length > letters ? `${p.name.slice(0, letters - 1)}…` : p.name);
    }
    if (selected.drawn) svg.append(selected.drawn, ...[selected.drawn.nextSibling].filter(e => e?.tagName === "text"));  // its edge over its neighbours
    document.body.dataset.parts = svg.querySelectorAll("rect").length;
}
const textOf = p => `${p.name}: ${(p.seconds * 1e3).toFixed(4)} ms, ${(100 * p.seconds / (whole.seconds || 1)).toFixed(1)} %; ${p.about}`;
function tell(p) { $("about").textContent = textOf(p); }
function select(p) {
    selected = p;
    if (!within(p, zoomed) && !within(zoomed, p)) zoomed = whole;
    if (p.width / (zoomed.width || 1) * flame.clientWidth < 3 && !within(zoomed, p)) zoomed = p.above;  // else it would be invisible
    draw();
    tell(p);
    if (document.activeElement !== $("search")) p.drawn.focus({preventScroll: true});
}
function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    found = words.length ? parts.filter(p => p.op && words.every(w => textOf(p).toLowerCase().includes(w))) : [];
    foundAt = -1;
    $("found").textContent = words.length ? `${found.length} found` : "";
    draw();
}
function nextFound() {
    if (!found.length) return;
    foundAt = (foundAt + 1) % found.length;
    $("found").textContent = `${foundAt + 1} of ${found.length}`;
    select(found[foundAt]);
}
const moves = {
    ArrowUp: p => p.above, ArrowDown: p => p.inside[0],
    ArrowLeft: p => parts.filter(o => o.depth === p.depth)[parts.filter(o => o.depth === p.depth).indexOf(p) - 1],
    ArrowRight: p => parts.filter(o => o.depth === p.depth)[parts.filter(o => o.depth === p.depth).indexOf(p) + 1],
};
$("search").addEventListener("input", e => search(e.target.value));
$("search").addEventListener("keydown", e => { if (e.key === "Enter") nextFound(); });
flame.addEventListener("keydown", e => {
    if (moves[e.key]) { const to = moves[e.key](selected); if (to) select(to); }
    else if (e.key === "Enter") { zoomed = selected; select(selected); }
    else if (e.key === "Backspace" || e.key === "Escape") { zoomed = zoomed.above ?? whole; select(selected); }
    else if (e.key === "0") { zoomed = whole; select(selected); }
    else return;
    e.preventDefault();
});
flame.addEventListener("focus", () => selected.drawn?.focus({preventScroll: true}));
document.addEventListener("keydown", e => { if (e.key === "/" && e.target !== $("search")) { e.preventDefault(); $("search").focus(); } });
window.addEventListener("resize", draw);
const others = data.operators.slice(8).reduce((x, o) => x + o.share, 0);
for (const [k, op, share] of [...data.operators.slice(0, 8).map((o, k) => [k, o.op, o.share]), ...(others ? [["x", "other operators", others]] : [])]) {
    const li = document.createElement("li"), chip = document.createElement("span");
    chip.className = "chip";
    chip.style = `background:var(--fill${k});border-color:var(--edge${k})`;
    li.append(chip, `${op} ${(100 * share).toFixed(1)} %`);
    $("legend").append(li);
}
draw();
tell(whole);
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("search")) { $("search").value = asked.get("search"); search(asked.get("search")); nextFound(); }
