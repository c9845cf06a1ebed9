// How slices mark what is right and wrong: hatched regions and the borders of truth and prediction.

const HATCH = [null, "M-1 1 1-1M0 6 6 0M5 7 7 5", "M-1 5 1 7M0 0 6 6M5-1 7 1", "M0 3H6"];
const HATCH_SIDE = 6;
/** Borders of labels 1, 2, 3 ...: a colour each, and a single or a double line. Truth is drawn through, prediction dashed. */
const BORDER = [
  { colour: "#ffffff", double: false, words: "white" },
  { colour: "#f0e442", double: true, words: "yellow, double" },
  { colour: "#ffffff", double: true, words: "white, double" },
  { colour: "#f0e442", double: false, words: "yellow" },
];
const BORDER_DASH = [6, 4];
/** Projections show depth by opacity in so many steps. */
const DEPTHS = 8;

/** Device pixels of the borders between the pixels of a section on a stage; whole ones, so that no seam shows. */
function rulers(section, { w, h }, t) {
  return { X: (i) => Math.round(t.X + i * w / section.nu * t.S), Y: (j) => Math.round(t.Y + j * h / section.nv * t.S) };
}

/** Fill what has a result. opacity: 0..1; right voxels are paler, wrong ones hatched on top; along a ray more voxels are stronger. */
function fillRegions(g, section, ruler, result, opacity, dpr) {
  if (!section.deepest[result] || !opacity) return;
  const steps = section.deepest[result] > 1 && result > RIGHT ? DEPTHS : 1;
  for (let step = 1; step <= steps; step++) {
    if (!traceRuns(g, section, ruler, result, step, steps)) continue;
    const strength = opacity * (0.1 + 0.9 * step / steps);
    g.globalAlpha = result === RIGHT ? 0.55 * opacity : strength;
    g.fillStyle = COLOUR[result - 1];
    g.fill();
    if (!HATCH[result - 1]) continue;
    g.globalAlpha = Math.min(1, 2 * strength);
    g.fillStyle = hatch(g, result - 1, dpr);
    g.fill();
  }
  g.globalAlpha = 1;
}

/** A path of the pixels whose depth falls in a step, run by run along the rows; whether there are any. */
function traceRuns(g, { nu, nv, depth, deepest }, { X, Y }, result, step, steps) {
  const here = (pixel) => depth[5 * pixel + result] && Math.ceil(depth[5 * pixel + result] * steps / deepest[result]) === step;
  let any = false;
  g.beginPath();
  for (let j = 0; j < nv; j++) {
    for (let i = 0; i < nu; i++) {
      if (!here(j * nu + i)) continue;
      const from = i;
      while (i < nu && here(j * nu + i)) i++;
      g.rect(X(from), Y(j), X(i) - X(from), Y(j + 1) - Y(j));
      any = true;
    }
  }
  return any;
}

function hatch(g, status, dpr) {
  const tile = canvas(HATCH_SIDE, HATCH_SIDE), pen = tile.getContext("2d");
  pen.strokeStyle = COLOUR[status];
  pen.lineWidth = 1.4;
  pen.stroke(new Path2D(HATCH[status]));
  const pattern = g.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix([dpr, 0, 0, dpr, 0, 0]));
  return pattern;
}

/** Voxel borders of one label. A dark casing keeps them visible on white PET as on dark CT. */
function strokeBorder(g, labels, label, { nu, nv }, ruler, dashed, dpr, thin = false) {
  if (!labels.includes(label)) return;
  const { colour, double } = BORDER[(label - 1) % BORDER.length], k = dpr * (thin ? 0.7 : 1);
  traceBorder(g, labels, label, nu, nv, ruler);
  g.lineCap = "butt";
  g.lineJoin = "miter";
  const stroke = (style, width, dash) => {
    g.strokeStyle = style;
    g.lineWidth = width * k;
    g.setLineDash(dash.map((d) => d * k));
    g.stroke();
  };
  stroke("#000a", double ? 5.2 : 3.6, []);
  stroke(colour, double ? 4 : 1.7, dashed ? BORDER_DASH : []);
  if (double) stroke("#000", 1.6, []);
  g.setLineDash([]);
}

function traceBorder(g, labels, label, nu, nv, { X, Y }) {
  const at = (i, j) => i >= 0 && j >= 0 && i < nu && j < nv && labels[j * nu + i] === label;
  const runs = (lines, length, differ, put) => {
    for (let line = 0; line <= lines; line++) {
      for (let from = 0; from < length; from++) {
        if (!differ(line, from)) continue;
        const begin = from;
        while (from < length && differ(line, from)) from++;
        put(line, begin, from);
      }
    }
  };
  g.beginPath();
  runs(nv, nu, (j, i) => at(i, j) !== at(i, j - 1), (j, from, to) => {
    g.moveTo(X(from), Y(j));
    g.lineTo(X(to), Y(j));
  });
  runs(nu, nv, (i, j) => at(i, j) !== at(i - 1, j), (i, from, to) => {
    g.moveTo(X(i), Y(from));
    g.lineTo(X(i), Y(to));
  });
}

// What the slice viewer says of results, values and windows.

function resultName(result, between = ", ") {
  return result === RENAMED ? STATUS[result - 1] : STATUS[result - 1] + between + STATUS_WORD[result - 1];
}

function resultTitle(result) {
  return result ? { status: result - 1, title: resultName(result, " · ") } : { status: null, title: "No label" };
}

function valueWords(value, image) {
  return value === null ? "outside" : `${value.toFixed(image.digits)} ${image.unit}`;
}

function rangeWords({ low, high }, image) {
  return `${low.toFixed(image.digits)} to ${high.toFixed(image.digits)} ${image.unit}`;
}

/** What stands around the stage, for a picture of it: without the letters nobody knows left from right. */
function paintTags(g, { W, H, dpr }, tags) {
  const edge = 14 * dpr, height = 18 * dpr;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.font = `600 ${12 * dpr}px sans-serif`;
  g.textBaseline = "middle";
  for (const [place, words] of tags) {
    const wide = g.measureText(words).width + edge / 2;
    const x = place.endsWith("l") ? edge : place.endsWith("r") ? W - edge - wide : (W - wide) / 2;
    const y = place.startsWith("t") ? 2 * edge : place === "b" ? H - 2 * edge : H / 2;
    g.fillStyle = "#000b";
    g.fillRect(x, y - height / 2, wide, height);
    g.fillStyle = "#fff";
    g.fillText(words, x + edge / 4, y);
  }
}
