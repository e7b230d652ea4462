// Matrix by matrix: every algorithm of a row on one axis.

const AXES = {
  ratio: "ratio to the row's best", time: "time", bound: "time over the copy bound",
};
const ORDERS = {
  class: "class and name", library: "fastest library / best own, worst first",
  time: "least time", entries: "entries",
};

/** What a time of a cell is on the axis; null where there is no such number. The copy bound is
 * that of the cell's threads. */
function onAxis(seconds, cell, axis, best) {
  if (!isNumber(seconds)) return null;
  if (axis === "time") return seconds;
  if (axis === "ratio") return seconds / best;
  return isNumber(cell.copy_bound_s) ? seconds / cell.copy_bound_s : null;
}

/** Of a row: the cells to draw, the bounds of the fastest, and the best own ratio to the fastest library. */
function plotRow(row, app) {
  const { series } = app.selection;
  const axis = app.state.axis;
  const best = bestTime(row, series);
  const at = (cell, seconds) => onAxis(seconds, cell, axis, best);
  const points = [];
  const missing = [];
  for (const one of series) {
    const cell = row.entrants.get(one.name)?.cell;
    if (cell) {
      points.push({
        one, cell, x: at(cell, cell.headline_s), low: at(cell, cell.headline_low_s),
        high: at(cell, cell.headline_high_s),
        ratio: cell.headline_s / best,
      });
    } else if (!row.given.has("procedure") || one.groups.has(row.group)) missing.push(one);
  }
  const winner = winnerOf(row, series);
  const first = winner?.cell;
  const own = points.filter(({ one }) => one.kind !== "library").map(({ cell }) => cell.library_ratio);
  return {
    row, best, missing, points: points.filter((point) => isNumber(point.x)).sort((a, b) => a.x - b.x),
    bound: first ? at(first, first.copy_bound_s) : null, boundSeconds: first?.copy_bound_s,
    second: first ? at(first, first.second_bound_s) : null, secondName: first?.second_bound,
    secondSeconds: first?.second_bound_s,
    library: positive(own).length ? most(positive(own)) : null,
    winner,
  };
}

function orderRows(rows, order) {
  const keys = {
    class: () => 0, library: (one) => one.library ?? Infinity, time: (one) => one.best,
    entries: (one) => one.row.entries ?? 0,
  };
  return [...rows].sort((a, b) => keys[order](a) - keys[order](b)
    || byName(a.row.group, b.row.group) || byName(a.row.matrix, b.row.matrix)
    || byName([...a.row.given.values()].join(), [...b.row.given.values()].join()));
}

const axisText = (value, axis) => (axis === "time" ? duration(value).replace(/\.0+(?=\D)/, "") : `${Number(value.toPrecision(3))}×`);

/** The ends of the axis. That of ratios shows marks below 0.2 and, near by, above 10 at its edges. */
function axisOf(rows, axis, range) {
  const values = rows.flatMap((one) => [...one.points.flatMap((p) => [p.x, p.low, p.high]),
    axis === "ratio" ? null : one.bound]);
  const found = positive(values);
  let [low, high] = [least(found), most(found)];
  if (axis === "ratio") {
    low = Math.min(1, Math.max(0.2, least(positive(rows.map((one) => one.bound)))));
    if (range === "near") high = Math.min(high, 10);
  }
  const room = Math.max(1.02, (high / low) ** 0.03);
  return { low: low / room, high: high * room, axis };
}

const percentPlace = (value, scale) => `${logPlace(value, scale.low, scale.high).toFixed(2)}%`;

const inside = (value, scale) => isNumber(value) && value >= scale.low && value <= scale.high;

/** A mark of what lies beyond an end of the axis. */
const EDGES = { left: "M4 -4L-3 0L4 4z", right: "M-4 -5L5 0L-4 5z" };

function mark(app, point, scale, line, place) {
  const look = app.looks.get(point.one.algorithm);
  const beyond = point.x > scale.high;
  const x = beyond ? "100%" : percentPlace(point.x, scale);
  return s("svg", {
    class: point.cell.chosen ? "mark" : "mark unchosen", x, y: "50%", overflow: "visible", role: "button", tabindex: "-1",
    "data-line": line, "data-place": place, "data-algorithm": point.one.name,
    "aria-label": `${point.one.name}: ${duration(point.cell.headline_s)}, ${times(point.ratio)} of the best`,
    onclick: () => openRecord(app, point.cell),
    tip: () => cellTip(point.cell, [["ratio to the best", times(point.ratio)]]),
  }, s("circle", { r: 8, class: "touch" }), shapeOf(beyond ? { ...look, path: EDGES.right } : look));
}

function interval(point, scale) {
  if (!isNumber(point.low) || !isNumber(point.high) || point.high > scale.high) return null;
  return s("line", {
    class: "interval", x1: percentPlace(Math.max(point.low, scale.low), scale), x2: percentPlace(point.high, scale),
    y1: "50%", y2: "50%",
  });
}

function boundMark(value, scale, name) {
  if (isNumber(value) && value < scale.low) {
    return s("svg", { x: 0, y: "50%", overflow: "visible" }, s("path", { d: EDGES.left, class: `edge ${name}` }));
  }
  if (!inside(value, scale)) return null;
  const x = percentPlace(value, scale);
  return s("line", { class: `bound ${name}`, x1: x, x2: x, y1: "12%", y2: "88%" });
}

/** How many marks lie on one another at the right edge, where they are several. */
function beyondCount(one, scale) {
  const count = one.points.filter((point) => point.x > scale.high).length;
  return count < 2 ? null
    : s("text", { x: "100%", dx: -10, y: "50%", dy: 4, "text-anchor": "end", class: "beyond" }, count);
}

function rowSide(one) {
  if (!one.winner) return null;
  const { cell, decided, second } = one.winner;
  return h("div", { class: "row-side" }, h("span", { class: kindOf(cell) }, breaking(cell.algorithm)),
    h("span", { class: "quiet" }, second ? ` ${decided ? "" : "(not told apart) "}${duration(cell.headline_s)}` : ` alone, ${duration(cell.headline_s)}`));
}

function rowTip(one, app) {
  const { row } = one;
  return tipLines(row.matrix, [
    ["row", [...row.given].map(([name, value]) => `${name}=${value}`).join(", ")],
    ["class", row.group], ["entries", grouped(row.entries)],
    ["copy bound", isNumber(one.boundSeconds) ? duration(one.boundSeconds) : "none is known"],
    ["second bound", isNumber(one.secondSeconds) ? `${duration(one.secondSeconds)} (${one.secondName.replace("_", " ")})` : null],
    ["fastest library / best own", isNumber(one.library) ? times(one.library) : null],
    ["no time", one.missing.map((series) => `${series.name}: ${whyMissing(row, series)}`).slice(0, 6).join("; ")
      + (one.missing.length > 6 ? `; and ${one.missing.length - 6} more` : "")],
  ]);
}

function drawRow(app, one, scale, marks, line) {
  const lines = marks.map((value) => s("line", {
    class: "grid", x1: percentPlace(value, scale), x2: percentPlace(value, scale), y1: 0, y2: "100%",
  }));
  // The fastest is drawn last, on top.
  const points = one.points.map((point, place) => ({ point, place })).reverse();
  return h("div", { class: "plot-row" },
    h("div", {
      class: "row-label", tabindex: "-1", "data-line": line, "data-place": -1, tip: () => rowTip(one, app),
    },
      h("span", { class: "row-name" }, breaking(one.row.matrix)), " ",
      h("span", { class: "quiet" }, instanceShort(one.row, app)),
      one.missing.length ? h("span", { class: "row-missing" }, ` · ${one.missing.length}\u00a0missing`) : null),
    s("svg", { class: "plot", role: "group", "aria-label": rowName(one.row, app) }, lines,
      boundMark(one.bound, scale, "copy"), boundMark(one.second, scale, "second"),
      points.map(({ point }) => interval(point, scale)),
      beyondCount(one, scale), points.map(({ point, place }) => mark(app, point, scale, line, place))),
    rowSide(one));
}

function legend(app, view) {
  const light = (name) => {
    view.classList.toggle("dimmed", Boolean(name));
    for (const one of view.querySelectorAll(".mark")) one.classList.toggle("lit", one.dataset.algorithm === name);
  };
  const list = h("ul", { class: "legend" }, columnsOf(app.selection).map((one) => h("li", {
    onpointerenter: () => light(one.name), onpointerleave: () => light(""),
  }, nameOf(one, app.looks.get(one.algorithm)))),
  h("li", {}, h("span", { class: "bound-key copy", "aria-hidden": "true" }), "copy bound"),
  app.selection.pool.some((cell) => cell.second_bound)
    && h("li", {}, h("span", { class: "bound-key second", "aria-hidden": "true" }), "second bound"));
  return h("details", { class: "legend-box", open: matchMedia("(min-width: 60rem)").matches },
    h("summary", {}, `Marks of ${plural(app.selection.series.length, "algorithm")}`), list);
}

function showMatrices(app, view) {
  const { state, selection } = app;
  const rows = orderRows(selection.rows.map((row) => plotRow(row, app)), state.order)
    .filter((one) => one.points.length);
  const scale = axisOf(rows, state.axis, state.range);
  const marks = logMarks(scale.low, scale.high);
  const parts = [];
  let group = null;
  rows.forEach((one, line) => {
    if (state.order === "class" && one.row.group !== group) {
      group = one.row.group;
      parts.push(h("h3", { class: "plot-group" }, group));
    }
    parts.push(drawRow(app, one, scale, marks, line));
  });
  const plot = h("div", { class: "plots" }, parts);
  fill(view,
    h("div", { class: "controls" },
      select_("Axis", state.axis, Object.entries(AXES), (axis) => app.set({ axis })),
      state.axis === "ratio" && select_("Range", state.range, [["near", "to 10×"], ["whole", "whole"]], (range) => app.set({ range })),
      select_("Order", state.order, Object.entries(ORDERS), (order) => app.set({ order }))),
    legend(app, view),
    h("p", { class: "quiet" }, "Filled: own algorithms. Open: libraries. A line through a mark is its 95 % interval. Point at a name for what is missing there, and why. Choose a mark for its record; arrow keys move among the marks.",
      state.axis === "ratio" && " A mark beyond an end of the axis is a triangle at its edge; a number says how many there are."),
    h("div", { class: "plot-axis", "aria-hidden": "true" }, h("span", { class: "axis-title" }, `${AXES[state.axis]}, logarithmic`),
      h("div", { class: "axis-marks" }, marks.map((value) =>
        h("span", { vars: { left: percentPlace(value, scale) } }, axisText(value, state.axis)))),
      h("span", { class: "axis-side" }, "fastest")),
    plot, leftOutNotice(app));
  rove(plot);
}
