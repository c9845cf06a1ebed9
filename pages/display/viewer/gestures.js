// Wheel, pointers (mouse, pen, fingers) and keys of a stage.

/** A turn of the wheel belongs to where it began for as long as its events follow one another this closely. */
const TURN_MS = 250;
/** A pointer that moved less than this is a click, CSS px. */
const STILL = 4;
const LINES = [1, 16, 400]; // CSS px per unit of a wheel event's deltaMode
const PAN = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
const ZOOM = { "+": 1.3, "=": 1.3, "-": 1 / 1.3 };

/** Listen for a stage; gives the function that ends it. */
function listen(stage) {
  const forget = listenWheel(stage);
  listenPointers(stage);
  listenKeys(stage);
  return forget;
}

function position(stage, event) {
  const r = stage.node.getBoundingClientRect();
  return [event.clientX - r.left, event.clientY - r.top];
}

function listenWheel(stage) {
  const { node } = stage;
  let page = -Infinity, own = -Infinity; // when the wheel last turned for the page, and for the stage
  const outside = (event) => {
    if (!event.composedPath().includes(node)) page = performance.now();
  };
  const turn = (event) => {
    const now = performance.now();
    if (now - page < TURN_MS) { // the viewer slid under the pointer while the page was being scrolled
      page = now;
      return;
    }
    const delta = event.deltaY * LINES[event.deltaMode], pinch = event.ctrlKey || event.metaKey;
    const factor = Math.exp(-clamp(delta, -240, 240) * (pinch ? 0.01 : 0.0022));
    if (stage.layer.wheel && !pinch) stage.layer.wheel(delta);
    else if (!stage.zoomAt(factor, ...position(stage, event)) && now - own > TURN_MS) {
      page = now; // nothing left to zoom: the page goes on
      return;
    }
    own = now;
    event.preventDefault();
    stage.showCard(null);
  };
  window.addEventListener("wheel", outside, { passive: true, capture: true });
  node.addEventListener("wheel", turn, { passive: false });
  return () => window.removeEventListener("wheel", outside, { capture: true });
}

function listenPointers(stage) {
  const { node, map } = stage, down = new Map();
  let travelled = 0, pinch = null;
  const onMap = (event) => event.composedPath().includes(map);
  node.onpointerdown = (event) => {
    if (onMap(event)) return stage.jump(event);
    node.setPointerCapture(event.pointerId);
    down.set(event.pointerId, position(stage, event));
    if (down.size === 1) travelled = 0;
    pinch = null;
  };
  node.onpointermove = (event) => {
    const before = down.get(event.pointerId), now = position(stage, event);
    if (!before) {
      if (!onMap(event)) stage.hoverAt(...now);
      else if (event.buttons) stage.jump(event);
      return;
    }
    down.set(event.pointerId, now);
    if (down.size === 2) {
      pinch = spread(stage, [...down.values()], pinch);
      travelled = STILL;
      return;
    }
    const dx = now[0] - before[0], dy = now[1] - before[1];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (travelled < STILL) return;
    stage.showCard(null);
    node.classList.add("dragging");
    if (!stage.layer.drag?.(dx, dy, event.buttons === 2 || event.shiftKey)) stage.pan(dx, dy);
  };
  node.onpointerup = node.onpointercancel = (event) => {
    if (!down.delete(event.pointerId)) return;
    node.classList.remove("dragging");
    if (event.type !== "pointerup" || down.size || travelled >= STILL || event.button) return;
    const [px, py] = position(stage, event), p = stage.toContent(px, py);
    if (event.pointerType === "touch") stage.hoverAt(px, py);
    stage.layer.click(p.x, p.y);
  };
  node.onpointerleave = () => stage.showCard(null);
  node.oncontextmenu = (event) => event.preventDefault();
  node.ondblclick = (event) => stage.zoomAt(2, ...position(stage, event));
}

/** Two fingers move and zoom at once. before: their distance and middle at the last event, or null at the first. */
function spread(stage, [a, b], before) {
  const now = { d: Math.hypot(a[0] - b[0], a[1] - b[1]), x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2 };
  if (before) {
    stage.pan(now.x - before.x, now.y - before.y);
    stage.zoomAt(now.d / before.d, now.x, now.y);
  }
  return now;
}

/** Keys of the layer go first, so that a mode may give one another meaning. */
function listenKeys(stage) {
  stage.node.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!stage.layer.key?.(event) && !commonKey(stage, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

function commonKey(stage, key) {
  if (PAN[key]) stage.pan(...PAN[key]);
  else if (ZOOM[key]) stage.zoomAt(ZOOM[key]);
  else if (key === "0") stage.fit();
  else if (key === " ") stage.hideOverlay();
  else if (key === "?") stage.onhelp?.();
  else return false;
  return true;
}
