// The table of cells, out of its packed form (packing.py).

function unpackColumn(form, size, known) {
  if ("l" in form) {
    const column = known(form.l).slice();
    form.i.forEach((row, index) => { column[row] = form.v[index]; });
    return column;
  }
  if ("h" in form) {
    return Array.from({ length: size }, (_, row) => form.h.substr(row * form.w, form.w));
  }
  if ("c" in form) return form.c.map((code) => form.d[code]);
  if ("r" in form) {
    const column = [];
    for (let at = 0; at < form.r.length; at += 2) {
      for (let count = 0; count < form.r[at + 1]; count += 1) column.push(form.d[form.r[at]]);
    }
    return column;
  }
  return form.v;
}

/** The columns by name. */
function unpack(packed, size) {
  const columns = new Map();
  const known = (name) => {
    if (!columns.has(name)) columns.set(name, unpackColumn(packed[name], size, known));
    return columns.get(name);
  };
  Object.keys(packed).forEach(known);
  return columns;
}

/** "k=8, value_type=fp32" as a map. */
function parsePairs(text) {
  const found = new Map();
  for (const part of (text || "").split(", ")) {
    const at = part.indexOf("=");
    if (at > 0) found.set(part.slice(0, at), part.slice(at + 1));
  }
  return found;
}

/** Each cell as an object of its columns, with what views ask for: the instance as a map, the key
 * of the row, and the group: the class of the matrix, in primitives the procedure. */
function makeCells(data) {
  const columns = [...unpack(data.cells, data.size)];
  return Array.from({ length: data.size }, (_, index) => {
    const cell = { index };
    for (const [name, values] of columns) cell[name] = values[index];
    cell.given = parsePairs(cell.instance);
    cell.group = cell.given.get("procedure") || cell.class || "unclassified";
    cell.key = [cell.machine, cell.problem, cell.matrix, cell.instance].join("\n");
    return cell;
  });
}

/** Kinds of algorithms, in words. */
function kindOf(cell) {
  if (cell.peer) return "library";
  return cell.backend === "serial" ? "serial" : "own";
}

/** "cuSPARSE 12.9.4"; of an own algorithm nothing. */
const libraryOf = (cell) => [cell.library, cell.version].filter(Boolean).join(" ");

const TIMING = new Set([
  "--matrix-name", "--repetitions", "--min-repetitions", "--max-repetitions", "--time-cap",
  "--again", "--warmup", "--end-to-end", "--precision", "--cache", "--seed", "--huge-pages",
]);

/** The command that measures a cell again, after a build: this cell alone, timed as it was. */
function againCommand(cell) {
  const words = (cell.command || "").split(" ").filter(Boolean).slice(1);
  const sources = [];
  const timing = [];
  for (let at = 0; at < words.length; at += 1) {
    if (!words[at].startsWith("--")) {
      sources.push(words[at].replace(/^.*\/(?=[^/]*\.mtx(\.gz)?$)/, ""));
      continue;
    }
    const option = words[at];
    const values = [];
    while (at + 1 < words.length && !words[at + 1].startsWith("--")) values.push(words[at += 1]);
    if (TIMING.has(option)) timing.push(option, ...values);
  }
  const given = [...cell.given, ...parsePairs(cell.parameters)].filter(([name]) => name !== "cache");
  return [
    `build/bin/${cell.problem}`, ...sources, "--algorithm", cell.algorithm,
    ...given.flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value]), ...timing,
  ].join(" ");
}

/** A field of CSV. */
function csvField(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const toCsv = (cells, names) =>
  [names, ...cells.map((cell) => names.map((name) => cell[name]))]
    .map((line) => `${line.map(csvField).join(",")}\n`).join("");
