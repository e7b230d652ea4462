// By class of matrix: a metric of each algorithm on each class.

const METRICS = {
  best: ["ratio to the row's best", "1× is the best of the algorithms that are shown; more is slower."],
  library: ["fastest library / this", "Above 1× the algorithm is faster than the fastest library of the row."],
  baseline: ["serial baseline / this", "The speedup over the serial baseline of the row."],
  bound: ["share of the copy bound", "The copy bound over the time: 100 % is the bound."],
};

const metricText = (value, metric) => (metric === "bound" ? percent(value) : times(value));

/** How strong a cell's tint is, from 0 to 1, and on which side. */
function tintOf(value, metric) {
  if (metric === "best") return ["good", Math.max(0, 1 - Math.log(value) / Math.log(4))];
  if (metric === "bound") return ["good", Math.min(1, Math.max(0, value))];
  const strength = Math.min(1, Math.abs(Math.log(value)) / Math.log(4));
  return [value >= 1 ? "good" : "bad", strength];
}

function classCell(app, rows, one, metric, place) {
  const series = app.selection.series;
  const measured = rows.filter((row) => isNumber(metricOf(row, series, one, metric)));
  const standing = standingOf(one, rows, series);
  const attributes = { "data-line": place[0], "data-place": place[1], tabindex: "-1" };
  if (!measured.length) {
    const timed = standing.measured.length;
    const why = timed ? "there is nothing to compare with on these rows" : missingWords(standing).join("; ");
    return h("td", { class: "number heat" }, gap(why, attributes));
  }
  const values = measured.map((row) => metricOf(row, series, one, metric));
  const mean = geometricMean(values);
  const [side, strength] = tintOf(mean, metric);
  const part = measured.length < rows.length;
  const group = rows[0].group;
  const text = metricText(mean, metric);
  return h("td", { class: `number heat ${side}`, vars: { "--tint": `${Math.round(46 * strength)}%` } },
    h("button", {
      type: "button", class: "heat-button", ...attributes,
      "aria-label": `${group}, ${one.name}: ${text} on ${measured.length} of ${plural(rows.length, "row")}`,
      onclick: () => app.set({ view: "matrices", class: [group] }, true),
      tip: () => tipLines(`${one.name} on ${group}`, [
        [METRICS[metric][0], `${text} (geometric mean)`],
        ["least to most", `${metricText(least(values), metric)} to ${metricText(most(values), metric)}`],
        ["rows", `${measured.length} of ${rows.length}`],
        ["no time", missingWords(standing).join("; ")],
        ["verdicts", verdictWords(standing.verdicts)],
      ]),
    }, text, part && h("span", { class: "part-mark" }, `${measured.length}/${rows.length}`)));
}

/** Algorithms with times on most rows first; of as many, own ones before libraries. Those of one
 * procedure stand together. */
function columnsOf(selection) {
  const count = (one) => selection.rows.filter((row) => timeOf(row, one.name) !== null).length;
  const procedures = selection.rows[0]?.given.has("procedure");
  const group = (one) => (procedures ? [...one.groups].join() : "");
  const order = { own: 0, library: 1, serial: 2 };
  return [...selection.series].map((one) => ({ one, count: count(one) }))
    .sort((a, b) => byName(group(a.one), group(b.one)) || b.count - a.count || order[a.one.kind] - order[b.one.kind] || byName(a.one.name, b.one.name))
    .map(({ one }) => one);
}

function showClasses(app, view) {
  const { selection, state } = app;
  const columns = columnsOf(selection);
  const groups = distinct(selection.rows.map((row) => row.group)).sort(byName);
  const lines = groups.map((group) => [group, selection.rows.filter((row) => row.group === group)]);
  lines.push(["all classes", selection.rows]);
  const what = selection.rows[0]?.given.has("procedure") ? "procedure" : "class";
  if (what === "procedure") lines.pop();
  const table = h("table", { class: "heat-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "corner" }, what), h("th", { scope: "col" }, "rows"),
      columns.map((one) => h("th", { scope: "col", class: "tilted" },
        h("span", { class: `tilted-name ${one.kind}` }, inlineMark(app.looks.get(one.algorithm)),
          h("span", {}, breaking(one.name)),
          one.kind === "library" && h("span", { class: "kind" }, breaking(one.library || "library"))))))),
    h("tbody", {}, lines.map(([group, rows], line) => h("tr", { class: rows === selection.rows ? "total" : null },
      h("th", { scope: "row" }, group), h("td", { class: "number quiet" }, rows.length),
      columns.map((one, place) => classCell(app, rows, one, state.metric, [line, place]))))));
  fill(view,
    h("div", { class: "controls" }, select_("Show", state.metric,
      Object.entries(METRICS).map(([name, [text]]) => [name, text]), (metric) => app.set({ metric }))),
    h("p", { class: "quiet" }, METRICS[state.metric][1],
      " Geometric means. “3/5”: a time on 3 of 5 rows. Filled marks are own algorithms, open ones libraries. Choose a cell to see its matrices."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table by class" }, table),
    leftOutNotice(app));
  rove(table);
}
