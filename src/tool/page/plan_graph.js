// The visible graph: one box per step, one for all steps of a closed group, one for each hand-over between providers.
"use strict";
let boxes = [], links = [], boxOfStep = [], extent;
function visibleGraph() {
    boxes = [];
    boxOfStep = steps.map(() => null);
    const arrows = [], add = box => { boxes.push(box); return box; };
    const unitOf = k => groupOf[k] && !groupOf[k].open ? groupOf[k] : k;
    const made = new Map();
    steps.forEach((s, k) => {
        const unit = unitOf(k);
        if (!made.has(unit)) made.set(unit, add(unit === k ? stepBox(k) : groupBox(unit)));
        boxOfStep[k] = made.get(unit);
        boxOfStep[k].order ??= k;
    });
    const between = new Map();  // hand-overs: by boxes that give and provider that takes
    const ports = [];
    values.forEach((v, id) => {
        if (v.constant) return;
        const from = producer[id] < 0 ? null : boxOfStep[producer[id]];
        if (!from && readers[id].length) {
            const to = [...new Set(readers[id].map(k => boxOfStep[k]))];
            ports.push([add(portBox(id, "input", Math.min(...to.map(b => b.order)) - 0.5)), to]);
        }
        if (!from) return;
        for (const to of new Set(readers[id].map(k => boxOfStep[k]))) {
            if (to === from) continue;
            const giver = from.provider, taker = to.provider;
            if (from.kind === "copy" || to.kind === "copy" || giver === taker || !providers.includes(giver) || !providers.includes(taker)) { arrows.push([from, to]); continue; }
            const key = `${from.order}|${taker}`;
            if (!between.has(key)) between.set(key, {from, values: new Set(), to: new Set()});
            between.get(key).values.add(id);
            between.get(key).to.add(to);
        }
    });
    for (const b of between.values()) {
        const box = add(boundaryBox(b));
        arrows.push([b.from, box]);
        for (const to of b.to) arrows.push([box, to]);
    }
    for (const [box, to] of ports) for (const t of to) arrows.push([box, t]);
    data.outputs.forEach(id => {
        const box = add(portBox(id, "output", steps.length));
        if (producer[id] >= 0) arrows.push([boxOfStep[producer[id]], box]);
    });
    // layOut requires an order in which every arrow points forward: that of the steps, with ports and hand-overs next to their boxes.
    boxes.sort((a, b) => a.order - b.order);
    const place = new Map(boxes.map((b, k) => [b, k]));
    const once = new Set();
    links = [];
    for (const [a, b] of arrows) {
        const key = `${place.get(a)}|${place.get(b)}`;
        if (!once.has(key)) { once.add(key); links.push([place.get(a), place.get(b)]); }
    }
}
function sized(box) {
    const most = 240;
    box.op = clipped(box.op, most, true);
    box.name = clipped(box.name ?? "", most, false);
    box.width = Math.max(64, Math.ceil(Math.max(width(box.op, true), width(box.name, false))) + 26);
    box.height = box.name ? 40 : 26;
    return box;
}
function stepBox(k) {
    const s = steps[k], copy = isCopy(s);
    if (copy) {
        const from = values[s.inputs[0]], to = values[s.outputs[0]];
        const way = s.kind === "transfer" ? `${from.space} → ${to.space}` : `${from.layout} → ${to.layout}`;
        return sized({kind: "copy", step: k, op: `${opText(s)} ${way}`, name: `${s.name}, copies ${sizeText(from.bytes)}`, provider: ""});
    }
    return sized({kind: "step", step: k, op: opText(s), name: s.kind === "node" ? s.name : s.nodes.map(n => nodes[n].name).join(" + "), provider: s.provider, warn: refusals(k).length});
}
function groupBox(g) {
    const work = g.steps.filter(k => !isCopy(steps[k])), count = p => g.steps.filter(k => home[k] === p).length;
    const name = g.provider === several ? providers.filter(count).map(p => `${count(p)} ${shortName(p)}`).join(", ") : countOps(work.length ? work : g.steps).slice(0, 2).map(([op, n]) => `${n} ${op}`).join(", ");
    return sized({kind: "group", group: g, op: `${g.title} · ${plural(g.steps.length, "step")}`, name, provider: g.provider, warn: g.steps.reduce((sum, k) => sum + refusals(k).length, 0)});
}
function portBox(id, way, order) {
    return sized({kind: "port", way, value: id, op: values[id].name || way, name: `${way} ${values[id].type} ${shapeText(values[id])}`, provider: "", order});
}
function boundaryBox(b) {
    const ids = [...b.values], sum = list => list.reduce((all, id) => all + Math.max(0, values[id].bytes), 0);
    const copies = ids.filter(id => readers[id].some(k => isCopy(steps[k]) && b.to.has(boxOfStep[k])));  // by steps of a closed group
    return sized({kind: "boundary", values: ids, copies, bytes: sum(ids), op: `${shortName(b.from.provider)} → ${shortName([...b.to][0].provider)}`,
        name: `${ids.length > 1 ? `${ids.length} values, ` : ""}${sizeText(sum(ids))}, ${copies.length ? `${sizeText(sum(copies))} copied` : "no copy"}`, provider: "", order: b.from.order + 0.25});
}
