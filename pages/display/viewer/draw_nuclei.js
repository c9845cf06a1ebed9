// How nuclei are drawn. The unit of a context is a sixteenth of an image pixel here, px is one CSS pixel in that unit.

/** Vertices per path: the time to stroke one path grows with the square of its length. */
const PATH = 1600;
const DOTS = 64;
/** Nuclei of a smaller radius on the screen are drawn as their centre, CSS px. */
const SMALLEST = 2.4;
const DARK_CASING = "#062a42"; // white would hide sky blue on a pink ground
const CHOSEN = "#ffd400";
const TP = 0, FP = 1, FN = 2, DETECTED = 4;
const TRUTH = 0, PREDICTION = 1;

/** What is drawn in a square of 256 device px, so that one crowded square never holds the page: more nuclei are drawn as their centres,
 *  more vertices more coarsely. */
const MOST_OUTLINES = 1500;
const MOST_DRAWN_VERTICES = 24000;
/** Radius of a centre in such a square, CSS px: a mark without a light rim. */
const CROWDED = 1.4;

/** Paint nuclei `found` of a layer; g has a device-pixel transform of scale S whose corner is at (ox, oy). squares: how many of 256 px. */
function paintNuclei(g, layer, found, S, dpr, ox, oy, squares) {
  const k = S / STEPS, px = dpr / k, scale = S / dpr, { outlines, show } = layer;
  g.setTransform(k, 0, 0, k, -ox, -oy);
  g.lineJoin = "round";
  if (show.links && outlines.typical * scale > 2) paintLinks(g, layer, found, px);
  const crowded = found.length > MOST_OUTLINES * squares, dots = show.dots || crowded;
  const dot = crowded ? CROWDED : clamp(outlines.typical * scale * 0.42, 1.1, 4);
  const coarse = dots ? 1 : outlines.coarseness(found, scale, MOST_DRAWN_VERTICES * squares);
  for (const group of grouped(layer, found)) {
    const small = (i) => dots || outlines.radius[i] * scale < SMALLEST;
    paintShapes(g, layer, group.filter((i) => !small(i)), px, scale, coarse);
    paintDots(g, layer, group.filter(small), px, dot);
  }
  g.globalAlpha = 1;
  g.setLineDash([]);
}

/** Nuclei that look alike, in the order in which they cover one another: found, spurious, missed; truth below prediction. */
function grouped(layer, found) {
  const { status, kind, cls, show } = layer;
  const groups = new Map();
  for (const i of found) {
    const key = (status[i] * 2 + kind[i]) * 512 + (layer.level(i) >= 0 ? 256 + layer.level(i) : show.byClass ? cls[i] : 0);
    if (groups.has(key)) groups.get(key).push(i);
    else groups.set(key, [i]);
  }
  return [...groups.entries()].sort(([a], [b]) => a - b).map(([, items]) => items);
}

/** The truth of a pair is drawn thin: the prediction carries the line. */
const isTwin = ({ status, kind, show }, i) => status[i] === TP && kind[i] === TRUTH && show.kind[PREDICTION];

function paintShapes(g, layer, items, px, scale, coarse) {
  if (!items.length) return;
  const { outlines } = layer, status = layer.status[items[0]], r = outlines.typical * scale;
  const width = (r > 14 ? 2 : r > 5 ? 1.6 : 1.2) * (status === FN ? 1.3 : 1);
  const style = {
    twin: isTwin(layer, items[0]),
    colour: layer.colour(items[0]),
    casing: r > 4.5 ? (status === FN ? DARK_CASING : "#fff") : null,
    width: width * px,
    px,
    dash: r > 3 ? DASH[status].map((d) => d * px * (r > 14 ? 1.5 : 1)) : [],
    fill: layer.show.fill,
  };
  for (let at = 0; at < items.length;) {
    g.beginPath();
    for (let length = 0; at < items.length && length < PATH; at++) {
      length += outlines.trace(g, items[at], outlines.step(items[at], scale, coarse));
    }
    strokeOutline(g, style);
  }
}

function strokeOutline(g, { twin, colour, casing, width, px, dash, fill }) {
  g.fillStyle = colour;
  if (fill > 0 && !twin) {
    g.globalAlpha = fill;
    g.fill();
  }
  if (casing && !twin) {
    g.globalAlpha = 0.5;
    g.strokeStyle = casing;
    g.lineWidth = width + 1.6 * px;
    g.setLineDash([]);
    g.stroke();
  }
  g.globalAlpha = twin ? 0.9 : 1;
  g.strokeStyle = colour;
  g.lineWidth = width * (twin ? 0.65 : 1);
  g.setLineDash(dash);
  g.stroke();
}

/** Centres with a shape for each result: disc TP, cross FP, ring FN. r: CSS px. */
function paintDots(g, layer, items, px, r) {
  if (!items.length || isTwin(layer, items[0])) return;
  const { outlines } = layer, status = layer.status[items[0]], open = status === FP || status === FN, a = r * px;
  g.setLineDash([]);
  g.globalAlpha = 1;
  for (let at = 0; at < items.length; at += DOTS) {
    g.beginPath();
    for (const i of items.slice(at, at + DOTS)) {
      const x = outlines.x(i) * STEPS, y = outlines.y(i) * STEPS;
      if (status === FP) cross(g, x, y, a);
      else if (r < 1.6) g.rect(x - a, y - a, 2 * a, 2 * a);
      else ring(g, x, y, a);
    }
    if (r > 1.6) {
      g.strokeStyle = "#fffb";
      g.lineWidth = (open ? 3.2 : 1.6) * px;
      g.stroke();
    }
    g.strokeStyle = g.fillStyle = layer.colour(items[0]);
    g.lineWidth = Math.min(1.8, r) * px;
    if (open) g.stroke();
    else g.fill();
  }
}

function cross(g, x, y, a) {
  g.moveTo(x - a, y - a);
  g.lineTo(x + a, y + a);
  g.moveTo(x + a, y - a);
  g.lineTo(x - a, y + a);
}

function ring(g, x, y, a) {
  g.moveTo(x + a, y);
  g.arc(x, y, a, 0, 2 * Math.PI);
}

/** Pairs: a solid line between the centres. Errors: a dotted line to the nucleus that the reason is about. */
function paintLinks(g, { outlines, partner, status, kind }, items, px) {
  for (const error of [false, true]) {
    g.beginPath();
    for (const i of items) {
      const j = partner[i];
      if (j < 0 || (status[i] !== TP) !== error || (!error && kind[i] === PREDICTION)) continue;
      g.moveTo(outlines.x(i) * STEPS, outlines.y(i) * STEPS);
      g.lineTo(outlines.x(j) * STEPS, outlines.y(j) * STEPS);
    }
    g.globalAlpha = 1;
    g.setLineDash(error ? [2 * px, 2 * px] : []);
    strokeTwice(g, 1.3, "#111", "#fff", px);
  }
}

function strokeTwice(g, width, colour, casing, px) {
  g.strokeStyle = casing;
  g.lineWidth = (width + 2) * px;
  g.stroke();
  g.strokeStyle = colour;
  g.lineWidth = width * px;
  g.stroke();
}

/** A nucleus over everything else, with a line to the one it is matched with or its reason is about. */
function paintHighlight(g, layer, i, t) {
  const { outlines, partner } = layer, px = t.dpr * STEPS / t.S, j = partner[i], chosen = i === layer.selected;
  g.setTransform(t.S / STEPS, 0, 0, t.S / STEPS, t.X, t.Y);
  g.lineJoin = "round";
  g.globalAlpha = 1;
  if (j >= 0) {
    g.beginPath();
    shape(g, outlines, j, px, t);
    g.moveTo(outlines.x(i) * STEPS, outlines.y(i) * STEPS);
    g.lineTo(outlines.x(j) * STEPS, outlines.y(j) * STEPS);
    g.setLineDash([4 * px, 3 * px]);
    strokeTwice(g, 1.4, "#111", "#fff", px);
  }
  g.beginPath();
  shape(g, outlines, i, px, t);
  g.setLineDash([]);
  strokeTwice(g, chosen ? 3 : 2.2, chosen ? CHOSEN : layer.colour(i), "#111", px);
}

/** The outline, or a ring where there is none or it is too small to be seen. */
function shape(g, outlines, i, px, t) {
  const small = outlines.radius[i] * t.S / t.dpr < SMALLEST * 2;
  if (small) ring(g, outlines.x(i) * STEPS, outlines.y(i) * STEPS, 7 * px);
  else outlines.trace(g, i, outlines.step(i, t.S / t.dpr));
}
