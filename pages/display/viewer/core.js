// What every mode of the viewer stands on: how a result looks, building blocks of the page, and the reader of what Python packed.
// Python joins the scripts of this folder into one module: they import nothing, all see the names of the core, a mode keeps its own.

/** Results in the order of their codes. Each has a line style of its own, so that none is told by colour alone. */
const STATUS = ["TP", "FP", "FN", "Wrong label", "Detected"];
const STATUS_WORD = ["found", "spurious", "missed", "wrong label", "detected"];
const COLOUR = ["#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#0072B2"];
const DASH = [[], [5, 3], [2, 2], [7, 2, 1.5, 2], []];
/** Mode of a payload -> class of its layer; each layer's script enters its own. */
const LAYERS = {};
const TYPES = { u1: Uint8Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };
const SVG = "http://www.w3.org/2000/svg";
const ICON = {
  fit: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  full: "M9.5 6.5 14 2m-4 0h4v4M6.5 9.5 2 14m4 0H2v-4",
  save: "M8 2v8m-3.5-3L8 10.5 11.5 7M2.5 13.5h11",
  previous: "M10 3 5 8l5 5",
  next: "M6 3l5 5-5 5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8m0 2.4v.6",
  crop: "M4 1v11h11M1 4h11v11",
  invert: "M8 2a6 6 0 1 0 0 12zm0 0a6 6 0 0 1 0 12",
};

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** A DOM element. Text only ever enters as a text node, because names come from uploaded files. */
function el(tag, attributes = {}, ...children) {
  const node = tag === "svg" || tag === "path" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function canvas(width, height) {
  return el("canvas", { width, height });
}

function icon(name) {
  return el("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, el("path", { d: ICON[name] }));
}

/** A short piece of the line that a result is drawn with. */
function line(status) {
  const stroke = el("path", { d: "M1 4h20", stroke: COLOUR[status], "stroke-dasharray": DASH[status].join(" ") });
  return el("svg", { viewBox: "0 0 22 8", class: "line", "aria-hidden": "true" }, stroke);
}

function group(label, ...children) {
  return el("div", { class: "group", role: "group", "aria-label": label }, ...children);
}

/** A group of toggles whose lines through the name say what is not drawn. */
function layers(label, ...children) {
  const node = group(label, ...children);
  node.classList.add("layers");
  return node;
}

function iconButton(name, label, onclick) {
  return el("button", { type: "button", title: label, "aria-label": label, onclick }, icon(name));
}

/** A button that stays pressed. content: text or nodes. `.set(on)` shows a state, `.flip()` changes it as a click does. */
function toggle(label, content, pressed, change) {
  const attributes = { type: "button", title: label, "aria-label": label, "aria-pressed": pressed, class: "toggle" };
  const node = el("button", attributes, ...[content].flat());
  node.set = (on) => node.setAttribute("aria-pressed", on);
  node.flip = () => {
    const on = node.getAttribute("aria-pressed") !== "true";
    node.set(on);
    change(on);
  };
  node.onclick = node.flip;
  return node;
}

/** One of several. options: [value, text]. `.set(value)` shows a choice without calling `change`, `.flip()` takes the next one. */
function choice(label, options, value, change) {
  let chosen = value;
  const pick = (key) => {
    node.set(key);
    change(key);
  };
  const buttons = options.map(([key, text]) => toggle(`${label}: ${text}`, text, key === value, () => pick(key)));
  const node = group(label, ...buttons);
  node.classList.add("segmented");
  node.set = (key) => {
    chosen = key;
    buttons.forEach((button, i) => button.set(options[i][0] === key));
  };
  node.flip = () => pick(options[(options.findIndex(([key]) => key === chosen) + 1) % options.length][0]);
  return node;
}

/** A slider from 0 to 1. */
function slider(label, value, change) {
  const input = el("input", { type: "range", min: 0, max: 1, step: 0.05, value, "aria-label": label, title: label });
  input.oninput = () => change(+input.value);
  return el("label", { class: "slider" }, el("span", {}, label), input);
}

/** The header alone is cheap: an unchanged payload is recognised by its `id` and not unpacked again. */
function readHead(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return { head: JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))), start: 8 + length };
}

/** name -> typed array of everything that the header's table names. */
async function readArrays(bytes, { head, start }) {
  const arrays = {};
  for (const [name, [type, offset, size, packed]] of Object.entries(head.arrays)) {
    const part = bytes.slice(start + offset, start + offset + size); // a copy, because typed arrays need aligned offsets
    arrays[name] = new TYPES[type](packed ? await inflate(part) : part.buffer);
  }
  return arrays;
}

function inflate(part) {
  return new Response(new Blob([part]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
