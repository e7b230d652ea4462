// Which rows and algorithms are selected, and which cell stands for an algorithm on a row.

const distinct = (values) => [...new Set(values)];

/** Problems, machines and sides of the cells that compete, in the order of `titles`. */
function placesOf(cells, titles) {
  const compared = cells.filter((cell) => cell.role === "compared");
  const order = Object.keys(titles);
  // A run's own machines come before those of measurement sets, as in the report, and of these the
  // one with most rows beside libraries.
  const rows = new Map();
  for (const cell of compared) {
    const met = !cell.set ? Infinity : cell.best_own && cell.library_ratio !== null ? 1 : 0;
    rows.set(cell.machine, (rows.get(cell.machine) || 0) + met);
  }
  return {
    compared,
    problems: distinct(compared.map((cell) => cell.problem))
      .sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    machines: [...rows].sort((a, b) => (a[1] === b[1] ? 0 : b[1] - a[1])).map(([name]) => name),
  };
}

const mostFrequent = (values) => {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
};

/** The state with a problem, a machine and a side that the data has. */
function settled(state, places) {
  const { compared, problems, machines } = places;
  const machine = machines.includes(state.machine) ? state.machine : machines[0];
  const here = compared.filter((cell) => cell.machine === machine);
  const first = ["spmm", ...problems].find((name) => here.some((cell) => cell.problem === name));
  const problem = here.some((cell) => cell.problem === state.problem) ? state.problem : first;
  const cells = here.filter((cell) => cell.problem === problem);
  const known = cells.some((cell) => cell.side === state.side);
  const side = known ? state.side : mostFrequent(cells.map((cell) => cell.side));
  return { ...state, machine, problem, side };
}

/** A row of the table: what algorithms are compared on. */
function makeRow(cell) {
  return {
    key: cell.key, machine: cell.machine, problem: cell.problem, matrix: cell.matrix,
    group: cell.group, given: cell.given, entries: cell.entries, cells: [], entrants: new Map(),
  };
}

/** Names of the instance that tell rows apart, with their values. */
function facetsOf(cells) {
  const found = new Map();
  for (const cell of cells) {
    for (const [name, value] of cell.given) {
      if (name !== "procedure") found.set(name, (found.get(name) || new Set()).add(value));
    }
  }
  return new Map([...found].filter(([, values]) => values.size > 1)
    .map(([name, values]) => [name, [...values].sort(byName)]));
}

const allowed = (wanted, value) => !wanted.length || wanted.includes(value);

/** Classes that count: those chosen; else all but the grid of uniform matrices, which would
 * outweigh them. */
function groupsThatCount(state, groups, grid) {
  const chosen = groups.filter((group) => state.class.includes(group));
  if (chosen.length) return chosen;
  const rest = groups.filter((group) => group !== grid);
  return rest.length ? rest : groups;
}

const seriesName = (cell, state) =>
  state.settings === "all" && cell.parameters ? `${cell.algorithm} (${cell.parameters})` : cell.algorithm;

/** The cell that stands for an algorithm on a row: the chosen one, where the threads allow it;
 * else the fastest of those that they allow. */
function representative(cells) {
  const measured = cells.filter((cell) => cell.status === "ok");
  const chosen = measured.find((cell) => cell.chosen);
  if (chosen) return chosen;
  return measured.reduce((a, b) => (a && a.headline_s <= b.headline_s ? a : b), null);
}

/** Rows, and the algorithms (with all settings: the settings) that take part. */
function select(cells, state, grid) {
  const pool = cells.filter((cell) => cell.role === "compared" && cell.problem === state.problem
    && cell.machine === state.machine && cell.side === state.side);
  const groups = distinct(pool.map((cell) => cell.group)).sort(byName);
  const counted = groupsThatCount(state, groups, grid);
  const facets = facetsOf(pool);
  const wanted = state.matrix.toLowerCase();
  const inRow = pool.filter((cell) => counted.includes(cell.group)
    && String(cell.matrix).toLowerCase().includes(wanted)
    && [...facets].every(([name]) =>
      !cell.given.has(name) || allowed(state.given.get(name) || [], cell.given.get(name))));
  const algorithms = distinct(pool.map((cell) => cell.algorithm));
  const known = state.algorithm.filter((name) => algorithms.includes(name));
  const shown = inRow.filter((cell) => allowed(known, cell.algorithm)
    && (cell.threads === null || allowed(state.threads, String(cell.threads))));
  const rows = new Map();
  for (const cell of inRow) {
    if (!rows.has(cell.key)) rows.set(cell.key, makeRow(cell));
  }
  const series = new Map();
  for (const cell of shown) {
    const name = seriesName(cell, state);
    const row = rows.get(cell.key);
    row.cells.push(cell);
    if (!row.entrants.has(name)) row.entrants.set(name, { cells: [], cell: null });
    row.entrants.get(name).cells.push(cell);
    if (!series.has(name)) {
      series.set(name, {
        name, algorithm: cell.algorithm, kind: kindOf(cell), library: libraryOf(cell),
        libraryName: cell.library, backend: cell.backend, groups: new Set(),
      });
    }
    const found = series.get(name);
    found.library = found.library || libraryOf(cell);
    found.groups.add(cell.group);
  }
  for (const row of rows.values()) {
    for (const entrant of row.entrants.values()) entrant.cell = representative(entrant.cells);
  }
  const list = [...rows.values()];
  const everyone = [...series.values()];
  return {
    pool, groups, counted, facets, algorithms, known, series: everyone,
    rows: state.rows === "common" ? list.filter((row) => hasAll(row, everyone)) : list,
    allRows: list,
    gridLeftOut: groups.includes(grid) && !counted.includes(grid),
    threads: distinct(pool.map((c) => c.threads).filter((n) => n !== null)).map(String).sort(byName),
  };
}

/** Whether a row has a time of every algorithm that can have one on it. */
const hasAll = (row, series) =>
  series.every((one) => !one.groups.has(row.group) && row.given.has("procedure")
    ? true : timeOf(row, one.name) !== null);

/** Seconds of an algorithm on a row; null without. */
const timeOf = (row, name) => row.entrants.get(name)?.cell?.headline_s ?? null;

/** Why an algorithm has no time on a row. */
function whyMissing(row, series) {
  const entrant = row.entrants.get(series.name);
  if (!entrant) {
    if (row.given.has("procedure") && !series.groups.has(row.group)) {
      return `it is no algorithm for ${row.group}`;
    }
    return "not measured on this row";
  }
  const reasons = distinct(entrant.cells.map((cell) => cell.reason).filter(Boolean));
  if (!reasons.length) return "skipped without a reason";
  const more = reasons.length > 2 ? `; and ${plural(reasons.length - 2, "other reason")}` : "";
  return `skipped: ${reasons.slice(0, 2).join("; ")}${more}`;
}

/** Rows that are contests of their own: in primitives those of each procedure. */
function contestsOf(selection) {
  if (!selection.rows.some((row) => row.given.has("procedure"))) {
    return [{ title: "", rows: selection.rows, series: selection.series }];
  }
  return distinct(selection.rows.map((row) => row.group)).map((title) => ({
    title,
    rows: selection.rows.filter((row) => row.group === title),
    series: selection.series.filter((one) => one.groups.has(title)),
  }));
}
