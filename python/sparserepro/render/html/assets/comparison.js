// What the selected rows say: ratios to the best, the best own algorithm, verdicts.

const VERDICTS = ["faster", "same", "slower", "unclear"];
const CALLS = [["1", "1"], ["10", "10"], ["100", "100"], ["inf", "endless"]];

const positive = (values) => values.filter((value) => isNumber(value) && value > 0);

/** The least time on a row of these algorithms. */
const bestTime = (row, series) => least(positive(series.map((one) => timeOf(row, one.name))));

/** How many times the least time of its row each algorithm takes. */
function ratiosOf(row, series) {
  const ratios = ratiosToBest(series.map((one) => timeOf(row, one.name)));
  return new Map(series.map((one, index) => [one.name, ratios[index]]));
}

/** Columns of the table of cells that hold a metric; `best` is made here. */
const METRIC_COLUMNS = { library: "library_ratio", baseline: "speedup", bound: "share_of_bound" };

/** A metric of an algorithm on a row; null without. */
function metricOf(row, series, one, metric) {
  const cell = row.entrants.get(one.name)?.cell;
  if (!cell) return null;
  if (metric === "best") return cell.headline_s / bestTime(row, series);
  return cell[METRIC_COLUMNS[metric]] ?? null;
}

/** Means of an algorithm over rows, on how many of them it has a time, and why not on others. */
function standingOf(one, rows, series) {
  const measured = rows.filter((row) => timeOf(row, one.name) !== null);
  const cells = measured.map((row) => row.entrants.get(one.name).cell);
  const ratios = measured.map((row) => ratiosOf(row, series).get(one.name));
  const missing = new Map();
  for (const row of rows) {
    if (timeOf(row, one.name) !== null) continue;
    const why = whyMissing(row, one);
    missing.set(why, (missing.get(why) || 0) + 1);
  }
  return {
    one, measured, ratios, mean: geometricMean(ratios), total: rows.length, missing,
    library: geometricMean(cells.map((cell) => cell.library_ratio)),
    bound: geometricMean(cells.map((cell) => cell.share_of_bound)),
    verdicts: countVerdicts(cells, "library_verdict"),
  };
}

function countVerdicts(cells, column) {
  const counts = Object.fromEntries(VERDICTS.map((name) => [name, 0]));
  for (const cell of cells) if (Object.hasOwn(counts, cell[column])) counts[cell[column]] += 1;
  return counts;
}

/** Standings, those with a time on every row first, in the order of their means; then the others,
 * each beside the leader's mean on the same rows. */
function standings(rows, series) {
  const found = series.map((one) => standingOf(one, rows, series));
  const full = (standing) => standing.measured.length === standing.total;
  const most_ = most(found.map((standing) => standing.measured.length));
  const leader = found.filter((standing) => standing.measured.length === most_)
    .sort((a, b) => a.mean - b.mean)[0];
  for (const standing of found) {
    const same = standing.measured.filter((row) => leader && timeOf(row, leader.one.name) !== null);
    standing.full = full(standing);
    standing.leader = leader?.one;
    standing.leaderMean = same.length === standing.measured.length
      ? geometricMean(same.map((row) => ratiosOf(row, series).get(leader.one.name))) : null;
  }
  const beside = (one) => (one.full ? one.mean : one.mean / (one.leaderMean ?? 1));
  return found.sort((a, b) => b.full - a.full || Boolean(b.mean) - Boolean(a.mean)
    || beside(a) - beside(b) || byName(a.one.name, b.one.name));
}

/** Of the own algorithms with times on most rows, the one of least geometric mean. */
function bestOwn(rows, series) {
  const own = series.filter((one) => one.kind !== "library");
  const scores = own.map((one) => {
    const ratios = positive(rows.map((row) => ratiosOf(row, own).get(one.name)));
    return { one, rows: ratios.length, mean: geometricMean(ratios) };
  }).filter((score) => score.rows);
  scores.sort((a, b) => b.rows - a.rows || a.mean - b.mean || byName(a.one.name, b.one.name));
  return scores[0]?.one ?? null;
}

/** The own algorithm beside the fastest library, on the rows that have both: on those that the report
 * compares (not products with the transpose), or on all where it compares none. */
function againstLibraries(one, rows) {
  const measured = rows.filter((row) => timeOf(row, one.name) !== null);
  const every = measured.map((row) => ({ row, cell: row.entrants.get(one.name).cell }))
    .filter(({ cell }) => isNumber(cell.library_ratio));
  const told = every.filter(({ cell }) => cell.best_own);
  const pairs = told.length ? told : every;
  const cells = pairs.map((pair) => pair.cell);
  return {
    one, pairs, measured: measured.length, total: rows.length,
    mean: geometricMean(cells.map((cell) => cell.library_ratio)),
    calls: CALLS.map(([name]) => geometricMean(cells.map((c) => c[`library_ratio_${name}`]))),
    bound: geometricMean(measured.map((row) => row.entrants.get(one.name).cell.share_of_bound)),
    verdicts: countVerdicts(cells, "library_verdict"),
    lost: pairs.filter(({ cell }) => cell.library_verdict === "slower")
      .sort((a, b) => a.cell.library_ratio - b.cell.library_ratio),
  };
}

/** Whether a comparison with the row's best is decided: of cells without intervals it is not. */
function apart(fast, slow) {
  if (![fast.headline_high_s, slow.headline_low_s].every(isNumber)) return false;
  return fast.headline_high_s < slow.headline_low_s && slow.headline_s / fast.headline_s >= 1.03;
}

/** A row's fastest cell, and whether it is told apart from all others. */
function winnerOf(row, series) {
  const cells = series.map((one) => row.entrants.get(one.name)?.cell).filter(Boolean)
    .sort((a, b) => a.headline_s - b.headline_s);
  if (!cells.length) return null;
  const [first, ...others] = cells;
  const library = others.find((cell) => cell.id === first.library_id);
  const decided = others.every((cell) => apart(first, cell))
    && (!library || first.peer || first.library_verdict === "faster");
  return { cell: first, decided, second: others[0] || null };
}

/** Own ratios for each number of calls on a row: of one algorithm, or of the best for each. */
function callRatios(row, own, against) {
  const prefix = against === "library" ? "library_ratio" : "speedup";
  const cells = own.map((one) => row.entrants.get(one.name)?.cell).filter(Boolean);
  return CALLS.map(([name]) => {
    const found = positive(cells.map((cell) => cell[`${prefix}_${name}`]));
    return found.length ? most(found) : null;
  });
}
