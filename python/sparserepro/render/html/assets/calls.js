// How the comparison depends on the number of calls, as preparation is paid once.

const CALL_WORDS = CALLS.map(([, words]) => (words === "1" ? "1 call" : words === "endless" ? words : `${words} calls`));

/** The own algorithms of the view: one, or all of them for the fastest on each row. */
function ownChoice(app, contest) {
  if (app.state.own === "each") return { own: contest.series.filter((one) => one.kind !== "library"), title: "the fastest own algorithm of each row" };
  const { one } = ownOf(contest, app.state.own);
  return { own: one ? [one] : [], title: one?.name ?? "" };
}

const callPlace = (index) => `${12.5 + 25 * index}%`;

function callsPlot(app, lines, mean) {
  const values = positive(lines.flatMap((line) => line.ratios));
  const room = 1.12;
  const scale = { low: Math.min(least(values), 0.95) / room, high: Math.max(most(values), 1.05) * room };
  const y = (value) => `${(100 - logPlace(value, scale.low, scale.high)).toFixed(2)}%`;
  const path = (ratios, name) => ratios.slice(1).map((ratio, index) =>
    (isNumber(ratio) && isNumber(ratios[index]) ? s("line", {
      class: name, x1: callPlace(index), y1: y(ratios[index]), x2: callPlace(index + 1), y2: y(ratio),
    }) : null));
  const dots = lines.map(({ row, ratios, own }, line) => ratios.map((ratio, index) => (isNumber(ratio) ? s("svg", {
    class: "mark call-mark", x: callPlace(index), y: y(ratio), overflow: "visible", role: "button",
    tabindex: "-1", "data-line": line, "data-place": index,
    "aria-label": `${rowName(row, app)}, ${CALL_WORDS[index]}: ${times(ratio)}`,
    onclick: () => openRecord(app, own), tip: () => tipLines(rowName(row, app), [
      ["class", row.group], ...CALL_WORDS.map((words, at) => [words, times(ratios[at])]),
      ["algorithm", own.algorithm], ["preparation", own.preparation_s ? duration(own.preparation_s) : "none"],
      ["one execution", duration(own.median_s)], ["record", own.id],
    ]),
  }, s("circle", { r: 8, class: "touch" }), s("circle", { r: 3, class: "dot" })) : null)));
  const grid = logMarks(scale.low, scale.high);
  return h("div", { class: "calls-plot" },
    h("div", { class: "calls-scale", "aria-hidden": "true" }, grid.map((value) =>
      h("span", { vars: { top: y(value) } }, axisText(value, "ratio")))),
    s("svg", { class: "plot calls", role: "group", "aria-label": "Ratios by number of calls" },
      grid.map((value) => s("line", { class: "grid", x1: 0, x2: "100%", y1: y(value), y2: y(value) })),
      s("line", { class: "one", x1: 0, x2: "100%", y1: y(1), y2: y(1) }),
      lines.map(({ ratios }) => path(ratios, "call-line")), dots, path(mean, "mean-line"),
      mean.map((ratio, index) => (isNumber(ratio) ? s("svg", { x: callPlace(index), y: y(ratio), overflow: "visible", class: "mean-mark" },
        s("circle", { r: 5, class: "mean-dot" }), s("text", { x: 0, y: -11, "text-anchor": "middle" }, times(ratio))) : null))),
    h("div", { class: "calls-names", "aria-hidden": "true" }, CALL_WORDS.map((words) => h("span", {}, words))));
}

function callsTable(lines, mean) {
  const groups = distinct(lines.map(({ row }) => row.group)).sort(byName);
  const line = (name, members, means) => h("tr", { class: members === lines ? "total" : null },
    h("th", { scope: "row" }, name), h("td", { class: "number quiet" }, members.length),
    means.map((ratio, index) => {
      const known = positive(members.map(({ ratios }) => ratios[index]));
      const [side, strength] = isNumber(ratio) ? tintOf(ratio, "library") : ["", 0];
      return h("td", { class: `number heat ${side}`, vars: { "--tint": `${Math.round(46 * strength)}%` } },
        h("span", { class: "heat-text" }, times(ratio), h("span", { class: "part-mark" }, `${known.filter((r) => r > 1).length}/${known.length}`)));
    }));
  const meansOf = (members) => CALLS.map((_, index) => geometricMean(members.map(({ ratios }) => ratios[index])));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Calls by class" },
    h("table", { class: "heat-table calls-table" },
      h("caption", {}, "Geometric mean by class, for 1, 10, 100 and endless calls. “7/9”: above 1× on 7 of 9 rows, whatever the intervals."),
      h("thead", {}, h("tr", {}, ["class", "rows", ...CALLS.map(([, words]) => words)].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, groups.map((group) => {
        const members = lines.filter(({ row }) => row.group === group);
        return line(group, members, meansOf(members));
      }), groups.length > 1 && line("all", lines, mean))));
}

function callsOf(app, contest) {
  const { own, title } = ownChoice(app, contest);
  const lines = contest.rows.map((row) => {
    const cells = own.map((one) => row.entrants.get(one.name)?.cell).filter(Boolean)
      .sort((a, b) => a.headline_s - b.headline_s);
    return { row, own: cells[0], ratios: callRatios(row, own, app.state.against) };
  }).filter(({ ratios }) => ratios.some(isNumber));
  const other = app.state.against === "library" ? "the fastest library" : "the serial baseline";
  if (!lines.length) {
    return h("p", { class: "notice" }, `No row of the selection has times of ${title || "an own algorithm"} and of ${other}.`);
  }
  const mean = CALLS.map((_, index) => geometricMean(lines.map(({ ratios }) => ratios[index])));
  return [
    h("p", { class: "lead" }, h("strong", {}, breaking(title)), ` beside ${other}, on ${plural(lines.length, "row")}: `,
      mean.map((ratio, index) => `${CALL_WORDS[index]} ${times(ratio)}`).join(", "), ". Above 1× ours is faster."),
    callsPlot(app, lines, mean), callsTable(lines, mean),
  ];
}

function showCalls(app, view) {
  const contests = contestsOf(app.selection);
  const names = distinct(contests.flatMap((contest) =>
    contest.series.filter((one) => one.kind !== "library").map((one) => one.name)));
  fill(view,
    h("div", { class: "controls" },
      select_("Own algorithm", app.state.own, [["", "the best own algorithm"], ["each", "the fastest own of each row"],
        ...names.map((name) => [name, name])], (own) => app.set({ own })),
      select_("Beside", app.state.against, [["library", "the fastest library"], ["baseline", "the serial baseline"]],
        (against) => app.set({ against }))),
    contests.map((contest) => h("section", { class: "contest" },
      contest.title && h("h2", {}, contest.title), callsOf(app, contest))),
    h("p", { class: "quiet" }, "n calls take one preparation and n executions. Each dot is a row; the thick line is the geometric mean."),
    leftOutNotice(app));
  for (const plot of view.querySelectorAll(".plot.calls")) rove(plot);
}
