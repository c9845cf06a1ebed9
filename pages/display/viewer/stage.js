// Stage: a picture that can be panned and zoomed, on two canvases (ground below, overlay above), with scale bar, minimap and card.

const GLIDE_MS = 220;
/** After the last movement the ground is drawn in full quality again. */
const SETTLE_MS = 130;
const MAP_SIDE = 112;
/** On a narrower stage the map is smaller and the card keeps to an edge, CSS px. */
const NARROW = 480;

/**
 * Shows one `layer`, an object with
 *   size() -> {w, h} in content units; unit, unitName: of the scale bar, per content unit; maxScale: CSS px per content unit;
 *   ariaLabel; keys: [key, what it does]; magnification(scale) -> text;
 *   ground(g, t), overlay(g, t) -> true when more work is left, thumb(g, width, height);
 *   groundVersion, thumbVersion: change when ground and thumb would;
 *   hover(x, y, slack) -> card or null, click(x, y), step(by), legend() -> [[status or null, colour, words]];
 *   optionally: key(event) -> handled, wheel(delta), drag(dx, dy, other) -> handled, leave(), focus(place), strip, destroy().
 * g: a 2D context; t: what `transform` gives; x, y, slack in content units.
 */
class Stage {
  constructor(live) {
    Object.assign(this, { live, view: { s: 1, x: 0, y: 0 }, width: 0, height: 0, dpr: 1, paintMs: [] });
    this.ground = canvas(1, 1);
    this.overlay = canvas(1, 1);
    this.thumb = canvas(1, 1);
    this.window = el("div", { class: "window" });
    this.map = el("div", { class: "map", "aria-hidden": "true" }, this.thumb, this.window);
    this.bar = el("div", { class: "scalebar", "aria-hidden": "true" }, el("span"));
    this.card = el("div", { class: "card", hidden: "" });
    this.tags = el("div", { class: "tags", "aria-hidden": "true" });
    const parts = [this.ground, this.overlay, this.tags, this.bar, this.map, this.card];
    this.node = el("div", { class: "stage", tabindex: 0, role: "application" }, ...parts);
    this.node.stage = this;
    this.forget = listen(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.node);
  }

  /** again: the same picture with other results, whose view stays. */
  setLayer(layer, again = false) {
    const { w, h } = this.layer?.size() ?? {}, size = layer.size();
    this.layer = layer;
    this.resize();
    this.thumbKey = this.groundKey = null;
    this.node.setAttribute("aria-label", layer.ariaLabel);
    this.showCard(null);
    if (again && this.fitted && size.w === w && size.h === h) this.changed();
    else this.fit();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.node, dpr = window.devicePixelRatio || 1;
    if (!width || !height || (width === this.width && height === this.height && dpr === this.dpr)) return;
    const first = !this.width, whole = this.isFit(), centre = first ? null : this.toContent(this.width / 2, this.height / 2);
    Object.assign(this, { width, height, dpr });
    for (const node of [this.ground, this.overlay]) {
      node.width = Math.round(width * dpr);
      node.height = Math.round(height * dpr);
    }
    this.groundKey = null; // a canvas that changes its size is emptied
    if (this.gliding) this.gliding.again();
    else if (first || whole) this.fit();
    else this.centreOn(centre.x, centre.y, this.view.s, false);
    if (this.layer) this.waiting?.();
    this.waiting = null;
  }

  /** Call `act` once the stage has a size: it has none in a closed tab. */
  whenShown(act) {
    if (this.width) act();
    else this.waiting = act;
  }

  toContent(px, py) {
    return { x: (px - this.view.x) / this.view.s, y: (py - this.view.y) / this.view.s };
  }

  isFit() {
    return !this.fitted || Math.abs(this.view.s / this.fitted - 1) < 0.01;
  }

  /** Show everything, or glide to a box [x0, y0, x1, y1] of content units. */
  fit(box) {
    if (!this.layer || !this.width) return;
    const { w, h } = this.layer.size(), all = Math.min(this.width / w, this.height / h) * 0.985;
    this.fitted = all;
    if (box) {
      const [x0, y0, x1, y1] = box, scale = Math.min(this.width / (x1 - x0), this.height / (y1 - y0), all * 12);
      this.centreOn((x0 + x1) / 2, (y0 + y1) / 2, scale);
    } else {
      this.gliding = null;
      this.view = { s: all, x: (this.width - w * all) / 2, y: (this.height - h * all) / 2 };
      this.changed();
    }
  }

  /** Glide until (x, y) is in the middle; at once when the reader asked for less motion. arrived: called with the view. */
  centreOn(x, y, s = this.view.s, glide = true, arrived = () => {}) {
    const from = { ...this.view }, to = { s, x: this.width / 2 - x * s, y: this.height / 2 - y * s };
    const still = !glide || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const begin = performance.now(), token = (this.gliding = { again: () => this.centreOn(x, y, s, false, arrived) });
    const step = (now) => {
      if (this.gliding !== token) return undefined;
      const time = still ? 1 : clamp((now - begin) / GLIDE_MS, 0, 1);
      this.view = between(from, to, 1 - (1 - time) ** 3);
      this.changed(time < 1);
      if (time < 1) return requestAnimationFrame(step);
      this.gliding = null;
      return arrived(this.view);
    };
    step(begin);
  }

  /** Glide to (x, y), into the middle as far as nothing beyond the content comes into sight. */
  approach(x, y, s, arrived) {
    const { w, h } = this.layer.size(), inner = (value, size, room) => (size > room ? clamp(value, room / 2, size - room / 2) : size / 2);
    this.centreOn(inner(x, w, this.width / s), inner(y, h, this.height / s), s, true, arrived);
    if (this.gliding) this.gliding.again = () => this.approach(x, y, s, arrived); // in another size it comes as near as it can
  }

  /** Zoom about a point of the stage (CSS px); false where the limit was reached already. */
  zoomAt(factor, px = this.width / 2, py = this.height / 2) {
    this.gliding = null;
    const s = clamp(this.view.s * factor, this.fitted * 0.7, Math.max(this.fitted * 2, this.layer.maxScale)), k = s / this.view.s;
    if (k === 1) return false;
    this.view = { s, x: px - (px - this.view.x) * k, y: py - (py - this.view.y) * k };
    this.changed(true);
    return true;
  }

  pan(dx, dy) {
    this.gliding = null;
    this.view.x += dx;
    this.view.y += dy;
    this.changed();
  }

  /** After every change of the view. The content never gets out of sight. */
  changed(moving = false) {
    const { w, h } = this.layer.size(), v = this.view;
    v.x = clamp(v.x, this.width * 0.5 - w * v.s, this.width * 0.5);
    v.y = clamp(v.y, this.height * 0.5 - h * v.s, this.height * 0.5);
    if (moving) {
      this.settle = performance.now() + SETTLE_MS;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.repaint(), SETTLE_MS + 10);
    }
    this.moved = true;
    this.repaint();
  }

  repaint() {
    this.request ??= requestAnimationFrame(() => {
      this.request = null;
      this.paint();
    });
  }

  /** The view in device pixels: scale S, left upper corner X, Y of the content, canvas W x H. exact: paint all of it now, for a file. */
  transform(dpr = this.dpr) {
    const v = this.view, moving = performance.now() < (this.settle || 0);
    const place = { S: v.s * dpr, X: Math.round(v.x * dpr), Y: Math.round(v.y * dpr) };
    return { ...place, W: Math.round(this.width * dpr), H: Math.round(this.height * dpr), dpr, moving, exact: false };
  }

  paint() {
    if (!this.layer || !this.width) return;
    const begin = performance.now(), t = this.transform();
    const key = [t.S, t.X, t.Y, t.moving, t.W, t.H, this.layer.groundVersion].join(" ");
    if (key !== this.groundKey) { // hover and refinement leave the ground alone
      this.groundKey = key;
      const g = this.ground.getContext("2d");
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.clearRect(0, 0, t.W, t.H);
      this.layer.ground(g, t);
    }
    const more = this.layer.overlay(this.overlay.getContext("2d"), t);
    if (this.moved) {
      this.moved = false;
      this.furniture();
    }
    this.paintMs = [...this.paintMs.slice(-299), performance.now() - begin];
    if (more) this.repaint();
  }

  furniture() {
    const length = this.scaleLength();
    this.bar.style.width = `${length / this.layer.unit * this.view.s}px`;
    this.bar.firstChild.textContent = `${+length.toPrecision(2)} ${this.layer.unitName}`;
    this.minimap();
    this.onview?.(this.view.s);
  }

  /** The longest of 1, 2, 5 x 10^n units that stays short on the stage. */
  scaleLength() {
    const room = Math.min(120, this.width / 4) / this.view.s * this.layer.unit, power = 10 ** Math.floor(Math.log10(room));
    return [5, 2, 1].map((m) => m * power).find((length) => length <= room);
  }

  minimap() {
    const { w, h } = this.layer.size(), v = this.view, k = MAP_SIDE / Math.max(w, h) * (this.width < NARROW ? 0.6 : 1);
    this.map.hidden = v.x > -2 && v.y > -2 && v.x + w * v.s < this.width + 2 && v.y + h * v.s < this.height + 2;
    if (this.map.hidden) return;
    const key = `${this.layer.thumbVersion} ${k}`;
    if (key !== this.thumbKey) {
      this.thumbKey = key;
      this.thumb.width = Math.round(w * k);
      this.thumb.height = Math.round(h * k);
      this.layer.thumb(this.thumb.getContext("2d"), this.thumb.width, this.thumb.height);
    }
    const x0 = clamp(-v.x / v.s, 0, w), x1 = clamp((this.width - v.x) / v.s, 0, w);
    const y0 = clamp(-v.y / v.s, 0, h), y1 = clamp((this.height - v.y) / v.s, 0, h);
    const px = (value) => `${value * k}px`;
    Object.assign(this.window.style, { left: px(x0), top: px(y0), width: px(x1 - x0), height: px(y1 - y0) });
  }

  /** Go to the place of the minimap that a pointer is on. */
  jump(event) {
    const r = this.thumb.getBoundingClientRect(), { w, h } = this.layer.size();
    this.map.setPointerCapture(event.pointerId);
    this.centreOn((event.clientX - r.left) / r.width * w, (event.clientY - r.top) / r.height * h, this.view.s, false);
  }

  hideOverlay() {
    const hidden = this.overlay.classList.toggle("hidden");
    this.live.textContent = hidden ? "Overlay hidden" : "Overlay shown";
    this.onhide?.(hidden);
  }

  hoverAt(px, py) {
    const p = this.toContent(px, py);
    this.showCard(this.layer.hover(p.x, p.y, 10 / this.view.s), px, py);
  }

  /** card: {status, title, rows: [[name, value]], words} or null to take it away. px, py: where it belongs, CSS px. */
  showCard(card, px = 0, py = 0) {
    this.card.hidden = !card;
    if (!card) return this.layer?.leave?.();
    const rows = card.rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
    const title = el("b", {}, ...(card.status == null ? [] : [line(card.status)]), card.title);
    this.card.replaceChildren(title, el("dl", {}, ...rows), ...(card.words ? [el("p", {}, card.words)] : []));
    const { offsetWidth: w, offsetHeight: h } = this.card, lowest = Math.max(4, this.height - h - 4);
    const beside = px + 16 + w > this.width ? Math.max(4, px - w - 12) : px + 16;
    this.card.style.left = `${this.width < NARROW ? 4 : beside}px`;
    this.card.style.top = `${this.width < NARROW ? (py < this.height / 2 ? lowest : 4) : clamp(py + 14, 4, lowest)}px`;
  }

  destroy() {
    this.observer.disconnect();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.request);
    this.forget();
  }
}

/** The view on the way from one to another, part 0..1: what is in the middle moves evenly while the scale grows by factors. */
function between(from, to, part) {
  const s = from.s * (to.s / from.s) ** part, k = to.s === from.s ? part : (s - from.s) / (to.s - from.s);
  return { s, x: from.x + (to.x - from.x) * k, y: from.y + (to.y - from.y) * k };
}
