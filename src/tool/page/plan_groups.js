// A plan's steps, and the groups that they can be closed into.
"use strict";
const {values, schedule: steps, nodes} = data;
const shown = 160;  // boxes that a picture has at most, unless the user opens more
const providers = data.providers.map(p => p.name);
const several = "several providers";
const shortName = provider => provider.replace(/ExecutionProvider(?=$|:)/, "") || "nobody";
const shapeText = v => v.shape ? `[${v.shape.map(d => d < 0 ? "?" : d).join(",")}]` : "[...]";
const valueText = v => `${v.name || "(unnamed)"} ${v.type} ${shapeText(v)}`;
const measure = document.createElement("canvas").getContext("2d");
function width(text, bold) { measure.font = bold ? "600 13px system-ui, sans-serif" : "11px system-ui, sans-serif"; return measure.measureText(text).width; }
function clipped(text, most, bold) {  // in the middle, since names differ at their ends
    if (width(text, bold) <= most) return text;
    let keep = text.length;
    while (keep > 4 && width(`${text.slice(0, Math.ceil(keep / 2))}…${text.slice(-Math.floor(keep / 2))}`, bold) > most) keep--;
    return `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(-Math.floor(keep / 2))}`;
}
function colour(provider) { const k = providers.indexOf(provider); return k < 0 ? "x" : k % 8; }

const producer = values.map(() => -1), readers = values.map(() => []);
steps.forEach((s, k) => {
    for (const v of s.outputs) producer[v] = k;
    for (const v of new Set(s.inputs)) readers[v].push(k);
});
const isCopy = s => s.kind === "conversion" || s.kind === "transfer";
const refusals = k => steps[k].nodes.flatMap(n => nodes[n].answers.map(a => ({node: nodes[n].name, ...a})));
function opText(s) {
    if (isCopy(s)) return s.kind === "transfer" ? "Transfer" : "Layout";
    return s.kind === "region" ? `Region · ${plural(s.nodes.length, "node")}` : s.op;  // as the text and a profile call it
}
function countOps(list) {  // the most frequent first
    const counts = new Map();
    for (const k of list) counts.set(opText(steps[k]), (counts.get(opText(steps[k])) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
}
// A step without a provider goes with the next one that has one.
const home = steps.map(s => s.provider);
for (let k = steps.length - 2; k >= 0; k--) if (isCopy(steps[k])) home[k] = home[k + 1];

// Groups are runs of neighbouring steps, so that no group waits for another in a circle.
function runs(key) {
    const all = [];
    steps.forEach((s, k) => {
        const id = key(k);
        if (all.length && all.at(-1).key === id) all.at(-1).steps.push(k);
        else all.push({key: id, steps: [k], provider: home[k]});
    });
    return all;
}
const scopeOf = (name, depth) => name.split(/[\/.:]/).filter(Boolean).slice(0, -1).slice(0, depth).join("/");
const firstName = k => steps[k].nodes.length ? nodes[steps[k].nodes[0]].name : steps[k].name;
function byScope() {
    let best = [];
    const owner = steps.map((s, k) => firstName(k));
    for (let k = steps.length - 2; k >= 0; k--) if (isCopy(steps[k])) owner[k] = owner[k + 1];
    for (let depth = 1; depth < 8; depth++) {
        const groups = runs(k => `${home[k]}|${scopeOf(owner[k], depth)}`);
        if (best.length && (groups.length > 60 || groups.length === best.length)) break;
        best = groups;
    }
    best = best.map(g => ({...g, title: g.key.slice(g.key.indexOf("|") + 1)}));
    return best.filter(g => g.title);  // steps whose names have no scope stay outside
}
const byPartition = () => runs(k => home[k]).map((g, k) => ({...g, title: `partition ${k + 1}`}));
function byBlock() {  // cut where the fewest values pass, near every `size` steps
    const size = Math.max(10, Math.ceil(steps.length / 40)), passing = steps.map(() => 0);
    readers.forEach((list, v) => { if (list.length) for (let k = Math.max(0, producer[v]); k < list.at(-1); k++) if (!values[v].constant) passing[k]++; });
    const block = [];
    let number = 0, from = 0;
    while (from < steps.length) {
        let cut = Math.min(from + size, steps.length) - 1;
        if (cut < steps.length - 1)
            for (let k = cut, end = Math.min(steps.length - 1, cut + size); k <= end; k++) if (passing[k] < passing[cut]) cut = k;
        for (let k = from; k <= cut; k++) block[k] = number;
        number++;
        from = cut + 1;
    }
    const mixed = byPartition().length > shown / 4;  // then blocks of one provider would be too many
    return runs(k => mixed ? block[k] : `${home[k]}|${block[k]}`).map((g, k) => ({...g, provider: g.steps.every(s => home[s] === home[g.steps[0]]) ? g.provider : several, title: `block ${k + 1}`}));
}
const ways = {none: () => [], partition: byPartition, scope: byScope, block: byBlock};
let groups = [], groupOf = [], selected = null, matches = [], matchAt = -1;
function regroup(way) {
    $("group").value = way;
    for (const button of ["open", "close"]) $(button).disabled = way === "none";
    groups = ways[way]().filter(g => g.steps.length > 1);
    groupOf = steps.map(() => null);
    groups.forEach(g => { g.open = false; for (const k of g.steps) groupOf[k] = g; });
}
