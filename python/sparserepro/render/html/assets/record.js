// The panel of one cell: everything about its record, and how to measure it again.

let returnTo = null;

function commandBox(title, text, note) {
  const button = h("button", { type: "button", class: "small" }, "Copy");
  button.addEventListener("click", () => copyText(text, button));
  return h("section", { class: "command" }, h("h3", {}, title, button),
    h("pre", { tabindex: "0" }, h("code", {}, text)), note && h("p", { class: "quiet" }, note));
}

const numberAndUnit = (value, unit) => (isNumber(value) ? `${significant(value)} ${unit}` : null);

function recordPairs(cell) {
  const rate = cell.model_flops && cell.headline_s ? cell.model_flops / cell.headline_s / 1e9 : null;
  return [
    ["record", cell.id],
    ["machine", [cell.machine, cell.side === "device" ? cell.gpu : cell.cpu].filter(Boolean).join(", ")],
    ["matrix", `${cell.matrix} (${cell.group}), ${grouped(cell.rows)} × ${grouped(cell.columns)}, `
      + `${grouped(cell.entries)} entries`],
    ["instance", cell.instance],
    ["library", libraryOf(cell) || (cell.peer ? "library" : "none; own algorithm")],
    ["setting", cell.parameters],
    ["role", cell.role],
    ["status", cell.status === "ok" ? null : `${cell.status}: ${cell.reason}`],
    ["time", isNumber(cell.headline_s) ? `${duration(cell.headline_s)}, 95 % interval `
      + durationInterval(cell.headline_low_s, cell.headline_high_s) : null],
    ["median of all samples", isNumber(cell.median_s) ? `${duration(cell.median_s)}, `
      + `${cell.samples} samples, ended by ${cell.stop}, cache ${cell.cache}` : null],
    ["preparation", isNumber(cell.preparation_s) ? duration(cell.preparation_s) : null],
    ["end to end", isNumber(cell.end_to_end_s)
      ? `${duration(cell.end_to_end_s)}, host memory: ${cell.transfers}` : null],
    ["rate", rate ? numberAndUnit(rate, "GFLOP/s") : null],
    ["copy bound", isNumber(cell.copy_bound_s) ? boundWords(cell) : null],
    ["second bound", isNumber(cell.second_bound_s)
      ? `${duration(cell.second_bound_s)} (${String(cell.second_bound).replace("_", " ")})` : null],
    ["fastest library / this", isNumber(cell.library_ratio)
      ? `${times(cell.library_ratio)} (${times(cell.library_ratio_low)} to `
        + `${times(cell.library_ratio_high)}), ${cell.library_verdict}; record ${cell.library_id}` : null],
    ["serial baseline / this", isNumber(cell.speedup)
      ? `${times(cell.speedup)}, ${cell.verdict}; ${cell.baseline}, record ${cell.baseline_id}` : null],
    ["error of the answer", isNumber(cell.error)
      ? `${significant(cell.error, 2)} of what rounding allows` : null],
    ["workspace", isNumber(cell.workspace_bytes) ? bytes(cell.workspace_bytes) : null],
    ["run", `${cell.run}, ${cell.started_utc}`],
    ["commit", cell.commit + (cell.dirty ? ", with changes that were not committed" : "")],
  ].filter(([, value]) => value);
}

function fileNote(cell) {
  const file = /\.mtx(\.gz)?( |$)/.test(cell.command || "");
  return `In the root of a checkout of this commit, after a build.${
    file ? " Put the path of your copy in place of the matrix file." : ""}`;
}

/** Opens or closes the panel, as the state has a record or none. */
function showRecord(app) {
  const panel = byId("record");
  const cell = app.cells.find((one) => one.id === app.state.record);
  panel.hidden = !cell;
  document.body.classList.toggle("with-record", Boolean(cell));
  if (!cell) return;
  const close = h("button", { type: "button", onclick: () => closeRecord(app) }, "Close");
  fill(panel,
    h("header", {}, h("h2", {}, breaking(cell.algorithm)), close),
    h("dl", { class: "facts" }, recordPairs(cell).flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", {}, value)])),
    commandBox("Measure this cell again", againCommand(cell), fileNote(cell)),
    commandBox("Command of the record", cell.command || ""),
    commandBox("Find the record", `grep -rn ${cell.run} results report/measurements --include='*.jsonl'`,
      "The lines of this run; the record is the line of this algorithm, matrix and parameters. "
      + "Its id is the start of the SHA-256 of the record."));
}

function openRecord(app, cell) {
  returnTo = document.activeElement;
  app.set({ record: cell.id });
  byId("record").focus();
}

function closeRecord(app) {
  app.set({ record: "" });
  if (returnTo?.isConnected) returnTo.focus();
  returnTo = null;
}
