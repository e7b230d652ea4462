// All problems of a machine: the best own algorithm beside the fastest library on each side.

/** Findings of each problem and side that has both; each procedure of primitives by itself. */
function overviewLines(app) {
  const { places, data } = app;
  const { machine } = app.state;
  const sides = places.problems.flatMap((problem) => ["device", "host"].map((side) => [problem, side]));
  return sides.flatMap(([problem, side]) => {
    const selection = select(app.cells, { ...emptyState(), machine, problem, side }, data.grid);
    const looks = looksOf(selection.pool);
    return contestsOf(selection).map((contest) => {
      const { one, rows } = ownOf(contest, "");
      const found = one && rows.length ? againstLibraries(one, rows) : null;
      return { problem, side, title: contest.title, one, found, look: one && looks.get(one.algorithm) };
    });
  }).filter(({ found }) => found);
}

function overview(app) {
  const lines = overviewLines(app);
  if (lines.length < 2) return null;
  const limit = Math.min(10, Math.max(2, ...lines.map(({ found }) => Math.max(found.mean, 1 / found.mean))));
  return h("section", { class: "overview" }, h("h2", {}, `All problems on ${app.state.machine}`),
    h("table", { class: "class-bars" },
      h("caption", {}, "Fastest library / best own algorithm, geometric mean over all rows. Above 1× ours is faster."),
      h("thead", {}, h("tr", {}, ["problem", "", "mean", "own algorithm", "rows", "verdicts"]
        .map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, lines.map((line) => h("tr", {},
        h("th", { scope: "row" }, h("button", {
          type: "button", class: "link", onclick: () => {
            app.set({ ...emptyState(), machine: app.state.machine, problem: line.problem, side: line.side }, true);
            window.scrollTo(0, 0);
          },
        }, [app.data.titles[line.problem], line.title, line.side].filter(Boolean).join(", "))),
        h("td", { class: "bar-cell" }, sidedBar(line.found.mean, limit)),
        h("td", { class: "number" }, times(line.found.mean)),
        h("td", {}, inlineMark(line.look), " ", breaking(line.one.name)),
        h("td", { class: "number quiet" }, grouped(line.found.pairs.length)),
        h("td", {}, verdictCounts(line.found.verdicts)))))));
}
