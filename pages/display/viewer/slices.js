// Slices of a patient: truth and prediction over CT, PET or both, in three planes that share one point. Content units are millimetres.

const PLANE_NAMES = Object.keys(PLANES);
const SLICE_KEYS = { ArrowUp: -1, PageUp: -1, "[": -1, ArrowDown: 1, PageDown: 1, "]": 1 };
/** CSS px of a wheel's turn per slice, and the most slices one event may turn. */
const TURN = 50, TURN_MOST = 3;
/** Background of the first two images, one over the other. */
const FUSED = "both";
/** Ground of masks without an image; viewer.css has it too. */
const PLAIN = "#505a5a";
/** What stays as the reader set it when another patient comes. */
const LASTING = ["plane", "projection", "fill", "blend", "windowing", "crosshair", "shown"];
const STEPS_THROUGH = "wrong regions";

class Slices {
  constructor(viewer, head, arrays, _image, before) {
    Object.assign(this, { viewer, head, unit: 1, unitName: "mm", maxScale: 40, groundVersion: 0, thumbVersion: 0, turned: 0 });
    Object.assign(this, { plane: "axial", label: 0, projection: false, fill: 0.5, blend: 0.7, windowing: false, crosshair: true });
    this.shown = { results: [true, true, true, true, true], truth: true, prediction: true };
    this.volume = { codes: arrays.labels, marked: markedIn(arrays.labels), shape: head.shape, spacing: head.spacing };
    this.images = head.backgrounds.map((one) => ({ ...one, values: arrays[one.array] }));
    const firstWindow = ({ name, windows: [[, low, high]], invert }) => [name, { low, high, invert }];
    this.windows = Object.fromEntries(this.images.map(firstWindow));
    this.background = this.images.length ? this.images[0].name : "";
    if (before instanceof Slices) this.takeOver(before);
    this.ariaLabel = `Slices of ${head.name}. Up and down arrows or the wheel change the slice, n and p go from one wrong region to the `
      + "next, a, c and s choose the plane, plus and minus zoom, space hides the overlay.";
    this.keys = [["↑ ↓", "slice, also wheel"], ["n p", "next, previous wrong region, largest first"], ["a c s", "axial, coronal, sagittal"],
      ["m", "maximum-intensity projection"], ["1 2 3 4", "TP, FP, FN, wrong label"], ["t d", "contours of truth, prediction"],
      ["l", "next label"], ["b", "next background"], ["x", "crosshair"],
      ["click, Enter", "put this place into the link"], ["right drag", "window"], ["Ctrl wheel, + −", "zoom"], ["0", "fit"],
      ["← →", "pan (Shift: ↑ ↓)"], ["space", "overlay"]];
    this.kept = new Map();
    this.count();
    this.at = this.mostWrong();
    this.slider = new Strip(this);
    this.strip = this.slider.node;
    this.previews = PLANE_NAMES.map((plane) => new Preview(this, plane));
    this.settings = new Settings(this);
  }

  takeOver(before) {
    for (const name of LASTING) this[name] = before[name];
    const names = this.images.map((one) => one.name), { background } = before;
    if (names.includes(background) || (background === FUSED && names.length > 1)) this.background = background;
    for (const name of names) if (before.windows[name]) this.windows[name] = before.windows[name];
    if (before.label <= this.head.regions.length) this.label = before.label;
  }

  /** What codes become where one region is looked at; null for all labels. */
  get only() {
    return this.label ? codesOfRegion(this.head.regions[this.label - 1][1], this.border) : null;
  }

  /** The label as which a region is drawn: it must fit into a code. */
  get border() {
    return (this.label - 1) % 15 + 1;
  }

  controls(bar, side) {
    this.settings.mount(bar, side);
    this.viewer.say("", STEPS_THROUGH);
    this.refresh();
  }

  destroy() {
    this.slider.destroy();
  }

  /** After a change of the label: voxels per slice and wrong regions, the latter found when first asked for. */
  count() {
    this.counted = tally(this.volume, this.only);
    this.regions = null;
    this.region = -1;
    this.kept.clear();
  }

  /** A voxel of the axial slice with most wrong voxels; without any, of the one with most right ones; else the middle. */
  mostWrong() {
    const { shape } = this.volume, counts = this.counted.slices[2];
    const score = (z) => wrongIn(counts, z) * shape[0] * shape[1] + counts[5 * z + RIGHT];
    const z = [...Array(shape[2]).keys()].reduce((best, k) => (score(k) > score(best) ? k : best), 0);
    if (!score(z)) return shape.map((n) => n >> 1);
    const least = wrongIn(counts, z) ? RIGHT + 1 : RIGHT, places = [], { only } = this;
    eachMarked(this.volume, (code, _index, place) => {
      if (place[2] === z && resultOf(code, only) >= least) places.push([...place]);
    });
    return nearest(places, [0, 1, 2].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length));
  }

  size(plane = this.plane) {
    const { across, down } = PLANES[plane], { shape, spacing } = this.volume;
    return { w: shape[across] * spacing[across], h: shape[down] * spacing[down] };
  }

  magnification(scale) {
    return `${(scale / this.viewer.stage.fitted).toFixed(1)} ×`;
  }

  labelsShown() {
    return this.label ? [this.border] : this.head.labels.map((_, label) => label).slice(1);
  }

  legend() {
    const results = RESULTS.filter((r) => this.shown.results[r] && this.counted.totals[r]);
    const name = (label) => (this.label ? this.head.regions[this.label - 1][0] : this.head.labels[label]);
    const borders = this.labelsShown().map((label) => `${name(label)}: ${BORDER[(label - 1) % BORDER.length].words}`);
    const drawn = [this.shown.truth && "truth drawn through", this.shown.prediction && "prediction dashed"].filter(Boolean);
    const lines = drawn.length ? [[null, null, [...borders, ...drawn].join(", ")]] : [];
    return [...results.map((r) => [r - 1, COLOUR[r - 1], resultName(r)]), ...lines];
  }

  /** Sections and pictures are kept, one under each name, until what they were made from changes. */
  keep(name, from, make) {
    const key = from.join();
    if (this.kept.get(name)?.key !== key) this.kept.set(name, { key, value: make() });
    return this.kept.get(name).value;
  }

  /** Everything that the picture of a plane depends on, as text. */
  looks(plane) {
    const slice = this.projection || this.at[PLANES[plane].through];
    return JSON.stringify([slice, this.label, this.background, this.fill, this.blend, this.windows, this.shown]);
  }

  section(plane) {
    const slice = this.projection ? null : this.at[PLANES[plane].through];
    return this.keep(`section ${plane}`, [slice, this.label], () => crossSection(this.volume, plane, slice, this.only));
  }

  /** The images that the background names, the lower one first. */
  underneath() {
    return this.background === FUSED ? this.images.slice(0, 2) : this.images.filter((one) => one.name === this.background);
  }

  /** A canvas of an image, or null beyond its ends. heat: in colours, as it lies over another; alone it is grey. */
  picture(image, plane, heat) {
    const { through } = PLANES[plane], { low, high, invert } = this.windows[image.name];
    const slice = this.projection ? null : imageIndex(image, through, (this.at[through] + 0.5) * this.volume.spacing[through]);
    if (slice === -1) return null;
    const section = this.keep(`values ${image.name} ${plane}`, [slice], () => imageSection(image, plane, slice));
    const make = () => tinted(section, image.scale, { low, high, invert }, heat);
    return this.keep(`picture ${image.name} ${plane}`, [slice, heat, low, high, invert], make);
  }

  ground(g, t) {
    this.paintGround(g, t, this.plane);
    if (t.exact) paintTags(g, t, this.tags);
  }

  paintGround(g, t, plane) {
    const { across, down } = PLANES[plane], { w, h } = this.size(plane), images = this.underneath();
    const white = images.length === 1 && this.windows[images[0].name].invert;
    g.save();
    g.setTransform(t.S, 0, 0, t.S, t.X, t.Y);
    g.beginPath();
    g.rect(0, 0, w, h);
    g.clip();
    g.fillStyle = images.length ? (white ? "#fff" : "#000") : PLAIN;
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
    if (this.crosshair && !this.projection && !t.exact) paintCrosshair(g, t, this, this.plane, 16 * t.dpr);
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

  thumb(g, width, height) {
    g.clearRect(0, 0, width, height);
    this.paintGround(g, { S: width / this.size().w, X: 0, Y: 0, moving: true }, this.plane);
  }

  /** Voxel under a place of a plane's slice, or null outside. */
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
    const name = (label) => (label ? this.head.labels[label] : "none"), place = voxel.map((value, axis) => (value + 0.5) * spacing[axis]);
    const images = this.images.map((image) => [image.name, valueWords(imageValue(image, place), image)]);
    const where = [["voxel", fileVoxel(this.head, voxel).join(", ")], ["this slice", this.sliceWords()]];
    const rows = [["truth", name(code & 15)], ["prediction", name(code >> 4)], ...images, ...where];
    return { ...resultTitle(resultOf(code, this.only)), rows };
  }

  /** How much of each result lies behind one another. */
  rayCard(voxel) {
    const { through, across, down } = PLANES[this.plane], { depth, nu } = this.section(this.plane);
    const pixel = 5 * (voxel[down] * nu + voxel[across]);
    const millimetres = (voxels) => `${(voxels * this.volume.spacing[through]).toFixed(1)} mm deep`;
    const rows = RESULTS.filter((r) => depth[pixel + r]).map((r) => [STATUS[r - 1], millimetres(depth[pixel + r])]);
    return rows.length ? { status: null, title: "Along the line of sight", rows } : null;
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
    this.moveTo(voxel);
    this.tell();
  }

  tell() {
    this.viewer.tell("selected", { voxel: fileVoxel(this.head, this.at), plane: this.plane });
  }

  /** place: {voxel: index in the truth's file, plane}, both optional; a voxel outside the crop goes to its edge. */
  focus(place) {
    const { shape } = this.volume, inside = (value, axis) => clamp(value, 0, shape[axis] - 1);
    this.moveTo(place.voxel ? fromFile(this.head, place.voxel).map(inside) : this.at);
    if (PLANES[place.plane]) this.setPlane(place.plane);
  }

  moveTo(voxel) {
    this.at = [...voxel];
    this.projection = false;
    this.refresh();
  }

  goTo(axis, slice) {
    this.viewer.stage.showCard(null);
    this.moveTo(this.at.map((value, other) => (other === axis ? clamp(slice, 0, this.volume.shape[axis] - 1) : value)));
  }

  turn(by) {
    const { through } = PLANES[this.plane];
    this.goTo(through, this.at[through] + by);
    this.viewer.say(this.strip.getAttribute("aria-valuetext"));
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
    const { windows: [[, low, high]], name } = image, window = this.windows[name], k = (high - low) / 300;
    const middle = (window.low + window.high) / 2 + dy * k, half = Math.max(k, (window.high - window.low + dx * k) / 2);
    Object.assign(window, { low: middle - half, high: middle + half });
    this.refresh();
    return true;
  }

  key(event) {
    const by = SLICE_KEYS[event.key], plane = PLANE_NAMES.find((name) => name[0] === event.key);
    if (by && !event.shiftKey) this.turn(by);
    else if (plane) this.setPlane(plane);
    else if (event.key === "n" || event.key === "p") this.step(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter") this.tell();
    else if (this.settings.keys[event.key]) this.settings.keys[event.key].flip();
    else return false;
    return true;
  }

  /** To the next wrong region, the largest first; only of the results that are drawn. */
  step(by) {
    this.regions ??= wrongRegions(this.volume, this.only);
    const regions = this.regions.filter((one) => this.shown.results[one.result]);
    if (!regions.length) return this.viewer.say("No visible region is wrong", "none wrong");
    this.region = this.region < 0 && by < 0 ? regions.length - 1 : (this.region + by + regions.length) % regions.length;
    const { result, voxels, at } = regions[this.region], number = `${this.region + 1} of ${regions.length}`;
    this.moveTo(at);
    this.centre();
    const spoken = `Wrong region ${number}: ${resultName(result)}, ${voxels} voxels`;
    return this.viewer.say(spoken, `${number} · ${STATUS[result - 1]} ${this.millilitres(voxels)}`);
  }

  /** Bring the point into sight where a magnified stage does not show it. */
  centre() {
    const { stage } = this.viewer, { across, down } = PLANES[this.plane], { spacing } = this.volume;
    if (!stage.isFit()) stage.centreOn((this.at[across] + 0.5) * spacing[across], (this.at[down] + 0.5) * spacing[down]);
  }

  setPlane(plane) {
    this.plane = plane;
    this.refresh();
    this.viewer.stage.fit();
  }

  setLabel(label) {
    this.label = label;
    this.count();
    this.viewer.say("", STEPS_THROUGH);
    this.refresh();
  }

  refresh() {
    const { stage } = this.viewer;
    this.groundVersion += 1;
    this.thumbVersion += 1;
    this.tags = this.tagsNow();
    stage.tags.replaceChildren(...this.tags.map(([place, words]) => el("span", { class: place }, words)));
    stage.node.classList.toggle("plain", !this.underneath().length);
    this.slider.refresh();
    this.settings.refresh();
    this.previews.forEach((preview) => preview.draw());
    stage.moved = true;
    stage.repaint();
  }

  /** [place on the stage, words]: plane and slice, ends of the axes, windows. */
  tagsNow() {
    const { through, across, down } = PLANES[this.plane], [number, of] = sliceNumber(this.head, this.at, through);
    const where = this.projection ? "MIP" : `${number} / ${of} · ${positionWords(this.head, through, this.at[through])}`;
    const windows = this.underneath().map((one) => `${one.name} ${rangeWords(this.windows[one.name], one)}`);
    const ends = [["t", ENDS[down][0]], ["b", ENDS[down][1]], ["l", ENDS[across][0]], ["r", ENDS[across][1]]];
    return [["tl", `${capital(this.plane)} ${where}`], ...ends, ...(windows.length ? [["tr", windows.join(" · ")]] : [])];
  }
}

LAYERS.slices = Slices;
