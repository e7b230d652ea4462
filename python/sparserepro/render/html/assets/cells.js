// All cells of the selection: a table to sort, and to take along as CSV.

const FIRST = 100;

const CELL_COLUMNS = [
  ["id", "record", null],
  ["matrix", "matrix", (cell) => breaking(cell.matrix)],
  ["group", "class", (cell) => cell.group],
  ["instance", "instance", (cell, app) => instanceShort(cell, app) || cell.instance],
  ["algorithm", "algorithm", (cell, app) => nameOf({ name: cell.algorithm, kind: kindOf(cell), library: libraryOf(cell) }, app.looks.get(cell.algorithm))],
  ["parameters", "setting", (cell) => breaking(cell.parameters || "")],
  ["headline_s", "time", (cell) => (isNumber(cell.headline_s) ? duration(cell.headline_s) : gap(cell.reason || "skipped")), true],
  ["width", "interval", (cell) => (isNumber(cell.headline_low_s) ? intervalWords(cell) : ""), true],
  ["library_ratio", "fastest library / this", (cell) => ratioAndSign(cell), true],
  ["share_of_bound", "of copy bound", (cell) => (isNumber(cell.share_of_bound) ? percent(cell.share_of_bound) : ""), true],
  ["preparation_s", "preparation", (cell) => (isNumber(cell.preparation_s) ? duration(cell.preparation_s) : ""), true],
  ["samples", "samples", (cell) => cell.samples ?? "", true],
  ["role", "role", (cell) => cell.role],
];

/** Without the role, where all cells have the same. */
const columnsShown = (app) =>
  CELL_COLUMNS.filter(([name]) => name !== "role" || app.state.roles === "all");

const widthOf = (cell) => (isNumber(cell.headline_high_s)
  ? (cell.headline_high_s - cell.headline_low_s) / 2 / cell.headline_s : null);
const intervalWords = (cell) => `±${significant(100 * widthOf(cell), 2)}\u00a0%`;

function ratioAndSign(cell) {
  if (!isNumber(cell.library_ratio)) return "";
  const verdict = cell.library_verdict;
  return h("span", { class: `verdict ${verdict}` }, `${times(cell.library_ratio)} `,
    h("span", { "aria-hidden": "true" }, VERDICT_SIGNS[verdict]), h("span", { class: "unseen" }, verdict));
}

/** The cells of the selected rows. */
function listedCells(app) {
  const { selection, state, cells } = app;
  const keys = new Set(selection.rows.map((row) => row.key));
  if (state.roles === "compared") {
    return selection.rows.flatMap((row) => (state.settings === "all" ? row.cells
      : [...row.entrants.values()].map((entrant) => entrant.cell || entrant.cells[0])));
  }
  return cells.filter((cell) => keys.has(cell.key) && cell.side === state.side
    && allowed(selection.known, cell.algorithm)
    && (cell.threads === null || allowed(state.threads, String(cell.threads))));
}

function sorted(cells, sort) {
  const down = sort.startsWith("-");
  const name = sort.replace(/^-/, "");
  if (!CELL_COLUMNS.some(([column]) => column === name)) return cells;
  const value = (cell) => (name === "width" ? widthOf(cell) : cell[name]);
  const empty = (one) => one === null || one === undefined || one === "";
  return [...cells].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (empty(x) || empty(y)) return empty(x) - empty(y);
    const order = typeof x === "number" ? x - y : byName(x, y);
    return down ? -order : order;
  });
}

function download(app, cells) {
  const names = app.data.columns.map(([name]) => name);
  const address = URL.createObjectURL(new Blob([toCsv(cells, names)], { type: "text/csv" }));
  const link = h("a", { href: address, download: `${app.data.name}-${app.state.problem}-cells.csv` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function sortHead(app, [name, text, , right], meanings) {
  const { sort } = app.state;
  const current = sort.replace(/^-/, "") === name;
  const next = sort === name ? `-${name}` : name;
  const order = current ? (sort.startsWith("-") ? "descending" : "ascending") : null;
  const meaning = meanings.get(name);
  return h("th", { scope: "col", "aria-sort": order, class: right ? "number" : null },
    h("button", {
      type: "button", class: "sort", "data-sort": name, onclick: () => {
        app.set({ sort: next });
        document.querySelector(`[data-sort="${name}"]`)?.focus();
      },
      ...(meaning ? { tip: () => [h("strong", {}, name), h("p", {}, meaning)] } : {}),
    }, text, h("span", { "aria-hidden": "true" }, order ? (order === "ascending" ? " ▲" : " ▼") : "")));
}

function cellLine(app, cell) {
  return h("tr", { class: cell.status === "ok" ? null : "part" }, columnsShown(app).map(([name, text, show, right]) =>
    h("td", { class: `${right ? "number " : ""}cell-${name}`, "data-label": text }, name === "id" ? h("button", {
      type: "button", class: "link mono", onclick: () => openRecord(app, cell),
    }, cell.id) : show(cell, app))));
}

function showCells(app, view) {
  const cells = sorted(listedCells(app), app.state.sort);
  const meanings = new Map(app.data.columns.map(([name, , meaning]) => [name, meaning]));
  const body = h("tbody", {});
  const more = h("button", { type: "button" });
  let shown = 0;
  const show = (count) => {
    body.append(...cells.slice(shown, shown + count).map((cell) => cellLine(app, cell)));
    shown = Math.min(cells.length, shown + count);
    more.hidden = shown >= cells.length;
    more.textContent = `Show ${grouped(Math.min(500, cells.length - shown))} more of ${grouped(cells.length)}`;
  };
  more.addEventListener("click", () => show(500));
  show(FIRST);
  fill(view,
    h("div", { class: "controls" },
      select_("Roles", app.state.roles, [["compared", "cells that compete"], ["all", "with older and repeated ones"]],
        (roles) => app.set({ roles })),
      h("div", { class: "narrow-only" }, select_("Sort by", app.state.sort, [["", "matrix"],
        ...CELL_COLUMNS.filter(([name]) => name !== "matrix").flatMap(([name, text, , right]) =>
          (right ? [[name, `${text}, least first`], [`-${name}`, `${text}, most first`]] : [[name, text]]))],
      (sort) => app.set({ sort }))),
      h("button", { type: "button", onclick: () => download(app, cells) }, `Download ${plural(cells.length, "cell")} as CSV`)),
    h("p", { class: "quiet" }, app.state.settings === "chosen" && app.state.roles === "compared"
      ? "One cell of each algorithm on each row: the fastest setting, or a skipped one. Choose “all settings” for the others."
      : "All settings."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" },
      h("table", { class: "cells" }, h("thead", {}, h("tr", {}, columnsShown(app).map((column) => sortHead(app, column, meanings)))), body)),
    h("p", {}, more));
}
