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
