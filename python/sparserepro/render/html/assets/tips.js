// What appears beside an element when the pointer is on it, when it has the focus, or after a tap.

const tips = new WeakMap();

function giveTip(element, make) {
  tips.set(element, make);
  element.setAttribute("data-tip", "");
}

/** Lines of a tip: a title, then pairs of a name and a value. */
function tipLines(title, pairs) {
  return [
    h("strong", {}, title),
    h("dl", {}, pairs.filter(([, value]) => value !== null && value !== "")
      .flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  ];
}

function showTip(element) {
  const make = tips.get(element);
  if (!make) return;
  const tip = byId("tip");
  fill(tip, make());
  tip.hidden = false;
  const at = element.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const room = { x: document.documentElement.clientWidth, y: window.innerHeight };
  const left = Math.min(Math.max(8, at.left + at.width / 2 - size.width / 2), room.x - size.width - 8);
  const below = at.bottom + 8;
  const fits = below + size.height < room.y - 8;
  const top = fits ? below : Math.max(8, at.top - size.height - 8);
  tip.style.setProperty("left", `${Math.max(8, left)}px`);
  tip.style.setProperty("top", `${top}px`);
  element.setAttribute("aria-describedby", "tip");
}

function hideTip() {
  byId("tip").hidden = true;
  document.querySelector("[aria-describedby=tip]")?.removeAttribute("aria-describedby");
}

function startTips() {
  const owner = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  const change = (event) => {
    const element = owner(event);
    hideTip();
    // A click on what does something has done it; other elements answer a tap by their tip.
    const acts = event.type === "click" && element?.matches("button, [role=button]");
    if (element && !acts) showTip(element);
  };
  document.addEventListener("pointerover", change);
  document.addEventListener("focusin", change);
  document.addEventListener("click", change);
  document.addEventListener("focusout", hideTip);
  document.addEventListener("scroll", hideTip, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
}

/** What a tip says of a cell. */
function cellTip(cell, more = []) {
  return tipLines(`${cell.algorithm} on ${cell.matrix}`, [
    ["row", cell.instance],
    ["library", libraryOf(cell)],
    ["setting", cell.parameters],
    ["time", duration(cell.headline_s)],
    ["95 % interval", durationInterval(cell.headline_low_s, cell.headline_high_s)],
    ["preparation", cell.preparation_s ? duration(cell.preparation_s) : "none"],
    ...more,
    ["fastest library / this", cell.peer ? null : ratioWords(cell)],
    ["copy bound", boundWords(cell)],
    ["samples", `${cell.samples}, ended by ${cell.stop}`],
    ["record", cell.id],
    ["commit", commitOf(cell)],
    ["command", shortened(cell.command, 110)],
  ]);
}

const shortened = (text, length) =>
  (text && text.length > length ? `${text.slice(0, length)} …` : text);

const commitOf = (cell) => (cell.commit || "").slice(0, 12) + (cell.dirty ? ", with changes" : "");

const ratioWords = (cell) =>
  (isNumber(cell.library_ratio) ? `${times(cell.library_ratio)}, ${cell.library_verdict}` : null);

const boundWords = (cell) => (isNumber(cell.copy_bound_s)
  ? `${duration(cell.copy_bound_s)}, ${percent(cell.share_of_bound)} of this time` : "none is known");

/** A dash in place of a result, with the reason. */
function gap(why, attributes = {}) {
  return h("span", {
    class: "gap", tabindex: "0", role: "img", "aria-label": `no result: ${why}`,
    tip: () => [h("strong", {}, "No result"), h("p", {}, why)], ...attributes,
  }, "–");
}
