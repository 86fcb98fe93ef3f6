// Tables that sort by the column that is clicked.
"use strict";
for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
        const sort = () => {
            const up = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && head.className === "t");
            heads.forEach(h => h.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
            const order = (a, b) => head.className === "t" ? key(a).localeCompare(key(b), undefined, {numeric: true}) : key(a) - key(b);
            table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => up ? order(a, b) : order(b, a)));
        };
        head.tabIndex = 0;
        head.addEventListener("click", sort);
        head.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
    });
}
