// The controls of the selection.

const FACET_TITLES = { k: "K (columns of X)", value_type: "Type of values" };

/** A choice of one. */
function oneOf(title, values, value, words, change) {
  return h("div", { class: "facet", role: "group", "aria-label": title }, h("h3", {}, title),
    h("div", { class: "chips" }, values.map((name) => h("button", {
      type: "button", class: "chip", "aria-pressed": String(name === value), onclick: () => change(name),
    }, words(name)))));
}

/** A choice of several; none chosen is all of them. */
function someOf(title, values, chosen, change, words = (value) => value) {
  const known = chosen.filter((value) => values.includes(value));
  const toggle = (value) => change(known.includes(value)
    ? known.filter((one) => one !== value) : [...known, value]);
  const chip = (pressed, click, ...children) =>
    h("button", { type: "button", class: "chip", "aria-pressed": String(pressed), onclick: click }, children);
  return h("div", { class: "facet", role: "group", "aria-label": title }, h("h3", {}, title),
    h("div", { class: "chips" }, chip(!known.length, () => change([]), "all"),
      values.map((value) => chip(known.includes(value), () => toggle(value), words(value)))));
}

function algorithmChips(app) {
  const { selection, state, looks } = app;
  const of = (name) => selection.pool.find((cell) => cell.algorithm === name);
  const order = ["own", "library", "serial"];
  const names = [...selection.algorithms].sort((a, b) =>
    order.indexOf(kindOf(of(a))) - order.indexOf(kindOf(of(b))) || byName(a, b));
  const words = (name) => [inlineMark(looks.get(name)), h("span", {}, breaking(name)),
    of(name).peer ? h("span", { class: "kind" }, breaking(of(name).library || "library")) : null];
  return someOf("Algorithms", names, state.algorithm, (algorithm) => app.set({ algorithm }), words);
}

/** Draws the controls again, and keeps the focus on the one that was used. */
function showFilters(app) {
  const { state, places, selection, data } = app;
  const body = byId("filters-body");
  const focused = body.contains(document.activeElement)
    ? [...body.querySelectorAll("button, input, select")].indexOf(document.activeElement) : -1;
  const here = places.compared.filter((cell) => cell.machine === state.machine);
  const problems = places.problems.filter((name) => here.some((cell) => cell.problem === name));
  const sides = distinct(here.filter((c) => c.problem === state.problem).map((c) => c.side)).sort();
  const other = { class: [], algorithm: [], threads: [], given: new Map(), own: "", record: "" };
  const arrays = selection.groups.length && selection.pool[0]?.given.has("procedure");
  fill(body,
    oneOf("Problem", problems, state.problem, (name) => data.titles[name] || name,
      (problem) => app.set({ ...other, problem, side: "" }, true)),
    places.machines.length > 1 && oneOf("Machine", places.machines, state.machine, (name) => name,
      (machine) => app.set({ ...other, machine, side: "" }, true)),
    sides.length > 1 && oneOf("Side", sides, state.side, (name) => name,
      (side) => app.set({ ...other, side }, true)),
    [...selection.facets].map(([name, values]) => someOf(FACET_TITLES[name] || name, values,
      state.given.get(name) || [], (chosen) => app.set({ given: new Map(state.given).set(name, chosen) }))),
    someOf(arrays ? "Procedure" : "Class of matrix", selection.groups, state.class,
      (found) => app.set({ class: found })),
    !arrays && h("div", { class: "facet" }, h("h3", {}, h("label", { for: "matrix" }, "Matrix")),
      h("input", {
        id: "matrix", type: "search", value: state.matrix, placeholder: "part of a name",
        autocomplete: "off", spellcheck: "false", oninput: (event) => app.set({ matrix: event.target.value.trim() }),
      })),
    selection.threads.length > 1 && someOf("Threads", selection.threads, state.threads,
      (threads) => app.set({ threads })),
    oneOf("Settings of an algorithm", CHOICES.settings, state.settings,
      (name) => ({ chosen: "the fastest", all: "all settings" }[name]), (settings) => app.set({ settings })),
    oneOf("Rows", CHOICES.rows, state.rows,
      (name) => ({ all: "all", common: "rows that all shown algorithms have" }[name]),
      (rows) => app.set({ rows })),
    algorithmChips(app),
    h("button", { type: "button", class: "reset", onclick: () => app.reset() }, "Reset the selection"));
  if (focused >= 0) body.querySelectorAll("button, input, select")[focused]?.focus();
  showShort(app);
}

/** The selection in a line, for when the controls are closed. */
function showShort(app) {
  const { state, selection, data } = app;
  const given = [...state.given].filter(([, values]) => values.length)
    .map(([name, values]) => `${name} ${values.join(", ")}`);
  byId("filters-short").textContent = [
    data.titles[state.problem] || state.problem, state.machine, state.side, ...given,
    ...state.class, state.matrix, plural(selection.rows.length, "row"),
  ].filter(Boolean).join(" · ");
}
