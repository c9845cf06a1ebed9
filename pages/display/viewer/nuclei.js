// Nuclei mode: a tile of tissue under the outlines of truth and prediction, or of what a model detected where there is no truth.

/** Height of the bands in which errors are visited from left to right, image px. */
const BAND = 96;
/** Radius on the screen to which a nucleus is brought that one goes to, CSS px. */
const CLOSE = 26;
/** Where colours change when pairs are coloured by the IoU of their outlines, and those colours: cividis. */
const IOU_STEPS = [0.5, 0.65, 0.8, 0.9];
const IOU_COLOURS = ["#00204d", "#414d6b", "#7c7b78", "#bcaf6f", "#ffea46"];
const SETS = { errors: "Errors", fp: "FP", fn: "FN", all: "All" };

class Nuclei {
  /** before: the layer that was shown until now; what it shows stays when it has the same classes. */
  constructor(viewer, head, arrays, image, before) {
    Object.assign(this, arrays, { viewer, head, unit: head.um_per_px || 1, unitName: head.um_per_px ? "µm" : "px", maxScale: 24 });
    this.outlines = new Outlines(arrays, head.width, head.height);
    this.images = image ? [image] : [];
    this.names = head.classes.map((name) => name.replaceAll("_", " "));
    this.detections = head.detections;
    this.hasIou = this.iou?.some((value) => value >= 0) ?? false;
    const alike = (one) => one instanceof Nuclei && one.detections === this.detections && String(one.names) === String(this.names);
    const same = alike(before);
    this.show = same ? before.show : {
      status: STATUS.map(() => true), kind: [true, true], classes: head.classes.map(() => true),
      dots: false, links: false, fill: 0.12, byClass: this.detections, byIou: false, least: 0,
    };
    this.set = same ? before.set : this.detections ? "all" : "errors";
    this.groundVersion = this.thumbVersion = 0;
    this.hovered = -1;
    this.selected = same && before.head.name === head.name ? this.counterpart(before) : -1;
    this.visible = (i) => {
      const { status, kind, classes, least } = this.show;
      return status[this.status[i]] && kind[this.kind[i]] && classes[this.cls[i]] && this.score[i] >= least;
    };
    this.tiles = new Tiles((g, S, dpr, ox, oy, width, height) => this.paint(g, S, dpr, ox, oy, width, height));
    this.keys = this.keyList();
    this.ariaLabel = this.accessibleName();
    this.halve(image);
  }

  /** The nucleus that was selected before the results changed. */
  counterpart(before) {
    return before.selected < 0 ? -1 : this.find(before.kind[before.selected], before.number[before.selected]);
  }

  find(kind, number) {
    return this.number.findIndex((value, i) => value === number && this.kind[i] === kind);
  }

  accessibleName() {
    const { head, detections } = this, number = this.outlines.n.toLocaleString("en"), several = head.noun[1];
    const what = detections ? `${number} detected ${several} of ${head.name}` : `${capital(several)} of ${head.name}, truth and prediction`;
    return `${what}. A table on this page says the same. ${this.keys.map(([key, does]) => `${key}: ${does}`).join("; ")}.`;
  }

  keyList() {
    const results = (keys) => (this.detections ? [] : keys);
    return [
      ...results([["n p", "next, previous error"]]),
      [". ,", `next, previous ${this.head.noun[0]}`],
      ["Enter", "select it"],
      ["Escape", "select nothing"],
      ["arrows", "pan"],
      ["+ − 0", "zoom, fit"],
      ["space", "overlay on, off"],
      ...results([["1 2 3", "TP, FP, FN"], ["t d", "truth, prediction"], ["m", "match lines"]]),
      ["o", "outlines, centroids"],
      ["c", "colour by class"],
      ...(this.hasIou ? [["i", "colour pairs by IoU"]] : []),
      ["?", "these keys"],
    ];
  }

  size() {
    return { w: this.head.width, h: this.head.height };
  }

  magnification(scale) {
    return `${(scale * 100).toFixed(0)} %`;
  }

  colour(i) {
    const level = this.level(i);
    if (level >= 0) return IOU_COLOURS[level];
    return this.show.byClass ? this.head.palette[this.cls[i]] : COLOUR[this.status[i]];
  }

  /** The step of the IoU of a pair, from 0; -1 where nuclei are not coloured by it, or this one has none. */
  level(i) {
    return this.show.byIou && this.iou[i] >= 0 ? IOU_STEPS.filter((step) => this.iou[i] >= step).length : -1;
  }

  /** Smaller copies of a large picture, so that it need not be scaled down whole in every frame. */
  async halve(image) {
    for (let next = image; next && Math.max(next.width, next.height) > 1024;) {
      const size = { resizeWidth: next.width >> 1, resizeHeight: next.height >> 1, resizeQuality: "high" };
      next = await createImageBitmap(next, size);
      if (this.gone) return next.close();
      this.images.push(next);
    }
    return undefined;
  }

  /** Pictures are large: they are given back at once. */
  destroy() {
    this.gone = true;
    for (const image of this.images) image.close();
  }

  ground(g, t) {
    const { w, h } = this.size();
    g.setTransform(t.S, 0, 0, t.S, t.X, t.Y);
    if (!this.images.length) return this.plainGround(g, w, h);
    const image = this.images.findLast((one) => one.width >= w * t.S) ?? this.images[0], k = image.width / w, m = image.height / h;
    g.imageSmoothingEnabled = t.S < 5 * k; // single pixels are shown when they are what there is to see
    g.imageSmoothingQuality = t.moving ? "low" : "high";
    const x0 = Math.max(0, Math.floor(-t.X / t.S) - 1), x1 = Math.min(w, Math.ceil((t.W - t.X) / t.S) + 1);
    const y0 = Math.max(0, Math.floor(-t.Y / t.S) - 1), y1 = Math.min(h, Math.ceil((t.H - t.Y) / t.S) + 1);
    if (x1 > x0 && y1 > y0) g.drawImage(image, x0 * k, y0 * m, (x1 - x0) * k, (y1 - y0) * m, x0, y0, x1 - x0, y1 - y0);
  }

  plainGround(g, width, height) {
    g.fillStyle = getComputedStyle(this.viewer.root).backgroundColor;
    g.fillRect(0, 0, width, height);
  }

  overlay(g, t) {
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, t.W, t.H);
    const { w, h } = this.size();
    let more = false;
    if (t.exact) this.paint(g, t.S, t.dpr, -t.X, -t.Y, t.W, t.H);
    else more = this.tiles.draw(g, t, w, h, this.viewer.stage.fitted * t.dpr);
    for (const i of new Set([this.hovered, this.selected])) if (i >= 0) paintHighlight(g, this, i, t);
    return more;
  }

  /** Paint a rectangle of the overlay; true where something was drawn. */
  paint(g, S, dpr, ox, oy, width, height) {
    const pad = 5 * dpr;
    const found = this.outlines.within((ox - pad) / S, (oy - pad) / S, (ox + width + pad) / S, (oy + height + pad) / S, this.visible);
    if (found.length) paintNuclei(g, this, found, S, dpr, ox, oy, width * height / TILE ** 2);
    return found.length > 0;
  }

  thumb(g, width, height) {
    const k = width / this.head.width, { outlines } = this;
    if (this.images.length) g.drawImage(this.images.at(-1), 0, 0, width, height);
    else this.plainGround(g, width, height);
    for (let i = 0; i < outlines.n; i++) {
      if (!this.isError(i) || !this.visible(i)) continue;
      g.fillStyle = COLOUR[this.status[i]];
      g.fillRect(outlines.x(i) * k - 0.75, outlines.y(i) * k - 0.75, 1.5, 1.5);
    }
  }

  isError(i) {
    return this.status[i] === FP || this.status[i] === FN;
  }

  pick(x, y, slack) {
    return this.outlines.pick(x, y, slack, this.visible, (i) => this.kind[i] === PREDICTION);
  }

  hover(x, y, slack) {
    const i = this.pick(x, y, slack);
    if (i !== this.hovered) {
      this.hovered = i;
      this.viewer.stage.repaint();
    }
    return i < 0 ? null : describe(this, i);
  }

  leave() {
    if (this.hovered < 0) return;
    this.hovered = -1;
    this.viewer.stage.repaint();
  }

  click(x, y) {
    this.select(this.pick(x, y, 10 / this.viewer.stage.view.s));
  }

  /** tell: whether Python hears of it. */
  select(i, tell = true) {
    this.selected = i;
    const side = i >= 0 && (this.kind[i] === PREDICTION ? "prediction" : "truth");
    if (tell) this.viewer.tell("selected", i < 0 ? null : { side, index: this.number[i], status: STATUS[this.status[i]] });
    this.viewer.stage.repaint();
  }

  /** Go to the next (by = 1) or previous (-1) visible nucleus of a set, in reading order. */
  step(by, set = this.set) {
    const members = this.members(set), here = members.indexOf(this.selected);
    if (!members.length) return this.viewer.say(`No nucleus of this kind is shown: ${SETS[set]}`, "none");
    const next = here < 0 ? (by > 0 ? 0 : members.length - 1) : (here + by + members.length) % members.length;
    const card = describe(this, members[next]), place = `${next + 1} / ${members.length}`;
    this.goTo(members[next]);
    this.viewer.say(`${place}: ${card.title}, ${card.rows[0][1]}. ${card.words}`, place);
  }

  /** The visible nuclei of a set in reading order, kept until what is shown changes. */
  members(set) {
    const { outlines } = this, place = (i) => Math.floor(outlines.y(i) / BAND) * 1e6 + outlines.x(i);
    this.order[set] ??= this.among(set).map((i) => [place(i), i]).sort(([a], [b]) => a - b).map(([, i]) => i);
    return this.order[set];
  }

  among(set) {
    const { outlines, status } = this, found = [];
    const belongs = { errors: (i) => this.isError(i), fp: (i) => status[i] === FP, fn: (i) => status[i] === FN, all: () => true }[set];
    for (let i = 0; i < outlines.n; i++) if (belongs(i) && this.visible(i)) found.push(i);
    return found;
  }

  /** Python asks for a nucleus: {side, index}. */
  focus({ side, index }) {
    const i = this.find(side === "prediction" ? PREDICTION : TRUTH, index);
    if (i !== this.selected) this.goTo(i);
  }

  goTo(i) {
    if (i < 0) return;
    const { outlines } = this, { stage } = this.viewer, r = outlines.radius[i] || outlines.typical, x = outlines.x(i), y = outlines.y(i);
    const show = ({ s, x: left, y: top }) => stage.showCard(describe(this, i), left + x * s + 24, top + y * s + 16);
    const room = 0.35 * Math.min(stage.width, stage.height);
    this.select(i, false);
    stage.showCard(null);
    stage.approach(x, y, Math.min(Math.max(stage.view.s, CLOSE / r), Math.max(stage.fitted, room / r), this.maxScale), show);
  }

  key({ key }) {
    const walk = { n: [1], p: [-1], ".": [1, "all"], ",": [-1, "all"] }[key];
    if (walk) this.step(...walk);
    else if (this.flips[key]) this.flips[key].flip();
    else if (key === "Enter" && this.selected >= 0) this.select(this.selected);
    else if (key === "Escape") {
      this.select(-1);
      this.viewer.stage.showCard(null);
    } else return false;
    return true;
  }

  /** After every change of what is shown. */
  refresh() {
    this.order = {};
    this.viewer.say("", `– / ${this.among(this.set).length}`);
    this.thumbVersion += 1;
    this.tiles.renew();
    this.viewer.stage.moved = true;
    this.viewer.stage.repaint();
  }

  controls(bar, side) {
    this.flips = this.detections ? detectionControls(this, bar) : resultControls(this, bar);
    side.append(...classList(this));
    this.refresh();
  }

  iouLegend() {
    const others = [FP, FN].filter((s) => this.show.status[s]).map((s) => [s, COLOUR[s], `${STATUS[s]}, ${STATUS_WORD[s]}`]);
    const words = [`IoU below ${IOU_STEPS[0]}`, ...IOU_STEPS.map((step) => `IoU from ${step}`)];
    return [...words.map((text, level) => [null, IOU_COLOURS[level], text]), ...others];
  }

  legend() {
    const { show, head } = this;
    if (show.byIou) return this.iouLegend();
    if (!show.byClass) return [TP, FP, FN].filter((s) => show.status[s]).map((s) => [s, COLOUR[s], `${STATUS[s]}, ${STATUS_WORD[s]}`]);
    return head.classes.map((_, c) => c).filter((c) => show.classes[c]).map((c) => [null, head.palette[c], this.names[c]]);
  }
}

LAYERS.nuclei = Nuclei;
