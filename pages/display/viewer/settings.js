// The buttons of the slice viewer: plane, label, results, background, window, borders.

class Settings {
  constructor(layer) {
    this.layer = layer;
    const { images, head } = layer, names = images.map((one) => one.name), fused = [FUSED, names.slice(0, 2).join(" + ")];
    const labels = [[0, "All"], ...head.regions.map(([name], place) => [place + 1, name])];
    this.planes = choice("Plane", PLANE_NAMES.map((plane) => [plane, capital(plane)]), layer.plane, (plane) => layer.setPlane(plane));
    const deep = "Maximum-intensity projection (m): wrong regions lie on top; deeper regions have stronger colours";
    this.projection = toggle(deep, "MIP", layer.projection, this.change("projection"));
    this.labels = choice("Label", labels, layer.label, (label) => layer.setLabel(label));
    const backgrounds = [...names.map((name) => [name, name]), ...(images.length > 1 ? [fused] : []), ["", "None"]];
    this.backgrounds = choice("Background", backgrounds, layer.background, this.change("background"));
    this.crosshair = toggle("Crosshair (x)", "Crosshair", layer.crosshair, this.change("crosshair"));
    this.chips = RESULTS.map((result) => this.chip(result));
    this.windows = el("div", { class: "presets", role: "group", "aria-label": "Window" });
    this.blend = slider(`${names[1]} over ${names[0]}`, layer.blend, this.change("blend"));
    this.borders = { t: this.border("Truth", "truth", "t"), d: this.border("Prediction", "prediction", "d") };
    this.keys = { m: this.projection, l: this.labels, b: this.backgrounds, x: this.crosshair, ...this.borders };
    this.chips.forEach((chip, i) => { this.keys[i + 1] = chip; });
  }

  /** Sets a property of the layer. */
  change(name) {
    return (value) => {
      this.layer[name] = value;
      this.layer.refresh();
    };
  }

  chip(result) {
    const { layer } = this, content = [line(result - 1), `${STATUS[result - 1]} `, el("span", { class: "count" })];
    return toggle(`${resultName(result)} (${result})`, content, layer.shown.results[result], (on) => {
      layer.shown.results[result] = on;
      layer.region = -1;
      layer.refresh();
    });
  }

  border(words, side, key) {
    return toggle(`${words} contour (${key})`, words, this.layer.shown[side], (on) => {
      this.layer.shown[side] = on;
      this.layer.refresh();
    });
  }

  mount(bar, side) {
    const { layer } = this;
    bar.append(this.planes, this.projection, this.labels, layers("Result", ...this.chips));
    if (layer.images.length) bar.append(this.backgrounds, this.windows);
    bar.append(layers("Contours", ...Object.values(this.borders)), this.crosshair);
    bar.append(slider("Fill", layer.fill, this.change("fill")), this.blend);
    side.append(el("div", { class: "previews" }, ...layer.previews.map((preview) => preview.figure)), this.borderKey());
  }

  /** Show what the layer has become by other ways. */
  refresh() {
    const { layer } = this;
    this.planes.set(layer.plane);
    this.projection.set(layer.projection);
    this.blend.hidden = layer.background !== FUSED;
    this.chips.forEach((chip, i) => {
      chip.lastChild.textContent = layer.millilitres(layer.counted.totals[i + 1]);
      chip.hidden = i + 1 === RENAMED && !layer.counted.totals[RENAMED];
    });
    if (this.windows.dataset.of === layer.background) return;
    this.windows.dataset.of = layer.background;
    const images = layer.underneath();
    this.windows.replaceChildren(...images.map((image) => this.presets(image)), ...(images.length ? [this.windowTools(images[0])] : []));
  }

  presets(image) {
    const label = `Window of ${image.name}`, select = el("select", { title: label, "aria-label": label });
    select.append(...image.windows.map(([name], i) => el("option", { value: i }, `${image.name}: ${name}`)));
    select.onchange = () => {
      const [, low, high] = image.windows[select.value];
      Object.assign(this.layer.windows[image.name], { low, high });
      this.layer.refresh();
    };
    return select;
  }

  windowTools(lowest) {
    const invert = iconButton("invert", "Invert the grey scale", () => {
      const window = this.layer.windows[lowest.name];
      window.invert = !window.invert;
      this.layer.refresh();
    });
    const words = "If pressed, dragging changes the window. Otherwise, drag with the right button or with Shift";
    const drag = toggle(words, "Drag window", this.layer.windowing, (on) => { this.layer.windowing = on; });
    return group("Window", drag, invert);
  }

  /** What the borders look like, in words and lines. */
  borderKey() {
    const rows = this.layer.head.labels.map((name, label) => [name, label]).slice(1).flatMap(([name, label]) => [
      el("dt", {}, name),
      el("dd", {}, borderSample(label, false), "truth"),
      el("dd", {}, borderSample(label, true), "predicted"),
    ]);
    return el("dl", { class: "borders" }, ...rows);
  }
}

function borderSample(label, dashed) {
  const node = el("canvas", { width: 34, height: 10, "aria-hidden": "true" }), outside = { X: (i) => 34 * (i - 1), Y: (j) => 5 + 40 * j };
  strokeBorder(node.getContext("2d"), Uint8Array.of(0, label, label, 0), label, { nu: 4, nv: 1 }, outside, dashed, 1);
  return node;
}
