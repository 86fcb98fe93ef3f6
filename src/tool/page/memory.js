// Lifetimes as bars: steps to the right, offsets in the arena upwards, and below what lives during each step.
"use strict";
const steps = data.steps.length, left = 76, right = 16;
const stepText = t => t < 0 ? "before the run" : t >= steps ? "after the run" : `step ${t + 1}, ${data.steps[t].op} ${data.steps[t].name}`;
const colour = v => v.input ? 2 : v.output ? 1 : v.layout === "channels_last" ? 5 : 0;
let bars = [];
function chart(space, parent) {
    const wide = Math.max(parent.clientWidth - 2, left + right + (steps + 2) * 5), per = (wide - left - right) / (steps + 2), high = 420, low = 110;
    const svg = element("svg", {width: wide, height: high + low + 60, role: "img", "aria-label": `Lifetimes in the memory of ${space.name}`}, parent);
    const x = t => left + (t + 1) * per, most = Math.max(1, space.arena_bytes);
    const y = bytes => 16 + high - bytes / most * high, y2 = bytes => high + 40 + low - bytes / most * low;
    for (let k = 0; k <= 4; k++) {
        const bytes = most * k / 4;
        element("line", {class: "axis", x1: left, x2: wide - right, y1: y(bytes), y2: y(bytes)}, svg);
        element("text", {x: left - 6, y: y(bytes) + 4, "text-anchor": "end"}, svg, sizeText(Math.round(bytes)));
    }
    for (let t = 0; t <= steps; t += Math.max(1, Math.ceil(60 / per / 5) * 5)) element("text", {x: x(t), y: high + 32}, svg, t < steps ? t + 1 : "");
    space.values.forEach(v => {
        const bar = element("rect", {class: `bar${v.root_is_self ? "" : " shares"}`, tabindex: -1, x: x(v.first) + 0.5, width: Math.max(2, (v.last - v.first + 1) * per - 1), y: y(v.offset + v.bytes), height: Math.max(1, v.bytes / most * high - 0.5), rx: 2,
            style: `--fill:var(--fill${colour(v)});--edge:var(--edge${colour(v)})`}, svg);
        element("title", {}, bar, about(v));
        const one = {v, bar};
        bar.addEventListener("click", () => select(one));
        bar.addEventListener("mouseenter", () => $("about").textContent = about(v));
        bars.push(one);
    });
    element("text", {x: left - 6, y: y2(most) + 4, "text-anchor": "end"}, svg, "alive");
    let path = `M${x(0)},${y2(0)}`;
    space.live.forEach((bytes, t) => path += ` L${x(t)},${y2(bytes)} L${x(t + 1)},${y2(bytes)}`);
    element("path", {class: "live", d: `${path} L${x(steps)},${y2(0)} z`}, svg);
    element("line", {class: "limit", x1: left, x2: wide - right, y1: y2(space.live_bytes), y2: y2(space.live_bytes)}, svg);
    element("text", {x: wide - right, y: y2(space.live_bytes) - 4, "text-anchor": "end"}, svg, `at most ${sizeText(space.live_bytes)} at once`);
    const cursor = element("line", {class: "cursor", y1: 16, y2: high + 40 + low, visibility: "hidden"}, svg), word = element("text", {y: 12}, svg);
    svg.addEventListener("mousemove", e => {
        const t = Math.floor((e.clientX - svg.getBoundingClientRect().left - left) / per) - 1, inside = t >= 0 && t < steps;
        cursor.setAttribute("visibility", inside ? "visible" : "hidden");
        word.textContent = inside ? `${stepText(t)}: ${sizeText(space.live[t])} alive` : "";
        const end = x(t) > wide * 0.6;
        for (const [key, value] of [["x1", x(t)], ["x2", x(t)]]) cursor.setAttribute(key, value);
        word.setAttribute("x", x(t));
        word.setAttribute("text-anchor", end ? "end" : "start");
    });
}
function about(v) {
    const uses = v.root_is_self ? "" : `; uses the bytes of ${v.root_name}`;
    return `${v.value}: ${v.type} [${v.shape.join(",")}]${v.layout === "channels_last" ? ", channels last" : ""}, ${sizeText(v.bytes)} at ${v.offset}; from ${stepText(v.first)} to ${stepText(v.last)}${uses}`;
}
let at = -1;
function select(one) {
    for (const b of bars) b.bar.classList.toggle("selected", b === one);
    at = bars.indexOf(one);
    $("about").textContent = about(one.v);
    one.bar.focus();
    one.bar.scrollIntoView({block: "nearest", inline: "center"});
}
let found = [], foundAt = -1;
function search(text) {
    const word = text.toLowerCase();
    found = word ? bars.filter(b => b.v.value.toLowerCase().includes(word)) : [];
    foundAt = -1;
    for (const b of bars) b.bar.classList.toggle("found", found.includes(b));
    $("found").textContent = word ? `${found.length} found` : "";
}
function draw() {
    bars = [];
    for (const div of document.querySelectorAll(".chart")) { div.replaceChildren(); chart(data.spaces[div.dataset.space], div); }
    search($("search").value);
}
for (const space of data.spaces) for (const v of space.values) { v.root_is_self = space.values[v.root] === v; v.root_name = space.values[v.root].value; }
draw();
window.addEventListener("resize", draw);
$("search").addEventListener("input", e => search(e.target.value));
document.addEventListener("keydown", e => {
    if (e.key === "/" && e.target !== $("search")) { e.preventDefault(); $("search").focus(); }
    if (e.key === "Enter" && e.target === $("search") && found.length) { foundAt = (foundAt + 1) % found.length; const one = found[foundAt]; select(one); $("search").focus(); }
    if (e.target !== $("search") && (e.key === "ArrowRight" || e.key === "ArrowLeft") && bars.length) { e.preventDefault(); select(bars[(at + (e.key === "ArrowRight" ? 1 : bars.length - 1) + bars.length) % bars.length]); }
});
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("search")) { $("search").value = asked.get("search"); search(asked.get("search")); if (found.length) select(found[0]); }
document.body.dataset.bars = bars.length;
