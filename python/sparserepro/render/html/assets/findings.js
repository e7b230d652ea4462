// The short answer above the tables: the best own algorithm beside the fastest library.

const verdictWords = (counts) => VERDICTS.filter((name) => counts[name])
  .map((name) => `${name} on ${grouped(counts[name])}`).join(", ");

const rowName = (row, app) => [row.matrix, instanceShort(row, app)].filter(Boolean).join(", ");

/** The parts of the instance that differ between the rows of the problem. */
function instanceShort(row, app) {
  return [...row.given].filter(([name]) => app.selection.facets.has(name) && name !== "procedure")
    .map(([name, value]) => `${name}=${value}`).join(", ");
}

/** A bar to the right of 1 for ratios above it, to the left below it. */
function sidedBar(ratio, limit) {
  const share = isNumber(ratio) ? Math.min(1, Math.abs(Math.log(ratio)) / Math.log(limit)) : 0;
  return h("span", { class: `sided ${ratio >= 1 ? "above" : "below"}`, "aria-hidden": "true" },
    h("span", { class: "sided-bar", vars: { "--share": `${(50 * share).toFixed(1)}%` } }));
}

const VERDICT_SIGNS = { faster: "▲", same: "=", slower: "▼", unclear: "?" };

/** Counts of verdicts, by sign and number. */
function verdictCounts(counts) {
  const total = VERDICTS.reduce((sum, name) => sum + counts[name], 0);
  if (!total) return "–";
  return h("span", { class: "verdicts" }, VERDICTS.map((name) =>
    h("span", { class: `verdict ${name}${counts[name] ? "" : " none"}` },
      h("span", { "aria-hidden": "true" }, VERDICT_SIGNS[name]), h("span", { class: "unseen" }, `${name} `),
      grouped(counts[name]))));
}

function lostRows(app, lost) {
  if (!lost.length) return h("p", {}, "It is slower on none of them.");
  const shown = lost.slice(0, 8);
  return h("p", {}, "Slower on: ",
    shown.map(({ row, cell }, index) => [index > 0 && " · ", h("button", {
      type: "button", class: "link", onclick: () => openRecord(app, cell), tip: () => cellTip(cell),
    }, `${rowName(row, app)}\u00a0${times(cell.library_ratio)}`)]),
    lost.length > shown.length && ` and ${plural(lost.length - shown.length, "more row")}.`);
}

function classBars(app, found) {
  const groups = distinct(found.pairs.map(({ row }) => row.group)).sort(byName);
  if (groups.length < 2) return null;
  const lines = groups.map((group) => {
    const cells = found.pairs.filter(({ row }) => row.group === group).map(({ cell }) => cell);
    const ratios = cells.map((cell) => cell.library_ratio);
    return {
      group, mean: geometricMean(ratios), low: least(ratios), high: most(ratios),
      rows: cells.length, verdicts: countVerdicts(cells, "library_verdict"),
    };
  }).sort((a, b) => b.mean - a.mean);
  const limit = Math.max(2, ...lines.map((line) => Math.max(line.mean, 1 / line.mean)));
  return h("table", { class: "class-bars" },
    h("caption", {}, "Fastest library / ours by class, geometric mean. Above 1× ours is faster."),
    h("thead", {}, h("tr", {}, ["class", "", "mean", "least to most", "rows", "verdicts"]
      .map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, lines.map((line) => h("tr", {},
      h("th", { scope: "row" }, h("button", {
        type: "button", class: "link", onclick: () => app.set({ view: "matrices", class: [line.group] }, true),
      }, line.group)),
      h("td", { class: "bar-cell" }, sidedBar(line.mean, limit)),
      h("td", { class: "number" }, times(line.mean)),
      h("td", { class: "number quiet" }, `${significant(line.low, 2)} to ${times(line.high, 2)}`),
      h("td", { class: "number quiet" }, line.rows),
      h("td", {}, verdictCounts(line.verdicts))))));
}

/** The own algorithm that the findings are about, on the rows that libraries have too. */
function ownOf(contest, wanted) {
  const rows = contest.rows.filter((row) =>
    row.cells.some((cell) => !cell.peer && isNumber(cell.library_ratio)));
  const named = contest.series.find((one) => one.name === wanted && one.kind !== "library");
  return { one: named || bestOwn(rows, contest.series), rows };
}

function findings(app, contest) {
  const { one, rows } = ownOf(contest, app.state.own);
  if (!one || !rows.length) {
    return h("section", { class: "findings" }, h("p", {},
      "No row of the selection has times of both an own algorithm and a library."));
  }
  const found = againstLibraries(one, rows);
  const prepared = found.calls.some((ratio) => Math.abs(Math.log(ratio / found.calls[3])) > 0.005);
  return h("section", { class: "findings" },
    h("p", { class: "lead" }, nameOf(one, app.looks.get(one.algorithm)), " is ",
      h("strong", {}, times(found.mean)), " as fast as the fastest library of each row",
      ` (geometric mean, ${grouped(found.pairs.length)} of ${plural(found.total, "row")}). `,
      `Verdicts: ${verdictWords(found.verdicts)}.`),
    lostRows(app, found.lost),
    h("p", {}, prepared && `For 1, 10, 100 and endless calls, preparation counted: ${
      found.calls.map((ratio) => times(ratio)).join(", ")}. `,
    isNumber(found.bound) && `The copy bound is ${percent(found.bound)} of its time (geometric mean).`),
    classBars(app, found));
}
