// What the scripts of several pages share: the data, and words.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const plural = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
function sizeText(bytes) {
    if (bytes < 0) return "size known at run";
    if (bytes < 1000) return `${bytes} B`;
    let x = bytes, unit = -1;
    while (x >= 999.95 || unit < 0) { x /= 1000; unit++; }
    return `${x.toFixed(1)} ${["kB", "MB", "GB", "TB"][unit]}`;
}
function element(name, attributes, parent, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
}
