// Marks of algorithms: filled shapes are this project's, open ones are libraries'.

const SHAPES = [
  "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
  "M-4.5 -4.5h9v9h-9z",
  "M0 -5.6L5.2 4H-5.2z",
  "M0 -6L6 0L0 6L-6 0z",
  "M0 5.6L5.2 -4H-5.2z",
  "M-2.9 -5.2h5.8L5.9 0L2.9 5.2h-5.8L-5.9 0z",
];
const CROSS = "M-4.5 -4.5L4.5 4.5M-4.5 4.5L4.5 -4.5";
const COLOURS = 7;

/** Looks of the algorithms of a problem; the same whatever is selected. */
function looksOf(pool) {
  const looks = new Map();
  const counts = { own: 0, library: 0, serial: 0 };
  // An algorithm with many rows gets the shapes and colours that are told apart best.
  const rows = new Map();
  for (const cell of pool) {
    if (!rows.has(cell.algorithm)) rows.set(cell.algorithm, { cell, keys: new Set() });
    if (cell.status === "ok") rows.get(cell.algorithm).keys.add(cell.key);
  }
  const order = [...rows.values()].sort((a, b) =>
    b.keys.size - a.keys.size || byName(a.cell.algorithm, b.cell.algorithm));
  for (const { cell } of order) {
    const kind = kindOf(cell);
    const index = counts[kind];
    counts[kind] += 1;
    looks.set(cell.algorithm, {
      kind, path: kind === "serial" ? CROSS : SHAPES[index % SHAPES.length],
      // Libraries begin elsewhere in the palette than own algorithms.
      colour: kind === "serial" ? "serial" : (index + (kind === "library" ? 1 : 0)) % COLOURS,
    });
  }
  return looks;
}

const shapeOf = (look) => s("path", { d: look.path, class: `shape ${look.kind} colour-${look.colour}` });

/** A mark in a line of text. */
const inlineMark = (look) =>
  s("svg", { class: "key", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shapeOf(look));

const KIND_WORDS = { own: "own", serial: "own, serial", library: "library" };

/** An algorithm's name with its mark and what it is. */
function nameOf(one, look) {
  const words = one.kind === "library" ? one.library || "library" : KIND_WORDS[one.kind];
  return h("span", { class: `name ${one.kind}` }, inlineMark(look),
    h("span", { class: "name-text" }, breaking(one.name)), " ",
    h("span", { class: `kind kind-${one.kind}` }, words));
}
