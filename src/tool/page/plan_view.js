// Draws the visible graph and its map, and moves over it.
"use strict";
const world = $("world"), svg = world.ownerSVGElement, view = $("view");
function draw() {
    selected = null;
    visibleGraph();
    extent = layOut(boxes, links);
    world.replaceChildren();
    const crosses = b => b.kind === "copy" || b.kind === "boundary";
    links.forEach(([a, b], k) => {
        const route = extent.routes[k];
        let d = `M${route[0].x},${route[0].y + boxes[a].height / 2}`;
        for (let i = 1; i < route.length; i++) {
            const from = route[i - 1], to = route[i], last = i === route.length - 1;
            const y0 = i === 1 ? from.y + boxes[a].height / 2 : from.y + from.half, y1 = last ? to.y - boxes[b].height / 2 : to.y - to.half;
            const bend = (y1 - y0) * 0.5;
            d += ` C${from.x},${y0 + bend} ${to.x},${y1 - bend} ${to.x},${y1}`;
            if (!last) d += ` L${to.x},${to.y + to.half}`;
        }
        boxes[a].links = (boxes[a].links ?? []).concat(k);
        boxes[b].links = (boxes[b].links ?? []).concat(k);
        links[k].path = element("path", {class: `link${crosses(boxes[a]) || crosses(boxes[b]) ? " crosses" : ""}`, d, "marker-end": "url(#tip)"}, world);
    });
    boxes.forEach((b, k) => {
        const c = colour(b.provider), w = b.width, h = b.height, plain = b.kind === "port" || b.kind === "copy" || b.kind === "boundary";
        const g = element("g", {class: `box ${b.kind}`, transform: `translate(${b.x},${b.y})`, "data-k": k, ...(plain ? {} : {style: `--fill:var(--fill${c});--edge:var(--edge${c})`})}, world);
        if (b.kind === "group") element("rect", {class: "behind", x: -w / 2 + 5, y: -h / 2 + 5, width: w, height: h, rx: 6}, g);
        element("rect", {x: -w / 2, y: -h / 2, width: w, height: h, rx: plain ? h / 2 : 6}, g);
        if (b.provider === several) {  // a stripe with each provider's part
            let x = -w / 2 + 8;
            for (const p of providers) {
                const part = b.group.steps.filter(s => home[s] === p).length / b.group.steps.length * (w - 16);
                element("path", {style: `fill:var(--edge${colour(p)})`, d: `M${x},${h / 2 - 5} h${part} v3.5 h${-part} z`}, g);
                x += part;
            }
        }
        element("text", {class: "op", y: b.name ? -3 : 4}, g, b.op);
        if (b.name) element("text", {class: "name", y: 12}, g, b.name);
        if (b.warn) element("text", {class: "warn", x: w / 2 - 9, y: -h / 2 + 13}, g, "!");
        element("title", {}, g, hoverText(b));
        b.element = g;
    });
    mark();
}
function hoverText(b) {
    if (b.kind === "step") return [`${steps[b.step].op} ${steps[b.step].name}: ${steps[b.step].provider}`, ...refusals(b.step).map(a => `${a.node}: ${a.provider}: ${a.text}`)].join("\n");
    if (b.kind === "group") return `${b.group.title}: ${plural(b.group.steps.length, "step")} on ${b.group.provider}; double click or Enter opens it`;
    if (b.kind === "copy") return `${steps[b.step].kind} of ${valueText(values[steps[b.step].inputs[0]])}: ${sizeText(values[steps[b.step].inputs[0]].bytes)} are copied`;
    return b.kind === "boundary" ? b.values.map(id => `${valueText(values[id])}: ${sizeText(values[id].bytes)}`).join("\n") : valueText(values[b.value]);
}

// --- pan and zoom -------------------------------------------------------------------------------------------------------
let at = {x: 0, y: 0, scale: 1};
const size = () => ({width: view.clientWidth, height: view.clientHeight});
function move(to) {
    at = {...at, ...to};
    world.setAttribute("transform", `translate(${at.x},${at.y}) scale(${at.scale})`);
    drawMap();
}
function zoom(factor, x = size().width / 2, y = size().height / 2) {
    const scale = Math.min(3, Math.max(0.03, at.scale * factor)), ratio = scale / at.scale;
    move({scale, x: x - (x - at.x) * ratio, y: y - (y - at.y) * ratio});
}
function fit(readable) {  // all of it; or its top, if all of it would be too small to read
    const {width: w, height: h} = size(), wide = extent.right - extent.left, high = extent.bottom;
    const all = Math.min(1.2, (w - 40) / wide, (h - 40) / high), middle = (extent.left + extent.right) / 2;
    if (!readable || all >= 0.7) return move({scale: all, x: w / 2 - all * middle, y: Math.max(20, (h - high * all) / 2)});
    const from = 180, room = w - from - 20, scale = Math.min(1, Math.max(0.7, room / wide));  // next to the map
    move({scale, x: from + room / 2 - scale * (wide * scale <= room ? middle : boxes[0].x), y: 24});
}
function centre(b) {
    const {width: w, height: h} = size(), scale = Math.max(at.scale, 0.7);
    move({scale, x: w / 2 - scale * b.x, y: h / 2 - scale * b.y});
}
function showBox(b) {  // moves only if it is outside
    const {width: w, height: h} = size(), x = at.x + at.scale * b.x, y = at.y + at.scale * b.y;
    if (x < 60 || y < 40 || x > w - 60 || y > h - 40 || at.scale < 0.5) centre(b);
}
const map = $("map");
let mapScale = 1, mapWide = 1;
function drawMap() {
    const {width: w, height: h} = size(), wide = extent.right - extent.left, high = extent.bottom;
    map.hidden = wide * at.scale < w && high * at.scale < h;
    if (map.hidden) return;
    mapScale = Math.min(150 / wide, (h - 24) / high);
    mapWide = Math.max(mapScale, 48 / wide);  // a tall graph is shown wider than it is
    const ratio = window.devicePixelRatio || 1, styles = getComputedStyle(document.documentElement);
    map.style.width = `${wide * mapWide + 8}px`;
    map.style.height = `${high * mapScale + 8}px`;
    map.width = (wide * mapWide + 8) * ratio;
    map.height = (high * mapScale + 8) * ratio;
    const pen = map.getContext("2d");
    pen.scale(ratio, ratio);
    pen.translate(4 - extent.left * mapWide, 4);
    for (const b of boxes) {
        pen.fillStyle = b.kind === "copy" || b.kind === "boundary" ? styles.getPropertyValue("--mark") : styles.getPropertyValue(`--edge${colour(b.provider)}`);
        const bw = Math.max(2, b.width * mapWide), bh = Math.max(1.2, b.height * mapScale);
        pen.fillRect(b.x * mapWide - bw / 2, b.y * mapScale - bh / 2, bw, bh);
    }
    pen.strokeStyle = styles.getPropertyValue("--accent");
    pen.lineWidth = 2;
    pen.strokeRect(-at.x / at.scale * mapWide, -at.y / at.scale * mapScale, w / at.scale * mapWide, h / at.scale * mapScale);
}
const onMap = e => {
    const {width: w, height: h} = size(), r = map.getBoundingClientRect();
    const x = (e.clientX - r.left - 4) / mapWide + extent.left, y = (e.clientY - r.top - 4) / mapScale;
    move({x: w / 2 - at.scale * x, y: h / 2 - at.scale * y});
};
map.addEventListener("pointerdown", e => { e.stopPropagation(); map.setPointerCapture(e.pointerId); onMap(e); });
map.addEventListener("pointermove", e => { if (e.buttons) onMap(e); });
view.addEventListener("wheel", e => {
    e.preventDefault();
    const r = view.getBoundingClientRect();
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(-e.deltaY * 0.004), e.clientX - r.left, e.clientY - r.top);
    else move({x: at.x - (e.shiftKey ? e.deltaY : e.deltaX), y: at.y - (e.shiftKey ? 0 : e.deltaY)});
}, {passive: false});
let held = null;
view.addEventListener("pointerdown", e => { if (e.button === 0) held = {x: e.clientX, y: e.clientY, moved: false}; });
view.addEventListener("pointermove", e => {
    if (!held || !e.buttons) return;
    if (!held.moved && Math.hypot(e.clientX - held.x, e.clientY - held.y) < 4) return;
    if (!held.moved) view.setPointerCapture(e.pointerId);
    view.classList.add("drag");
    move({x: at.x + e.clientX - held.x, y: at.y + e.clientY - held.y});
    held = {x: e.clientX, y: e.clientY, moved: true};
});
view.addEventListener("pointerup", () => { view.classList.remove("drag"); setTimeout(() => held = null); });
