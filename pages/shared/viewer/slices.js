// Slices of a patient: truth and prediction over CT, PET or both, in three planes that share one point. Content units are millimetres.

const PLANE_NAMES = Object.keys(PLANES);
const SLICE_KEYS = { ArrowUp: -1, PageUp: -1, "[": -1, ArrowDown: 1, PageDown: 1, "]": 1 };
/** CSS px of a wheel's turn per slice, and the most slices one event may turn. */
const TURN = 50, TURN_MOST = 3;
const PREVIEW_WIDTH = 206, PREVIEW_HEIGHT = 210;
const FUSED = "both";
/** Ground of masks without an image; slices.css has it too. */
const PLAIN = "#505a5a";
/** What stays as the reader set it when another patient comes. */
const LASTING = ["plane", "projection", "fill", "blend", "windowing", "crosshair", "shown"];
const STEPS_THROUGH = "wrong regions";

class Slices {
  constructor(viewer, head, arrays, _image, before) {
    Object.assign(this, { viewer, head, unit: 1, unitName: "mm", maxScale: 40, groundVersion: 0, thumbVersion: 0 });
    Object.assign(this, { plane: "axial", label: 0, projection: false, fill: 0.5, blend: 0.7, windowing: false, crosshair: true, turned: 0 });
    this.volume = { codes: arrays.labels, shape: head.shape, spacing: head.spacing };
    this.images = head.backgrounds.map((one) => ({ ...one, values: arrays[one.array] }));
    this.windows = Object.fromEntries(this.images.map((one) => [one.name, { low: one.windows[0][1], high: one.windows[0][2], invert: one.invert }]));
    this.background = this.images.length ? this.images[0].name : "";
    this.shown = { results: [true, true, true, true, true], truth: true, prediction: true };
    if (before instanceof Slices) this.takeOver(before);
    this.kept = new Map();
    this.ariaLabel = `Slices of ${head.name}. Up and down arrows or the wheel change the slice, n and p go from one wrong region to the next, `
      + "1, 2 and 3 choose the plane, plus and minus zoom, space hides the overlay.";
    this.keys = [["↑ ↓", "slice, also wheel"], ["n p", "next, previous wrong region, largest first"], ["1 2 3", "axial, coronal, sagittal"], ["m", "maximum-intensity projection"],
      ["l", "next label"], ["b", "next background"], ["x", "crosshair"], ["click, Enter", "put this place into the link"], ["right drag", "window"],
      ["Ctrl wheel, + −", "zoom"], ["0", "fit"], ["← →", "pan (Shift: ↑ ↓)"], ["space", "overlay"]];
    this.strip = this.makeStrip();
    this.previews = PLANE_NAMES.map((plane) => this.makePreview(plane));
    this.count();
    this.at = this.mostWrong();
  }

  takeOver(before) {
    for (const name of LASTING) this[name] = before[name];
    const names = this.images.map((one) => one.name), { background } = before;
    if (names.includes(background) || (background === FUSED && names.length > 1)) this.background = background;
    for (const name of names) if (before.windows[name]) this.windows[name] = before.windows[name];
    if (before.label < this.head.labels.length) this.label = before.label;
  }

  /** After a change of the label: voxels per slice and wrong regions, the latter found when first asked for. */
  count() {
    this.counted = tally(this.volume, this.label);
    this.regions = null;
    this.region = -1;
    this.kept.clear();
  }

  /** A voxel of the axial slice with most wrong voxels; without any, of the one with most labelled ones; else the middle. */
  mostWrong() {
    const { shape } = this.volume, counts = this.counted.slices[2], slices = [...Array(shape[2]).keys()];
    const score = (z) => wrongIn(counts, z) * 1e6 + counts[5 * z + RIGHT], z = slices.reduce((best, k) => (score(k) > score(best) ? k : best), 0);
    if (!score(z)) return shape.map((n) => n >> 1);
    const wanted = wrongIn(counts, z) ? RIGHT + 1 : RIGHT, places = [], sum = [0, 0, 0];
    eachMarked(this.volume, (code, _index, place) => {
      if (place[2] !== z || resultOf(code, this.label) < wanted) return;
      places.push([...place]);
      place.forEach((value, axis) => { sum[axis] += value; });
    });
    return nearest(places, sum.map((s) => s / places.length));
  }

  size(plane = this.plane) {
    const { across, down } = PLANES[plane], { shape, spacing } = this.volume;
    return { w: shape[across] * spacing[across], h: shape[down] * spacing[down] };
  }

  magnification(scale) {
    return `${(scale / this.viewer.stage.fitted).toFixed(1)} ×`;
  }

  legend() {
    const results = RESULTS.filter((r) => this.shown.results[r] && this.counted.totals[r]);
    const borders = this.labelsShown().flatMap((label) => (this.shown.truth ? [[null, BORDER[label - 1].colour, `${this.head.labels[label]} truth`]] : []));
    return [...results.map((r) => [r - 1, COLOUR[r - 1], `${STATUS[r - 1]}, ${STATUS_WORD[r - 1]}`]), ...borders];
  }

  labelsShown() {
    return this.label ? [this.label] : this.head.labels.map((_, label) => label).slice(1);
  }

  /** Sections and tinted pictures are kept, one for each name, until what they were made from changes. */
  keep(name, from, make) {
    const key = from.join();
    if (this.kept.get(name)?.key !== key) this.kept.set(name, { key, value: make() });
    return this.kept.get(name).value;
  }

  section(plane) {
    const slice = this.projection ? null : this.at[PLANES[plane].through];
    return this.keep(`section ${plane}`, [slice, this.label], () => crossSection(this.volume, plane, slice, this.label));
  }

  /** The images that the background names, the lower one first. */
  underneath() {
    return this.background === FUSED ? this.images.slice(0, 2) : this.images.filter((one) => one.name === this.background);
  }

  /** Colours are for PET over CT; alone, an image is grey. */
  picture(image, plane, heat) {
    const { through } = PLANES[plane], window = heat ? { ...this.windows[image.name], invert: false } : this.windows[image.name];
    const slice = this.projection ? null : imageIndex(image, through, (this.at[through] + 0.5) * this.volume.spacing[through]);
    if (slice === -1) return null;
    const section = this.keep(`values ${image.name} ${plane}`, [slice], () => imageSection(image, plane, slice));
    const from = [slice, heat, window.low, window.high, window.invert];
    return this.keep(`picture ${image.name} ${plane}`, from, () => tinted(section, image.scale, window, heat));
  }

  ground(g, t) {
    this.paintGround(g, t, this.plane);
  }

  paintGround(g, t, plane) {
    const { across, down } = PLANES[plane], { w, h } = this.size(plane), images = this.underneath();
    g.save();
    g.setTransform(t.S, 0, 0, t.S, t.X, t.Y);
    g.beginPath();
    g.rect(0, 0, w, h);
    g.clip();
    g.fillStyle = images.length ? (images.length === 1 && this.windows[images[0].name].invert ? "#fff" : "#000") : PLAIN;
    g.fillRect(0, 0, w, h);
    g.imageSmoothingQuality = t.moving ? "low" : "high";
    images.forEach((image, layer) => {
      const picture = this.picture(image, plane, layer === 1), { corner, spacing, shape } = image;
      g.globalAlpha = layer === 1 ? this.blend : 1;
      if (picture) g.drawImage(picture, corner[across], corner[down], shape[across] * spacing[across], shape[down] * spacing[down]);
    });
    g.restore();
  }

  overlay(g, t) {
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, t.W, t.H);
    this.paintOverlay(g, t, this.plane, false);
    if (this.crosshair && !this.projection && !t.exact) this.paintCrosshair(g, t, this.plane, 16 * t.dpr);
    return false;
  }

  paintOverlay(g, t, plane, thin) {
    const section = this.section(plane), ruler = rulers(section, this.size(plane), t), { shown } = this;
    for (const result of RESULTS) if (shown.results[result]) fillRegions(g, section, ruler, result, this.fill, t.dpr);
    for (const label of this.labelsShown()) {
      if (shown.prediction) strokeBorder(g, section.prediction, label, section, ruler, true, t.dpr, thin);
      if (shown.truth) strokeBorder(g, section.truth, label, section, ruler, false, t.dpr, thin);
    }
  }

  /** Lines through the point that the planes share, open around it. */
  paintCrosshair(g, t, plane, gap) {
    const { across, down } = PLANES[plane], { spacing } = this.volume, { w, h } = this.size(plane);
    const middle = (axis, from) => from + (this.at[axis] + 0.5) * spacing[axis] * t.S;
    const x = Math.round(middle(across, t.X)) + 0.5, y = Math.round(middle(down, t.Y)) + 0.5;
    g.beginPath();
    for (const [x0, y0, x1, y1] of [[t.X, y, x - gap, y], [x + gap, y, t.X + w * t.S, y], [x, t.Y, x, y - gap], [x, y + gap, x, t.Y + h * t.S]]) {
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

  thumb(g, width, height) {
    g.clearRect(0, 0, width, height);
    this.paintGround(g, { S: width / this.size().w, X: 0, Y: 0, moving: true }, this.plane);
  }

  /** Voxel under a place of the stage, or null outside. */
  voxelAt(x, y, plane = this.plane) {
    const { across, down } = PLANES[plane], { shape, spacing } = this.volume, voxel = [...this.at];
    voxel[across] = Math.floor(x / spacing[across]);
    voxel[down] = Math.floor(y / spacing[down]);
    return voxel.every((value, axis) => value >= 0 && value < shape[axis]) ? voxel : null;
  }

  hover(x, y) {
    const voxel = this.voxelAt(x, y);
    return voxel && (this.projection ? this.rayCard(voxel) : this.voxelCard(voxel));
  }

  voxelCard(voxel) {
    const { shape, spacing, codes } = this.volume, code = codes[voxel[0] + shape[0] * (voxel[1] + shape[1] * voxel[2])];
    const result = resultOf(code, this.label), place = voxel.map((value, axis) => (value + 0.5) * spacing[axis]);
    const images = this.images.map((image) => [image.name, inWords(imageValue(image, place), image)]);
    return { ...resultTitle(result), rows: [...this.labelRows(code), ...images, ["voxel", this.fileVoxel(voxel).join(", ")], ["this slice", this.sliceWords()]] };
  }

  /** How many voxels of each result lie behind one another. */
  rayCard(voxel) {
    const { through, across, down } = PLANES[this.plane], { depth, nu } = this.section(this.plane), pixel = 5 * (voxel[down] * nu + voxel[across]);
    const millimetres = (voxels) => `${(voxels * this.volume.spacing[through]).toFixed(1)} mm deep`;
    const rows = RESULTS.filter((r) => depth[pixel + r]).map((r) => [STATUS[r - 1], millimetres(depth[pixel + r])]);
    return rows.length ? { status: null, title: "Along the line of sight", rows } : null;
  }

  labelRows(code) {
    const name = (label) => (label ? this.head.labels[label] : "none");
    return [["truth", name(code & 15)], ["prediction", name(code >> 4)]];
  }

  /** Index of a voxel in the truth's file, counted from 0. */
  fileVoxel(voxel) {
    return this.head.to_file.map((row) => row[0] * voxel[0] + row[1] * voxel[1] + row[2] * voxel[2] + row[3]);
  }

  sliceWords() {
    const { through } = PLANES[this.plane], counts = this.counted.slices[through], s = this.at[through];
    return RESULTS.filter((r) => counts[5 * s + r]).map((r) => `${STATUS[r - 1]} ${counts[5 * s + r]}`).join(" · ") || "no label";
  }

  millilitres(voxels) {
    const [x, y, z] = this.volume.spacing;
    return `${(voxels * x * y * z / 1000).toFixed(2)} mL`;
  }

  /** The point moves there, and Python hears of it. */
  click(x, y) {
    const voxel = this.voxelAt(x, y);
    if (!voxel) return;
    this.at = voxel;
    this.tell();
    this.refresh();
  }

  tell() {
    this.viewer.tell("selected", { voxel: this.fileVoxel(this.at), plane: this.plane });
  }

  /** place: {voxel: index in the truth's file, plane}, both optional; a voxel outside the crop goes to its edge. */
  focus(place) {
    if (place.voxel) this.at = this.fromFile(place.voxel).map((value, axis) => clamp(value, 0, this.volume.shape[axis] - 1));
    if (PLANES[place.plane]) this.setPlane(place.plane);
    this.refresh();
  }

  /** The turn has one entry of 1 or -1 in each row and column. */
  fromFile(file) {
    return [0, 1, 2].map((axis) => {
      const row = this.head.to_file.findIndex((entries) => entries[axis]);
      return (file[row] - this.head.to_file[row][3]) * this.head.to_file[row][axis];
    });
  }

  wheel(delta) {
    this.turned += delta;
    const by = Math.trunc(this.turned / TURN);
    if (!by) return;
    this.turned = 0;
    this.turn(clamp(by, -TURN_MOST, TURN_MOST));
  }

  /** Dragging with the right button, with Shift, or by choice, moves (up, down) and widens (right) the window. */
  drag(dx, dy, other) {
    const image = this.underneath().at(-1);
    if (!image || this.windowing === other) return false;
    const window = this.windows[image.name], k = (image.windows[0][2] - image.windows[0][1]) / 300, middle = (window.low + window.high) / 2 + dy * k;
    const half = Math.max(k, (window.high - window.low) / 2 + dx * k / 2);
    Object.assign(window, { low: middle - half, high: middle + half });
    this.refresh();
    return true;
  }

  key(event) {
    const by = SLICE_KEYS[event.key], plane = PLANE_NAMES[event.key - 1];
    if (by && !event.shiftKey) this.turn(by);
    else if (plane) this.setPlane(plane);
    else if (event.key === "n" || event.key === "p") this.step(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter") this.tell();
    else if (this.buttons[event.key]) this.buttons[event.key].flip();
    else return false;
    return true;
  }

  /** To the next wrong region, the largest first; only of the results that are drawn. */
  step(by) {
    this.regions ??= wrongRegions(this.volume, this.label);
    const regions = this.regions.filter((one) => this.shown.results[one.result]);
    if (!regions.length) return this.viewer.say("Nothing is wrong here", "none wrong");
    this.region = this.region < 0 && by < 0 ? regions.length - 1 : (this.region + by + regions.length) % regions.length;
    const { result, voxels, at } = regions[this.region];
    this.at = [...at];
    this.leaveProjection();
    this.refresh();
    this.centre();
    const words = `${STATUS[result - 1]} ${this.millilitres(voxels)}`;
    return this.viewer.say(`Wrong region ${this.region + 1} of ${regions.length}: ${STATUS_WORD[result - 1]}, ${voxels} voxels`, `${this.region + 1} of ${regions.length} · ${words}`);
  }

  /** Bring the point into sight where a magnified stage does not show it. */
  centre() {
    const { stage } = this.viewer, { across, down } = PLANES[this.plane], { spacing } = this.volume;
    if (!stage.isFit()) stage.centreOn((this.at[across] + 0.5) * spacing[across], (this.at[down] + 0.5) * spacing[down]);
  }

  turn(by) {
    const { through } = PLANES[this.plane];
    this.goTo(through, this.at[through] + by);
    this.viewer.say(this.strip.getAttribute("aria-valuetext"));
  }

  goTo(axis, slice) {
    this.at[axis] = clamp(slice, 0, this.volume.shape[axis] - 1);
    this.leaveProjection();
    this.viewer.stage.showCard(null);
    this.refresh();
  }

  leaveProjection() {
    this.projection = false;
    this.buttons?.m.set(false);
  }

  setPlane(plane) {
    this.plane = plane;
    this.planes?.set(plane);
    this.refresh();
    this.viewer.stage.fit();
  }

  setLabel(label) {
    this.label = label;
    this.count();
    this.viewer.say("", STEPS_THROUGH);
    this.refresh();
  }

  /** How far a slice lies from the file's origin, as consoles write it: "S 34.5 mm". */
  position(axis, slice) {
    const column = this.head.affine.map((row) => row[axis]), length = Math.hypot(...column);
    const mm = this.head.affine.reduce((sum, row, i) => sum + row[3] * column[i] / length, 0) + slice * length;
    return `${ENDS[axis][+(mm >= 0)]} ${Math.abs(mm).toFixed(1)} mm`;
  }

  /** Number of a slice in the truth's file, from 1, and how many it has. */
  sliceNumber(axis) {
    const row = this.head.to_file.findIndex((entries) => entries[axis]);
    return [this.fileVoxel(this.at)[row] + 1, this.head.file_shape[row]];
  }

  refresh() {
    this.groundVersion += 1;
    this.thumbVersion += 1;
    this.viewer.stage.node.classList.toggle("plain", !this.underneath().length);
    const { through, across, down } = PLANES[this.plane], [number, of] = this.sliceNumber(through);
    const where = this.projection ? "MIP" : `${number} / ${of} · ${this.position(through, this.at[through])}`;
    const tags = [["tl", `${capital(this.plane)} ${where}`], ["t", ENDS[down][0]], ["b", ENDS[down][1]], ["l", ENDS[across][0]], ["r", ENDS[across][1]]];
    const windows = this.underneath().map((one) => `${one.name} ${rangeWords(this.windows[one.name], one)}`);
    if (windows.length) tags.push(["tr", windows.join(" · ")]);
    this.viewer.stage.tags.replaceChildren(...tags.map(([place, words]) => el("span", { class: place }, words)));
    this.describeStrip(number, of);
    this.describeChips();
    this.drawStrip();
    this.previews.forEach((preview) => this.drawPreview(preview));
    this.presets?.show();
    if (this.blender) this.blender.hidden = this.background !== FUSED;
    this.viewer.stage.moved = true;
    this.viewer.stage.repaint();
  }

  describeChips() {
    this.chips?.forEach((chip, i) => {
      chip.lastChild.textContent = this.millilitres(this.counted.totals[i + 1]);
      chip.hidden = i + 1 === RENAMED && !this.counted.totals[RENAMED];
    });
  }

  makeStrip() {
    const parts = [canvas(1, 1), el("i"), el("span", { class: "from" }), el("span", { class: "to" }), el("span", { class: "peak" })];
    const strip = el("div", { class: "strip", role: "slider", tabindex: 0, "aria-label": "Slice" }, ...parts);
    strip.onpointerdown = strip.onpointermove = (event) => {
      if (!event.buttons) return;
      const r = strip.getBoundingClientRect(), { through } = PLANES[this.plane];
      strip.setPointerCapture(event.pointerId);
      this.goTo(through, Math.floor((event.clientX - r.left) / r.width * this.volume.shape[through]));
    };
    strip.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) this.turn(by);
      if (by || this.key(event)) event.preventDefault();
    };
    this.observer = new ResizeObserver(() => this.drawStrip());
    this.observer.observe(strip);
    return strip;
  }

  describeStrip(number, of) {
    const first = this.at[PLANES[this.plane].through], n = this.volume.shape[PLANES[this.plane].through];
    const words = `Slice ${number} of ${of}: ${this.sliceWords()}`;
    const values = { valuemin: 1, valuemax: n, valuenow: first + 1, valuetext: words };
    for (const [name, value] of Object.entries(values)) this.strip.setAttribute(`aria-${name}`, value);
  }

  /** Bars of wrong voxels per slice; below them, where truth and prediction agree. */
  drawStrip() {
    const [node, mark, from, to, peak] = this.strip.children, { clientWidth: width, clientHeight: height } = this.strip, dpr = window.devicePixelRatio || 1;
    if (!width) return;
    const { through } = PLANES[this.plane], n = this.volume.shape[through], counts = this.counted.slices[through];
    const most = Math.max(1, ...Array.from({ length: n }, (_, s) => wrongIn(counts, s))), bar = width / n, base = height - 9, room = base - 16;
    node.width = width * dpr;
    node.height = height * dpr;
    const g = node.getContext("2d");
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
    mark.style.left = `${(this.at[through] + 0.5) * bar}px`;
    from.textContent = ENDS[through][0];
    to.textContent = ENDS[through][1];
    peak.textContent = `wrong voxels per slice · this one: ${this.sliceWords()}`;
  }

  /** A small view of a plane that is not on the stage: a click moves the point, its name changes places with the stage. */
  makePreview(plane) {
    const node = canvas(1, 1), title = el("button", { type: "button", class: "link", "aria-label": `Show the ${plane} plane on the stage` }, capital(plane));
    title.onclick = () => this.setPlane(plane);
    node.onpointerdown = node.onpointermove = (event) => {
      if (!event.buttons) return;
      const r = node.getBoundingClientRect(), { w, h } = this.size(plane);
      const voxel = this.voxelAt((event.clientX - r.left) / r.width * w, (event.clientY - r.top) / r.height * h, plane);
      node.setPointerCapture(event.pointerId);
      if (!voxel) return;
      this.at = voxel;
      this.leaveProjection();
      this.refresh();
    };
    node.setAttribute("aria-hidden", "true");
    return { plane, node, figure: el("div", { class: "preview" }, title, node) };
  }

  drawPreview({ plane, node, figure }) {
    figure.hidden = plane === this.plane;
    if (figure.hidden) return;
    const { w, h } = this.size(plane), dpr = window.devicePixelRatio || 1, k = Math.min(PREVIEW_WIDTH / w, PREVIEW_HEIGHT / h);
    const t = { S: k * dpr, X: 0, Y: 0, W: Math.round(w * k * dpr), H: Math.round(h * k * dpr), dpr, moving: true };
    const from = [t.W, t.H, this.projection || this.at[PLANES[plane].through], this.label, this.background, this.fill, this.blend, JSON.stringify([this.windows, this.shown])];
    const still = this.keep(`preview ${plane}`, from, () => {
      const made = canvas(t.W, t.H), pen = made.getContext("2d");
      this.paintGround(pen, t, plane);
      this.paintOverlay(pen, t, plane, true);
      return made;
    });
    node.width = t.W;
    node.height = t.H;
    node.style.width = `${w * k}px`;
    const g = node.getContext("2d");
    g.drawImage(still, 0, 0);
    if (!this.projection) this.paintCrosshair(g, t, plane, 6 * dpr);
  }

  controls(bar, side) {
    const { head, shown, images } = this, change = (name) => (value) => {
      this[name] = value;
      this.refresh();
    };
    const show = (what, key) => toggle(`${what} contour`, what, shown[key], (on) => {
      shown[key] = on;
      this.refresh();
    });
    this.planes = choice("Plane", PLANE_NAMES.map((plane) => [plane, capital(plane)]), this.plane, (plane) => this.setPlane(plane));
    const backgrounds = [...images.map((one) => [one.name, one.name]), ...(images.length > 1 ? [[FUSED, `${images[0].name} + ${images[1].name}`]] : []), ["", "None"]];
    this.buttons = {
      m: toggle("Maximum-intensity projection; wrong regions lie on top, the deeper the stronger (m)", "MIP", this.projection, change("projection")),
      l: choice("Label", [[0, "All"], ...head.labels.map((name, label) => [label, name]).slice(1)], this.label, (label) => this.setLabel(label)),
      b: choice("Background", backgrounds, this.background, change("background")),
      x: toggle("Crosshair (x)", "Crosshair", this.crosshair, change("crosshair")),
    };
    this.chips = RESULTS.map((r) => toggle(`${STATUS[r - 1]}, ${STATUS_WORD[r - 1]}`, [line(r - 1), `${STATUS[r - 1]} `, el("span", { class: "count" })], shown.results[r], (on) => {
      shown.results[r] = on;
      this.region = -1;
      this.refresh();
    }));
    bar.append(this.planes, this.buttons.m, this.buttons.l, layers("Result", ...this.chips), ...(images.length ? [this.buttons.b, this.makePresets()] : []),
      layers("Contours", show("Truth", "truth"), show("Prediction", "prediction")), this.buttons.x, slider("Fill", this.fill, change("fill")));
    if (images.length > 1) {
      this.blender = slider(`${images[1].name} over ${images[0].name}`, this.blend, change("blend"));
      bar.append(this.blender);
    }
    side.append(el("div", { class: "previews" }, ...this.previews.map((preview) => preview.figure)), this.borderKey());
    this.viewer.say("", STEPS_THROUGH);
    this.refresh();
  }

  /** What the borders look like, in words and lines. */
  borderKey() {
    const sample = (label, dashed) => {
      const node = canvas(34, 10), g = node.getContext("2d"), cells = Uint8Array.of(0, label, label, 0);
      strokeBorder(g, cells, label, { nu: 4, nv: 1 }, { X: (i) => i * 34 - 34, Y: (j) => 5 + 40 * j }, dashed, 1);
      return node;
    };
    const rows = this.labelsShown().flatMap((label) => [el("dt", {}, this.head.labels[label]), el("dd", {}, sample(label, false), "truth"), el("dd", {}, sample(label, true), "predicted")]);
    return el("dl", { class: "borders" }, ...rows);
  }

  /** Windows by name for the images underneath, and the buttons that belong to them. */
  makePresets() {
    const box = el("div", { class: "presets", role: "group", "aria-label": "Window" });
    this.presets = box;
    box.show = () => {
      const images = this.underneath();
      if (box.dataset.key === this.background) return;
      box.dataset.key = this.background;
      box.replaceChildren(...images.map((image) => this.presetMenu(image)), ...(images.length ? [this.windowTools(images[0])] : []));
    };
    return box;
  }

  presetMenu(image) {
    const select = el("select", { "aria-label": `Window of ${image.name}`, title: `Window of ${image.name}` });
    select.append(...image.windows.map(([name], i) => el("option", { value: i }, `${image.name}: ${name}`)));
    select.onchange = () => {
      const [, low, high] = image.windows[select.value];
      Object.assign(this.windows[image.name], { low, high });
      this.refresh();
    };
    return select;
  }

  windowTools(lowest) {
    const invert = iconButton("invert", "Invert the grey scale", () => {
      const window = this.windows[lowest.name];
      window.invert = !window.invert;
      this.refresh();
    });
    const words = "Drag changes the window instead of panning; so does the right button, or Shift";
    return group("Window", toggle(words, "Drag window", this.windowing, (on) => { this.windowing = on; }), invert);
  }

  destroy() {
    this.observer.disconnect();
  }
}

LAYERS.slices = Slices;

function resultTitle(result) {
  return result ? { status: result - 1, title: `${STATUS[result - 1]} · ${STATUS_WORD[result - 1]}` } : { status: null, title: "No label" };
}

function inWords(value, image) {
  return value === null ? "outside" : `${value.toFixed(image.digits)} ${image.unit}`;
}

function rangeWords({ low, high }, image) {
  return `${low.toFixed(image.digits)} to ${high.toFixed(image.digits)} ${image.unit}`;
}
