// The selection as the part of the address behind #, so that a link shows the same.

const VIEWS = [
  ["winners", "Who wins"], ["classes", "By class"], ["matrices", "By matrix"],
  ["calls", "Calls"], ["cells", "All cells"],
];

/** Names in the address, and what they stand for when they are not there. */
const SINGLE = {
  view: "winners", problem: "", machine: "", side: "", matrix: "", rows: "all",
  settings: "chosen", metric: "best", axis: "ratio", order: "class", own: "", against: "library",
  range: "near", sort: "", roles: "compared", record: "",
};
const LISTS = { class: [], algorithm: [], threads: [] };

/** Values that these names can have; others have those of the data. */
const CHOICES = {
  view: VIEWS.map(([name]) => name), rows: ["all", "common"], settings: ["chosen", "all"],
  metric: ["best", "library", "baseline", "bound"], axis: ["ratio", "time", "bound"],
  order: ["class", "library", "time", "entries"], against: ["library", "baseline"],
  range: ["near", "whole"], roles: ["compared", "all"],
};

const emptyState = () => ({
  ...SINGLE, ...Object.fromEntries(Object.keys(LISTS).map((name) => [name, []])), given: new Map(),
});

const encodeList = (items) => items.map(encodeURIComponent).join(",");

/** Without what is as always. */
function encodeHash(state) {
  const parts = [];
  for (const name of Object.keys(SINGLE)) {
    if (state[name] !== SINGLE[name]) parts.push(`${name}=${encodeURIComponent(state[name])}`);
  }
  for (const name of Object.keys(LISTS)) {
    if (state[name].length) parts.push(`${name}=${encodeList(state[name])}`);
  }
  for (const [name, values] of state.given) {
    if (values.length) parts.push(`given.${encodeURIComponent(name)}=${encodeList(values)}`);
  }
  return parts.join("&");
}

function decodeText(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What an address says; nothing of what it says wrong. */
function decodeHash(hash) {
  const state = emptyState();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    const name = part.slice(0, at);
    const items = part.slice(at + 1).split(",").map(decodeText).filter((item) => item);
    if (Object.hasOwn(SINGLE, name) && items.length) {
      const value = items.join(",");
      if (!Object.hasOwn(CHOICES, name) || CHOICES[name].includes(value)) state[name] = value;
    } else if (Object.hasOwn(LISTS, name)) {
      state[name] = items;
    } else if (name.startsWith("given.") && items.length) {
      const key = decodeText(name.slice("given.".length));
      if (key) state.given.set(key, items);
    }
  }
  return state;
}
