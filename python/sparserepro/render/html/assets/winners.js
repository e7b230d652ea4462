// Who wins: the algorithms of the selection, by the geometric mean of their ratios to the best.

function missingWords(standing) {
  return [...standing.missing].sort((a, b) => b[1] - a[1])
    .map(([why, count]) => `${plural(count, "row")}: ${why}`);
}

/** "96 of 96 rows"; fewer have a reason. */
function rowsCount(standing) {
  const text = `${grouped(standing.measured.length)} of ${grouped(standing.total)}`;
  if (standing.full) return h("span", {}, text);
  return h("span", {
    class: "partial", tabindex: "0", tip: () => [
      h("strong", {}, `${standing.one.name} has no time on`),
      h("ul", {}, missingWords(standing).slice(0, 8).map((line) => h("li", {}, line))),
    ],
  }, text);
}

const LONGEST = 5;

/** The bar of a ratio: its length is the logarithm; beyond the limit it is cut. */
function ratioBar(mean, limit) {
  if (!isNumber(mean)) return null;
  const share = Math.min(1, Math.log(mean) / Math.log(limit));
  return h("span", { class: mean > limit ? "bar over" : "bar", "aria-hidden": "true" },
    h("span", { class: "bar-fill", vars: { "--share": `${(100 * share).toFixed(1)}%` } }));
}

function standingLine(app, standing, limit, wins, beside) {
  const { one } = standing;
  const same = standing.full || standing.leader === one ? null : standing.leaderMean;
  return h("tr", { class: `${one.kind}${standing.full ? "" : " part"}` },
    h("th", { scope: "row" }, nameOf(one, app.looks.get(one.algorithm))),
    h("td", { class: "number strong", "data-label": "ratio to the best" },
      isNumber(standing.mean) ? times(standing.mean) : gap(missingWords(standing).join("; "))),
    h("td", { class: "bar-cell" }, ratioBar(standing.mean, limit)),
    beside && h("td", { class: isNumber(same) ? "number" : "number empty", "data-label": LEADER },
      isNumber(same) && times(same)),
    h("td", { class: "number", "data-label": "rows" }, rowsCount(standing)),
    h("td", { class: "number", "data-label": "fastest on" }, grouped(wins.get(one.name) || 0)),
    h("td", { class: "number", "data-label": "fastest library / this" }, times(standing.library)),
    h("td", { "data-label": "rows by verdict" }, verdictCounts(standing.verdicts)),
    h("td", { class: "number", "data-label": "share of copy bound" }, percent(standing.bound)));
}

const LEADER = "leader, same rows";

const HEADS = [
  ["algorithm", ""],
  ["ratio to the best", "Time over the least time of the row, geometric mean. 1× is the best."],
  ["shorter is better", `The bar's length is the logarithm of the ratio. A bar with a torn end is cut at ${LONGEST}×.`],
  [LEADER, "The mean ratio of the leader (the first of the table) on the rows of this algorithm."],
  ["rows", "On how many rows of the selection the algorithm has a time."],
  ["fastest on", "Rows on which it is the fastest, and the intervals tell it apart from all others."],
  ["fastest library / this", "Above 1× this one is faster. Of a library: at most 1×."],
  ["verdicts", "Rows on which it is faster ▲, the same =, slower ▼ or unclear ? beside the fastest library."],
  ["of copy bound", "The copy bound over the time, geometric mean."],
];

function headCell([text, meaning]) {
  if (!meaning) return h("th", { scope: "col" }, text);
  return h("th", { scope: "col" }, h("span", {
    class: "explained", tabindex: "0", tip: () => [h("strong", {}, text), h("p", {}, meaning)],
  }, text));
}

function winnersTable(app, contest) {
  const found = standings(contest.rows, contest.series);
  const limit = Math.min(LONGEST, Math.max(2, ...positive(found.map((standing) => standing.mean))));
  const first = found.findIndex((standing) => !standing.full);
  const heads = HEADS.filter(([text]) => text !== LEADER || first >= 0);
  const wins = new Map();
  let open = 0;
  for (const row of contest.rows) {
    const winner = winnerOf(row, contest.series);
    if (!winner) continue;
    const name = seriesName(winner.cell, app.state);
    if (winner.decided) wins.set(name, (wins.get(name) || 0) + 1);
    else open += 1;
  }
  const lines = found.map((standing) => standingLine(app, standing, limit, wins, first >= 0));
  const between = h("tr", { class: "between" }, h("td", { colspan: heads.length },
    "With times on a part of the rows. Their means are not comparable with those of all rows: see the leader's on the same rows."));
  if (first > 0) lines.splice(first, 0, between);
  return [
    h("table", { class: "standings" },
      h("caption", {}, `${plural(contest.series.length, "algorithm")} on ${plural(contest.rows.length, "row")}, in the order of the ratio to the best.`,
        open > 0 && ` On ${plural(open, "row")} the fastest two are not told apart.`),
      h("thead", {}, h("tr", {}, heads.map(headCell))), h("tbody", {}, lines)),
  ];
}

function emptyNotice(app) {
  const { selection, state } = app;
  const common = state.rows === "common" && selection.allRows.length;
  const everywhere = distinct(selection.series.filter((one) =>
    selection.allRows.every((row) => timeOf(row, one.name) !== null)).map((one) => one.algorithm));
  return h("div", { class: "notice" }, h("p", {}, common
    ? `No row has a time of all ${selection.series.length} algorithms. Choose fewer algorithms, or all rows.`
    : "No row fits the selection."),
  common ? h("p", {}, h("button", { type: "button", onclick: () => app.set({ rows: "all" }) }, "All rows"), " ",
    everywhere.length > 1 && h("button", { type: "button", onclick: () => app.set({ algorithm: everywhere }) },
      `The ${everywhere.length} algorithms with times on all ${plural(selection.allRows.length, "row")}`)) : null);
}

function leftOutNotice(app) {
  if (!app.selection.gridLeftOut) return null;
  const grid = app.data.grid;
  const rows = distinct(app.selection.pool.filter((c) => c.group === grid).map((c) => c.key)).length;
  return h("p", { class: "quiet" }, `The class ${grid} is left out: its ${plural(rows, "row")} are a grid of uniform matrices, which would outweigh the others. `,
    h("button", { type: "button", class: "link", onclick: () => app.set({ class: [grid] }) }, "Show it alone"), " ",
    h("button", { type: "button", class: "link", onclick: () => app.set({ class: app.selection.groups }) }, "Count all classes"));
}

function showWinners(app, view) {
  const contests = contestsOf(app.selection);
  fill(view, contests.map((contest) => h("section", { class: "contest" },
    contest.title && h("h2", {}, contest.title), findings(app, contest), winnersTable(app, contest))),
  leftOutNotice(app), overview(app));
}
