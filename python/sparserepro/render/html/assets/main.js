// The page: its state, the tabs, and what is drawn when the state changes.

const SHOW = {
  winners: showWinners, classes: showClasses, matrices: showMatrices, calls: showCalls, cells: showCells,
};

function showTabs(app) {
  const tabs = byId("tabs");
  const had = tabs.contains(document.activeElement);
  fill(tabs, VIEWS.map(([name, text]) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "view",
    "aria-selected": String(name === app.state.view), tabindex: name === app.state.view ? "0" : "-1",
    onclick: () => app.set({ view: name }, true),
  }, text)));
  byId("view").setAttribute("aria-labelledby", `tab-${app.state.view}`);
  if (had) byId(`tab-${app.state.view}`).focus();
}

function tabKeys(app) {
  byId("tabs").addEventListener("keydown", (event) => {
    const names = VIEWS.map(([name]) => name);
    const at = names.indexOf(app.state.view);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    app.set({ view: names[(to + names.length) % names.length] }, true);
  });
}

function sourceText(app) {
  const { cells } = app;
  const dates = cells.map((cell) => (cell.started_utc || "").slice(0, 10)).filter(Boolean).sort();
  const commits = distinct(cells.map((cell) => cell.commit)).map((commit) => (commit || "").slice(0, 12));
  const processors = distinct(cells.flatMap((cell) => [cell.gpu, cell.cpu])).filter(Boolean);
  return [
    plural(cells.length, "cell"), processors.join(", "),
    dates.length ? (dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`) : "",
    `${commits.length === 1 ? "commit" : "commits"} ${commits.slice(0, 3).join(", ")}${commits.length > 3 ? " and others" : ""}`,
  ].filter(Boolean).join(" · ");
}

function startTheme() {
  const choice = byId("theme");
  const use = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  let kept = null;
  try { kept = localStorage.getItem("sparserepro-theme"); } catch { /* no storage: the system's */ }
  if (["light", "dark"].includes(kept)) {
    choice.value = kept;
    use(kept);
  }
  choice.addEventListener("change", () => {
    use(choice.value);
    try { localStorage.setItem("sparserepro-theme", choice.value); } catch { /* for this visit alone */ }
  });
}

/** `typed`: the controls stay, as somebody writes in one of them. */
function draw(app, typed = false) {
  app.selection = select(app.cells, app.state, app.data.grid);
  app.looks = looksOf(app.selection.pool);
  hideTip();
  showTabs(app);
  if (typed) showShort(app);
  else showFilters(app);
  const view = byId("view");
  view.className = `view view-${app.state.view}`;
  if (app.selection.rows.length) SHOW[app.state.view](app, view);
  else fill(view, emptyNotice(app));
  showRecord(app);
}

/** What the record panel alone changes needs no new drawing. */
function drawChange(app, changes) {
  if (Object.keys(changes).join() === "record") showRecord(app);
  else draw(app, Object.keys(changes).join() === "matrix");
}

function start() {
  const data = JSON.parse(byId("data").textContent);
  const cells = makeCells(data);
  const app = { data, cells, places: placesOf(cells, data.titles) };
  const read = () => settled(decodeHash(location.hash), app.places);
  // What the data settles is no part of the address, unless somebody chose otherwise.
  const usual = settled(emptyState(), app.places);
  const address = () => {
    const state = { ...app.state };
    const bare = settled({ ...emptyState(), problem: state.problem, machine: state.machine }, app.places);
    if (state.side === bare.side) state.side = "";
    if (state.problem === usual.problem) state.problem = "";
    if (state.machine === usual.machine) state.machine = "";
    return `#${encodeHash(state)}`;
  };
  app.set = (changes, step = false) => {
    app.state = settled({ ...app.state, ...changes }, app.places);
    history[step ? "pushState" : "replaceState"](null, "", address());
    drawChange(app, changes);
  };
  app.reset = () => {
    const { view, problem, machine } = app.state;
    app.set({ ...emptyState(), view, problem, machine }, true);
  };
  const again = () => {
    app.state = read();
    draw(app);
  };
  window.addEventListener("popstate", again);
  window.addEventListener("hashchange", again);
  byId("source").textContent = sourceText(app);
  byId("copy-link").addEventListener("click", (event) => copyText(location.href, event.target));
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("view").focus(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && app.state.record) closeRecord(app);
  });
  byId("filters").open = matchMedia("(min-width: 60rem)").matches;
  startTheme();
  startTips();
  tabKeys(app);
  again();
  document.documentElement.dataset.ready = "yes";
}

start();
