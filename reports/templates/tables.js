"use strict";
// Tables of class `sortable`: their heads become buttons that sort. Numbers in texts count as numbers.
(() => {
  const collator = new Intl.Collator("en", { numeric: true });
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.classList.add("sorts");
      button.addEventListener("click", () => sort(table, head));
    }
  }

  function sort(table, head) {
    const place = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [(row.cells[place]?.textContent ?? "").trim().replaceAll(",", ""), row]);
    rows.sort(([a], [b]) => collator.compare(a, b) * (down ? -1 : 1));
    body.append(...rows.map(([, row]) => row));
  }
})();
