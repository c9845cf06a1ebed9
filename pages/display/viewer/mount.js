// Entry: one Viewer per mounted component. It outlives reruns, so that zoom, filters and selection stay.

/** Streamlit calls the default function at every rerun, and its answer only when the component goes. */
const VIEWERS = new WeakMap();

class Viewer {
  constructor(host) {
    this.live = el("div", { class: "quiet", "aria-live": "polite" });
    this.stage = new Stage(this.live);
    this.bar = el("div", { class: "bar", role: "toolbar", "aria-label": "Layers" });
    this.side = el("div", { class: "side" });
    this.foot = el("div", { class: "foot" });
    this.keys = el("div", { class: "keys", hidden: "" });
    this.tools = this.makeTools();
    const body = el("div", { class: "body" }, this.stage.node, this.side);
    this.root = el("div", { class: "viewer" }, this.bar, body, this.foot, this.tools, this.live);
    this.stage.node.append(this.keys);
    this.stage.onview = (scale) => { this.zoom.textContent = this.layer.magnification(scale); };
    this.stage.onhide = (hidden) => this.hide.set(!hidden);
    this.stage.onhelp = () => this.help.flip();
    host.replaceChildren(this.root);
  }

  makeTools() {
    const stage = this.stage;
    this.stepper = el("span", { class: "stepper" }); // a layer may let choose what the two arrows step through
    this.where = el("span", { class: "where" });
    this.zoom = el("output", { class: "zoom", "aria-label": "Magnification" });
    this.hide = toggle("Overlay (space)", "Overlay", true, () => stage.hideOverlay());
    this.help = toggle("Keys (?)", icon("help"), false, (on) => {
      this.keys.hidden = !on;
      stage.showCard(null);
    });
    return el("div", { class: "tools", role: "toolbar", "aria-label": "View" },
      this.stepper,
      iconButton("previous", "Previous (p)", () => this.layer.step(-1)),
      this.where,
      iconButton("next", "Next (n)", () => this.layer.step(1)),
      el("i", { class: "gap" }),
      iconButton("minus", "Zoom out (−)", () => stage.zoomAt(1 / 1.5)),
      this.zoom,
      iconButton("plus", "Zoom in (+)", () => stage.zoomAt(1.5)),
      iconButton("fit", "Fit (0)", () => stage.fit()),
      iconButton("full", "Full screen", () => this.fullScreen()),
      this.help,
      iconButton("save", "Save this view as PNG", () => savePng(stage, this.head.name)),
      this.hide);
  }

  fullScreen() {
    return document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen();
  }

  /** Tell Python what was selected, and in which case; null for nothing. */
  tell(name, value) {
    this.hand(name, value && { case: this.head.name, ...value });
  }

  /** words: read out by a screen reader; place: shown between the arrows. */
  say(words, place) {
    if (words) this.live.textContent = words;
    if (place != null) this.where.textContent = place;
  }

  /** hand(name, value): sets what Python sees. */
  async update(data, hand) {
    this.hand = hand;
    const bytes = data instanceof Uint8Array ? data : new Uint8Array(data), { head, start } = readHead(bytes);
    this.root.style.setProperty("--height", `clamp(320px, 100vh - 320px, ${head.height_px}px)`); // header, bars and tools are in sight as well
    this.asked = head.focus;
    if (head.id !== this.head?.id) await this.open(bytes, head, start);
    const focus = JSON.stringify(this.asked ?? null);
    if (head.id !== this.head.id || !this.layer || focus === this.focus) return; // a newer payload came meanwhile, or nothing new
    this.focus = focus;
    if (this.asked) this.stage.whenShown(() => this.layer.focus?.(this.asked));
  }

  async open(bytes, head, start) {
    const begin = performance.now();
    this.head = head; // at once, so that an older payload that is still being unpacked sees it
    const { jpeg, ...arrays } = await readArrays(bytes, { head, start });
    const image = jpeg && await createImageBitmap(new Blob([jpeg])).catch(() => null); // without a picture the overlay still says all
    if (this.head !== head) return;
    const before = this.layer, again = before?.head.name === head.name;
    if (!again) this.focus = null;
    before?.destroy?.();
    this.root.dataset.mode = head.mode;
    this.layer = new LAYERS[head.mode](this, head, arrays, image, before);
    const rows = this.layer.keys.flatMap(([key, what]) => [el("dt", {}, key), el("dd", {}, what)]);
    this.keys.replaceChildren(el("b", {}, "Keys"), el("dl", {}, ...rows));
    this.stage.setLayer(this.layer, again); // while the old controls are there: the stage keeps its width
    for (const part of [this.bar, this.side, this.foot, this.stepper, this.stage.tags]) part.replaceChildren();
    this.say("", "");
    this.layer.controls(this.bar, this.side);
    if (this.layer.strip) this.foot.append(this.layer.strip);
    this.root.dataset.ready = (performance.now() - begin).toFixed(1);
  }

  destroy() {
    this.stage.destroy();
    this.layer?.destroy?.();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  if (!data) return undefined;
  const host = parentElement.querySelector(".mount");
  if (!VIEWERS.has(host)) VIEWERS.set(host, new Viewer(host));
  VIEWERS.get(host).update(data, setStateValue);
  return () => {
    VIEWERS.get(host)?.destroy();
    VIEWERS.delete(host);
  };
}
