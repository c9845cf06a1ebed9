// What is on the stage as a PNG of twice its size, with scale bar, legend and the name of the case.

const CAUTION = "Benchside: research use only, not a medical device";
const MARGIN = 14;
const ROW = 22;
const KEY = 36;

function savePng(stage, name) {
  const t = { ...stage.transform(Math.max(2, stage.dpr)), moving: false, exact: true }, k = t.dpr;
  const style = getComputedStyle(stage.node), entries = layOut([...stage.layer.legend(), [null, null, `${name} · ${CAUTION}`]], t.W / k);
  const out = canvas(t.W, t.H + (entries.rows * ROW + MARGIN) * k), g = out.getContext("2d");
  g.fillStyle = style.getPropertyValue("--paper");
  g.fillRect(0, 0, out.width, out.height);
  g.drawImage(painted(stage.layer.ground.bind(stage.layer), t, style.backgroundColor), 0, 0);
  if (!stage.overlay.classList.contains("hidden")) g.drawImage(painted(stage.layer.overlay.bind(stage.layer), t), 0, 0);
  g.setTransform(k, 0, 0, k, 0, 0);
  paintScaleBar(g, stage);
  paintLegend(g, entries, stage.height + MARGIN / 2, style.color);
  out.toBlob((blob) => download(blob, `${name}.png`));
}

/** One of a layer's two drawings on a canvas of its own: they leave their transform set, and clear what is there. */
function painted(draw, t, colour = "transparent") {
  const sheet = canvas(t.W, t.H), g = sheet.getContext("2d");
  g.fillStyle = colour;
  g.fillRect(0, 0, t.W, t.H);
  draw(g, t);
  return sheet;
}

function paintScaleBar(g, stage) {
  const length = parseFloat(stage.bar.style.width), y = stage.height - MARGIN;
  g.fillStyle = "#000a";
  g.fillRect(MARGIN - 6, y - 20, length + 12, 27);
  g.fillStyle = "#fff";
  g.fillRect(MARGIN, y, length, 3);
  g.font = "600 12px sans-serif";
  g.fillText(stage.bar.textContent, MARGIN, y - 5);
}

/** Entries of a legend [[status or null, colour or null, words]] in rows of a width, CSS px. */
function layOut(legend, width) {
  const g = canvas(1, 1).getContext("2d"), placed = [];
  g.font = "12px sans-serif";
  let x = MARGIN, row = 0;
  for (const [status, colour, words] of legend) {
    const wide = (colour ? KEY : 0) + g.measureText(words).width + MARGIN;
    if (x > MARGIN && x + wide > width) {
      x = MARGIN;
      row += 1;
    }
    placed.push({ status, colour, words, x, row });
    x += wide;
  }
  return { placed, rows: placed.length ? row + 1 : 0 };
}

function paintLegend(g, { placed }, top, ink) {
  g.font = "12px sans-serif";
  g.textBaseline = "middle";
  for (const { status, colour, words, x, row } of placed) {
    const y = top + (row + 0.5) * ROW;
    if (colour) {
      g.strokeStyle = colour;
      g.lineWidth = 3;
      g.setLineDash(status === null ? [] : DASH[status]);
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x + KEY - 8, y);
      g.stroke();
    }
    g.fillStyle = ink;
    g.fillText(words, x + (colour ? KEY : 0), y);
  }
}

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
