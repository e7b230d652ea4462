// Elements of the document. Texts go in as text nodes: nothing from the data is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") {
      for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    } else if (name === "tip") giveTip(element, value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

const h = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) =>
  put(document.createElementNS(SVG, tag), attributes, children);

const byId = (id) => document.getElementById(id);

const fill = (element, ...children) => {
  element.replaceChildren();
  return put(element, {}, children);
};

/** A long name that may break behind its underscores, slashes, colons and hyphens. */
function breaking(name) {
  const parts = String(name).split(/(?<=[_/:,(-])/);
  return parts.flatMap((part, index) => (index ? [h("wbr"), part] : [part]));
}

/** Tells screen readers. */
const say = (text) => { byId("said").textContent = text; };

function select_(label, value, options, change) {
  return h("label", { class: "inline" }, label, " ",
    h("select", { onchange: (event) => change(event.target.value) },
      options.map(([name, text]) => h("option", { value: name, selected: name === value }, text))));
}

async function copyText(text, button) {
  const before = button.textContent;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "unseen", value: text });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const words = done ? "Copied" : "Copying failed";
  say(words);
  button.textContent = words;
  setTimeout(() => { button.textContent = before; }, 1500);
}

/** Arrow keys move the focus among marked elements of a container: `data-line` and `data-place`
 * order them. One of them takes part in the order of the Tab key. */
function rove(container) {
  const all = () => [...container.querySelectorAll("[data-line]")];
  const first = all()[0];
  if (first) first.setAttribute("tabindex", "0");
  const go = (target) => {
    if (!target) return;
    for (const one of all()) one.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
  };
  container.addEventListener("focusin", (event) => {
    const mark = event.target.closest("[data-line]");
    if (mark) {
      for (const one of all()) one.setAttribute("tabindex", one === mark ? "0" : "-1");
    }
  });
  container.addEventListener("keydown", (event) => {
    const at = event.target.closest("[data-line]");
    if (!at) return;
    const line = Number(at.dataset.line);
    const place = Number(at.dataset.place);
    const inLine = (n) => all().filter((one) => Number(one.dataset.line) === n)
      .sort((a, b) => a.dataset.place - b.dataset.place);
    const near = (list) => list.reduce((a, b) =>
      (a && Math.abs(a.dataset.place - place) <= Math.abs(b.dataset.place - place) ? a : b), null);
    const line_ = inLine(line);
    const moves = {
      ArrowRight: () => line_[line_.indexOf(at) + 1],
      ArrowLeft: () => line_[line_.indexOf(at) - 1],
      ArrowDown: () => near(inLine(line + 1)), ArrowUp: () => near(inLine(line - 1)),
      Home: () => line_[0], End: () => line_.at(-1),
    };
    if (event.key in moves) {
      event.preventDefault();
      go(moves[event.key]());
    } else if ((event.key === "Enter" || event.key === " ") && at.tagName !== "BUTTON") {
      event.preventDefault();
      at.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  });
}
