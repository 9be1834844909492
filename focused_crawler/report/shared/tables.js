// Sorts and searches tables marked data-sortable; without scripts they are whole, in the order they came in.
"use strict";
(() => {
  const SEARCHED = 12;
  const number = (text) => {
    const found = /^[+−-]?[\d,]*\.?\d+/.exec(text.replace(/\s/g, " ").trim());
    return found ? Number(found[0].replace(/,/g, "").replace("−", "-")) : null;
  };
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell ? cell.dataset.sort ?? cell.textContent.trim() : "";
  };

  // Numbers fall first, words rise first; what has no number stays last.
  function sort(table, at, header) {
    const numeric = header.classList.contains("number");
    const before = header.getAttribute("aria-sort");
    const falls = before ? before === "ascending" : numeric;
    const keyed = [...table.tBodies[0].rows].map((row) => [numeric ? number(value(row, at)) : value(row, at), row]);
    const known = keyed.filter(([key]) => key !== null);
    known.sort(numeric ? ([one], [other]) => one - other : ([one], [other]) => one.localeCompare(other));
    if (falls) known.reverse();
    table.querySelectorAll("[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", falls ? "descending" : "ascending");
    table.tBodies[0].append(...known.map(([, row]) => row), ...keyed.filter(([key]) => key === null).map(([, row]) => row));
  }

  function search(table, rows) {
    const box = document.createElement("label");
    const field = document.createElement("input");
    const said = document.createElement("span");
    box.className = "search";
    field.type = "search";
    said.setAttribute("role", "status");
    box.append("Search ", field, said);
    (table.closest(".scroll") ?? table).before(box);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !words.every((word) => texts[place].includes(word));
        shown += !row.hidden;
      });
      said.textContent = words.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
    });
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length > SEARCHED) search(table, rows);
    if (rows.length < 2) continue;
    [...table.tHead.rows].at(-1).querySelectorAll("th").forEach((header) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...header.childNodes);
      header.append(button);
      const at = header.cellIndex;
      button.addEventListener("click", () => sort(table, at, header));
    });
  }
})();
