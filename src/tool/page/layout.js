// Places the boxes of a directed graph in layers. Boxes are {width, height}; links are [from, to] with from < to, so there are no cycles.
// Fills in x and y (centres) of each box; the result has the paths of the links and the extent of all. The ways are the usual ones: layers
// by longest path, points for links that cross layers, orders by barycentres, then places by weighted least squares within each order.
function layOut(boxes, links, gap = {x: 22, y: 34}) {
    const above = boxes.map(() => []), below = boxes.map(() => []);
    for (const [a, b] of links) { below[a].push(b); above[b].push(a); }

    const rank = boxes.map(() => 0);
    boxes.forEach((_, v) => { for (const a of above[v]) rank[v] = Math.max(rank[v], rank[a] + 1); });
    for (let v = boxes.length - 1; v >= 0; v--)  // down to its readers, where that shortens more links than it lengthens
        if (below[v].length > above[v].length) rank[v] = Math.max(rank[v], Math.min(...below[v].map(b => rank[b])) - 1);

    // Vertices: the boxes, then one point per layer that the links of a box cross; its links share them.
    const vertices = boxes.map((box, v) => ({box, rank: rank[v], width: box.width, up: [], down: []}));
    const join = (a, b) => { vertices[a].down.push(b); vertices[b].up.push(a); };
    const chains = boxes.map(() => new Map());
    const paths = links.map(([a, b]) => {
        const path = [a];
        for (let r = rank[a] + 1; r < rank[b]; r++) {
            if (!chains[a].has(r)) {
                chains[a].set(r, vertices.length);
                vertices.push({box: null, rank: r, width: 2, up: [], down: []});
                join(path.at(-1), vertices.length - 1);
            }
            path.push(chains[a].get(r));
        }
        join(path.at(-1), b);
        path.push(b);
        return path;
    });

    const layers = [];
    vertices.forEach(v => { while (layers.length <= v.rank) layers.push([]); });
    const seen = new Uint8Array(vertices.length);
    for (let start = 0; start < vertices.length; start++) {  // depth first, so that what belongs together starts side by side
        const stack = [start];
        while (stack.length) {
            const v = stack.pop();
            if (seen[v]) continue;
            seen[v] = 1;
            layers[vertices[v].rank].push(v);
            for (const b of vertices[v].down.toReversed()) stack.push(b);
        }
    }
    orderLayers(layers, vertices);
    placeAcross(layers, vertices, gap.x);

    let top = 0;
    for (const layer of layers) {
        const height = Math.max(0, ...layer.map(v => vertices[v].box?.height ?? 0));
        for (const v of layer) { vertices[v].y = top + height / 2; vertices[v].half = height / 2; }
        top += height + gap.y;
    }
    let left = Infinity, right = -Infinity;
    for (const v of vertices) { left = Math.min(left, v.x - v.width / 2); right = Math.max(right, v.x + v.width / 2); }
    boxes.forEach((box, v) => { box.x = vertices[v].x; box.y = vertices[v].y; box.rank = rank[v]; });
    const routes = paths.map(path => path.map(v => vertices[v]));
    return {routes, left, right, top: 0, bottom: Math.max(0, top - gap.y)};
}

function orderLayers(layers, vertices) {
    const number = () => { for (const layer of layers) layer.forEach((v, k) => vertices[v].at = k); };
    const crossings = () => {
        let sum = 0;
        for (let r = 1; r < layers.length; r++) {
            const size = layers[r].length, tree = new Int32Array(size + 1);
            let inserted = 0;
            for (const v of layers[r - 1]) {
                const ends = vertices[v].down.map(b => vertices[b].at);
                for (const e of ends) { let before = 0; for (let k = e + 1; k > 0; k -= k & -k) before += tree[k]; sum += inserted - before; }
                for (const e of ends) { inserted++; for (let k = e + 1; k <= size; k += k & -k) tree[k]++; }
            }
        }
        return sum;
    };
    number();
    let best = layers.map(l => [...l]), fewest = crossings();
    for (let round = 0, idle = 0; round < 24 && fewest > 0 && idle < 6; round++) {
        const side = round % 2 ? "down" : "up", order = round % 2 ? layers.toReversed() : layers;
        for (const layer of order) {
            for (const v of layer) {
                const near = vertices[v][side];
                vertices[v].key = near.length ? near.reduce((s, n) => s + vertices[n].at, 0) / near.length : vertices[v].at;
            }
            layer.sort((a, b) => vertices[a].key - vertices[b].key);
            layer.forEach((v, k) => vertices[v].at = k);
        }
        const now = crossings();
        if (now < fewest) { fewest = now; best = layers.map(l => [...l]); idle = 0; } else idle++;
    }
    best.forEach((l, r) => layers[r] = l);
    number();
}

// Each layer in turn takes the places nearest to those of its neighbours that keep its order and gaps: an isotonic regression.
function placeAcross(layers, vertices, gap) {
    const weight = (a, b) => a.box && b.box ? 1 : a.box || b.box ? 2 : 8;  // long links are to be straight
    for (const layer of layers) {
        let x = 0;
        layer.forEach((v, k) => { x += k ? (vertices[layer[k - 1]].width + vertices[v].width) / 2 + gap : 0; vertices[v].x = vertices[v].offset = x; });
        for (const v of layer) vertices[v].x -= x / 2;
    }
    const place = (layer, sides) => {
        const blocks = [];
        for (const v of layer) {
            const one = vertices[v];
            let sum = 0, total = 0;
            for (const side of sides) for (const n of one[side]) { const w = weight(one, vertices[n]); sum += w * vertices[n].x; total += w; }
            if (!total) { total = 0.01; sum = one.x * total; }
            blocks.push({weight: total, mean: sum / total - one.offset, count: 1});
            while (blocks.length > 1 && blocks.at(-2).mean > blocks.at(-1).mean) {
                const b = blocks.pop(), a = blocks.at(-1);
                a.mean = (a.mean * a.weight + b.mean * b.weight) / (a.weight + b.weight);
                a.weight += b.weight;
                a.count += b.count;
            }
        }
        let k = 0;
        for (const b of blocks) for (let i = 0; i < b.count; i++, k++) vertices[layer[k]].x = b.mean + vertices[layer[k]].offset;
    };
    const straighten = () => {  // moves each layer as a whole, so that on average no link leans to a side
        for (const layer of layers) {
            let sum = 0, total = 0;
            for (const v of layer) for (const n of vertices[v].up) { const w = weight(vertices[n], vertices[v]); sum += w * (vertices[n].x - vertices[v].x); total += w; }
            if (total) for (const v of layer) vertices[v].x += sum / total;
        }
    };
    for (let round = 0; round < 10; round++) {
        for (const layer of layers) place(layer, ["up"]);
        for (const layer of layers.toReversed()) place(layer, ["down"]);
    }
    for (let round = 0; round < 12; round++) {
        straighten();
        for (const layer of round % 2 ? layers.toReversed() : layers) place(layer, ["up", "down"]);
    }
    straighten();
}
