// The page of a plan: commands by mouse and keyboard, the legend, the start.
"use strict";
view.addEventListener("click", e => {
    if (held?.moved) return;
    const k = e.target.closest?.(".box")?.dataset.k;
    select(k === undefined ? null : boxes[k]);
    view.focus({preventScroll: true});
});
view.addEventListener("dblclick", e => { const b = boxes[e.target.closest?.(".box")?.dataset.k]; if (b?.kind === "group") toggle(b.group, true); });
function walk(key) {
    if (!selected) return select(boxes[0]);
    const me = boxes.indexOf(selected);
    let next = [];
    if (key === "ArrowDown") next = links.filter(([a]) => a === me).map(([, b]) => boxes[b]);
    if (key === "ArrowUp") next = links.filter(([, b]) => b === me).map(([a]) => boxes[a]);
    if (key === "ArrowLeft") next = boxes.filter(b => b.rank === selected.rank && b.x < selected.x);
    if (key === "ArrowRight") next = boxes.filter(b => b.rank === selected.rank && b.x > selected.x);
    next.sort((a, b) => Math.abs(a.x - selected.x) - Math.abs(b.x - selected.x));
    if (next.length) select(next[0]);
}
document.addEventListener("keydown", e => {
    const typing = e.target.matches("input, select");
    if (e.key === "Escape") { $("search").value = ""; search(""); select(null); view.focus(); return; }
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const act = {"/": () => $("search").focus(), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => fit(false), n: () => nextMatch(1), p: () => nextMatch(-1),
        ArrowUp: () => walk(e.key), ArrowDown: () => walk(e.key), ArrowLeft: () => walk(e.key), ArrowRight: () => walk(e.key),
        Backspace: () => { const g = selected?.step === undefined ? null : groupOf[selected.step]; if (g?.open) toggle(g, false); },
        Enter: () => { if (selected?.kind === "group" && !e.target.matches("button")) toggle(selected.group, true); }}[e.key];
    if (!act || (e.target.matches("button") && e.key === "Enter")) return;
    if (e.key !== "Enter") e.preventDefault();
    act();
});
$("search").addEventListener("input", e => search(e.target.value));
$("search").addEventListener("keydown", e => { if (e.key === "Enter") { e.preventDefault(); nextMatch(e.shiftKey ? -1 : 1); } });
$("group").addEventListener("change", e => { regroup(e.target.value); select(null); draw(); fit(true); });
$("open").addEventListener("click", () => { groups.forEach(g => g.open = true); draw(); fit(true); });
$("close").addEventListener("click", () => { groups.forEach(g => g.open = false); draw(); fit(true); });
$("in").addEventListener("click", () => zoom(1.25));
$("out").addEventListener("click", () => zoom(0.8));
$("all").addEventListener("click", () => fit(false));
window.addEventListener("resize", () => drawMap());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);

function legend() {
    const ul = $("legend"), count = provider => nodes.filter(n => n.provider === provider).length;
    const add = (style, text) => { const li = html("li", ul); html("span", li, "", {style}); li.append(text); };
    for (const p of data.providers) add(`background:var(--fill${colour(p.name)});border-color:var(--edge${colour(p.name)})`, `${p.name}${p.implicit ? " (implicit)" : ""}: ${plural(p.nodes, "node")}`);
    for (const [name, text] of [["(control flow)", "control flow"], ["(folded)", "computed before the run"], ["", "nobody"]]) if (count(name)) add("background:var(--fillx);border-color:var(--edgex)", `${text}: ${plural(count(name), "node")}`);
    const marked = boxes.length ? steps.filter(isCopy).length : 0;
    if (marked) add("border-color:var(--mark);border-style:dashed;border-radius:8px", `layout conversions: ${data.conversions.length}, transfers: ${data.transfers.length}`);
    const fused = steps.filter(s => s.kind === "fused" || s.kind === "region");
    if (fused.length) html("li", ul, `${plural(fused.reduce((sum, s) => sum + s.nodes.length, 0), "node")} fused into ${plural(fused.length, "step")}`, {class: "faint"});
}
function start() {
    const wanted = steps.length <= shown ? ["none"] : ["scope", "partition", "block"];
    for (const way of wanted) {  // the first that leaves a readable number of boxes
        regroup(way);
        const left = groups.length + groupOf.filter(g => !g).length;
        if (way === "none" || way === "block" || (left >= 6 && left <= shown / 2)) break;
    }
    draw();
    legend();
    overview();
    fit(true);
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has("group") && ways[asked.get("group")]) { regroup(asked.get("group")); draw(); fit(true); }
    if (asked.has("open")) { groups.forEach(g => g.open = true); draw(); fit(true); }
    if (asked.has("search")) { $("search").value = asked.get("search"); search(asked.get("search")); nextMatch(1); }
    if (asked.has("all")) fit(false);
    document.body.dataset.boxes = boxes.length;
}
start();
