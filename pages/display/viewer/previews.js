// Small views of the planes that are not on the stage, and the crosshair that joins all three.

const PREVIEW_WIDTH = 206, PREVIEW_HEIGHT = 210;

/** A click moves the common point; the name changes places with the stage. */
class Preview {
  constructor(layer, plane) {
    Object.assign(this, { layer, plane });
    this.node = el("canvas", { "aria-hidden": "true" });
    const label = `Show the ${plane} plane on the stage`;
    const onclick = () => layer.setPlane(plane);
    const title = el("button", { type: "button", class: "link", title: label, "aria-label": label, onclick }, capital(plane));
    this.node.onpointerdown = this.node.onpointermove = (event) => this.point(event);
    this.figure = el("div", { class: "preview" }, title, this.node);
  }

  point(event) {
    if (!event.buttons) return;
    const r = this.node.getBoundingClientRect(), { w, h } = this.layer.size(this.plane);
    this.node.setPointerCapture(event.pointerId);
    const voxel = this.layer.voxelAt((event.clientX - r.left) / r.width * w, (event.clientY - r.top) / r.height * h, this.plane);
    if (voxel) this.layer.moveTo(voxel);
  }

  draw() {
    const { layer, plane, node } = this;
    this.figure.hidden = plane === layer.plane;
    if (this.figure.hidden) return;
    const { w, h } = layer.size(plane), dpr = window.devicePixelRatio || 1, k = Math.min(PREVIEW_WIDTH / w, PREVIEW_HEIGHT / h);
    const t = { S: k * dpr, X: 0, Y: 0, W: Math.round(w * k * dpr), H: Math.round(h * k * dpr), dpr, moving: true, exact: false };
    const still = layer.keep(`preview ${plane}`, [t.W, t.H, layer.looks(plane)], () => this.paint(t));
    node.width = t.W;
    node.height = t.H;
    node.style.width = `${w * k}px`;
    const g = node.getContext("2d");
    g.drawImage(still, 0, 0);
    if (!layer.projection) paintCrosshair(g, t, layer, plane, 6 * dpr);
  }

  /** Kept while only the lines move over it. */
  paint(t) {
    const made = canvas(t.W, t.H), g = made.getContext("2d");
    this.layer.paintGround(g, t, this.plane);
    this.layer.paintOverlay(g, t, this.plane, true);
    return made;
  }
}

/** Lines through the point that the planes share, open around it; gap: device px. */
function paintCrosshair(g, t, layer, plane, gap) {
  const { across, down } = PLANES[plane], { spacing } = layer.volume, { w, h } = layer.size(plane);
  const middle = (axis, from) => Math.round(from + (layer.at[axis] + 0.5) * spacing[axis] * t.S) + 0.5;
  const x = middle(across, t.X), y = middle(down, t.Y), right = t.X + w * t.S, bottom = t.Y + h * t.S;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.beginPath();
  for (const [x0, y0, x1, y1] of [[t.X, y, x - gap, y], [x + gap, y, right, y], [x, t.Y, x, y - gap], [x, y + gap, x, bottom]]) {
    if (x1 < x0 || y1 < y0) continue;
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
  }
  for (const [style, width] of [["#0006", 3], ["#fff9", 1]]) {
    g.strokeStyle = style;
    g.lineWidth = width * t.dpr;
    g.stroke();
  }
}

// The strip under the stage: which slices of the present plane hold what is wrong; a slider through them.

class Strip {
  constructor(layer) {
    this.layer = layer;
    this.bars = canvas(1, 1);
    this.mark = el("i");
    this.from = el("span", { class: "from" });
    this.to = el("span", { class: "to" });
    this.words = el("span", { class: "peak" });
    const parts = [this.bars, this.mark, this.from, this.to, this.words];
    this.node = el("div", { class: "strip", role: "slider", tabindex: 0, "aria-label": "Slice" }, ...parts);
    this.node.onpointerdown = this.node.onpointermove = (event) => this.point(event);
    this.node.onkeydown = (event) => this.key(event);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.node);
  }

  point(event) {
    if (!event.buttons) return;
    const r = this.node.getBoundingClientRect(), { through } = PLANES[this.layer.plane];
    this.node.setPointerCapture(event.pointerId);
    this.layer.goTo(through, Math.floor((event.clientX - r.left) / r.width * this.layer.volume.shape[through]));
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) this.layer.turn(by);
    if (by || this.layer.key(event)) event.preventDefault();
  }

  /** Say and show where the layer is. */
  refresh() {
    const { plane, head, at, volume } = this.layer, { through } = PLANES[plane], [number, of] = sliceNumber(head, at, through);
    const spoken = `Slice ${number} of ${of}: ${this.layer.sliceWords()}`;
    const values = { valuemin: 1, valuemax: volume.shape[through], valuenow: at[through] + 1, valuetext: spoken };
    for (const [name, value] of Object.entries(values)) this.node.setAttribute(`aria-${name}`, value);
    this.from.textContent = ENDS[through][0];
    this.to.textContent = ENDS[through][1];
    this.words.textContent = `wrong voxels per slice · this slice: ${this.layer.sliceWords()}`;
    this.draw();
  }

  /** Bars of wrong voxels per slice; below them, where truth and prediction agree. */
  draw() {
    const { clientWidth: width, clientHeight: height } = this.node, dpr = window.devicePixelRatio || 1;
    if (!width) return;
    const { through } = PLANES[this.layer.plane], n = this.layer.volume.shape[through], counts = this.layer.counted.slices[through];
    const most = Array.from({ length: n }, (_, s) => wrongIn(counts, s)).reduce((a, b) => Math.max(a, b), 1);
    const bar = width / n, base = height - 9, room = base - 16;
    this.bars.width = width * dpr;
    this.bars.height = height * dpr;
    const g = this.bars.getContext("2d");
    g.scale(dpr, dpr);
    for (let s = 0; s < n; s++) {
      let y = base;
      for (const result of [MISSED, SPURIOUS, RENAMED]) {
        const tall = counts[5 * s + result] / most * room;
        y -= tall;
        g.fillStyle = COLOUR[result - 1];
        g.fillRect(s * bar + 0.5, y, Math.max(1, bar - 1), tall);
      }
      g.fillStyle = COLOUR[RIGHT - 1];
      if (counts[5 * s + RIGHT]) g.fillRect(s * bar, base + 2, bar + 0.3, 4);
    }
    this.mark.style.left = `${(this.layer.at[through] + 0.5) * bar}px`;
  }

  destroy() {
    this.observer.disconnect();
  }
}
